"""Change one thing of an inference."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from slrsym.checker.term import FUNCTIONS, PARAMETERS, SORTS, Rejected, Term, num

from . import matrix_changes
from .both import Fact, Inference, Judges
from .places import exchanged, is_binder, is_node, kind_of, nodes, put

X = ("s", "x", "R")
NUMBERS = [num(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (3, 1), (-2, 1))]
NAMES = ("x", "y", "z", "v", "i", "n", "x'", "h", "g", "a")
_RELATIONS = ("=", "!=", "<", "<=")
_ONE = tuple(name for name, count in FUNCTIONS.items() if count == 1)
_TWO = tuple(name for name, count in FUNCTIONS.items() if count == 2)


class Mutator:
    """Changes of terms, premises and other data, each by one step."""

    def __init__(self, rng: Random, judges: Judges, others: Callable[[], list[Fact]]) -> None:
        self.rng, self.judges, self.others = rng, judges, others

    def __call__(self, made: Inference) -> Inference | None:
        """Return the inference with one change; None if there is none to make."""
        r = self.rng.random()
        try:
            if r < 0.12:
                return self._malformed(made)
            if made.premises and r < 0.35:
                return self._premises(made)
            if r < 0.42:
                return self._renamed(made)
            return self._data(made)
        except (Rejected, IndexError, ValueError):
            return None

    # -- premises ---------------------------------------------------------------------------------

    def _premises(self, made: Inference) -> Inference:
        rng, found = self.rng, list(made.premises)
        i = rng.randrange(len(found))
        what = rng.choice(("drop", "double", "swap", "other", "hypothesis", "hypothesis",
                           "conclusion", "conclusion", "conclusion", "weaken"))  # fmt: skip
        if what == "drop":
            del found[i]
        elif what == "double":
            found.insert(rng.randrange(len(found) + 1), found[i])
        elif what == "swap" and len(found) > 1:
            j = rng.randrange(len(found))
            found[i], found[j] = found[j], found[i]
        elif what == "other":
            found[i] = rng.choice(self.others() or found)
        else:
            found[i] = self._other_fact(found[i], what, self._pool(made))
        return made._replace(premises=tuple(found))

    def _other_fact(self, fact: Fact, what: str, pool: list[Term]) -> Fact:
        """Return a theorem that differs by one change, taken on trust."""
        rng, given = self.rng, list(fact.hypotheses)
        conclusion = fact.conclusion
        if what == "conclusion":
            conclusion = self.term(conclusion, pool)
        elif what == "hypothesis" and given:
            i = rng.randrange(len(given))
            if rng.random() < 0.3:
                del given[i]
            else:
                given[i] = self.term(given[i], pool)
        else:
            formulas = [t for t in pool if kind_of(t) == "formula"]
            given.append(rng.choice(formulas) if formulas and rng.random() < 0.4
                         else self._about(pool))  # fmt: skip
        return self.judges.fact(conclusion, given, "changed")

    def _about(self, pool: list[Term]) -> Term:
        """Return a hypothesis that speaks of something of the inference."""
        terms = [t for t in pool if kind_of(t) == "term"] or NUMBERS
        return (self.rng.choice(_RELATIONS), self.rng.choice(terms), self.rng.choice(terms))

    # -- what is no inference -------------------------------------------------------------------

    def _malformed(self, made: Inference) -> Inference:
        """Return an inference with a premise or datum too many or of the wrong kind."""
        rng, data, premises = self.rng, list(made.data), list(made.premises)
        what = rng.random()
        if what < 0.3 or not data:
            premises.insert(rng.randrange(len(premises) + 1), rng.choice(self.others()))
        elif what < 0.36:
            del data[rng.randrange(len(data))]
        elif what < 0.42:
            data.insert(rng.randrange(len(data) + 1), rng.choice(data))
        elif what < 0.6:
            i = rng.randrange(len(data))
            data[i] = rng.choice(
                (
                    X,
                    ("<", X, X),
                    ("noise", X),
                    ("tuple", X),
                    ("lam", (X,), (X,), ()),
                    ("oo",),
                    ("set",),
                    0,
                    "x",
                    ("E", (X,), (X,), ()),
                )
            )
        else:
            i = rng.randrange(len(data))
            if is_node(data[i]):
                path, part = rng.choice(nodes(data[i]))
                data[i] = put(data[i], path, self._other_parameter(part))
            elif type(data[i]) is tuple:
                data[i] = rng.choice((data[i][:-1], (*data[i], *data[i]), ()))
            else:
                data[i] = self.json(data[i])
        return made._replace(premises=tuple(premises), data=tuple(data))

    def _other_parameter(self, t: Term) -> Term:
        """Return a node with a parameter that may not stand there."""
        rng, count = self.rng, PARAMETERS[t[0]]
        if not count or rng.random() < 0.2:
            head = rng.choice((*PARAMETERS, "strange"))
            return (head, *t[1:])
        i = rng.randint(1, count)
        new = rng.choice(
            (
                True,
                0,
                -1,
                2,
                "x",
                "R",
                "Q",
                "1x",
                "x y",
                "",
                "é",
                (),
                (0,),
                (1, 1),
                1000,
                "Z>0",
                "R>",
                "x" * 61,
                "x" * 62,
                1.0,
                None,
                "β",
                "x\n",
                "M",
                "S",
                "S>=0",
                "GL",
                "e",
                "x1",
                "01",
                "999",
                "1000",
            )
        )
        return (*t[:i], new, *t[i + 1 :])

    # -- names ------------------------------------------------------------------------------------

    def _renamed(self, made: Inference) -> Inference:
        """Return the inference with another name for a symbol or function, wherever it stands."""
        rng = self.rng
        pool = self._pool(made)
        named = [t for t in pool if t[0] in ("s", "u", "ix")]
        letters = [t for t in pool if t[0] == "M" and len(t) == 6]
        if letters and (not named or rng.random() < 0.7):
            old, new, where = matrix_changes.random_renaming(rng, letters)
            return self._everywhere(made, lambda t: matrix_changes.renamed(t, old, new, where))
        old = rng.choice(named)[1]
        used = [t[1] for t in named]
        new = rng.choice(used) if rng.random() < 0.3 else rng.choice(NAMES)
        if rng.random() < 0.3:
            new = old + "'"
        return self._everywhere(made, lambda t: _other_name(t, old, new))

    def _everywhere(self, made: Inference, changed: Callable[[Any], Any]) -> Inference:
        premises = tuple(
            self.judges.fact(changed(p.conclusion), [*map(changed, p.hypotheses)], "renamed")
            for p in made.premises
        )
        return made._replace(premises=premises, data=tuple(map(changed, made.data)))

    # -- data -------------------------------------------------------------------------------------

    def _pool(self, made: Inference) -> list[Term]:
        """Return the nodes of an inference."""
        found = [t for d in made.data for _, t in nodes(d, 400)]
        for p in made.premises[:6]:
            found += [t for _, t in nodes(p.conclusion, 200)]
            found += [t for h in p.hypotheses[:6] for _, t in nodes(h, 60)]
        return found

    def _data(self, made: Inference) -> Inference:
        data = list(made.data)
        if not data:
            return self._premises(made)
        sizes = [1 + min(len(nodes(d, 60)), 20) for d in data]
        i = self.rng.choices(range(len(data)), sizes)[0]
        pool = self._pool(made)
        if is_node(data[i]):
            data[i] = self.term(data[i], pool)
        elif type(data[i]) is tuple:
            data[i] = self._listed(data[i], pool)
        else:
            data[i] = self.json(data[i])
        return made._replace(data=tuple(data))

    def _listed(self, terms: tuple[Any, ...], pool: list[Term]) -> tuple[Any, ...]:
        """Return a list of terms, or of pairs, with one change."""
        rng, out = self.rng, list(terms)
        r = rng.random()
        if not out or r < 0.1:
            out.insert(rng.randrange(len(out) + 1), rng.choice(out or pool))
        elif r < 0.25:
            del out[rng.randrange(len(out))]
        elif r < 0.35:
            rng.shuffle(out)
        else:
            i = rng.randrange(len(out))
            if is_node(out[i]):
                out[i] = self.term(out[i], pool)
            else:
                s, v = out[i]
                if is_node(s) and s[0] == "s" and rng.random() < 0.3:
                    s = self.term(s, pool)
                elif s[0] in matrix_changes.HEADS and rng.random() < 0.3:
                    s = matrix_changes.changed_node(rng, s)
                elif s[0] not in matrix_changes.HEADS and rng.random() < 0.15:
                    s = (*s[:-1], rng.choice(SORTS) if s[0] == "s" else s[-1] + 1)
                else:
                    v = self.term(v, pool)
                out[i] = (s, v)
        return tuple(out)

    def json(self, data: Any) -> Any:
        """Return other data, such as places, numbers and evidence, with one change."""
        rng = self.rng
        if type(data) is int:
            return rng.choice((data + 1, data - 1, 0, 1, 2, -data, data + 7, True, str(data)))
        if type(data) is str:
            if data.lstrip("-").isdigit():
                return rng.choice((str(int(data) + 1), "0", "1", "-1", "1/2", str(-int(data))))
            return rng.choice((data + "x", "", "<", "<=", ">", ">=", "=", "!=", "exp", "sign"))
        if type(data) is list:
            if not data or rng.random() < 0.08:
                return [*data, rng.choice((0, 1, [], [1], "1"))]
            i, r = rng.randrange(len(data)), rng.random()
            if r < 0.08:
                return data[:i] + data[i + 1 :]
            if r < 0.12:
                return data[: i + 1] + data[i:]
            if r < 0.18:
                j = rng.randrange(len(data))
                out = list(data)
                out[i], out[j] = out[j], out[i]
                return out
            return [*data[:i], self.json(data[i]), *data[i + 1 :]]
        return rng.choice((0, [], "x", None, 1.5))

    # -- terms ------------------------------------------------------------------------------------

    def term(self, t: Term, pool: list[Term]) -> Term:
        """Return a term with one change."""
        path, part = self.rng.choice(nodes(t))
        return put(t, path, self._changed(part, pool))  # type: ignore[no-any-return]

    def _changed(self, t: Term, pool: list[Term]) -> Term:
        rng = self.rng
        if rng.random() < 0.3:
            alike = [p for p in pool if kind_of(p) == kind_of(t) and p != t]
            if alike:
                return rng.choice(alike)
        if is_binder(t):
            return self._binder(t)
        if t[0] in matrix_changes.HEADS:
            return matrix_changes.changed_node(rng, t)
        head, count = t[0], PARAMETERS[t[0]]
        if head == "n":
            return rng.choice([k for k in NUMBERS if k != t])
        if head == "s":
            return self._symbol(t, pool)
        if head in _RELATIONS:
            return rng.choice(((t[0], t[2], t[1]), (rng.choice(_RELATIONS), t[1], t[2])))
        if head in ("^", "f", "u") and rng.random() < 0.6:
            return self._parameter(t)
        if head in ("and", "or", "+", "*") and rng.random() < 0.3:
            return ({"and": "or", "or": "and", "+": "*", "*": "+"}[head], *t[1:])
        parts = list(t[1 + count :])
        if not parts:
            return rng.choice(pool)
        i, what = rng.randrange(len(parts)), rng.random()
        if what < 0.25:
            del parts[i]
        elif what < 0.4:
            parts.insert(i, parts[i])
        elif what < 0.7 and len(parts) > 1:
            j = rng.randrange(len(parts))
            parts[i], parts[j] = parts[j], parts[i]
        elif what < 0.85 and kind_of(t) == "term":
            return ("*", num(-1), t) if rng.random() < 0.5 else ("+", t, rng.choice(NUMBERS))
        elif kind_of(t) == "formula":
            return ("not", t)
        elif head == "gauss" and what < 0.9:
            return (head, t[1] + rng.choice((1, -1)), *parts)
        return (*t[: 1 + count], *parts)

    def _symbol(self, t: Term, pool: list[Term]) -> Term:
        rng = self.rng
        others = [p for p in pool if p[0] == "s" and p != t]
        r = rng.random()
        if others and r < 0.5:
            return rng.choice(others)
        if r < 0.7:
            return ("s", t[1], rng.choice(SORTS))
        return ("s", rng.choice(NAMES), t[2])

    def _parameter(self, t: Term) -> Term:
        rng = self.rng
        if t[0] == "^":
            p, q = rng.choice(
                ((2, 1), (-1, 1), (1, 2), (-1, 2), (1, 1), (3, 1), (3, 2), (-t[1], t[2]))
            )
            return ("^", p, q, t[3])
        if t[0] == "f":
            return ("f", rng.choice(_ONE if len(t) == 3 else _TWO), *t[2:])
        i = rng.randrange(len(t[3]))
        n = max(0, t[3][i] + rng.choice((1, -1, 1)))
        return (*t[:3], (*t[3][:i], n, *t[3][i + 1 :]), *t[4:])

    def _binder(self, t: Term) -> Term:
        rng, start = self.rng, 1 + PARAMETERS[t[0]]
        groups = [list(g) for g in t[start:]]
        what = rng.choice(("rename", "variable", "swap", "swap", "drop", "order", "head", "double"))
        if what == "rename":
            old = rng.choice(groups[0])
            new = (old[0], rng.choice(NAMES), *old[2:])
            groups[0] = [new if s == old else s for s in groups[0]]
            groups[1] = [exchanged(p, old, new) for p in groups[1]]
        elif what == "variable":
            i = rng.randrange(len(groups[0]))
            sort = rng.choice((groups[0][i][2], "R", "R>0"))
            groups[0][i] = (groups[0][i][0], rng.choice(NAMES), sort, *groups[0][i][3:])
        elif what == "order" and t[0] == "d" and t[1]:
            i = rng.randrange(len(t[1]))
            n = max(0, t[1][i] + rng.choice((1, -1)))
            return (t[0], (*t[1][:i], n, *t[1][i + 1 :]), *t[2:])
        elif what == "head" and t[0] in ("sum", "int", "E", "copies"):
            return (rng.choice(("sum", "int", "E", "copies")), *t[1:])
        else:
            group = rng.choice([g for g in groups if g])
            i = rng.randrange(len(group))
            if what == "drop":
                del group[i]
            elif what == "double":
                group.insert(i, group[i])
            else:
                j = rng.randrange(len(group))
                group[i], group[j] = group[j], group[i]
        return (*t[:start], *map(tuple, groups))


def _other_name(t: Any, old: str, new: str) -> Any:
    """Return a term, or a pair of a symbol and its value, with another name."""
    if type(t) is not tuple or not t:
        return t
    if t[0] in ("s", "u", "ix") and len(t) > 2 and t[1] == old:
        t = (t[0], new, *t[2:])
    return tuple(_other_name(p, old, new) if type(p) is tuple else p for p in t)
