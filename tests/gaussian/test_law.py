"""Laws: moments, conditioning, linear images, validation, and the symbols that they bind."""

import pickle
from typing import Any

import numpy as np
import pytest
from sympy import (
    Dummy,
    ImmutableMatrix,
    Matrix,
    Rational,
    S,
    Symbol,
    erf,
    expand,
    eye,
    latex,
    oo,
    simplify,
    sqrt,
    srepr,
    symbols,
    zoo,
)

from slrsym.gaussian import GaussianLaw, IIDSum, NoiseLaw, ProductLaw, expectation, standard_normal
from slrsym.gaussian.law import Law

x, y, z, w = NAMES = symbols("x y z w", real=True)
a, b, r = symbols("a b r", real=True)
s = Symbol("s", positive=True)
complex_symbol = Symbol("c")


def random_law(seed: int, size: int = 4, rank: int | None = None) -> GaussianLaw:
    rng = np.random.default_rng(seed)
    root = Matrix(size, rank or size, lambda i, j: Rational(int(rng.integers(-9, 10)), 4))
    mean = [Rational(int(rng.integers(-9, 10)), 5) for _ in range(size)]
    return GaussianLaw(dict(zip(NAMES, mean, strict=False)), root * root.T)


def floats(law: GaussianLaw) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.array([float(m) for m in law.mean.values()]),
        np.array(law.cov.tolist(), dtype=float),
    )


def test_parts():
    law = GaussianLaw({x: a, y: 1}, [[s, r], [r, 2]])
    assert law.symbols == (x, y)
    assert law.mean == {x: a, y: 1}
    assert law.cov == ImmutableMatrix([[s, r], [r, 2]])
    assert law.covariance(y, x) == r
    assert law.parameters == law.free_symbols == {a, s, r}
    assert law.independent_laws() == (law,)


def test_pairs_instead_of_a_mapping():
    assert GaussianLaw([(x, a), (y, 0)], eye(2)) == GaussianLaw({x: a, y: 0}, eye(2))


def test_standard_normal():
    law = standard_normal(x, y)
    assert law.cov == eye(2)
    assert set(law.mean.values()) == {S.Zero}


def test_unknown_coordinate():
    with pytest.raises(KeyError, match=r"z is not a coordinate of this law \(x, y\)"):
        standard_normal(x, y).covariance(x, z)


def test_marginal_takes_the_order_given():
    law = random_law(1)
    part = law.marginal(z, x)
    assert part.symbols == (z, x)
    assert part.covariance(z, x) == law.covariance(x, z)
    assert part.covariance(z, z) == law.covariance(z, z)
    assert part.mean == {z: law.mean[z], x: law.mean[x]}


@pytest.mark.parametrize("seed", range(4))
def test_linear_image_against_numpy(seed):
    law = random_law(seed)
    rng = np.random.default_rng(100 + seed)
    matrix, shift = rng.integers(-5, 6, (3, 4)), rng.integers(-5, 6, 3)
    forms = [
        int(c) + sum(int(e) * n for e, n in zip(row, NAMES, strict=True))
        for row, c in zip(matrix, shift, strict=True)
    ]
    image = law.linear_image(dict(zip(symbols("u v q", real=True), forms, strict=True)))
    mean, cov = floats(law)
    image_mean, image_cov = floats(image)
    np.testing.assert_allclose(image_mean, matrix @ mean + shift, atol=1e-12)
    np.testing.assert_allclose(image_cov, matrix @ cov @ matrix.T, rtol=1e-12, atol=1e-12)


def test_linear_image_refuses_other_forms():
    with pytest.raises(ValueError, match=r"x\*y is not affine in x, y"):
        standard_normal(x, y).linear_image({z: x * y})


