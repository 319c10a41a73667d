"""Claims about a model: the laws of its projections, its risk, and its gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sympy import (
    Add,
    And,
    Eq,
    Expr,
    Function,
    Ge,
    Le,
    Matrix,
    Mul,
    Pow,
    S,
    Symbol,
    asin,
    default_sort_key,
    diag,
    erf,
    eye,
    sign,
    sqrt,
    zeros,
)

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, NoiseLaw, ProductLaw
from slrsym.gaussian.integrals import erf_product_mean
from slrsym.kernels.symbolic_functions import DifferenceFromErf, ErfCovariance, ErfVariance
from slrsym.models.claims.loss_claims import LossMeansByDefinition, require_statable
from slrsym.models.definition.description import claim_id_for_part, unique_token_names
from slrsym.models.definition.projections import TokenRole
from slrsym.models.definition.specification import Direction
from slrsym.models.means.risk_terms import Part
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    chain,
    differentiate,
    gaussian_calculus,
    noise_moments,
    signs,
    substitution,
)
from slrsym.prover.statements.expressions import conjuncts

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

xi = Symbol("xi", real=True)


def claims_about_model(model: DerivedModel, name: str, source: str) -> list[Claim]:
    """Return claims about a model: the laws of its projections, its risk, and its gradient."""
    require_statable(model)
    roles = {role.token: role for role in model.roles.values() if role.directions}
    called = unique_token_names(roles)
    claims = [_projections(model, role, called[t], name, source) for t, role in roles.items()]
    if model.has_closed_form:
        claims += [(_risk if model.loss is None else _mean_loss)(model, name, source)]
        claims += [_gradient(model, name, source)] if model.order_parameters else []
    return claims


# -- the law of the projections ------------------------------------------------------------------


def _projections(
    model: DerivedModel, role: TokenRole, called: str, name: str, source: str
) -> Claim:
    """Return the claim about the law of a token's projections, in an orthonormal basis."""
    token, spaces = role.token, range(model.spaces)
    concerned = [x for x in (*model.fixed_directions, *model.trained_directions)
                 if x in (*role.directions, *token.mean.terms, *token.spikes)]  # fmt: skip
    size = len(concerned)
    at = {
        (x, a): Matrix(
            size, 1, lambda i, _, x=x, n=n, a=a: _coordinate(x.name, a * size + i) if i <= n else 0
        )
        for n, x in enumerate(concerned)
        for a in spaces
    }

    def inner(x: Direction, y: Direction, a: int = 0) -> Expr:
        return (at[x, a].T * at[y, a])[0]

    whole = {x: Matrix.vstack(*(at[x, a] for a in spaces)) for x in concerned}
    X = [_coordinate("X", i) for i in range(size * len(spaces))]
    mean = zeros(len(X), 1)
    for x, c in token.mean.terms.items():
        mean += c * whole[x]
    values = token.eigenvalues * (len(spaces) if len(token.eigenvalues) == 1 else 1)
    cov = diag(*(e * eye(size) for e in values))
    for x, c in token.spikes.items():
        cov += c * whole[x] * whole[x].T
    law = GaussianLaw(dict(zip(X, mean, strict=True)), cov)
    forms = {
        s: (whole[x].T * Matrix(X))[0] for s, x in zip(role.symbols, role.directions, strict=True)
    }
    seen = GaussianLaw(
        {s: model.mean_of(token, x, inner) for s, x in zip(forms, role.directions, strict=True)},
        [[model.covariance_of(token, x, y, inner) for y in role.directions]
         for x in role.directions],
    )  # fmt: skip
    F = Function("F", real=True)
    claim = Claim(
        id=claim_id_for_part(f"{name}-projections", called),
        title=f"the law of the projections of a token ({called})",
        statement=Eq(Expectation(F(*forms), seen), Expectation(F(*forms.values()), law)),
        source=source,
    )

    @claim.proof
    def _(goal: Any) -> Any:
        """Affine images of a Gaussian vector are Gaussian; $F$ stands for any function."""
        return chain(goal.lhs).then(goal.rhs, by=substitution(forms, law))

    return claim


def _coordinate(name: str, i: int) -> Symbol:
    return Symbol(rf"{{{name}}}_{{{i + 1}}}", real=True)


# -- risk and gradient -----------------------------------------------------------------------------


def risk_definition(model: DerivedModel) -> Expr:
    """Return the risk by its definition: a mean squared error, averaged over the tokens' roles."""
    total: Expr = S.Zero
    for counts, probability in model.role_count_cases():
        error: Expr = xi
        blocks: list[tuple[GaussianLaw, TokenRole]] = []
        for n, (role, count) in enumerate(counts.values(), 1):
            share = Add(*(c * core for c, core in role.error))
            part, law = contribution_of_tokens(role, share, count, n)
            error += part
            if law is not None:
                blocks.append((law, role))
        laws = [_joint(model, blocks)] if model.data.correlation else [law for law, _ in blocks]
        noise = NoiseLaw(xi, model.data.noise**2)
        total += probability * Expectation(error**2, ProductLaw(*laws, noise))
    return total


