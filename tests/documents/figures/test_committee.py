"""Figures of committee machines: sampled descent, limits, and drawn data."""

import numpy as np
import pytest
from matplotlib.text import Text
from scipy.special import erf

from slrsym.documents.figures import draw, recipe
from slrsym.papers.committee.surveys import (
    CriticalLearningRateSurvey,
    NoiseFloorSurvey,
    PlateauSurvey,
    SampledDescent,
)
from tests._profile import thorough_only


def unit(x):
    return erf(x / np.sqrt(2))


def test_a_step_is_against_the_gradient_of_half_of_the_squared_error():
    rng = np.random.default_rng(0)
    start = rng.standard_normal((2, 3, 8)) / 3
    descent = SampledDescent(start, 2, 0.3, 0.0, seed=5)
    descent.advance(1)
    # The same samples; fields are those of vectors of the length sqrt(d).
    samples = np.random.default_rng(5).standard_normal((2, 8))
    for w, x, moved in zip(start, samples, descent.students, strict=True):

        def half(v, x=x):
            return (unit(v @ x).sum() - unit(x[:2]).sum()) ** 2 / 2

        for k, j in np.ndindex(3, 8):
            step = np.zeros((3, 8))
            step[k, j] = 1e-6
            slope = (half(w + step) - half(w - step)) / 2e-6
            assert moved[k, j] == pytest.approx(w[k, j] - 0.3 / 8 * slope, abs=1e-9)


def test_noise_of_labels_moves_students_that_are_at_the_teachers():
    start = np.eye(2, 50)[None]
    quiet, noisy = (SampledDescent(start, 2, 0.5, sigma, seed=1) for sigma in (0.0, 0.4))
    for descent in (quiet, noisy):
        descent.advance(20)
    assert np.array_equal(quiet.students, start)
    assert noisy.current_generalisation_errors()[0] > 1e-4


@pytest.mark.parametrize(("K", "M"), [(3, 2), (1, 3)])
def test_the_generalisation_error_is_the_mean_over_inputs(K, M):
    rng = np.random.default_rng(K)
    students = rng.standard_normal((1, K, 6)) / 2
    x = rng.standard_normal((400_000, 6))
    halves = (unit(x @ students[0].T).sum(axis=1) - unit(x[:, :M]).sum(axis=1)) ** 2 / 2
    (found,) = SampledDescent(students, M, 0.1, 0.0, seed=0).current_generalisation_errors()
    assert abs(found - halves.mean()) < 4 * halves.std() / np.sqrt(len(x))


@thorough_only
@pytest.mark.parametrize(("K", "limit"), [(2, 2.306828), (3, 1.620675), (4, 1.249393)])
def test_limits_of_stability_are_those_of_the_block(K, limit):
    assert CriticalLearningRateSurvey().critical_learning_rate(K) == pytest.approx(limit, abs=1e-6)


@thorough_only
@pytest.mark.parametrize(("eta", "level"), [(0.05, 1.1799), (0.1, 1.2062), (0.2, 1.2625)])
def test_noise_floors_are_those_of_the_full_equations(eta, level):
    assert NoiseFloorSurvey().scaled_noise_floor(0, eta) == pytest.approx(level, abs=1e-4)


@thorough_only
@pytest.mark.parametrize("L", [1, 2, 5])
def test_the_noise_floor_tends_to_its_first_order(L):
    solved = [NoiseFloorSurvey().scaled_noise_floor(L, eta) for eta in (0.02, 0.01, 0.005)]
    ratios = np.array(solved) / (L + 2 / np.sqrt(3))
    assert (np.diff(ratios) < 0).all()
    assert 1 < ratios[-1] < 1.02


@thorough_only
def test_the_second_order_of_the_noise_floor_is_tangent_to_the_equations(committee):
    survey, data = committee["noise-floor"]
    far = [
        survey.scaled_noise_floor(0, float(eta)) / float(data.second_order.sel(fine_eta=eta)) - 1
        for eta in data.fine_eta[[2, 5, 11]]
    ]
    # Errors are of second order here, where those of the first order are of first.
    assert 0 < far[0] < 0.3 * far[1] < 0.09 * far[2] < 0.09 * 0.01


@thorough_only
def test_sampled_runs_follow_the_equations_up_to_the_plateau():
    data = PlateauSurvey(units=(2, 3), time=20, d=400, runs=4).compute()
    at = data.sampled_time.values
    solved = data.sel(time=at)
    for name in ("R", "S", "Q", "C"):
        far = data[f"sampled_{name}"].mean("run").values - solved[name].values
        assert np.abs(far).max() < 1 / np.sqrt(400)
    level = data.level.values[:, None]
    assert np.abs(solved.error.values[:, at == 20] / level - 1).max() < 0.15


@thorough_only
@pytest.mark.parametrize("K", [2, 3, 5])
def test_the_plateau_tends_to_its_closed_form(K):
    limit = K / np.pi * (np.pi / 6 - K * np.arcsin(1 / (2 * K)))
    found = [PlateauSurvey(eta=eta).plateau_error(K) - limit for eta in (1e-2, 1e-3)]
    assert 0 < found[1] < 0.11 * found[0] < 0.01 * limit


@thorough_only
def test_what_is_drawn_is_in_the_data(committee):
    data = {name: found for name, (_, found) in committee.items()}
    drawn = {name: draw(name, found) for name, found in data.items()}
    upper, lower = drawn["plateau"].axes
    assert np.array_equal(upper.lines[0].get_ydata(), data["plateau"].error[0])
    assert np.array_equal(lower.lines[0].get_ydata(), data["plateau"].R[0])
    left, right = drawn["noise-floor"].axes
    assert np.array_equal(left.lines[1].get_ydata(), data["noise-floor"].solved)
    assert np.array_equal(right.lines[1].get_ydata(), data["noise-floor"].rate_solved)
    assert np.array_equal(right.lines[2].get_ydata(), data["noise-floor"].second_order)
    upper, lower = drawn["stability"].axes
    assert np.array_equal(upper.lines[0].get_ydata(), data["stability"].limit)
    assert np.allclose(lower.lines[0].get_ydata(), data["stability"].limit * [2, 4])
    for name, (survey, _) in committee.items():
        assert type(recipe(name)) is type(survey)
        assert data[name].attrs == survey.settings


# Of the text of a page on a telephone, in pixels.
PHONE = 343


@thorough_only
def test_letters_are_large_enough_on_a_telephone(committee):
    for name in ("plateau", "stability"):
        figure = draw(name, committee[name][1])
        sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text().strip()]
        assert min(sizes) * PHONE / (72 * figure.get_figwidth()) >= 10, name