@pytest.mark.parametrize("seed", range(4))
def test_condition_against_numpy(seed):
    law = random_law(seed)
    values = {y: Rational(1, 3), w: Rational(-2, 7)}
    given = law.conditional(values)
    mean, cov = floats(law)
    rest, at = [0, 2], [1, 3]
    gain = cov[np.ix_(rest, at)] @ np.linalg.inv(cov[np.ix_(at, at)])
    new_mean, new_cov = floats(given)
    difference = np.array([float(v) for v in values.values()]) - mean[at]
    np.testing.assert_allclose(new_mean, mean[rest] + gain @ difference, rtol=1e-9, atol=1e-9)
    expected = cov[np.ix_(rest, rest)] - gain @ cov[np.ix_(at, rest)]
    np.testing.assert_allclose(new_cov, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_conditioning_twice_is_conditioning_once(seed):
    law = random_law(seed)
    once = law.conditional({x: a, y: b})
    twice = law.conditional({x: a}).conditional({y: b})
    assert once.symbols == twice.symbols
    assert simplify(Matrix(once.cov) - Matrix(twice.cov)) == Matrix.zeros(2)
    for name in once.symbols:
        assert expand(once.mean[name] - twice.mean[name]) == 0


@pytest.mark.parametrize("integrand", [x**2 * y, erf(x + y), y * erf(x), erf(x) * erf(y)])
def test_tower_property(integrand):
    """E f(X, Y) is the mean over Y of the mean given Y."""
    law = GaussianLaw({x: Rational(1, 3), y: Rational(-1, 2)}, [[2, 1], [1, 3]])
    inner = expectation(integrand, law.conditional({y: b}))
    outer = expectation(inner.xreplace({b: y}), law.marginal(y))
    assert abs((outer - expectation(integrand, law)).evalf(30)) < Rational(1, 10**25)


def test_condition_refuses():
    singular = GaussianLaw({x: 0, y: 0, z: 0}, [[1, 2, 0], [2, 4, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match=r"covariance of \(x, y\) is singular"):
        singular.conditional({x: 0, y: 0})
    with pytest.raises(ValueError, match="must leave a coordinate free; got all of them"):
        standard_normal(x).conditional({x: 1})
    with pytest.raises(KeyError, match="not a coordinate"):
        standard_normal(x).conditional({y: 1})


@pytest.mark.parametrize(
    ("mean", "cov", "error", "message"),
    [
        ({}, [], ValueError, "at least one coordinate"),
        ({x: 0, y: 0}, [[1]], ValueError, r"shape \(1, 1\); 2 coordinates need \(2, 2\)"),
        ({x: 0}, [[1, 0]], ValueError, r"shape \(1, 2\)"),
        ({x: 0, y: 0}, [[1, 0], [0]], ValueError, "equal length"),
        ({x: 0, y: 0}, [[1, r], [-r, 1]], ValueError, r"not symmetric: cov\[1, 0\] = -r"),
        ({x: 0}, [[-1]], ValueError, r"minor of \(x\) is -1 < 0"),
        ({x: 0, y: 0}, [[1, 2], [2, 1]], ValueError, r"minor of \(x, y\) is -3 < 0"),
        ({x: 0, y: 0}, [[1, 1 + s], [1 + s, 1]], ValueError, r"minor of \(x, y\)"),
        (
            {x: 0, y: 0, z: 0},
            [[2, -2, -2], [-2, 3, -2], [-2, -2, 3]],
            ValueError,
            r"minor of \(x, y, z\)",
        ),
        ({complex_symbol: 0}, [[1]], ValueError, r"c is not declared real; .*real=True"),
        ({x: complex_symbol}, [[1]], ValueError, "mean of x is c, and c is not declared real"),
        ({x: 0}, [[complex_symbol]], ValueError, r"cov\[0, 0\] is c, and c is not declared"),
        ({x: oo}, [[1]], ValueError, "real and finite"),
        ({x: sqrt(-2)}, [[1]], ValueError, "real and finite"),
        ({x: 0}, [[zoo]], ValueError, "real and finite"),
        ({x + 1: 0}, [[1]], TypeError, "named by a SymPy Symbol"),
        ([(x, 0), (x, 1)], eye(2), ValueError, "names the coordinate x twice"),
        ({x: y, y: 0}, eye(2), ValueError, "contain its own coordinate y"),
        ({x: 0}, [[x**2]], ValueError, "contain its own coordinate x"),
        ({x: x}, [[x**2]], ValueError, "contain its own coordinate x"),
    ],
)
def test_gaussian_law_refuses(mean, cov, error, message):
    with pytest.raises(error, match=message):
        GaussianLaw(mean, cov)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_degenerate_laws_are_laws(rank):
    assert random_law(3, 4, rank).cov.rank() <= rank


def test_undecided_covariance_is_accepted():
    assert GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]]).cov[0, 1] == r