def contribution_of_tokens(
    role: TokenRole, share: Expr, count: Expr, number: int
) -> tuple[Expr, GaussianLaw | None]:
    """Return the sum of a share over tokens of a role, and the law of a single one's projections.

    Of several tokens the sum has the law in it, and there is none beside it.
    """
    if not role.symbols:
        return count * share, None
    names, law = role.numbered(number)
    share = share.xreplace(names)
    return (share, law) if count == 1 else (IIDSum(share, law, count), None)


def _joint(model: DerivedModel, blocks: list[tuple[GaussianLaw, TokenRole]]) -> GaussianLaw:
    """Return the joint law of projections of tokens whose noises are correlated."""
    cov = Matrix(diag(*(law.cov for law, _ in blocks)))
    places = [(role, i) for _, role in blocks for i in range(len(role.symbols))]
    for p, (role, i) in enumerate(places):
        for q, (other, j) in enumerate(places):
            if role is not other:
                cov[p, q] = model.covariance_between(role, i, other, j)
    return GaussianLaw({s: m for law, _ in blocks for s, m in law.mean.items()}, cov)


def replace_variances_by_differences(expr: Expr) -> Expr:
    """Replace variances and covariances of erf by differences of means, as proofs need."""

    def variance(t: Expr, s: Expr) -> Expr:
        return erf_product_mean(t, t, s**2, s**2, s**2) - erf(t / sqrt(1 + 2 * s**2)) ** 2

    def covariance(x: Expr, y: Expr, r: Expr) -> Expr:
        return erf_product_mean(x, y, S.Zero, S.Zero, r / 2) - erf(x) * erf(y)

    expr = expr.replace(DifferenceFromErf, lambda x, y: x - erf(y))
    return expr.replace(ErfVariance, variance).replace(ErfCovariance, covariance)


def _weighed(model: DerivedModel, expr: Expr) -> Expr:
    """Return an expression with its symbolic probabilities divided by their sum."""
    chances = [p for _, p in model.role_count_cases()]
    total = Add(*chances)
    if total == 1:
        return expr
    return expr.xreplace({p: p / total for p in chances if isinstance(p, Symbol)})


def _generic(model: DerivedModel, expr: Expr) -> Expr:
    """Return an expression with order parameters declared nonzero if Owen's T needs it."""
    if not model.risk.has(ErfCovariance):
        return expr
    return expr.xreplace({p: Symbol(p.name, real=True, nonzero=True) for p in model.order_parameters
                          if p.is_positive is None})  # fmt: skip


def _hypotheses(model: DerivedModel) -> list[Any]:
    """Return the hypotheses that counts are nonnegative and 2 x 2 Gram matrices semidefinite."""
    found = [Ge(n, 0) for counts, _ in model.role_count_cases() for _, n in counts.values()]
    narrow = set().union(*(f.free_symbols for f in model.risk.atoms(ErfCovariance, asin)))
    for i, x in enumerate(model.trained_directions):
        for y in model.directions[i + 1 :]:
            product = model.inner_product(x, y)
            if product in narrow and model.spaces == 1:
                found.append(Le(product**2, model.inner_product(x, x) * model.inner_product(y, y)))
    return list(dict.fromkeys(found))


def _risk(model: DerivedModel, name: str, source: str) -> Claim:
    risk = _weighed(model, replace_variances_by_differences(_generic(model, model.risk)))
    defined = _weighed(model, risk_definition(model)) + _generic(model, model.ridge_penalty)
    statement = Eq(defined, risk, evaluate=False)
    claim = Claim(
        id=f"{name}-risk",
        title="the risk in closed form",
        statement=_generic(model, statement),
        source=source,
        hypotheses=[_generic(model, h) for h in _hypotheses(model)],
    )

    @claim.proof
    def _(goal: Any) -> Any:
        """Expand the square by the independence of tokens; close each mean, add up each role."""
        means = _Means(model)
        summands = list(means.summands())
        expanded = Add(
            means.with_claim_symbols(model.data.noise**2 + model.ridge_penalty),
            *(left for left, _ in summands),
        )
        roots = _positive_radicands(goal.rhs)
        facts = [chain(left).then(right, by=algebra.using(*means.facts(left), *roots))
                 for left, right in summands]  # fmt: skip
        return (
            chain(goal.lhs)
            .then(expanded, by=noise_moments)
            .then(goal.rhs, by=algebra.using(*facts, *roots))
        )

    return claim


