"""Letters for the repeated and wide parts of long formulas, and their terms, collected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from sympy import Add, Basic, Expr, Function, Mul, Pow, S, Symbol
from sympy.core.function import AppliedUndef

from slrsym.documents.typeset.boxes import widest_unbreakable_width
from slrsym.documents.typeset.layout import FormulaPrinter
from slrsym.gaussian.law import Law

# A part that occurs more than once has a letter if it is wider than the first of these, in em; a
# power of a letter has none if it is narrower than the second.
_LEAST, _NARROW = 5.0, 3.0
# Definitions are put in where formulas then have no more nodes than this: terms may cancel.
_SHORT = 600
_STEMS = ("A", "B", "C", "D", "E", "F", "H", "M", "N", "S", "W", "Z")


class NamedParts:
    """Formulas, shortened by letters for the parts that they repeat or that are wide.

    Parameters
    ----------
    formulas : sequence of Expr
    definitions : mapping of Symbol to Expr
        What symbols of the formulas stand for. Each is kept, with a letter as its name, or put in.
    collected : sequence of Symbol
        The symbols in whose powers terms are collected.
    printer : FormulaPrinter
    room : float
        Parts that cannot be broken are made narrower than this, in em.
    """

    def __init__(
        self,
        formulas: Sequence[Expr],
        definitions: Mapping[Symbol, Expr],
        collected: Sequence[Symbol],
        printer: FormulaPrinter,
        room: float,
    ) -> None:
        self._printer, self._room, self._collected = printer, room, frozenset(collected)
        # The name of a part until letters are numbered.
        self._meanings: dict[Symbol, Expr] = {}
        outputs = [S(e) for e in formulas]
        outputs = self._put_in(outputs, definitions)
        outputs = self._name_repeated(outputs)
        outputs = [self._narrowed(e) for e in outputs]
        for name in list(self._meanings):
            self._meanings[name] = self._narrowed(self._meanings[name])
        self._number_letters(outputs)

    # -- parts with definitions --------------------------------------------------------------------

    def _put_in(self, outputs: list[Expr], definitions: Mapping[Symbol, Expr]) -> list[Expr]:
        """Put in what given symbols stand for, unless it is long and occurs more than once."""
        needed = _in_order_of_use(outputs, definitions)
        is_short = _nodes_without_definitions(outputs, definitions, needed) <= _SHORT
        uses = Counter(
            name
            for e in (*outputs, *(definitions[n] for n in needed))
            for node in _nodes_with_parents(e)
            for name in node.args
            if name in definitions
        )
        # What a formula consists of has no parent.
        uses.update(e for e in outputs if e in definitions)
        put: dict[Symbol, Expr] = {}
        for name in needed:
            meaning = definitions[name].xreplace(put)
            long = isinstance(meaning, Add) or self._width(meaning) > _LEAST
            if uses[name] > 1 and long and not meaning.is_number and not is_short:
                self._meanings[name] = meaning
            else:
                put[name] = meaning
        return [e.xreplace(put) for e in outputs]

    # -- repeated parts ----------------------------------------------------------------------------

    def _name_repeated(self, outputs: list[Expr]) -> list[Expr]:
        roots = [*outputs, *self._meanings.values()]
        uses: Counter[Basic] = Counter()
        seen: set[Basic] = set()
        for root in roots:
            for node in _nodes_with_parents(root, seen):
                uses.update(a for a in node.args if isinstance(a, Expr) and not a.is_Atom)
        uses.update(roots)
        known: dict[Basic, Basic] = {}
        meanings = list(self._meanings.items())
        self._meanings = {}
        for name, meaning in meanings:
            self._meanings[name] = self._rebuilt(meaning, uses, known, whole=True)
            known[meaning] = name
        return [self._rebuilt(e, uses, known, whole=True) for e in outputs]

    def _rebuilt(
        self, expr: Expr, uses: Counter[Basic], known: dict[Basic, Basic], whole: bool = False
    ) -> Expr:
        """Return an expression with letters for the parts that are used more than once."""
        if expr in known:
            return known[expr]
        if not expr.args or isinstance(expr, Law) or expr.has(Law):
            return expr
        made = expr.func(*(self._rebuilt(arg, uses, known) for arg in expr.args))
        made = self._with_collected_terms(made)
        if not whole:
            if uses[expr] > 1 and _can_have_name(made) and self._width(made) > _LEAST:
                made = self._named(made)
            known[expr] = made
        return made

    def _named(self, meaning: Expr) -> Symbol:
        name = Symbol(f"part {len(self._meanings)}", real=True)
        self._meanings[name] = meaning
        return name

    # -- terms -------------------------------------------------------------------------------------

    def _with_collected_terms(self, expr: Expr) -> Expr:
        """Return a sum with its terms collected in powers of symbols, other expressions as such."""
        if not isinstance(expr, Add):
            return expr
        groups: dict[Expr, list[Expr]] = defaultdict(list)
        for term in expr.args:
            number, powers = S.One, []
            for factor in Mul.make_args(term):
                base, exponent = factor.as_base_exp()
                if base in self._collected and exponent.is_Integer and exponent > 0:
                    powers.append(factor)
                else:
                    number *= factor
            groups[Mul(*powers)].append(number)
        return Add(*(_product(powers, _with_counts(parts)) for powers, parts in groups.items()))

    # -- wide parts --------------------------------------------------------------------------------

    def _narrowed(self, expr: Expr) -> Expr:
        """Name parts of an expression until whatever cannot be broken fits."""
        while widest_unbreakable_width(self._printer.box(expr)) > self._room:
            widths = {
                node: width
                for node in _nodes_with_parents(expr)
                if node is not expr and _can_have_name(node)
                if (width := self._width(node)) > _LEAST
            }
            fitting = [n for n in widths if self._unbreakable(n) <= self._room]
            if not fitting:
                return expr
            # The widest; among equal ones the same in every process. Texts of all take minutes.
            most = min(max(widths[n] for n in fitting), 3 * self._room)
            widest = [n for n in fitting if widths[n] >= most]
            best = max(widest, key=str) if len(widest) > 1 else widest[0]
            name = self._named(best)
            expr = expr.xreplace({best: name})
        return expr

    def _is_narrow(self, expr: Expr) -> bool:
        return isinstance(expr, Pow) and expr.base.is_Symbol and self._width(expr) < _NARROW

    def _width(self, expr: Expr) -> float:
        return self._printer.box(expr).width

    def _unbreakable(self, expr: Expr) -> float:
        return widest_unbreakable_width(self._printer.box(expr))

    # -- letters -----------------------------------------------------------------------------------

    def _number_letters(self, outputs: list[Expr]) -> None:
        """Assign numbers to letters, in the order of use; put in those for what is as narrow."""
        while same := {n: e for n, e in self._meanings.items() if e.is_Atom or self._is_narrow(e)}:
            # One after the other: they may stand for each other.
            name = min(same, key=lambda s: s.name)
            put = {name: self._meanings.pop(name)}
            outputs = [e.xreplace(put) for e in outputs]
            self._meanings = {n: e.xreplace(put) for n, e in self._meanings.items()}
        used = _in_order_of_use(outputs, self._meanings)
        taken = {s.name[:1] for e in (*outputs, *self._meanings.values()) for s in e.free_symbols
                 if s not in self._meanings}  # fmt: skip
        taken |= {f.func.__name__[:1] for e in outputs for f in e.atoms(AppliedUndef)}
        stem = next((x for x in _STEMS if x not in taken), "A_")
        letters = {name: Symbol(f"{stem}_{i}", real=True) for name, i in zip(used, count(1))}
        self.definitions = {letters[name]: self._meanings[name].xreplace(letters) for name in used}
        self.formulas = [e.xreplace(letters) for e in outputs]


def _nodes_without_definitions(
    outputs: Iterable[Expr], definitions: Mapping[Symbol, Expr], needed: Iterable[Symbol]
) -> int:
    """Count the nodes that formulas have once all definitions are put in."""
    sizes: dict[Basic, int] = {}

    def size(node: Basic) -> int:
        if node not in sizes:
            sizes[node] = 1 + sum(size(arg) for arg in node.args)
        return sizes[node]

    for name in needed:
        sizes[name] = size(definitions[name])
    return sum(size(e) for e in outputs)


def _product(powers: Expr, parts: Expr) -> Expr:
    """Return a product with a sum, whose common factors go before it."""
    if not isinstance(parts, Add):
        return powers * parts
    factors = [dict(_powers(term)) for term in parts.args]
    shared = {
        base: least
        for base, exponent in factors[0].items()
        if all(base in f for f in factors)
        and (least := min((f[base] for f in factors), key=lambda e: (abs(e), e))).is_Rational
        and all((f[base] - least) * least >= 0 for f in factors)
    }
    front = Mul(*(Pow(base, e) for base, e in shared.items()))
    inside = Add(*(term / front for term in parts.args))
    return Mul(powers * front, inside, evaluate=not inside.is_Number)


def _powers(term: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Yield bases and rational exponents of the factors of a term that are no numbers."""
    for factor in Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if not base.is_number and exponent.is_Rational:
            yield base, exponent


