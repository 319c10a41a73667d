"""Steps of the Runge-Kutta method DOP853 in machine code, as those of `scipy.integrate.DOP853`.

The rate of change is an argument, so that this is compiled once for all equations. It is the text
of a generated module, whose machine code is kept in the cache folder (`compiled_rate`).
"""

# mypy: ignore-errors

import math

import numpy as np
from numba import njit, types
from scipy.integrate import DOP853

# Numba keeps no machine code that reads a part of an array.
_A, _B, _C, _A_EXTRA, _C_EXTRA, _E3, _E5, _D = (
    np.ascontiguousarray(getattr(DOP853, name))
    for name in ("A", "B", "C", "A_EXTRA", "C_EXTRA", "E3", "E5", "D")
)
_STAGES = DOP853.n_stages
_ALL = _STAGES + 1 + len(_C_EXTRA)
# As in SciPy: a step is changed by a factor between the two, and a little shorter than allowed.
_LEAST, _MOST, _SAFETY, _EXPONENT = 0.2, 10.0, 0.9, -1.0 / 8.0

# Rows of the work space: after the stages the states and what a step is made of.
STATE, _NEW, _AT, FAILED, FAILED_RATE, _F = range(_ALL, _ALL + 6)
ROWS = _F + 3 + len(_D)

# How an advance ends: `RUNNING` where it has taken all of its steps.
RUNNING, FINISHED, TOO_SHORT, FAILING, INFINITE = range(5)

_ROWS = types.float64[:, ::1]
RATE = types.void(_ROWS, _ROWS, types.float64[::1], types.int64[::1], _ROWS)
_SIGNATURE = types.int64(
    types.FunctionType(RATE), _ROWS, types.int64[::1], types.float64[::1], types.float64[::1],
    _ROWS, _ROWS, types.float64[::1], types.int64[::1], types.float64, types.int64, types.int64,
)  # fmt: skip

_OPTIONS = {"error_model": "numpy", "cache": True, "nogil": True}


@njit(**_OPTIONS)
def _all_finite(row):
    for x in row:  # noqa: SIM110 (Numba knows no all)
        if not math.isfinite(x):
            return False
    return True


@njit(**_OPTIONS)
def _combine(room, weights, count, h, out):
    """Add h times a combination of the first stages to the state."""
    for k in range(room.shape[1]):
        total = 0.0
        for s in range(count):
            total += weights[s] * room[s, k]
        room[out, k] = room[STATE, k] + h * total


@njit(**_OPTIONS)
def _error(room, h, tolerance):
    """Return the norm of a step's error, in units of what is allowed."""
    fifth, third, n = 0.0, 0.0, room.shape[1]
    for k in range(n):
        size = max(abs(room[STATE, k]), abs(room[_NEW, k]))
        scale = tolerance / 100 + tolerance * size
        five, three = 0.0, 0.0
        for s in range(_STAGES + 1):
            five += _E5[s] * room[s, k]
            three += _E3[s] * room[s, k]
        fifth += (five / scale) ** 2
        third += (three / scale) ** 2
    if fifth == 0 and third == 0:
        return 0.0
    return abs(h) * fifth / math.sqrt((fifth + 0.01 * third) * n)


@njit(_SIGNATURE, **_OPTIONS)
def advance(
    rate, parameters, index, work, times, states, room, numbers, counts, tolerance, steps, failures
):
    """Take some steps, note the states at times, and return how it ended.

    `numbers` has the time, the next step, and the last time at which no rate was finite; `counts`
    how many times are reached, how many steps were taken, and how often no rate was finite.
    """
    n = room.shape[1]
    for _ in range(steps):
        t, end = numbers[0], times[-1]
        least = 10 * abs(np.nextafter(t, math.inf) - t)
        length, rejected = max(numbers[1], least), False
        while True:
            if length < least:
                return TOO_SHORT
            later = min(t + length, end)
            h = later - t
            length = h
            for s in range(1, _STAGES + 1):
                if s < _STAGES:
                    _combine(room, _A[s], s, h, _AT)
                else:
                    _combine(room, _B, s, h, _AT)
                rate(room[_AT : _AT + 1], parameters, work, index, room[s : s + 1])
                if not _all_finite(room[s]) and _all_finite(room[_AT]):
                    counts[2] += 1
                    numbers[2] = t + _C[s] * h if s < _STAGES else later
                    room[FAILED] = room[_AT]
                    room[FAILED_RATE] = room[s]
            room[_NEW] = room[_AT]
            error = _error(room, h, tolerance)
            if error < 1:
                factor = _MOST if error == 0 else min(_MOST, _SAFETY * error**_EXPONENT)
                length *= min(1.0, factor) if rejected else factor
                break
            factor = _SAFETY * error**_EXPONENT
            length *= factor if factor > _LEAST else _LEAST
            rejected = True
        counts[1] += 1
        numbers[0], numbers[1] = later, length
        if counts[2] > failures:
            room[STATE] = room[_NEW]
            return FAILING
        if not _all_finite(room[_NEW]):
            room[STATE] = room[_NEW]
            return INFINITE
        done = counts[0]
        if done < len(times) and times[done] <= later:
            for s in range(_STAGES + 1, _ALL):
                e = s - _STAGES - 1
                _combine(room, _A_EXTRA[e], s, h, _AT)
                rate(room[_AT : _AT + 1], parameters, work, index, room[s : s + 1])
            for k in range(n):
                change = room[_NEW, k] - room[STATE, k]
                room[_F, k] = change
                room[_F + 1, k] = h * room[0, k] - change
                room[_F + 2, k] = 2 * change - h * (room[_STAGES, k] + room[0, k])
                for j in range(len(_D)):
                    total = 0.0
                    for s in range(_ALL):
                        total += _D[j, s] * room[s, k]
                    room[_F + 3 + j, k] = h * total
            while done < len(times) and times[done] <= later:
                x = (times[done] - t) / h
                for k in range(n):
                    y = 0.0
                    for i in range(3 + len(_D)):
                        y += room[ROWS - 1 - i, k]
                        y *= x if i % 2 == 0 else 1 - x
                    states[done, k] = y + room[STATE, k]
                done += 1
            counts[0] = done
        room[STATE] = room[_NEW]
        room[0] = room[_STAGES]
        if later >= end:
            return FINISHED
    return RUNNING