def test_noise_law():
    law = NoiseLaw(x, s**2)
    assert (law.symbols, law.variance, law.parameters) == ((x,), s**2, {s})
    with pytest.raises(ValueError, match="must not be negative; got -1"):
        NoiseLaw(x, -1)
    with pytest.raises(ValueError, match="not declared real"):
        NoiseLaw(complex_symbol, 1)
    with pytest.raises(TypeError, match="named by a SymPy Symbol"):
        NoiseLaw(3, 1)


def test_product_law():
    first, second, third = standard_normal(x), NoiseLaw(y, a**2), standard_normal(z)
    product = ProductLaw(first, ProductLaw(second, third))
    assert product.symbols == (x, y, z)
    assert product.independent_laws() == (first, second, third)
    assert product.parameters == {a}
    with pytest.raises(ValueError, match="shared: x"):
        ProductLaw(first, standard_normal(y, x))
    with pytest.raises(ValueError, match="random variable x of the product as a parameter"):
        ProductLaw(first, GaussianLaw({y: x}, [[1]]))


def test_iid_sum():
    total = IIDSum(a * x, GaussianLaw({x: b}, [[1]]), 3)
    assert total.free_symbols == {a, b}
    written, law = total.write_out_copies(3)
    assert len(law.symbols) == 3
    assert expectation(written, law) == expand(3 * a * b)
    assert expectation(total**2, standard_normal(y)).expand() == (3 * a**2 + 9 * a**2 * b**2)
    assert total.diff(r) == 0
    with pytest.raises(NotImplementedError, match="derivative"):
        total.diff(a)
    for count in (-1, Rational(1, 2)):
        with pytest.raises(ValueError, match="count must be a non-negative integer"):
            IIDSum(x, standard_normal(x), count)


LAWS = [
    GaussianLaw({x: a, y: 1}, [[s, r], [r, 2]]),
    NoiseLaw(z, s),
    ProductLaw(GaussianLaw({x: a}, [[s]]), NoiseLaw(z, s)),
]


@pytest.mark.parametrize("law", LAWS)
def test_copies_of_a_law(law):
    assert pickle.loads(pickle.dumps(law)) == law
    assert law.func(*law.args) == law
    names: dict[str, Any] = {}
    exec("from sympy import *\nfrom slrsym.gaussian import *", names)
    assert eval(srepr(law), names) == law
    assert str(law)
    assert latex(law)


@pytest.mark.parametrize("law", LAWS)
def test_substitution_leaves_the_bound_symbols(law):
    for symbol in law.symbols:
        assert law.subs(symbol, 3) == law
    changed = law.subs(s, 5)
    assert changed.symbols == law.symbols
    assert s not in changed.free_symbols


@pytest.mark.parametrize("law", LAWS)
def test_renamed(law):
    names = {symbol: Dummy(real=True) for symbol in law.symbols}
    renamed = law.rename_variables(names)
    assert renamed.symbols == tuple(names.values())
    assert renamed.parameters == law.parameters
    assert renamed.rename_variables({new: old for old, new in names.items()}) == law


def test_substitution_in_the_covariance_is_validated():
    law = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])
    with pytest.raises(ValueError, match="positive semidefinite"):
        law.subs(r, 2)


def test_a_part_that_is_no_covariance_is_found_beside_one_that_may_be():
    p = Symbol("p", positive=True)
    with pytest.raises(ValueError, match=r"the principal minor of \(y\) is -p"):
        GaussianLaw({x: 0, y: 0}, [[p, 0], [0, -p]])


def test_latex_of_laws():
    assert latex(standard_normal(x)) == r"x \sim \mathcal{N}\left(0, 1\right)"
    assert r"\perp" in latex(LAWS[2])
    assert r"\begin{matrix}x\\y\end{matrix}" in latex(LAWS[0])


def test_base_class_is_abstract():
    law = Law()
    with pytest.raises(NotImplementedError):
        law.symbols  # noqa: B018
    with pytest.raises(NotImplementedError):
        law.parameters  # noqa: B018
    with pytest.raises(NotImplementedError):
        law.rename_variables({})


@pytest.mark.parametrize("declared", ["positive", "nonnegative", "integer", "nonzero"])
def test_a_random_variable_is_real_and_no_more(declared):
    called = Symbol("X", **{declared: True}, **({"real": True} if declared == "nonzero" else {}))
    with pytest.raises(ValueError, match=f"declared {declared}, which its law does not make it"):
        GaussianLaw({called: 0}, [[1]])
