"""Tests that dev leaves to the profiles ci and nightly for their cost, and what dev has instead."""

from collections.abc import Iterable
from pathlib import Path

# By file: a test, or one of its cases. `test_profile.py` refuses a name that no test has.
SLOW: dict[str, tuple[str, ...]] = {
    # The bound is tried at points, and every step leads nearer.
    "certify/test_attraction.py": (
        "test_the_bound_is_below_what_is_gained",
        "test_a_range_of_temperatures_is_cut_into_slices",
        "test_what_is_not_so_is_not_shown[too large]",
        "test_what_is_not_so_is_not_shown[too hot]",
        "test_what_is_not_so_is_not_shown[too small a room]",
    ),
    # A step size is looked for at three other tasks.
    "certify/test_certificates.py": ("test_the_step_size_is_nearly_what_a_grid_allows",),
    # One level above which nothing is shown is enough.
    "certify/test_sublevel.py": (
        "test_what_is_not_so_is_not_shown[1155/10000-1/8-not above the level]",
    ),
    # The committed list is run by .ci/run where Coq is; goals are read in the other tests.
    "coq/test_running.py": (
        "test_the_list_is_of_steps_that_are_there",
        "test_coq_confirms_a_claim_and_a_tactic_that_proves_nothing_loses_its_mark",
        "test_coq_refuses_false_steps",
    ),
    # Each claim of derivations/ is sampled, certified and drawn a step of in dev, at another seed.
    "derivations/test_builtin_claims.py": (
        "test_theorem_1_rests_on_lemma_18_and_steins_lemma",
        "test_with_its_steps_every_claim_is_proved",
        "test_every_claim_about_an_expectation_is_sampled",
        "test_the_deviations_of_samples_are_normal",
    ),
    # The same by NumPy; machine code of engines without batches is tried in test_engines.
    "dynamics/test_batches.py": (
        "test_runs_from_the_manifold_leave_it",
        "test_some_of_the_runs_go_on_alone[numba]",
        "test_runs_do_not_depend_on_how_many_there_are[numba]",
        "test_the_span_of_steps_does_not_matter[numba]",
        "test_beyond_a_thousand_steps",
        "test_what_is_logged_are_the_states_of_the_engine[numba]",
        "test_resumed_runs_are_those_that_were_not_interrupted[at once-numba]",
        "test_resumed_runs_are_those_that_were_not_interrupted[on the beat, d=3-numba]",
        "test_resumed_runs_are_those_that_were_not_interrupted[off it-numba]",
        "test_resumed_runs_are_those_that_were_not_interrupted[off it, d=3-numba]",
        "test_resumed_runs_are_those_that_were_not_interrupted[early-numba]",
    ),
    # The same by NumPy; machine code of vectors and of overlaps by test_vectors_and_overlaps_agree.
    "dynamics/test_engines.py": (
        "test_in_few_dimensions_overlaps_stay_those_of_vectors[numba-3]",
        "test_large_steps_stay_in_the_feasible_set[numba]",
        "test_planar_and_five_overlaps_agree_on_the_manifold[4b-numba]",
    ),
    # A head with an angle, and one on one token.
    "dynamics/test_instance.py": (
        "test_the_map_of_a_flow_is_its_step[stated0]",
        "test_the_map_of_a_flow_is_its_step[stated2]",
    ),
    # The other engine; tests/properties has descent of risks.
    "dynamics/test_runs.py": (
        "test_too_large_a_step_is_told_with_the_largest_stable_one[numpy-start0]",
    ),
    "dynamics/test_spheres.py": ("test_derivatives_belong_to_the_risk[2-2-1-0.3-2.0]",),
    # One claim of each kind is shown on a page in the other cases and tests.
    "export/test_html.py": (
        "test_a_statement_about_orbits[theorem-5-said4]",
        "test_theorem_5_is_one_click_from_the_front_and_its_axioms_two",
    ),
    "export/test_latex.py": (
        "test_a_book_has_all_its_parts",
        "test_chapters_come_after_what_they_use",
    ),
    # Twenty and more other integrands of each test.
    "gaussian/test_kinks.py": (
        "test_one_variable[sin(x)*sign(x)]",
        "test_two_variables[Max(0, x)*Max(0, y)]",
        "test_two_variables[Abs(x - y)]",
        "test_two_variables[Max(0, x, y)]",
        "test_two_variables[Abs(x*y)]",
        "test_two_variables[Max(0, x)**2*Max(0, y)**2]",
        "test_two_variables[exp(y)*Max(0, x)]",
        "test_two_variables[Max(x, y)]",
        "test_two_variables[Piecewise((x, x*y > 0), (y, True))]",
        "test_one_variable[cos(2*x)*Max(a, x)]",
        "test_kinks_in_two_dimensions_to_many_digits",
    ),
    # The gradient, and all other names by NumPy against mpmath.
    "kernels/test_backends.py": (
        "test_numba_and_numpy_agree[hessian]",
        "test_numba_and_numpy_agree[excess_risk]",
        "test_mpmath_integrates[1000000.0-40]",
    ),
    # Owen's T and the risk of attention; the compiler of JAX takes seconds for each function.
    "kernels/test_jax.py": (
        "test_value_and_derivatives_of_a_function[zeta]",
        "test_value_and_derivatives_of_a_function[erf_variance]",
        "test_value_and_derivatives_of_a_function[erf_covariance]",
        "test_means_by_quadrature[0.3]",
        "test_softmax_has_first_derivatives_and_refuses_others",
        "test_derivatives_in_parameters",
    ),
    # One case of each.
    "kernels/test_laplace.py": (
        "test_means_of_a_role_by_numba",
        "test_the_risk_to_more_digits_and_in_balls[3-0.0-counts2]",
        "test_the_risk_to_more_digits_and_in_balls[1-0.4-counts1]",
    ),
    # The other seed.
    "kernels/test_special.py": (
        "test_two_variables[1-ball]",
        "test_two_variables[1-numba]",
        "test_two_variables[1-mpmath]",
        "test_owens_t[0-numba]",
        "test_owens_t[0-numpy]",
        "test_owens_t[0-ball]",
        "test_owens_t[0-mpmath]",
        "test_two_variables[0-numba]",
        "test_two_variables[0-mpmath]",
        "test_two_variables[0-numpy]",
        "test_two_variables[0-ball]",
        "test_two_variables[0-jax]",
        "test_two_variables[1-jax]",
        "test_owens_t[0-jax]",
        "test_relative_accuracy[1-numba]",
    ),
    # Softmax in dev; other risks than those of models are refused in tests/tactics/test_models.py.
    "models/test_claims.py": (
        "test_a_slip_is_found[risk]",
        "test_a_slip_is_found[gradient]",
        "test_what_is_derived_is_proved[angle]",
        "test_what_is_derived_is_proved[committee]",
    ),
    # Two other files of docs/models run.
    "models/test_files.py": (
        "test_they_are_short_and_run[plateau]",
        "test_they_are_short_and_run[probit]",
        "test_they_are_short_and_run[angle]",
        "test_they_are_short_and_run[two_heads]",
    ),
    # Two activations are differentiated in dev, and ten risks compared with quadrature.
    "models/test_instances.py": (
        "test_the_risk_against_quadrature_of_the_definition[biased]",
        "test_the_risk_against_quadrature_of_the_definition[mixed]",
        "test_slopes_and_curvatures_against_differences[erf]",
        "test_slopes_and_curvatures_against_differences[relu]",
        "test_slopes_and_curvatures_against_differences[exponential]",
        "test_softmax_to_the_last_digits[1000000-0.3]",
        "test_two_heads_against_quadrature_of_the_definition",
        "test_descent_with_two_eigenvalues_is_that_of_vectors",
        "test_slopes_and_curvatures_against_differences[biased]",
        "test_slopes_and_curvatures_against_differences[tanh]",
        "test_slopes_and_curvatures_against_differences[mixed]",
        "test_slopes_and_curvatures_against_differences[logistic]",
        "test_means_by_quadrature_by_numba",
        "test_descent_of_overlaps_is_that_of_vectors[biased]",
    ),
    "models/test_methods.py": (
        "test_every_method_of_every_instance[two eigenvalues]",
        "test_tokens_of_equal_noise",
    ),
    # Two heads by NumPy, with their gradient in descent, and tokens without correlation.
    "models/test_multi_head.py": (
        "test_the_risk_against_tokens[0.6]",
        "test_descent_of_overlaps_is_that_of_vectors[1-numba]",
        "test_descent_of_overlaps_is_that_of_vectors[2-numpy]",
        "test_slopes_against_differences",
    ),
    # The same means by NumPy, and risks that are made of them.
    "models/test_planes.py": (
        "test_backends_agree[numba]",
        "test_backends_agree[jax]",
        "test_derivatives_by_jax",
        "test_two_heads_against_tokens",
    ),
    # One unit, free and on a sphere; equations as an object refuse what grows with d, too.
    "models/test_online.py": (
        "test_refused[<lambda>-grows with d]",
        "test_starts_are_those_of_simulate",
        "test_equations_of_the_limit_are_those_of_runs[two]",
    ),
    # The other statements of the page; their evidence is searched for in tests/checker.
    "proof/test_textbook.py": (
        "test_proved[sheppard]",
        "test_proved[quadrant]",
        "test_proved[price]",
        "test_proved[arcsine-by-price]",
        "test_proved[arc-cosine-kernel-one]",
        "test_proved[arc-cosine-kernel-two]",
        "test_proved[probit]",
        "test_proved[relu]",
        "test_proved[subgaussian-tail]",
        "test_proved[mills]",
        "test_proved[truncated-mean]",
        "test_proved[bell]",
        "test_proved[larger-of-two]",
    ),
    # Other true twins of their families, and 240 false steps.
    # Ten other bombs, among them of each kind.
    "checker/test_limits.py": (
        "test_a_bomb_is_refused_within_seconds[16 pigeons]",
        "test_a_bomb_is_refused_within_seconds[40 atoms that alternate]",
        "test_a_bomb_is_refused_within_seconds[a derivative of order 99]",
    ),
    # Long assumptions, and bars in bars.
    "checker/test_bombs.py": (
        "test_a_log_is_refused_within_two_seconds[long premises]",
        "test_a_log_is_refused_within_two_seconds[sums of bars]",
    ),
    # Other inequalities with bars.
    "checker/test_evidence.py": (
        "test_pieces_of_bars_signs_and_maxima[Abs(a) - Abs(b) <= Abs(a - b)]",
    ),
    # Fewer units, and the first of the claims; the ledger has the invariance of the subspace.
    "models/test_equations.py": (
        "test_the_symmetric_subspace_is_proved_to_be_invariant",
        "test_backends_agree_and_the_jacobian_is_that_of_the_drift",
        "test_claims_are_proved_and_a_slip_is_found",
        "test_gradient_flow_is_descent_with_small_steps_in_each_eigenspace",
        "test_derived_equations_are_the_closed_forms[2-3]",
        "test_derived_equations_are_the_closed_forms[3-2]",
        "test_trajectories_are_those_of_the_closed_forms[four of four]",
        "test_trajectories_are_those_of_the_closed_forms[three of two]",
        "test_trajectories_are_those_of_the_closed_forms[noise]",
        "test_trajectories_are_those_of_the_closed_forms[correlated teachers]",
        "test_trajectories_are_those_of_the_closed_forms[weight decay]",
    ),
    # Sampled runs follow the equations of one token in test_online, and those of committees here.
    "models/test_sequence_equations.py": (
        "test_runs_follow_the_equations[single-location regression]",
        "test_runs_follow_the_equations[two heads with means and a spike]",
        "test_runs_follow_the_equations[two units with means and a spike]",
    ),
    "models/test_landscape.py": ("test_permutations_of_units_are_symmetries",),
    # test_figure_1_in_small trains the same encoder.
    "test_cli_figure.py": (
        "test_other_parameters_and_the_title_that_says_so",
        "test_all_figures_are_asked_for_by_one_word",
        "test_figures_of_an_encoder",
    ),
    # The folders of tests of the same names try what the examples show.
    "test_docstrings.py": (
        "test_examples_are_true[slrsym.papers.single_location.certify.attraction]",
        "test_examples_are_true[slrsym.papers.single_location.certify.global_minimum]",
        "test_examples_are_true[slrsym.papers.single_location.certify.step_size]",
        "test_examples_are_true[slrsym.papers.single_location.certify.sublevel]",
        "test_examples_are_true[slrsym.papers.single_location.certify.manifold_fixed_points]",
        "test_examples_are_true[slrsym.papers.single_location.landscape.enumeration]",
        "test_examples_are_true[slrsym.papers.single_location.montecarlo.estimators]",
        "test_examples_are_true[slrsym.testing.strategies]",
    ),
    # Figures are written by tests/figures; each command has a file here, and listings an output.
    "test_files.py": (
        "test_a_full_disk_loses_no_result[('figure', '3')--o-/figure-3.pdf-]",
        "test_a_full_disk_loses_no_result[('figure', '3', '-o', '.')---data-.nc-figure 3: ]",
        "test_a_full_disk_loses_no_result[('landscape', '--d', 2, '--L', 3)---plot-.png-signs "
        "of the indices]",
        "test_a_full_disk_loses_no_result[('certify', 'fixed-points')---json-.json-solutions i"
        "n the square]",
        "test_a_full_disk_loses_no_result[('recovery', '--d', 20, '--L', 3, '--lam0', 0.3, '--"
        "rate', 0, '--runs', 40, '--alpha', 0.02, '--steps', 4000, '--workers', 1)---json-.jso"
        "n-where 40 runs end]",
        "test_a_full_disk_loses_no_result[('recovery', '--d', 20, '--L', 3, '--lam0', 0.3, '--"
        "rate', 0, '--runs', 40, '--alpha', 0.02, '--steps', 4000, '--workers', 1)---plot-.svg"
        "-where 40 runs end]",
        "test_a_full_disk_loses_no_result[('simulate', '--d', 20, '--L', 3, '--steps', 400, '-"
        "-log-every', 1, '--runs', 20, '--backend', 'numpy')---plot-.pdf-after 400 steps]",
    ),
    # Another output that is full, by the same path.
    "test_messages.py": (
        "test_standard_output_that_is_full[words2]",
        "test_standard_output_that_is_full[words5]",
    ),
    # A site is written in the same locale.
    "test_platforms.py": ("test_a_derivation_is_verified_in_a_plain_locale",),
    # Another draw.
    "models/test_random_models.py": ("test_a_model_drawn_at_random[7]",),
    # One command that shows an earlier run is enough.
    "claims/test_cache.py": ("test_other_commands_show_an_earlier_run[export snippet]",),
    # tests/export compiles parts of the book, where there is LaTeX.
    "test_cli_export.py": ("test_a_pdf",),
    # The same by finite differences in tests/properties.
    "test_symbolic.py": (
        "test_gradient_and_hessian_are_derivatives_of_the_closed_form",
        "test_the_proof_checker_would_see_a_slip_in_proposition_15",
    ),
    # Runs from samples, and from exact moments; another inverse temperature.
    "transformers/test_heads.py": (
        "test_two_heads_have_the_risk_of_the_claim_at_the_oracle[0.0954]",
        "test_second_moments_and_their_derivatives[numpy]",
        "test_the_risk_is_that_of_samples[False]",
    ),
    "transformers/test_training.py": ("test_processes_make_the_same",),
    # The other case; sums without functions of them.
    "checker/test_generalisation.py": (
        "test_products_by_the_signs_of_their_factors[statement0-given0]",
        "test_terms_of_other_values_are_not_tried",
    ),
    # The other engine, whose steps are those of NumPy in test_engines.
    "dynamics/test_properties.py": ("test_small_steps_descend[NumbaEngine]",),
    # A byte is changed at five other places.
    "checker/test_shipped_log.py": (
        "test_a_changed_byte_is_refused[-40]",
        "test_what_is_cut_off_is_missed",
    ),
    # Of the text alone; what is late, and what a name stands for, is told on examples.
    "test_layers.py": (
        "test_every_late_import_is_listed_with_its_reason",
        "test_a_name_of_a_class_stands_for_one_thing",
    ),
    # Of the text alone.
    "test_raised_messages.py": (
        "test_messages_are_clauses_without_a_full_stop",
        "test_messages_show_a_value",
    ),
    # The axioms of one claim are listed; an interrupt ends workers.
    "test_cli.py": ("test_all_axioms", "test_workers_end_with_a_program_that_was_killed"),
    # The same equations are drawn beside samples in tests/figures.
    "test_committee_plateau.py": ("test_derived_values_tend_to_the_closed_form",),
    # The forms do not vary, or the factor is narrow.
    "proof/test_gaussian_factors.py": ("test_kinks_move_with_the_variables",),
    # tests/landscape follows branches.
    "test_cli_landscape.py": ("test_branches_from_the_command_line",),
    # Three other true statements.
    "proofs/test_orbits.py": ("test_true_statements_on_the_planar_map[statement2]",),
    # A statement of too long a sum is refused.
    "checker/test_forged_logs.py": ("test_forged_logs_are_refused[the table has too long a sum]",),
    # The other file beside the log.
    "test_cli_recheck.py": (
        "test_nothing_beside_the_log_answers_for_the_derivations[slrsym/prover/claims/__main__.py]",
    ),
    # The separatrix of the same picture.
    "export/test_portrait.py": ("test_orbits_are_those_of_simulate",),
    # Single inverse temperatures; a bound that is too low in other cases.
    "certify/test_global_minimum.py": (
        "test_a_range_of_inverse_temperatures",
        "test_what_is_not_so_is_not_shown[attraction0-1/100000-a bound is not above the level]",
    ),
    # `slrsym verify` proves them.
    "certify/test_claims.py": ("test_the_claims_below_certificates_of_the_package_are_proved",),
    # Five other activations.
    "tactics/test_models.py": ("test_the_risk_is_shown[committee]",),
    # The setting that is said without batches.
    "figures/test_runs.py": ("test_batches_are_said",),
    # Other false steps and true twins of the same families.
    "proof/false_claims/test_false_claims.py": (
        "test_refused[holes: a*b**2 reordered]",
        "test_twin_accepted[sums and slopes: Lipschitz, a factor before the bars]",
    ),
    # All its rows are tried but every second.
    "gaussian/test_tried.py": ("test_the_page_is_what_the_program_prints",),
}


