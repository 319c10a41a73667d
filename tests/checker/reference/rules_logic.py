"""Rules of logic and of relations (sections 4.5 and 4.6)."""

from . import terms as tm
from .forms import check, check_path, child, follow, leaving, term, with_child
from .matrix_instances import commuting, instance_of_sizes
from .terms import (
    HALF,
    ONE,
    RELATIONS,
    ZERO,
    Refused,
    add,
    both,
    defined,
    either,
    eq,
    fun,
    iff,
    key,
    le,
    lt,
    mul,
    neg,
    no,
    num,
    same,
    subst,
    whole,
)
from .theorems import merged, need, rule

# --- 4.5 logic -------------------------------------------------------------


@rule("assume", "t")
def assume(_, p):
    """Conclude p under the hypothesis p."""
    return p, [p]


@rule("generalise", "t", 1)
def generalise(premises, x):
    """Conclude for all values of a symbol that no hypothesis has."""
    need(x.head == "s", "no symbol")
    hyps = merged(premises)
    need(all(x not in h.free for h in hyps.values()), "the symbol is free in a hypothesis")
    return tm.forall([x], premises[0].conclusion), hyps


@rule("induction", "t t", 2)
def induction(premises, n, goal):
    """Conclude a goal from its start and its step."""
    need(n.head == "s" and n.params[1] in ("Z>=0", "Z>0"), "no symbol for an induction")
    start = ZERO if n.params[1] == "Z>=0" else ONE
    need(same(premises[0].conclusion, subst(goal, {n: start})), "another start")
    need(same(premises[1].conclusion, subst(goal, {n: add(n, ONE)})), "another step")
    hyps = dict(premises[1].hypotheses)
    hyps.pop(key(goal), None)
    hyps.update(premises[0].hypotheses)
    need(all(n not in h.free for h in hyps.values()), "the symbol is free in a hypothesis")
    return goal, hyps


@rule("instance", "pairs", 1)
def instance(premises, pairs):
    """Conclude an instance, with values of symbols, letters and functions, or of sizes."""
    need(len({s for s, _ in pairs}) == len(pairs), "a symbol occurs twice")
    if any(isinstance(s, tm.Node) and s.head == "M.dim" for s, _ in pairs):
        return instance_of_sizes(premises[0], pairs)
    sigma, hyps = {}, []
    for s, v in pairs:
        need((v.head == "lam") == isinstance(s, tuple), "a value of a wrong kind")
        sigma[s] = v
        hyps += tm.conditions(s, v)
    hyps += commuting(premises[0], pairs)
    hyps += [subst(h, sigma) for h in premises[0].hypotheses.values()]
    return subst(premises[0].conclusion, sigma), hyps


@rule("specialise", "ts", 1)
def specialise(premises, values):
    """Conclude an instance of a universal conclusion."""
    p = premises[0].conclusion
    need(p.head == "forall" and len(values) == len(p.vars), "no matching universal formula")
    hyps = list(merged(premises).values())
    for x, v in zip(p.vars, values, strict=True):
        hyps += tm.conditions(x, v)
    return subst(p.inside[0], dict(zip(p.vars, values, strict=True))), hyps


@rule("unchecked", "json ts t", None)
def unchecked(premises, name, hyps, p):
    """Conclude anything, with an axiom that says so."""
    need(tm.is_label(name), "a name of printable characters is expected")
    return p, list(merged(premises).values()) + hyps, ["unchecked: " + name]


@rule("logic", "ts t", None)
def logic(premises, hyps, goal):
    """Conclude what follows by connectives."""
    solver = Clauses()
    solver.fact(solver.literal(goal), False)
    for h in hyps:
        need(h.head in tm.FORMULAS, "no formula")
        solver.fact(solver.literal(h), True)
    for p in premises:
        solver.clauses.append(
            [solver.literal(p.conclusion)] + [-solver.literal(h) for h in p.hypotheses.values()]
        )
    need(not solver.satisfiable(), "it does not follow")
    return goal, hyps