def _mean_loss(model: DerivedModel, name: str, source: str) -> Claim:
    risk = _weighed(model, replace_variances_by_differences(model.risk))
    defined = _weighed(model, LossMeansByDefinition(model).mean_loss()) + model.ridge_penalty
    claim = Claim(
        id=f"{name}-risk",
        title="the mean loss in closed form",
        statement=Eq(defined, risk, evaluate=False),
        source=source,
        hypotheses=_hypotheses(model),
    )

    @claim.proof
    def _(goal: Any) -> Any:
        """Evaluate the mean of the loss over the projections of a token."""
        return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)

    return claim


def _positive_radicands(expr: Expr) -> list[Any]:
    """Return proofs that radicands are positive, for those that symbols alone do not show."""
    roots = {p.base for p in expr.atoms(Pow) if p.exp.is_Rational and p.exp.q == 2}
    open_ones = sorted((x for x in roots if not x.is_positive), key=default_sort_key)
    return [chain(x).gt(0, by=signs) for x in open_ones]


class _Means:
    """The means of products of contributions in the risk, with their closed forms."""

    def __init__(self, model: DerivedModel) -> None:
        self.model = model
        self._facts: dict[Expr, Any] = {}

    def with_claim_symbols(self, expr: Expr) -> Expr:
        """Return an expression of the model in the symbols that the claims use."""
        return _weighed(self.model, replace_variances_by_differences(_generic(self.model, expr)))

    def summands(self) -> Iterator[tuple[Expr, Expr]]:
        """Yield each variance, covariance and squared bias of the risk, unevaluated and closed."""
        for parts, value in self.model._terms.variance_groups():
            total = Add(*(c * (self.mean(x, y) - self.mean(x) * self.mean(y))
                          for c, (x, y) in parts))  # fmt: skip
            yield self.with_claim_symbols(total), self.with_claim_symbols(value)
        for p, parts, value in self.model._terms.bias_cases():
            bias = Add(*(c * self.mean(x) for c, x in parts))
            yield self.with_claim_symbols(p * bias**2), self.with_claim_symbols(p * value**2)

    def mean(self, *parts: Part) -> Expr:
        """Return the mean of a product as an unevaluated expectation; record its closed form."""
        roles = list({id(role): role for role, _ in parts}.values())
        blocks, integrand = [], S.One
        for n, role in enumerate(roles, 1):
            names, law = role.numbered(n)
            blocks.append((law, role))
            integrand *= Mul(*(core for r, core in parts if r is role)).xreplace(names)
        joint = _joint(self.model, blocks)
        used = [s for s in joint.symbols if integrand.has(s)]
        if not used:
            return integrand
        found = Expectation(integrand, joint.marginal(*used))
        name = self.with_claim_symbols(found)
        if name not in self._facts:
            self._facts[name] = chain(name).then(self._value(parts), by=gaussian_calculus)
        return found

    def _value(self, parts: Sequence[Part]) -> Expr:
        """Return the closed form of a mean; of a product, as covariance plus product of the means.

        That product is left as it stands, as it is to cancel.
        """
        value = self.with_claim_symbols(self.model._terms.mean_or_covariance(*parts))
        if len(parts) == 1:
            return value
        first, second = (self._value([part]) for part in parts)
        if first == 0 or second == 0:
            return value
        if first == second:
            return value + Pow(first, 2, evaluate=False)
        return value + Mul(first, second, evaluate=False)

    def facts(self, expr: Expr) -> list[Any]:
        """Return the proved closed forms of the means that occur in an expression."""
        return [fact for mean, fact in self._facts.items() if expr.has(mean)]


def _gradient(model: DerivedModel, name: str, source: str) -> Claim:
    risk = replace_variances_by_differences(_generic(model, model.risk))
    # Owen's T has branches, by signs that have no slope where they change.
    turns = set().union(*(node.free_symbols for node in risk.atoms(sign)))
    branch = {p: Symbol(p.name, positive=True) for p in turns if p.is_positive is None}
    # Put in before SymPy sees a conjunction, which it simplifies each time that one is made.
    risk = risk.xreplace(branch)
    slopes = [
        Eq(
            D(risk, _generic(model, p).xreplace(branch)),
            replace_variances_by_differences(_generic(model, slope)).xreplace(branch),
            evaluate=False,
        )
        for p, slope in zip(model.order_parameters, model.gradient, strict=True)
    ]
    claim = Claim(
        id=f"{name}-gradient",
        title="the gradient in the order parameters",
        statement=And(*slopes),
        source=source,
        hypotheses=[_generic(model, h).xreplace(branch) for h in _hypotheses(model)],
    )

    @claim.proof
    def _(goal: Any) -> Any:
        """Differentiate the risk term by term."""
        proofs = [chain(part.lhs).then(part.rhs, by=differentiate) for part in conjuncts(goal)]
        return all_of(*proofs) if len(proofs) > 1 else proofs[0]

    return claim
