"""Section 3: attention as a layer, read at [CLS]."""

from sympy import Eq, Ge, Gt, IndexedBase, KroneckerDelta, Le, Sum, Symbol, erf, exp, symbols

from slrsym.papers.single_location.notation import L
from slrsym.proof import Claim, algebra, chain, sign, single_out, termwise

# Tokens X_l in R^d, the embedding c of [CLS], and a head of dimension d_k: the query matrix is
# arbitrary, the key matrix has rank one, W_K = k u^T, and W_V W_O = v.
d, d_k = symbols("d d_k", integer=True, positive=True)
X = IndexedBase("X", shape=(L, d), real=True)
W_Q = IndexedBase("W_Q", shape=(d, d_k), real=True)
c, k, v = (IndexedBase(name, shape=(d,), real=True) for name in "ckv")
u = IndexedBase("u", shape=(d_k,), real=True)
# The factor before the scores, 1/sqrt(d_k) in practice.
scaling = Symbol("mu", positive=True)
h, i, j, l, m = symbols("h i j l m", integer=True)  # noqa: E741


def projection(index, w):
    """X_l . w."""
    return Sum(X[index, m] * w[m], (m, 1, d))


query = Sum(c[i] * W_Q[i, j], (i, 1, d))


def score(token):
    """The scaled product of the query of [CLS] and the key of a token, given by its entries."""
    key = Sum(token(m) * k[m] * u[j], (m, 1, d))
    return scaling * Sum(query * key, (j, 1, d_k))


def softmax_predictor(inverse_temperature):
    """The predictor (2): sum_l softmax(lambda X k)_l X_l . v."""
    total = Sum(exp(inverse_temperature * projection(l, k)), (l, 1, L))
    return Sum(exp(inverse_temperature * projection(l, k)) * projection(l, v), (l, 1, L)) / total


scores = Sum(exp(score(lambda m: X[l, m])), (l, 1, L))
values = Sum(exp(score(lambda m: X[l, m])) * projection(l, v), (l, 1, L))
# The inverse temperature: the scaled product of the query of [CLS] and u.
inverse_temperature = scaling * Sum(query * u[j], (j, 1, d_k))

layer = Claim(
    id="attention",
    title=(
        "If the key matrix of an attention layer has rank one, its [CLS] output is the "
        "softmax predictor (2)"
    ),
    statement=Eq(values / scores, softmax_predictor(inverse_temperature), evaluate=False),
    source="Section 3, (2) and (5)",
    compared_to_source="exact",
)


@layer.proof
def _(goal):
    """A key of rank one makes every score a multiple of $X_l . k$, by the same factor."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


own = exp(score(lambda m: c[m]))
own_value = Sum(c[m] * v[m], (m, 1, d))
weight = own / (own + scores)

with_itself = Claim(
    id="attention-with-itself",
    title="If [CLS] also attends to itself, the output averages over one more value, its own",
    statement=Eq(
        (own * own_value + values) / (own + scores),
        (1 - weight) * softmax_predictor(inverse_temperature) + weight * own_value,
        evaluate=False,
    ),
    source="new (Section 3 leaves out the weight of [CLS] itself)",
)


@with_itself.proof
def _(goal):
    """[CLS] is one more token: both sums have one more term."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# Weights that attend to one token alone: the row e_J of zeros, and a one at J.
J = Symbol("J", integer=True)
hard = KroneckerDelta(l, J) * projection(l, v)

hardest = Claim(
    id="attention-hard",
    title=(
        "A layer that puts all weight on token $J$ has the output $X_J . v$: predictor (1) if $J$ "
        "is the argmax of the scores"
    ),
    statement=Eq(Sum(hard, (l, 1, L)), projection(J, v), evaluate=False),
    source="(1), where $J$ is the argmax of $X k$",
    compared_to_source="exact",
    hypotheses=[Ge(J, 1), Le(J, L)],
)


@hardest.proof
def _(goal):
    """Of the sum over tokens the term of $J$ is left; all others vanish."""
    before, after = Sum(hard, (l, 1, J - 1)), Sum(hard, (l, J + 1, L))
    vanishes = chain(hard).then(0, by=algebra)
    return (
        chain(goal.lhs)
        .then(before + projection(J, v) + after, by=single_out(J))
        .then(projection(J, v) + after, by=termwise(l, 1, J - 1, vanishes))
        .then(goal.rhs, by=termwise(l, J + 1, L, vanishes))
    )


