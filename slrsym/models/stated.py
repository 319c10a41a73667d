"""From a statement to order parameters, laws of projections, risk, gradient and Hessian."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Several
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import (
    Add,
    Expr,
    ImmutableMatrix,
    Matrix,
    S,
    Symbol,
    expand,
    sqrt,
    sympify,
)

from slrsym.gaussian import GaussianLaw
from slrsym.kernels.compile import compiled, require_backend
from slrsym.kernels.printing import printed
from slrsym.kernels.program import Program
from slrsym.models.descent import Flow
from slrsym.models.moments import NotClosedError, addends
from slrsym.models.statement import (
    Direction,
    InnerProduct,
    Predictor,
    ProjectedToken,
    Sequence,
    Token,
    softmax,
)
from slrsym.models.terms import Quadrature, Role, SoftmaxTerms, Terms

if TYPE_CHECKING:
    from slrsym.claims.claim import Claim
    from slrsym.models.study import Recovery, StationaryPoint, TokenCheck
    from slrsym.runs import Runs


def model(
    data: Sequence,
    predictor: Predictor,
    *,
    given: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
) -> Model:
    r"""State a model.

    Parameters
    ----------
    data : Sequence
        The tokens and the target.
    predictor : Predictor
        What is trained.
    given : mapping of inner products to expression, optional
        Inner products of fixed directions, such as ``{k_star @ v_star: 0}``. Those that are not
        given are parameters of the model, where it depends on them.
    names : mapping of inner products to Symbol, optional
        What order parameters are called.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If directions contradict each other: inner products of unit vectors beyond 1, or a Gram
        matrix that is certainly not positive semidefinite; if an inner product is named or given
        that the model does not have; if a share of the predictor or of the target is not real and
        finite for all projections, or not smooth in pieces.
    TypeError
        If `data` or `predictor` is something else, or a share is no expression.

    Examples
    --------
    >>> from sympy import Symbol, erf, sqrt
    >>> from slrsym.models import Direction, Predictor, Sequence, Token, model
    >>> d, lam = Symbol("d", positive=True), Symbol("lambda", positive=True)
    >>> L = Symbol("L", integer=True, positive=True)
    >>> k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    >>> k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    >>> one = Token(mean=sqrt(d / 2) * k_star, target=lambda X: X @ v_star)
    >>> attention = Predictor(lambda X: erf(lam * (X @ k)) * (X @ v))
    >>> data = Sequence({one: 1, Token(): L - 1})
    >>> len(model(data, attention, given={k_star @ v_star: 0}).order_parameters)
    5
    """
    if not isinstance(data, Sequence):
        raise TypeError(f"data must be a slrsym.models.Sequence; got {data!r}")
    if not isinstance(predictor, Predictor):
        raise TypeError(f"predictor must be a slrsym.models.Predictor; got {predictor!r}")
    return Model(data, predictor, dict(given or {}), dict(names or {}))


class Model:
    """What follows from a statement; made by `model`.

    Parameters
    ----------
    data : Sequence
    predictor : Predictor
    given, names : mapping of inner products to expressions
        As of `model`.

    Raises
    ------
    ValueError
        As `model` does.
    """

    def __init__(
        self,
        data: Sequence,
        predictor: Predictor,
        given: Mapping[InnerProduct, Any],
        names: Mapping[InnerProduct, Any],
    ) -> None:
        self.data, self.predictor = data, predictor
        self.shares = self._stated()
        self.spaces = self._spaces()
        self._given = {pair: sympify(value) for pair, value in given.items()}
        self._names = dict(names)
        self._programs: dict[tuple[tuple[str, ...], tuple[Symbol, ...]], Program] = {}
        self._check_directions()

    # -- the statement ---------------------------------------------------------------------------

    def _stated(self) -> dict[tuple[Token, Expr | None], tuple[Expr, dict[Direction, Symbol]]]:
        """What a token of each role and bias adds to the target minus the prediction."""
        found = {}
        for token in self.data.tokens:
            for bias in dict.fromkeys(self.predictor.bias or (None,)):
                X = ProjectedToken()
                share = self.predictor.share(X) if bias is None else self.predictor.share(X, bias)
                target = S.Zero if token.target is None else token.target(X)
                share, target = X.checked("share", share), X.checked("target", target)
                found[token, bias] = (target - share, dict(X.symbols))
        return found

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The directions, trained ones first."""
        found: dict[Direction, None] = {}
        for _, symbols in self.shares.values():
            found.update(dict.fromkeys(symbols))
        for token in self.data.tokens:
            found.update(dict.fromkeys((*token.mean.terms, *token.spikes)))
        return tuple(sorted(found, key=lambda x: not x.trained))

    @property
    def trained(self) -> tuple[Direction, ...]:
        """The directions that are trained."""
        return tuple(x for x in self.directions if x.trained)

    @property
    def fixed(self) -> tuple[Direction, ...]:
        """The directions that are not."""
        return tuple(x for x in self.directions if not x.trained)

    def _spaces(self) -> int:
        counts = {len(token.eigenvalues) for token in self.data.tokens} - {1}
        if len(counts) > 1:
            raise ValueError(
                "covariances must have the same eigenspaces: as many eigenvalues each, or one "
                f"number; got {sorted(counts)}"
            )
        return counts.pop() if counts else 1

    def _check_directions(self) -> None:
        names = [x.name for x in self.directions]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"directions must have different names; two are called {min(twice)}")
        pairs = {InnerProduct(x, y) for x in self.directions for y in self.directions}
        for what, mapping in (("given", self._given), ("names", self._names)):
            for pair in mapping:
                if pair not in pairs:
                    raise ValueError(f"{what} has {pair}, which is no inner product of this model")
        for pair, value in self._given.items():
            if any(x.trained for x in pair.pair):
                raise ValueError(f"given has {pair}, which is an order parameter: it is trained")
            if value.is_number and abs(value) > 1:
                raise ValueError(f"given says {pair} = {value}; of unit vectors it is at most 1")
            if len(set(pair.pair)) == 1 and value != 1:
                raise ValueError(f"given says {pair} = {value}; it is 1, as the vector is unit")
        if self.spaces == 1:
            for some in (*itertools.combinations(self.fixed, 3), self.fixed):
                self._check_lengths(some)

    def _check_lengths(self, directions: tuple[Direction, ...]) -> None:
        gram = Matrix([[self.inner(x, y) for y in directions] for x in directions])
        if gram and not gram.free_symbols:
            least = np.linalg.eigvalsh(np.array(gram.evalf(), dtype=float)).min()
            if least < -1e-12:
                raise ValueError(
                    f"directions contradict each other: no unit vectors {directions} have the "
                    f"inner products {dict(self._given)}"
                )

    def inner(self, x: Direction, y: Direction, space: int = 0) -> Expr:
        """The inner product of two directions, in one of the eigenspaces.

        Parameters
        ----------
        x, y : Direction
        space : int, optional
            Which of the eigenspaces; of one, the whole.

        Returns
        -------
        Expr
            An order parameter, or what is given.
        """
        pair = InnerProduct(x, y)
        if self.spaces == 1:
            if pair in self._given:
                return self._given[pair]
            if x is y and (x.on_sphere or not x.trained):
                return S.One
        named = self._names.get(pair)
        if isinstance(named, tuple):
            return named[space]
        if named is not None and self.spaces == 1:
            return named
        x, y = sorted(pair.pair if len(pair.pair) == 2 else (x, x), key=self.directions.index)
        index = "" if self.spaces == 1 else f"_{space + 1}"
        return Symbol(
            rf"\langle {x.name}, {y.name}\rangle{index}",
            **({"positive": True} if x is y else {"real": True}),
        )

    def given(self, x: Direction, y: Direction) -> Expr | None:
        """The inner product of two fixed directions, if it is given.

        Parameters
        ----------
        x, y : Direction

        Returns
        -------
        Expr or None
        """
        return self._given.get(InnerProduct(x, y))

    # -- laws --------------------------------------------------------------------------------------

    @cached_property
    def roles(self) -> dict[tuple[Token, Expr | None], Role]:
        """What tokens of each role add to the error, with the law of their projections."""
        return {key: self._role(key[0], *value) for key, value in self.shares.items()}

    def _role(self, token: Token, error: Expr, symbols: dict[Direction, Symbol]) -> Role:
        directions, names = tuple(symbols), tuple(symbols.values())
        count = len(directions)
        cov = ImmutableMatrix(
            count, count, lambda i, j: self.covariance_of(token, directions[i], directions[j])
        )
        means = tuple(self.mean_of(token, x) for x in directions)
        return Role(token, directions, names, tuple(addends(error, names)), means, cov)

    def mean_of(self, token: Token, x: Direction, inner: Callable[..., Expr] | None = None) -> Expr:
        """The mean of a token's projection.

        Parameters
        ----------
        token : Token
        x : Direction
        inner : callable, optional
            What takes the place of `inner`.

        Returns
        -------
        Expr
        """
        inner = inner or self.inner
        spaces = range(self.spaces)
        return Add(*(c * inner(x, y, a) for y, c in token.mean.terms.items() for a in spaces))

    def covariance_of(
        self, token: Token, x: Direction, y: Direction, inner: Callable[..., Expr] | None = None
    ) -> Expr:
        """The covariance of two projections of a token.

        Parameters
        ----------
        token : Token
        x, y : Direction
        inner : callable, optional
            What takes the place of `inner`.

        Returns
        -------
        Expr
        """
        inner = inner or self.inner
        spaces = range(self.spaces)
        values = token.eigenvalues * (self.spaces if len(token.eigenvalues) == 1 else 1)
        spread = [e * inner(x, y, a) for a, e in enumerate(values)]
        for s, c in token.spikes.items():
            along = [Add(*(inner(z, s, a) for a in spaces)) for z in (x, y)]
            spread.append(c * along[0] * along[1])
        return Add(*spread)

    def covariance_between(self, role: Role, i: int, other: Role, j: int) -> Expr:
        """The covariance of projections of two tokens, whose noises may be correlated.

        Parameters
        ----------
        role, other : Role
        i, j : int
            Which of their projections.

        Returns
        -------
        Expr
        """
        tau = self.data.correlation.get(frozenset({role.token, other.token}), S.Zero)
        scale = sqrt(role.token.eigenvalues[0] * other.token.eigenvalues[0])
        return tau * scale * self.inner(role.directions[i], other.directions[j])

    def law(self, token: Token) -> GaussianLaw:
        """The law of a token's projections on the directions that target and predictor use.

        Parameters
        ----------
        token : Token
            One of the roles.

        Returns
        -------
        GaussianLaw
            In the symbols that stand for projections.
        """
        role = next(role for (other, _), role in self.roles.items() if other is token)
        return GaussianLaw(dict(zip(role.symbols, role.means, strict=True)), role.cov)

    def cases(self) -> Iterator[tuple[dict[int, tuple[Role, Expr]], Expr]]:
        """How many tokens there are of each role and bias, and with what probability.

        Yields
        ------
        counts : dict
            Roles and their numbers.
        probability : Expr

        Raises
        ------
        ValueError
            If a bias of positions does not fit the tokens.
        """
        data, bias = self.data, self.predictor.bias
        if bias is None:
            for counts, probability in data.mixture:
                yield {id(t): (self.roles[t, None], n) for t, n in counts.items()}, probability
            return
        ((counts, _),) = data.mixture
        # Of two tokens each may be the single one: that with a target is.
        alone = [token for token, n in counts.items() if n == 1]
        single = [token for token in alone if token.target is not None] or alone
        rest = [token for token in counts if token not in single]
        if len(single) != 1 or len(rest) != 1:
            raise ValueError(
                "a bias of positions needs one token of one role, and others of another"
            )
        total = Add(*counts.values())
        if expand(total - len(bias)) != 0:
            raise ValueError(
                f"bias must have one number for each of {total} tokens; got {len(bias)}"
            )
        places = data.location or (sympify(1) / len(bias),) * len(bias)
        if len(places) != len(bias):
            raise ValueError(f"location must have {len(bias)} probabilities; got {len(places)}")
        for j, probability in enumerate(places):
            case: dict[int, tuple[Role, Expr]] = {}
            for place, b in enumerate(bias):
                role = self.roles[single[0] if place == j else rest[0], b]
                before = case.get(id(role), (role, S.Zero))[1]
                case[id(role)] = (role, before + 1)
            yield case, probability

    # -- risk --------------------------------------------------------------------------------------

    @cached_property
    def _terms(self) -> Any:
        attends = any(error.has(softmax) for error, _ in self.shares.values())
        return SoftmaxTerms(self) if attends else Terms(self)

    @property
    def additive(self) -> bool:
        """Whether tokens contribute independently, so that the risk is bias and variances."""
        return isinstance(self._terms, Terms)

    @cached_property
    def quadrature(self) -> Quadrature | None:
        """The quadrature that computes the risk, and its reason, where there is no closed form.

        None where there is a closed form, and where there is neither: `closed_form` tells which.
        """
        try:
            found: Quadrature | None = self._terms.quadrature
        except NotClosedError:
            return None
        return found

    @cached_property
    def closed_form(self) -> bool:
        """Whether the risk has one; if not, `quadrature` says what takes its place.

        If nothing does, `risk` and all that needs it raise a `NotClosedError`, before anything is
        compiled, that names the mean without a closed form.
        """
        try:
            return self._terms.quadrature is None
        except NotClosedError:
            return False

    @cached_property
    def order_parameters(self) -> tuple[Symbol, ...]:
        """The inner products of trained directions that the risk depends on."""
        named = [s for x in self._names.values() for s in (x if isinstance(x, tuple) else (x,))]
        pairs = [
            self.inner(x, y, a)
            for i, x in enumerate(self.trained)
            for y in (*self.trained[i:], *self.fixed)
            for a in range(self.spaces)
        ]
        symbols = [*named, *(p for p in pairs if p not in named)]
        return tuple(s for s in symbols if isinstance(s, Symbol) and s in self._terms.used)

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The other symbols of the risk, by name."""
        free = self._terms.used - set(self.order_parameters)
        return tuple(sorted(free, key=lambda s: s.name))

    @cached_property
    def risk(self) -> Any:
        """The risk as noise, variances and a squared bias; of softmax, a `Quadrature`.

        What has no closed form in it are means of functions of one normal variable.
        """
        if not self.additive:
            return self._terms.quadrature
        return self._terms.written(self._terms.risk()) + self.data.noise**2

    @cached_property
    def gradient(self) -> ImmutableMatrix:
        """The partial derivatives of the risk in the order parameters."""
        return ImmutableMatrix([self._terms.written(x) for x in self._terms.gradient()])

    @cached_property
    def hessian(self) -> ImmutableMatrix:
        """The second partial derivatives, a symmetric matrix."""
        rows = [[self._terms.written(x) for x in row] for row in self._terms.hessian()]
        return ImmutableMatrix(rows)

    def program(self, *what: str, parameters: Several[Symbol] | None = None) -> Program:
        """The program of what is asked for.

        Parameters
        ----------
        *what : {'excess_risk', 'risk', 'gradient', 'hessian'}
            Outputs, one after the other; the Hessian is its upper triangle, row by row.
        parameters : sequence of Symbol, optional
            Their order; by default that of `parameters`.

        Returns
        -------
        Program
            With `order_parameters` as its state.

        Raises
        ------
        ValueError
            If there is no such output.
        """
        if not self.additive:
            raise ValueError(f"there is no program: the risk is {self.risk}; compile gives it")
        known = ("excess_risk", "risk", "gradient", "hessian")
        if not what or not set(what) <= set(known):
            raise ValueError(f"what must be of {', '.join(known)}; got {what}")
        order = self.parameters if parameters is None else tuple(parameters)
        if (what, order) not in self._programs:
            self._programs[what, order] = self._printed(what, order)
        return self._programs[what, order]

    def _printed(self, what: tuple[str, ...], parameters: tuple[Symbol, ...]) -> Program:
        outputs: list[Expr] = []
        for name in what:
            if name == "hessian":
                rows = self._terms.hessian()
                outputs += [rows[i][j] for i in range(len(rows)) for j in range(i, len(rows))]
            elif name == "gradient":
                outputs += map(self._terms.arranged, self._terms.gradient())
            else:
                excess = self._terms.risk()
                outputs.append(excess + self.data.noise**2 if name == "risk" else excess)
        given = self._terms.needed(outputs)
        return printed(outputs, self.order_parameters, parameters, given=given)

    def compile(self, backend: str = "numpy", *what: str) -> Callable[..., Any]:
        """Risk and gradient, or what is asked for, as a function.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'mpmath', 'ball'}, optional
        *what : {'excess_risk', 'risk', 'gradient', 'hessian'}
            By default risk and gradient.

        Returns
        -------
        callable
            ``f(state, *parameters)``, as of `slrsym.kernels.compile_expressions`, in the order of
            `order_parameters` and `parameters`.

        Raises
        ------
        ValueError
            If there is no such backend or output.
        NumbaMissingError
            If the backend is Numba and it is not installed.
        """
        require_backend(backend)
        if not self.additive:
            found: Callable[..., Any] = self._terms.compile(backend, what or ("risk", "gradient"))
            return found
        return compiled(self.program(*(what or ("risk", "gradient"))), backend)

    # What follows is loaded when it is asked for: proofs need no runs, and runs no proofs.

    # -- descent -----------------------------------------------------------------------------------

    @cached_property
    def flow(self) -> Flow:
        """The descent map, in the Gram matrix of the directions."""
        return Flow(self)

    def simulate(self, values: Mapping[Any, Any], **options: Any) -> Runs:
        """Run projected gradient descent, exactly, at a cost that does not depend on d.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters of the model, and d where starts are drawn. A parameter may also be an
            array of ``steps + 1`` numbers or a function of the step, such as an inverse temperature
            that falls.
        **options
            `steps` and `alpha` (the step size); `runs`, 1 by default; `every`, after how many steps
            there is a row, besides the last; `rng`, a seed; `dimensions` of the eigenspaces;
            `backend`, 'auto', 'numpy' or 'numba'; `path`, a file .nc for the runs, at the end and
            when interrupted; `progress`, whether to show a bar; `start`: 'uniform' (trained
            directions uniform on their spheres; fixed ones, too, where their inner products are not
            known), 'uniform, fixed directions too', a vector of R^d for each direction, a file .npz
            of such by the directions' names, Gram matrices of all directions, trained ones first,
            or runs, or a file .nc of these, which go on from their last step.

        Returns
        -------
        Runs
            An `xarray.Dataset` over ``run, step``, as of `slrsym.simulate`: order parameters by
            their names, ``excess_risk`` and ``risk``, parameters over ``step``, and in ``gram`` the
            inner products of all directions, which ``overlap(x, y)`` takes from there.

        Raises
        ------
        ValueError
            If a parameter is missing or is no number, or a start is none of this model.
        """
        from slrsym.models.simulation import simulate

        return simulate(self, values, **options)

    def online(self, values: Mapping[Any, Any], **options: Any) -> Runs:
        """Descent on single samples, a fresh one for each step, in the limit of a large dimension.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters.
        **options
            `rate`, which is d times the step size; `time`, how many steps over d; `start` and
            `rng`, as of `simulate`; `points`, of how many times there is a row, 201 by default.

        Returns
        -------
        Runs
            Over ``time``: ``gram``, which ``overlap(x, y)`` reads, and ``risk``.

        Raises
        ------
        ValueError
            If the model has not one token, centred, whose covariance is a multiple of the identity;
            if a parameter is missing or is not what the model says of it, a start is none of this
            model, or the equations cannot be solved.
        """
        from slrsym.models.study import online

        return online(self, values, **options)

    # -- studies -----------------------------------------------------------------------------------

    def check(self, values: Mapping[Any, Any], **options: Any) -> TokenCheck:
        """Hold risk and gradient against tokens that are drawn in R^d.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters, d among them.
        **options
            `samples`, how many sequences (100,000 by default), and `rng`, a seed.

        Returns
        -------
        TokenCheck
            With z-scores, at a random point; eigenspaces are as equal as can be.

        Raises
        ------
        ValueError
            If a parameter is missing.
        """
        from slrsym.models.study import check

        return check(self, values, **options)

    def landscape(self, values: Mapping[Any, Any], **options: Any) -> list[StationaryPoint]:
        """Search for critical points from random starts.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters, d among them.
        **options
            `starts`, how many (50 by default), and `rng`, a seed.

        Returns
        -------
        list of StationaryPoint
            Those found, by risk. There may be others.

        Raises
        ------
        ValueError
            If a parameter is missing.
        """
        from slrsym.models.study import landscape

        return landscape(self, values, **options)

    def recovery(
        self, values: Mapping[Any, Any], pairs: Several[tuple[Direction, Direction]], **options: Any
    ) -> Recovery:
        """How many runs from random starts end aligned.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            As of `simulate`.
        pairs : sequence of pairs of Direction
            Which directions are to be aligned, up to sign.
        **options
            `least`, the overlap asked for (0.9 by default), and those of `simulate`.

        Returns
        -------
        Recovery

        Raises
        ------
        ValueError
            As `simulate` does.
        """
        from slrsym.models.study import recovery

        return recovery(self, values, pairs, **options)

    def claims(self, name: str = "model", source: str = "new") -> list[Claim]:
        """What is derived, as claims: in a file of derivations `slrsym verify` checks them.

        Parameters
        ----------
        name : str, optional
            What ids begin with, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
            The law of the projections of each role of tokens, and where the risk closes, the risk
            against its definition and its gradient.
        """
        from slrsym.models.claims import claims_of

        return claims_of(self, name, source)

    def to_latex(self, file: str | Path | None = None) -> str:
        """The statement and what follows, in LaTeX.

        Parameters
        ----------
        file : str or Path, optional
            Where to write it as well.

        Returns
        -------
        str
            Displays for a document with amsmath.
        """
        from slrsym.models.study import written_model

        text = written_model(self)
        if file is not None:
            Path(file).write_text(text, encoding="utf-8")
        return text
