"""Linear algebra of a step on a batch, as source code for Numba.

It does with one run what `batch_frames` and `cluster_draws` do with all runs at once. The numbers
of rows and columns are known where it is compiled.
"""

# mypy: ignore-errors

from math import sqrt

from slrsym.models.sampling.batch_frames import FLAT_PIVOT, FLAT_SQUARE


def orthonormalise(vectors, basis, lower, q, m):
    """Fill in an orthonormal basis of vectors, and their coordinates in it."""
    for n in range(q):
        square = 0.0
        for w in range(m):
            basis[n, w] = vectors[n, w]
            square += vectors[n, w] * vectors[n, w]
        for _ in range(2):
            for k in range(n):
                along = 0.0
                for w in range(m):
                    along += basis[n, w] * basis[k, w]
                for w in range(m):
                    basis[n, w] -= along * basis[k, w]
        rest = 0.0
        for w in range(m):
            rest += basis[n, w] * basis[n, w]
        scale = 1 / sqrt(rest) if rest > FLAT_SQUARE * square else 0.0
        for w in range(m):
            basis[n, w] *= scale
        for k in range(n + 1):
            along = 0.0
            for w in range(m):
                along += vectors[n, w] * basis[k, w]
            lower[n, k] = along


def fill_root(gram, root, rest, n):
    """Fill in the lower triangular root of a positive semidefinite matrix."""
    for i in range(n):
        for j in range(n):
            rest[i, j], root[i, j] = gram[i, j], 0.0
    for j in range(n):
        if rest[j, j] > FLAT_PIVOT * gram[j, j]:
            pivot = sqrt(rest[j, j])
            for i in range(j, n):
                root[i, j] = rest[i, j] / pivot
            for i in range(j, n):
                for k in range(j, n):
                    rest[i, k] -= root[i, j] * root[k, j]


def fill_sums(whole, along, basis, root, noise, begin, sums, q, m):
    """Fill in sums of white noise: along a basis, and what they have beside it."""
    for r in range(sums):
        for w in range(m):
            whole[r, w] = 0.0
        for k in range(q):
            for w in range(m):
                whole[r, w] += along[r, k] * basis[k, w]
    for u in range(sums):
        at = begin + u * m
        for k in range(q):
            part = 0.0
            for w in range(m):
                part += noise[at + w] * basis[k, w]
            along[u, k] = part
        for w in range(m):
            left = noise[at + w]
            for k in range(q):
                left -= along[u, k] * basis[k, w]
            for r in range(u, sums):
                whole[r, w] += root[r, u] * left


def move_direction(rows, inside, beyond, moved, i, on_sphere, alpha, spaces, p, t):
    """Fill in a direction after a step, along the coordinates of each space and beyond."""
    along = 0.0
    if on_sphere:
        for w in range(spaces * p):
            along += rows[i, w] * inside[i, w]
    square = 0.0
    for a in range(spaces):
        for c in range(p):
            x = rows[i, a * p + c]
            x -= alpha * (inside[i, a * p + c] - along * x)
            moved[a, i, c] = x
            square += x * x
        for c in range(t):
            x = -alpha * beyond[a, i, c]
            moved[a, i, p + c] = x
            square += x * x
    if on_sphere:
        # Not a number where a square overflows, in whose place vectors of length 0 would go on.
        length = sqrt(square) + 0 * square
        for a in range(spaces):
            for c in range(p + t):
                moved[a, i, c] /= length


def fill_rows(rows, moved, basis, lower, room, spaces, p, t):
    """Fill in the coordinates of moved directions in the frame of their new span."""
    head = p - t
    for a in range(spaces):
        if room[a] > 0:
            orthonormalise(moved[a, :, head:], basis, lower, t, 2 * t)
            for i in range(t):
                for c in range(head):
                    rows[i, a * p + c] = moved[a, i, c]
                for c in range(t):
                    rows[i, a * p + head + c] = lower[i, c] if c <= i else 0.0
        else:
            for i in range(t):
                for c in range(p):
                    rows[i, a * p + c] = moved[a, i, c]