def entails(p, q):
    """Tell whether q is true wherever p is, by the truth table of the connectives."""
    solver = Clauses()
    solver.fact(solver.literal(p), True)
    solver.fact(solver.literal(q), False)
    return not solver.satisfiable()


class Clauses:
    """Hold clauses with one name for each subformula, and search a model."""

    def __init__(self):
        self.names, self.clauses, self.count = {}, [], 0

    def fact(self, literal, value):
        """Add the clause that a literal has a value."""
        self.clauses.append([literal if value else -literal])

    def new(self):
        """Return a new propositional variable."""
        self.count += 1
        return self.count

    def literal(self, p):
        """Return the literal of a formula; add the clauses that define it."""
        if p.head == "not":
            return -self.literal(p.parts[0])
        tag = key(p)
        if tag in self.names:
            return self.names[tag]
        if p.head not in ("and", "or", "implies", "iff"):
            self.names[tag] = self.new()
            return self.names[tag]
        parts = [self.literal(q) for q in p.parts]
        me = self.names[tag] = self.new()
        if p.head == "iff":
            a, b = parts
            self.clauses += [[-me, -a, b], [-me, a, -b], [me, a, b], [me, -a, -b]]
            return me
        if p.head == "implies":
            parts[0] = -parts[0]
        if p.head == "and":
            self.clauses += [[-me, q] for q in parts] + [[me] + [-q for q in parts]]
        else:
            self.clauses += [[me, -q] for q in parts] + [[-me, *parts]]
        return me

    def satisfiable(self):
        """Tell whether there is a model, by unit propagation and cases."""
        clauses, units, watch = [], [], {}
        for c in self.clauses:
            c = list(dict.fromkeys(c))
            if any(-x in c for x in c):
                continue
            if len(c) == 1:
                units.append(c[0])
                continue
            clauses.append(c)
            for x in c[:2]:
                watch.setdefault(x, []).append(c)
        value, trail, choices = {}, [], []

        def spread(queue):
            """Tell whether no clause fails when these literals are true."""
            queue = list(queue)
            while queue:
                x = queue.pop()
                if x in value:
                    if value[x]:
                        continue
                    return False
                value[x], value[-x] = True, False
                trail.append(x)
                keep, watchers = [], watch.get(-x, [])
                for at, c in enumerate(watchers):
                    if c[0] == -x:
                        c[0], c[1] = c[1], c[0]
                    if value.get(c[0]):
                        keep.append(c)
                        continue
                    for i in range(2, len(c)):
                        if value.get(c[i]) is not False:
                            c[1], c[i] = c[i], c[1]
                            watch.setdefault(c[1], []).append(c)
                            break
                    else:
                        keep.append(c)
                        if value.get(c[0]) is False:
                            watch[-x] = keep + watchers[at + 1 :]
                            return False
                        queue.append(c[0])
                watch[-x] = keep
            return True

        fine, steps = spread(units), 0
        while True:
            steps += 1
            if steps > 200000:
                raise Refused("too much work")
            if not fine:
                if not choices:
                    return False
                length, x = choices.pop()
                while len(trail) > length:
                    y = trail.pop()
                    del value[y], value[-y]
                fine = spread([-x])
                continue
            open_clause = next((c for c in clauses if not any(value.get(x) for x in c)), None)
            if open_clause is None:
                return True
            x = next(x for x in open_clause if x not in value)
            choices.append((len(trail), x))
            fine = spread([x])


# --- 4.6 relations ---------------------------------------------------------


@rule("absolute value", "t")
def absolute_value(_, a):
    """Conclude what the absolute value is."""
    v = fun("abs", term(a))
    return either(both(le(ZERO, a), eq(v, a)), both(le(a, ZERO), eq(v, neg(a)))), [defined(a)]


