"""Equations of motion against the closed forms of committee machines, which share no code."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Symbol, erf, sqrt, symbols

from slrsym.models import Direction, Predictor, Sequence, Token, model

from . import _committee_forms as forms


def g(u):
    return erf(u / sqrt(2))


def committee(students, teachers, *, trained=False, correlated=False):
    """Units with a second layer v, whose teachers have one, too."""
    w = [Direction(f"w_{i}") for i in range(students)]
    u = [Direction(f"u_{n}", unit=True) for n in range(teachers)]
    v = symbols(f"v_:{students}", real=True)
    v_star = symbols(f"s_:{teachers}", real=True)
    target = Token(target=lambda X: sum(a * g(X @ x) for a, x in zip(v_star, u, strict=True)))
    stated = model(
        Sequence({target: 1}, noise=Symbol("sigma", nonnegative=True)),
        Predictor(lambda X: sum(a * g(X @ x) for a, x in zip(v, w, strict=True))),
        given=None if correlated else {x @ y: 0 for i, x in enumerate(u) for y in u[:i]},
    )
    eta, eta_v, kappa = symbols("eta eta_v kappa", nonnegative=True)
    rate = dict.fromkeys(w, eta / 2) | (dict.fromkeys(v, eta_v / 2) if trained else {})
    equations = stated.equations("online-sgd", rate=rate, decay=kappa, train=v if trained else ())
    return stated, equations, v, v_star


def covariance(students, teachers, rng, correlated=False, size=0.6):
    """A Gram matrix of free students and unit teachers."""
    U = np.linalg.qr(rng.normal(size=(teachers + students + 2, teachers)))[0].T
    if correlated:
        U = U + 0.4 * U.mean(axis=0)
        U /= np.linalg.norm(U, axis=1)[:, None]
    W = size * rng.normal(size=(students, U.shape[1])) / np.sqrt(U.shape[1]) + 0.2 * U.sum(axis=0)
    rows = np.concatenate([W, U])
    return rows @ rows.T


def values_of(v, v_star, second, target, numbers):
    named = dict(zip(map(str, v), second, strict=True))
    named |= dict(zip(map(str, v_star), target, strict=True))
    return named | numbers


@pytest.mark.parametrize(("students", "teachers"), [(1, 1), (2, 3), (3, 2)])
def test_derived_equations_are_the_closed_forms(students, teachers):
    stated, equations, v, v_star = committee(students, teachers, trained=True, correlated=True)
    rng = np.random.default_rng(students)
    change = equations.compile("numpy")
    names = [x.name for x in stated.directions]
    numbers = {"eta": 0.7, "eta_v": 0.3, "kappa": 0.2, "sigma": 0.4}
    for _ in range(50):
        C = covariance(students, teachers, rng, correlated=True)
        second, target = rng.normal(size=students), rng.normal(size=teachers)
        found = values_of(v, v_star, second, target, numbers)
        for i, x in enumerate(stated.directions):
            for j, y in enumerate(stated.directions):
                found[str(stated.inner(x, y))] = C[i, j]
        state = [found[p.name] for p in equations.state]
        row = [found[p.name] for p in equations.parameters]
        moved = change(np.array(state), *row)
        expected, slopes = forms.rates_of_change(C, second, target, 0.7, 0.3, 0.2, 0.4)
        wanted = {str(stated.inner(x, y)): expected[i, j]
                  for i, x in enumerate(stated.directions)
                  for j, y in enumerate(stated.directions)}  # fmt: skip
        wanted |= dict(zip(map(str, v), slopes, strict=True))
        assert moved == pytest.approx([wanted[p.name] for p in equations.state], abs=1e-12)
        s = np.concatenate([-second, target])
        risk = equations.compile("numpy", "risk")(np.array(state), *row)[0]
        assert risk == pytest.approx(2 * forms.error(C, s) + 0.16, abs=1e-12)
    assert len(names) == students + teachers


SETTINGS = {
    "one unit": (1, 1, {}),
    "two of two": (2, 2, {"eta": 1.0}),
    "three of two": (3, 2, {}),
    "four of four": (4, 4, {}),
    "a second layer": (2, 2, {"eta_v": 0.3}),
    "correlated teachers": (2, 3, {"correlated": True}),
    "weight decay": (2, 2, {"kappa": 0.05}),
    "noise": (3, 3, {"sigma": 0.3, "eta": 0.8}),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_trajectories_are_those_of_the_closed_forms(setting):
    students, teachers, given = SETTINGS[setting]
    options = dict(given)
    correlated, trained = options.pop("correlated", False), "eta_v" in options
    numbers = {"eta": 0.5, "eta_v": 0.0, "kappa": 0.0, "sigma": 0.0} | options
    stated, equations, v, v_star = committee(
        students, teachers, trained=trained, correlated=correlated
    )
    rng = np.random.default_rng(7)
    C = covariance(students, teachers, rng, correlated)
    second, target = 1 + 0.2 * rng.normal(size=students), 1 + 0.2 * rng.normal(size=teachers)
    times = np.linspace(0, 20, 5)
    used = {p.name for p in equations.parameters} | {str(x) for x in v}
    values = values_of(v, v_star, second, target, numbers)
    runs = equations.solve(
        {name: value for name, value in values.items() if name in used},
        C, 20, points=5, tolerance=1e-11, backend="numpy",
    )  # fmt: skip
    grams, seconds = forms.trajectory(C, second, target, times, **numbers)
    assert np.abs(runs.gram.values - grams).max() < 1e-8
    if trained:
        found = np.stack([runs[x.name].values for x in v], axis=-1)
        assert np.abs(found - seconds).max() < 1e-8
    assert len(stated.trained) == students