erf_layer = Claim(
    id="attention-erf",
    title="If the key matrix has rank one and $erf$ takes the place of softmax, the [CLS] "
    "output is the predictor (3)",
    statement=Eq(
        Sum(erf(score(lambda m: X[l, m])) * projection(l, v), (l, 1, L)),
        Sum(erf(inverse_temperature * projection(l, k)) * projection(l, v), (l, 1, L)),
        evaluate=False,
    ),
    source="Section 3, (3)",
    compared_to_source="exact",
)


@erf_layer.proof
def _(goal):
    """As for softmax: a key of rank one makes every score a multiple of $X_l . k$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- the whole layer (4) -----------------------------------------------------------------------

# Any matrices of queries, and W = W_V W_O of values and outputs; keys of rank one, W_K = k u^T.
W = IndexedBase("W", shape=(d, d), real=True)
r, o = symbols("r o", integer=True)


def product_row(row):
    """Row `row` of X W_Q, times u."""
    return Sum(Sum(X[row, i] * W_Q[i, j], (i, 1, d)) * u[j], (j, 1, d_k))


def layer_score(row, token):
    """The entry of mu X W_Q (X W_K)^T in that row, and in the column of a token."""
    key = Sum(X[token, m] * k[m] * u[j], (m, 1, d))
    return scaling * Sum(Sum(X[row, i] * W_Q[i, j], (i, 1, d)) * key, (j, 1, d_k))


def layer_value(token):
    """The entry of X W in the row of a token, and in column o."""
    return Sum(X[token, m] * W[m, o], (m, 1, d))


row_temperature = scaling * product_row(r)
row_weight = exp(row_temperature * projection(l, k))

whole = Claim(
    id="attention-layer",
    title=(
        "If the key matrix of a layer has rank one, each entry of its output (4) is a softmax "
        "predictor (2)"
    ),
    statement=Eq(
        Sum(exp(layer_score(r, l)) * layer_value(l), (l, 1, L))
        / Sum(exp(layer_score(r, l)), (l, 1, L)),
        Sum(row_weight * layer_value(l), (l, 1, L)) / Sum(row_weight, (l, 1, L)),
        evaluate=False,
    ),
    source="(4), in row $r$ and column $o$: $v$ is column $o$ of $W$, $lambda = mu (X W_Q u)_r$",
    compared_to_source="exact",
    hypotheses=[Ge(r, 1), Le(r, L), Ge(o, 1), Le(o, d)],
)


@whole.proof
def _(goal):
    """Take the sums over the dimensions of the head first."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


whole_erf = Claim(
    id="attention-layer-erf",
    title="If the key matrix has rank one and $erf$ takes the place of softmax, each entry of "
    "the output (4) is a predictor (3)",
    statement=Eq(
        Sum(erf(layer_score(r, l)) * layer_value(l), (l, 1, L)),
        Sum(erf(row_temperature * projection(l, k)) * layer_value(l), (l, 1, L)),
        evaluate=False,
    ),
    source="(4) and (3), in row $r$ and column $o$",
    compared_to_source="exact",
    hypotheses=[Ge(r, 1), Le(r, L), Ge(o, 1), Le(o, d)],
)


@whole_erf.proof
def _(goal):
    """As for softmax: a key of rank one makes every score a multiple of $X_l . k$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


warm = Claim(
    id="attention-temperature",
    title=(
        "The inverse temperature of a layer with the key matrix $k u^T$ is positive if $u$ has a "
        "positive product with the query of [CLS]"
    ),
    statement=Gt(inverse_temperature, 0, evaluate=False),
    source="Section 3, after (5); $u = W_Q^T c$ has that, unless it vanishes",
    compared_to_source="exact",
    hypotheses=[Gt(Sum(query * u[j], (j, 1, d_k)), 0)],
)


@warm.proof
def _(goal):
    """The factor before the scores is positive."""
    return chain(goal.lhs).gt(0, by=sign)


# -- the predictor (3) -------------------------------------------------------------------------

lam = Symbol("lambda", positive=True)


def erf_predictor(k, v):
    """The predictor (3), of vectors given by their coordinates."""
    scores = Sum(X[l, m] * k(m), (m, 1, d))
    return Sum(erf(lam * scores) * Sum(X[l, m] * v(m), (m, 1, d)), (l, 1, L))


mirror = Claim(
    id="mirror-image",
    title=(
        "$(-k, -v)$ and $(k, v)$ are the same predictor (3), which has $erf$ in the place of "
        "softmax"
    ),
    statement=Eq(
        erf_predictor(lambda m: -k[m], lambda m: -v[m]),
        erf_predictor(lambda m: k[m], lambda m: v[m]),
        evaluate=False,
    ),
    source="Section 5, after Theorem 5: convergence to $(-k*, -v*)$ is as good",
    compared_to_source="exact",
)


@mirror.proof
def _(goal):
    """The error function is odd."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)