@rule("chain", "", -1)
def chain(premises):
    """Conclude one relation, from the first side to the last."""
    rels = [p.conclusion for p in premises]
    need(all(r.head in RELATIONS and r.head != "!=" for r in rels), "no chain of relations")
    start = rels[0].parts[0]
    if len(rels) >= 2 and rels[0].head == "=":
        right = rels[0].parts[1]
        if not any(same(right, p) for p in rels[1].parts):
            start = right
    end, kinds = start, set()
    for r in rels:
        a, b = r.parts
        if not same(a, end):
            a, b = b, a
            need(r.head == "=" and same(a, end), "the chain is broken")
        end = b
        kinds.add(r.head)
    kind = "<" if "<" in kinds else "<=" if "<=" in kinds else "="
    return tm.rel(kind, start, end), merged(premises)


@rule("defined", "json", 1)
def defined_part(premises, path):
    """Conclude that a part of a relation is defined."""
    t = premises[0].conclusion
    need(t.head in RELATIONS, "no relation")
    check_path(path)
    for step in path:
        place = follow(t, step)
        need(place[0] != 1, "the path enters a binder")
        t = child(t, place)
    return defined(term(t)), merged(premises)


@rule("integers apart", "t json")
def integers_apart(_, t, k):
    """Conclude that no integer lies between k and k + 1."""
    need(whole(k), "no integer")
    return either(le(term(t), num(k)), le(num(k + 1), t)), [tm.integer(t)]


@rule("maximum", "t t")
def maximum(_, a, b):
    """Conclude what the maximum is."""
    term(a), term(b)

    def value(c, d):
        return eq(fun("max", a, b), mul(HALF, add(a, b, fun("abs", add(c, neg(d))))))

    return both(value(a, b), value(b, a)), [defined(a), defined(b)]


@rule("order", "t t")
def order(_, a, b):
    """Conclude how the relations of two terms hang together."""
    term(a), term(b)
    p, q, r = lt(a, b), eq(a, b), lt(b, a)
    return both(
        iff(both(defined(a), defined(b)), either(p, q, r)),
        no(both(p, q)),
        no(both(p, r)),
        no(both(q, r)),
        iff(le(a, b), either(p, q)),
        iff(le(b, a), either(r, q)),
        iff(tm.rel("!=", a, b), either(p, r)),
    ), []


@rule("rewrite", "json", 2)
def rewrite(premises, paths):
    """Conclude the first premise with equals in the place of equals."""
    need(premises[1].conclusion.head == "=", "no equation")
    a, b = premises[1].conclusion.parts
    need(type(paths) in (list, tuple), "a list of paths is expected")
    t, hyps = premises[0].conclusion, dict(premises[0].hypotheses)
    for path in paths:
        check_path(path)
        nodes, places = [t], []
        for step in path:
            places.append(follow(nodes[-1], step))
            nodes.append(child(nodes[-1], places[-1]))
        part = nodes[-1]
        if same(part, a):
            part = b
        else:
            need(same(part, b), "another term stands at the place")
            part = a
        asked = dict(premises[1].hypotheses)
        for node, place in zip(nodes[-2::-1], places[::-1], strict=True):
            part = check(with_child(node, place, part))
            if place[0] == 1:
                asked = leaving(node, asked)
        t = part
        hyps.update(asked)
    return t, hyps


@rule("sign", "t")
def sign(_, u):
    """Conclude what the sign is."""
    s = fun("sign", term(u))
    return either(
        both(lt(ZERO, u), eq(s, ONE)),
        both(eq(u, ZERO), eq(s, ZERO)),
        both(lt(u, ZERO), eq(s, num(-1))),
    ), [defined(u)]


@rule("symbol", "t")
def symbol(_, s):
    """Conclude that a symbol is of its sort."""
    need(s.head == "s", "no symbol")
    return both(defined(s), *tm.sorted_as(s.params[1], s)), []