def _with_counts(parts: list[Expr]) -> Expr:
    """Return the sum of some terms, where L x - 3 x is (L - 3) x for an integer symbol L."""
    by_rest: dict[Expr, list[Expr]] = defaultdict(list)
    for part in parts:
        number, rest = part.as_coeff_Mul()
        counts = [f for f in Mul.make_args(rest) if f.is_Symbol and f.is_integer]
        by_rest[Mul(rest, *(1 / c for c in counts))].append(Mul(number, *counts))
    return Add(*(_product(rest, Add(*numbers)) for rest, numbers in by_rest.items()))


def _can_have_name(expr: Basic) -> bool:
    """Return whether an expression can have a letter: no number, no bound variable in it."""
    if not isinstance(expr, Expr) or expr.is_Atom or not expr.free_symbols:
        return False
    if isinstance(expr, Pow) and expr.exp.could_extract_minus_sign():
        return False
    return isinstance(expr, Add | Mul | Pow | Function) and not expr.has(Law)


def _nodes_with_parents(root: Basic, seen: set[Basic] | None = None) -> Iterator[Basic]:
    """Yield each different part of an expression that has parts itself, but those of laws."""
    seen = set() if seen is None else seen
    open_ = [root]
    while open_:
        node = open_.pop()
        if node in seen or not node.args or isinstance(node, Law):
            continue
        seen.add(node)
        yield node
        open_ += node.args


def _in_order_of_use(outputs: Iterable[Expr], definitions: Mapping[Symbol, Expr]) -> list[Symbol]:
    """Return the symbols that formulas need, each after those in its definition."""
    done: dict[Symbol, None] = {}

    def add(expr: Expr) -> None:
        names = expr.free_symbols & definitions.keys()
        for name in sorted(names - done.keys(), key=lambda s: s.name):
            if name not in done:
                add(definitions[name])
                done[name] = None

    for expr in outputs:
        add(expr)
    return list(done)