_HERE = Path(__file__).parent
# Each line that these run is run by three other tests of dev at least, as `covered_tests.py` in
# benchmarks has measured.
_COVERED = frozenset((_HERE / "covered.txt").read_text(encoding="utf-8").splitlines())


def is_slow(nodeid: str) -> bool:
    """Tell whether dev leaves a test out."""
    file, test, case = _parts(nodeid)
    return f"{file}::{case}" in _COVERED or not {test, case}.isdisjoint(SLOW.get(file, ()))


def without_test(nodeids: Iterable[str]) -> list[str]:
    """Return the names of slow tests that no test has, of files that have one or are not there."""
    found: dict[str, set[str]] = {}
    for file, *names in map(_parts, nodeids):
        found.setdefault(file, set()).update(names)
    listed = [(file, name) for file, names in SLOW.items() for name in names]
    listed += [(file, case) for file, _, case in map(_parts, sorted(_COVERED))]
    return [
        f"{file}::{name}"
        for file, name in listed
        if (name not in found[file] if file in found else not (_HERE / file).exists())
    ]


def _parts(nodeid: str) -> tuple[str, str, str]:
    """Return the file below ``tests``, the test, and the test with its case."""
    file, _, name = nodeid.removeprefix("tests/").partition("::")
    return file, name.partition("[")[0], name
