"""Axioms: named facts from the literature that proofs use without proof, with references."""

from __future__ import annotations

from dataclasses import dataclass

from slrsym.prover.statements.expressions import ProofError

_IS_SOUND = "rule: "
# Where a theorem of this package is proved.
OWN_PROOF = "its proof, which stands with it in this package"
# Where the inference rules of the proof checker are defined.
SPECIFICATION = "the specification of the proof checker"


@dataclass(frozen=True)
class Axiom:
    """An axiom: a fact taken from the literature, with its reference.

    Attributes
    ----------
    id : str
        Its name.
    statement : str
        What it says.
    reference : str
        Where it is proved.
    rules : tuple of str
        The inference rules of the proof checker that take it. None are needed for what theorems on
        orbits and on vectors take, or citations.
    """

    id: str
    statement: str
    reference: str
    rules: tuple[str, ...] = ()


_LITERATURE = (
    Axiom(
        "integral-linearity",
        "A linear combination of integrable functions is integrable, and its integral is the "
        "same linear combination of theirs. If $f <= g$ everywhere and their means exist, that of "
        "$f$ is at most that of $g$, and below it if $f < g$ everywhere. If $f$ is integrable from "
        "$a$ to $b$ and from $b$ to $e$, in any order of these, it is integrable from $a$ to $e$, "
        "and that integral is the sum of the two, where that from $a$ to $b$ is that from $b$ to "
        "$a$ with the other sign; that of a constant $c$ from $a$ to $b$ is $c (b - a)$.",
        "Folland, Real Analysis, 2nd ed., Prop. 2.21, Sec. 1.5",
        rules=("linear", "constant", "adjacent", "compare means"),
    ),
    Axiom(
        "dominated-convergence",
        "If $f(x, r)$ is integrable in $x$ for each $r$ near $r_0$, and differentiable in $r$ "
        "with a derivative that is, for all these $r$, bounded by one integrable function of "
        "$x$, then the integral of $f$ is differentiable in $r$ at $r_0$, and its derivative is "
        "the integral of that of $f$. So it is for $f$ that are, as their derivatives, bounded "
        "by a multiple of $exp(c |x|)$, times first and second powers of independent variables "
        "of finite variance, under a Gaussian law.",
        "Folland, Real Analysis, 2nd ed., Thm 2.27",
        rules=("derivative of expectation",),
    ),
    Axiom(
        "fubini",
        "Integrals of an integrable function over a product of sigma-finite measures may be "
        "taken one after the other, in any order; a product of independent integrable variables "
        "is integrable, and its mean is the product of theirs. In a mean in which nothing else "
        "depends on the copies, a sum of $n >= 1$ independent copies of a variable may be "
        "replaced, wherever it stands, by one of $n - 1$ copies plus another variable of the "
        "same law, independent of all else. The sum of $n$ independent copies of $y$ has the "
        "mean $n E y$, and its square $n E y^2 + n (n - 1) (E y)^2$, if these means exist.",
        "Folland, Real Analysis, 2nd ed., Thm 2.37",
        rules=("fubini", "independent", "one copy more", "moments of copies"),
    ),
    Axiom(
        "tonelli",
        "Integrals of a measurable function that is not negative over a product of sigma-finite "
        "measures may be taken one after the other, in any order.",
        "Folland, Real Analysis, 2nd ed., Thm 2.37 (a)",
    ),
    Axiom(
        "gaussian-normalisation",
        "The mean of a constant is the constant: a non-degenerate Gaussian density integrates to "
        "one, and so do all other laws.",
        "Folland, Real Analysis, 2nd ed., Prop. 2.53",
        rules=("constant",),
    ),
    Axiom(
        "gaussian-density",
        "The mean of a function of a Gaussian variable of positive variance is its integral "
        "against the Gaussian density, and exists with it.",
        "Anderson, An Introduction to Multivariate Statistical Analysis, 3rd ed., Sec. 2.3",
        rules=("density",),
    ),
    Axiom(
        "gaussian-moments",
        "A measurable function that is bounded by a multiple of $exp(c |x|)$, for some $c$, is "
        "integrable against every Gaussian law, and over every interval against $exp(a x^2 + b "
        "x)$ with $a < 0$; so is its product with the first or second power of each of some "
        "variables of finite variance that are independent of it and of each other; and so are "
        "finite sums of these.",
        "Folland, Real Analysis, 2nd ed., Prop. 2.53",
        rules=("integrable", "bells", "mean exists"),
    ),
    Axiom(
        "gaussian-linear-image",
        "An affine image of a Gaussian vector is Gaussian, with the image mean and covariance. A "
        "Gaussian law is that of any Gaussian vector with the same mean and covariance matrix, be "
        "it singular; so uncorrelated jointly Gaussian vectors are independent.",
        "Anderson, An Introduction to Multivariate Statistical Analysis, 3rd ed., Thms 2.4.1-2.4.5",
        rules=("image",),
    ),
    Axiom(
        "stein-lemma",
        "For a Gaussian vector $X$, also a degenerate one, and a smooth function $f$ that is, as "
        "all its derivatives, bounded by a multiple of $exp(c |x|)$ for some $c$, $E (X_i - m_i) "
        "f(X)$ is the sum over $j$ of the covariances $C_ij$ times the means of the derivatives of "
        "$f$ in $x_j$. The same holds if $f$ depends on variables independent of $X$, too, and "
        "these means exist.",
        "Stein, Annals of Statistics 9 (1981), Lemma 1",
        rules=("stein",),
    ),
    Axiom(
        "gaussian-integrals",
        "Let $u$ be an affine form of a Gaussian vector, of mean $m$ and variance $v$. Then $E "
        "erf(u) = erf(m/sqrt(1 + 2 v))$ and $E exp(u) = exp(m + v/2)$; if $v > 0$, $E sign(u) = "
        "erf(m/sqrt(2 v))$ and $E |u| = m erf(m/sqrt(2 v)) + sqrt(2 v/pi) exp(-m^2/(2 v))$. For "
        "a Gaussian variable $x$ of mean $m$ and variance $v$ with $w = 1 - 2 a v > 0$, $E exp(a "
        "x^2 + b x + c) = exp(c + (a m^2 + b m + b^2 v/2)/w)/sqrt(w)$. For a quadratic form $q$, "
        "with the matrix $A$, of a centred Gaussian pair with the covariance $S$, $E exp(q + c) "
        "= exp(c)/sqrt(det(I - 2 S A))$, if $I - 2 S A$ has a positive determinant and a "
        "positive trace.",
        "Ng and Geller, Journal of Research of the NBS 73B (1969), 1-20; for pairs Mathai and "
        "Provost, Quadratic Forms in Random Variables, Sec. 3.2",
        rules=("gaussian integral",),
    ),
    Axiom(
        "bivariate-normal",
        "Let $u$, $w$ be centred affine forms of a Gaussian vector, of variances $p$, $q$ and "
        "covariance $c$. If $p, q > 0$, then $E sign(u) sign(w) = (2/pi) asin(c/sqrt(p q))$ and "
        "$E |u w| = (2/pi) (sqrt(p q - c^2) + c asin(c/sqrt(p q)))$. With $erf(u)$ in the place "
        "of $sign(u)$, the first has $p + 1/2$ in the place of $p$, also for $p = 0$; likewise "
        "with $erf(w)$.",
        "Owen (1956), 1075-1090; for absolute values Nabeya, Annals of the Institute of "
        "Statistical Mathematics 3 (1951), 2-6",
        rules=("centred pair",),
    ),
    Axiom(
        "price-theorem",
        "The derivative of $E f(X)$ in the covariance $C_ij$ of a non-degenerate Gaussian vector "
        "is the mean of the second derivative of $f$ in $x_i$ and $x_j$ (half of it for $i = "
        "j$), that in a mean the mean of a first one, for $f$ smooth and, as all its "
        "derivatives, bounded by a multiple of $exp(c |x|)$ for some $c$. Where means and "
        "covariances are differentiable in a parameter, the derivative in it follows by the "
        "chain rule.",
        "Price, IRE Transactions on Information Theory 4 (1958), 69-72",
        rules=("price",),
    ),
    Axiom(
        "jensen",
        "Let $f$ have a second derivative that is nowhere negative on an interval, and let the "
        "variable $X$ have values in it: $f(E X) <= E f(X)$, if both means exist; the other way "
        "round, if it is nowhere positive.",
        "Rudin, Real and Complex Analysis, 3rd ed., Thm 3.3",
        rules=("jensen",),
    ),
    Axiom(
        "cauchy-schwarz",
        "$(E f g)^2 <= E f^2 E g^2$, if the three means exist.",
        "Rudin, Real and Complex Analysis, 3rd ed., Thm 3.5",
        rules=("cauchy-schwarz",),
    ),
    Axiom(
        "isserlis",
        "The mean of a product of entries of independent centred Gaussian matrices $X$, with $E "
        "X_ia X_jb = A_ij B_ab$, is the sum over all pairings of the entries of the products of "
        "the covariances of the pairs.",
        "Isserlis, Biometrika 12 (1918), 134-139",
        rules=("isserlis",),
    ),
    Axiom(
        "gaussian-poincare",
        "The variance of a smooth function $f$ of moderate growth of a Gaussian vector of "
        "covariance $C$, also a degenerate one, is at most the mean of the quadratic form $C$ of "
        "the gradient of $f$.",
        "Boucheron, Lugosi, Massart, Concentration Inequalities, Thm 3.20",
        rules=("poincare",),
    ),
    Axiom(
        "stein-lemma-of-matrices",
        "Let $Z$ be a centred Gaussian matrix with $E Z_ia Z_jb = A_ij B_ab$, also a degenerate "
        "one, independent of other Gaussian matrices. If $q$ is a continuously differentiable "
        "function of it and of the others, and $q$ and its derivatives in $Z$ are bounded by a "
        "power of 1 plus the size of all, $E Z_ia q$ is the sum over $j$ and $b$ of $A_ij B_ab$ "
        "times the mean of the derivative of $q$ in $Z_jb$.",
        "Stein, Annals of Statistics 9 (1981), Lemma 1",
        rules=("stein for matrices",),
    ),
    Axiom(
        "poincare-inequality-of-matrices",
        "Let $f$ be a continuously differentiable function of independent standard Gaussian "
        "variables, bounded with its derivatives by a power of 1 plus their size. Its variance is "
        "at most the mean of the squared length of its gradient.",
        "Boucheron, Lugosi, Massart, Concentration Inequalities, Thm 3.20",
        rules=("poincare for matrices",),
    ),
    Axiom(
        "limits-of-functions",
        "Sums and products of functions with finite limits tend to the sums and products of the "
        "limits, quotients to the quotient if the limit of the denominator is not 0; a "
        "continuous function of a function with a limit tends to its value there; exponentials "
        "outgrow powers, and powers outgrow logarithms.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thms 4.4, 4.7, 8.6",
    ),
    Axiom(
        "fundamental-theorem-of-calculus",
        "If a function is differentiable at every point of a bounded closed interval, and its "
        "derivative is integrable on it, the integral of the derivative is the difference of the "
        "values at the ends; over a half-line or the line, where the derivative is integrable, "
        "the limit takes the place of the value at an infinite end; it is 0 for a product of "
        "$exp(a x^2 + b x + c)$, $a < 0$, and a function that is bounded by a multiple of $exp(k "
        "|x|)$ for some $k$. The integral of a continuous function up to $x$ is differentiable "
        "in $x$, and has the value there for a derivative.",
        "Rudin, Real and Complex Analysis, 3rd ed., Thm 7.21; Principles of Mathematical "
        "Analysis, 3rd ed., Thm 6.20",
        rules=("fundamental theorem",),
    ),
    Axiom(
        "continuous-functions-integrable",
        "A continuous function on a bounded closed interval has an integral.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 6.8",
        rules=("integral exists",),
    ),
    Axiom(
        "mean-value-theorem",
        "If $f$ and $g$ are differentiable at every point from $a$ to $b$, $a <= b$, and $f' <= "
        "g'$ there, then $f(b) - f(a) <= g(b) - g(a)$; with $<$ if $f' < g'$ there and $a < b$, "
        "and with $=$ if $f' = g'$ there.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thms 5.10, 5.11",
        rules=("mean value",),
    ),
    Axiom(
        "intermediate-value-theorem",
        "A continuous function on an interval takes all values between two of its values.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 4.23",
    ),
    Axiom(
        "taylor-theorem",
        "A function that is twice differentiable on an interval differs from its tangent at a "
        "point by half its second derivative in between times the square of the distance; so it "
        "lies nowhere below its tangents if its second derivative is nowhere negative, and "
        "nowhere above if that is nowhere positive.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 5.15",
        rules=("tangent",),
    ),
    Axiom(
        "monotone-convergence",
        "A decreasing sequence of real numbers that is bounded from below converges; so a "
        "function of $t$ that never rises and is bounded from below has a limit for $t -> oo$.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 3.14",
    ),
    Axiom(
        "limits-of-sequences",
        "Sums and products of convergent sequences converge to those of the limits; limits keep "
        "inequalities that are not strict, and what lies between two sequences with one limit has "
        "it, too; a continuous function takes the limit of a sequence to that of its values.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thms 3.3, 3.19, 4.2",
    ),
    Axiom(
        "bolzano-weierstrass",
        "A bounded sequence in $R^n$ has an accumulation point; so it converges if it has no "
        "other, closed bounded sets are compact, and a continuous function is bounded on them.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 3.6",
    ),
    Axiom(
        "connected-accumulation-points",
        "If the successive distances of a bounded sequence in $R^n$ tend to 0, the set of its "
        "accumulation points is connected.",
        "Lange, Optimization, 2nd ed., Prop. 12.4.1",
    ),
    Axiom(
        "continuous-derivatives",
        "A map with continuous partial derivatives on an open set is differentiable there, and "
        "its derivative is continuous.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 9.21",
    ),
    Axiom(
        "inverse-function-theorem",
        "A continuously differentiable map with invertible derivative at a point is, near it, "
        "one to one onto an open set, with a continuously differentiable inverse, whose "
        "derivative is the inverse of that of the map.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 9.24",
    ),
    Axiom(
        "picard-lindelof",
        "Let $f$ be smooth on an open set $U$. From each $x$ in $U$ there is a solution $y$ in "
        "$U$ of $y' = f(y)$ on some $[0, T(x))$, $T(x) > 0$, which may be infinite, such that "
        "each solution from $x$ is a restriction of it. For each $t >= 0$ the set of all $x$ "
        "with $T(x) > t$ is open, and the map from $x$ to $y(t)$ maps it one to one onto an open "
        "set; it and its inverse are continuously differentiable.",
        "Hartman, Ordinary Differential Equations, 2nd ed., Thms II.1.1, V.4.1; Lee, Introduction "
        "to Smooth Manifolds, 2nd ed., Thm 9.12",
    ),
    Axiom(
        "maximal-solutions-leave-compact-sets",
        "If the longest solution of $y' = f(y)$, $f$ smooth on an open set, ends at a finite time, "
        "it is not in any one compact part of this set at all times before.",
        "Hartman, Ordinary Differential Equations, 2nd ed., Thm II.3.1; Lee, Introduction to "
        "Smooth Manifolds, 2nd ed., Lemma 9.19",
    ),
    Axiom(
        "variational-equation",
        "If $f(p) = 0$, and $f$ is smooth near $p$ with the matrix $M$ of its derivatives there, "
        "the map from the start of a solution of $y' = f(y)$ to $y(t)$ has the derivative $exp(t "
        "M)$ at $p$.",
        "Hartman, Ordinary Differential Equations, 2nd ed., Thm V.3.1",
    ),
    Axiom(
        "center-stable-manifold",
        "Let $p$ be a fixed point of a map of class $C^1$ on a neighbourhood of $p$, with an "
        "invertible derivative at $p$. There are an embedded disc of class $C^1$ through $p$, of "
        "as many dimensions as the derivative at $p$ has eigenvalues of modulus at most 1, "
        "counted with multiplicities, complex ones included, and a neighbourhood $B$ of $p$ on "
        "which the map is given, such that every point whose iterates all stay in $B$ lies on "
        "the disc.",
        "Shub, Global Stability of Dynamical Systems, Thm III.7",
    ),
    Axiom(
        "null-sets-unions",
        "A countable union of null sets is a null set.",
        "Folland, Real Analysis, 2nd ed., Thm 1.8",
    ),
    Axiom(
        "null-sets-images",
        "A map that is differentiable at every point of a Lebesgue null set of $R^n$ sends it "
        "to a null set of $R^n$.",
        "Rudin, Real and Complex Analysis, 3rd ed., Lemma 7.25",
    ),
    Axiom(
        "null-sets-faces",
        "A hyperplane of $R^n$, and so a face of a box, is a Lebesgue null set.",
        "Folland, Real Analysis, 2nd ed., Thm 2.44",
    ),
    Axiom(
        "null-sets-discs",
        "An embedded disc of class $C^1$ and of less than $n$ dimensions is a Lebesgue null "
        "set of $R^n$.",
        "Rudin, Real and Complex Analysis, 3rd ed., Lemma 7.25",
    ),
    Axiom(
        "coarea-formula",
        "Let $F$ map a manifold of dimension $m$ to one of dimension $n <= m$, with continuous "
        "derivatives, and let $J^2$ be the determinant of $D D^T$, where $D$ is its derivative in "
        "orthonormal bases. The integral of $f J$, for a measurable function $f$ that is not "
        "negative, is the integral over $y$ of the integrals of $f$ over the level sets $F = y$, "
        "by their $(m - n)$-dimensional measure.",
        "Federer, Geometric Measure Theory, Thm 3.2.22",
    ),
    Axiom(
        "lindelof",
        "Countably many of the sets of an open covering of a part of $R^n$ cover it.",
        "Munkres, Topology, 2nd ed., Thm 30.3",
    ),
    Axiom(
        "sphere-coordinates",
        "One coordinate of a uniform point of the unit sphere of $R^n$, $n >= 2$, has a "
        "density on $[-1, 1]$.",
        "Muirhead, Aspects of Multivariate Statistical Theory, Thm 1.5.7 (i)",
    ),
    Axiom(
        "conditional-risk",
        "Let $Y$ have a finite second moment; given $X$, let $Y$ be $y_l + xi$ with the "
        "probability $w_l/W$, where $w_l >= 0$ and $y_l$ are functions of $X$, $W = sum w_l > "
        "0$, and the noise $xi$ is centred, of variance $epsilon^2$, independent of $X$ and $l$. "
        "Then $E[Y | X]$ is the mean of $y_l$ by these weights, and the risk of a measurable "
        "$p(X)$ is the mean of its mean squared error given $X$.",
        "Williams, Probability with Martingales, Sections 9.7 to 9.10",
    ),
    Axiom(
        "conditional-expectation",
        "For an integrable $X$, or $X >= 0$, the mean of $E[X | G]$ is that of $X$; $E[h X | G] "
        "= h E[X | G]$, if $h$ is $G$-measurable, and $X$ and $h X$ are integrable or $h, X >= "
        "0$; and if $N$ is independent of $Z$, then $E[f(Z, N) | Z]$ is $g(Z)$, with $g(z) = E "
        "f(z, N)$, for measurable $f >= 0$.",
        "Williams, Probability with Martingales, Sections 9.7 and 9.10",
    ),
    Axiom(
        "induction",
        "A statement that holds for $n = 0$, and for $n + 1$ whenever for $n$, holds for all "
        "$n$; so finite sums may be multiplied, added and split term by term, $n$ equal terms "
        "$c$ add up to $n c$, and what is shown of no copies, and of one copy more, holds of "
        "sums of copies.",
        "Peano",
        rules=("linear", "constant", "term of a sum", "moments of copies"),
    ),
)
# The proof checker adds them to theorems that a rule of an extension makes, by these names.
_EXTENSIONS = (
    Axiom(
        "extension dynamics",
        "The rule of the proof checker's extension dynamics is sound: theorems on flows of vector "
        "fields, with their proofs in the specification.",
        SPECIFICATION,
        rules=("flow theorem",),
    ),
    Axiom(
        "extension matrices",
        "The rules of the proof checker's extension matrices are sound, and so are the normal "
        "forms, derivatives and instances of its terms: traces of matrices of free size, equations "
        "between matrices, invertible and semidefinite matrices, means over Gaussian matrices, and "
        "unknown functions of vectors with their gradients and Hessians.",
        SPECIFICATION,
        rules=(
            "cauchy-schwarz for matrices",
            "compare means",
            "definite trace",
            "equal matrices",
            "equal vectors",
            "generalise letters",
            "invertible",
            "isserlis",
            "matrix identity",
            "mean exists",
            "poincare for matrices",
            "sandwich",
            "semidefinite",
            "size",
            "specialise letters",
            "stein for matrices",
            "symmetric",
            "trace of semidefinite",
        ),
    ),
    Axiom(
        "extension textbook",
        "The rules of the proof checker's extension textbook are sound: those on maxima, signs and "
        "integers, on convex functions, on means of products, and on Gaussian means and their "
        "derivatives.",
        SPECIFICATION,
        rules=(
            "cauchy-schwarz",
            "integers apart",
            "jensen",
            "maximum",
            "poincare",
            "price",
            "sign",
        ),
    ),
    Axiom(
        "extension vectors",
        "The rule of the proof checker's extension vectors is sound: it passes from pairs of unit "
        "vectors to their overlaps, and from measurable predictors to their values.",
        SPECIFICATION,
        rules=("vector theorem",),
    ),
)
AXIOMS: dict[str, Axiom] = {axiom.id: axiom for axiom in (*_LITERATURE, *_EXTENSIONS)}


def soundness_axiom_name(rule: str) -> str:
    """Return the name of the axiom "this rule is sound", for steps that have no evidence."""
    return f"{_IS_SOUND}{rule}"


def is_soundness_axiom(name: str) -> bool:
    """Return whether an axiom states that a rule is sound."""
    return name.startswith(_IS_SOUND)


def find_axiom(name: str) -> Axiom:
    if is_soundness_axiom(name):
        rule = name.removeprefix(_IS_SOUND)
        return Axiom(name, f"Whatever the rule {rule} accepts is true.", "the author of the rule")
    if name not in AXIOMS:
        raise ProofError(f"unknown axiom {name!r}; known are {', '.join(sorted(AXIOMS))}")
    return AXIOMS[name]
