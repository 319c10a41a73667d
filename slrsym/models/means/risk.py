"""The exact risk of a stated model with its derivatives, symbolic and compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import Expr, ImmutableMatrix, Symbol, srepr

from slrsym.gaussian import IntegrabilityError
from slrsym.kernels.compile import compile_program, require_backend
from slrsym.kernels.kept_programs import load_or_derive, load_or_derive_program
from slrsym.kernels.program import Program
from slrsym.models.definition.canonical_form import Definition, definition_of_model
from slrsym.models.definition.losses import loss_in_words
from slrsym.models.definition.projections import ProjectionLaws
from slrsym.models.definition.specification import NotClosedError, function_source_location, softmax

if TYPE_CHECKING:
    from slrsym.models.means.risk_terms import RequiredQuadrature


class ExactRisk(ProjectionLaws):
    """Risk, gradient and Hessian of a stated model as functions of its order parameters."""

    @cached_property
    def _terms(self) -> Any:
        if self.uses_representatives:
            raise ValueError(
                "the number of units is a symbol: ask for equations, whose risk is that of units "
                "that are alike, or state the model with a number"
            )
        # What is kept of a model is found without.
        from slrsym.models.means.loss_means import LossTerms
        from slrsym.models.means.risk_terms import RiskTerms, SoftmaxRisk

        try:
            if self.loss is not None:
                return LossTerms(self)
            return RiskTerms(self) if self.is_additive else SoftmaxRisk(self)
        except IntegrabilityError as problem:
            where = function_source_location(self.predictor.share)
            slower = "than a power"
            if self.loss is not None:
                slower += f", or slow enough for the {loss_in_words(self.loss)}"
            needed = str(problem).split(", which the assumptions on c_")
            of_law = " for the covariances c_i_j of projections" if needed[1:] else ""
            raise type(problem)(
                f"the risk of this model may not be finite: {needed[0]}{of_law}. Let the share of "
                f"the predictor{where} and the target be finite for all projections and grow no "
                f"faster {slower}, or declare the symbols more closely"
            ) from None

    @property
    def is_additive(self) -> bool:
        """Whether tokens contribute independently: the risk is a squared bias plus variances."""
        return not any(error.has(softmax) for error, _ in self.shares.values())

    @cached_property
    def _definition(self) -> Definition | None:
        return definition_of_model(self)

    @cached_property
    def _symbols(self) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], bool]:
        """The order parameters, the parameters, and whether the risk has a closed form."""
        definition = self._definition
        if definition is None:
            return self._derived_symbols()

        def places() -> Any:
            order, parameters, closed = self._derived_symbols()
            of = definition.symbols.index
            return [[*map(of, order)], [*map(of, parameters)], closed]

        *places_of, closed = load_or_derive(f"symbols {definition.text}", places, lambda x: x)
        order, parameters = (tuple(definition.symbols[i] for i in some) for some in places_of)
        return order, parameters, closed

    def _derived_symbols(self) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], bool]:
        terms = self._terms
        return terms.order_parameters, terms.parameters, terms.quadrature is None

    @cached_property
    def quadrature(self) -> RequiredQuadrature | None:
        """The quadrature that computes a risk without closed form, with the reason; else None.

        None where there is a closed form, and where there is neither; `has_closed_form` tells
        which.
        """
        return self._terms.quadrature if self._is_computable and not self._symbols[2] else None

    @cached_property
    def _is_computable(self) -> bool:
        """Whether the risk has a closed form or a quadrature."""
        try:
            return len(self._symbols) > 0
        except NotClosedError:
            return False

    @cached_property
    def has_closed_form(self) -> bool:
        """Whether the risk has a closed form; if not, `quadrature` describes the alternative.

        If nothing does, `risk` and all that needs it raise a `NotClosedError`, before anything is
        compiled, that names the mean without a closed form.
        """
        return self._is_computable and self._symbols[2]

    @property
    def order_parameters(self) -> tuple[Symbol, ...]:
        """The inner products of trained directions that the risk depends on."""
        return self._symbols[0]

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The symbols of the risk that are not order parameters, by name."""
        return self._symbols[1]

    @cached_property
    def risk(self) -> Any:
        """The risk: noise, variances and squared bias in closed form; for softmax, a quadrature.

        What has no closed form in it are means of functions of one normal variable.
        """
        if not self.is_additive:
            return self._terms.quadrature
        return self._terms.substitute_definitions(self._terms.risk()) + self.data.noise**2

    @cached_property
    def gradient(self) -> ImmutableMatrix:
        """The partial derivatives of the risk in the order parameters."""
        return ImmutableMatrix(
            [self._terms.substitute_definitions(x) for x in self._terms.gradient()]
        )

    @cached_property
    def hessian(self) -> ImmutableMatrix:
        """The matrix of second partial derivatives of the risk in the order parameters."""
        rows = [
            [self._terms.substitute_definitions(x) for x in row] for row in self._terms.hessian()
        ]
        return ImmutableMatrix(rows)

    @cached_property
    def _programs(self) -> dict[tuple[tuple[str, ...], tuple[Symbol, ...]], Program]:
        return {}

    def program(self, *what: str, parameters: Sequence[Symbol] | None = None) -> Program:
        """Return a program that computes chosen outputs: risk, gradient or Hessian.

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
        if not self.is_additive:
            raise ValueError(f"there is no program: the risk is {self.risk}; compile gives it")
        known = ("excess_risk", "risk", "gradient", "hessian")
        if not what or not set(what) <= set(known):
            raise ValueError(f"what must be of {', '.join(known)}; got {what}")
        order = self.parameters if parameters is None else tuple(parameters)
        if (what, order) not in self._programs:
            self._programs[what, order] = self._load_or_print(what, order)
        return self._programs[what, order]

    def _load_or_print(self, what: tuple[str, ...], parameters: tuple[Symbol, ...]) -> Program:
        return self.load_or_derive_program(
            f"{what} {srepr(parameters)}", lambda: self._printed(what, parameters)
        )

    def load_or_derive_program(self, what: str, derive: Callable[[], Program]) -> Program:
        """Return a program of this model from the cache folder, or derive it and keep it there.

        Parameters
        ----------
        what : str
            All that the program depends on besides the model.
        derive : callable

        Returns
        -------
        Program
        """
        if self._definition is None:
            return derive()
        return load_or_derive_program(f"{what} {self._definition.text}", derive)

    def gradient_with_definitions(
        self, only: Collection[Symbol] | None = None
    ) -> tuple[list[Expr], dict[Symbol, Expr]]:
        """Return the slopes in the order parameters, with definitions of symbols in them.

        Parameters
        ----------
        only : collection of Symbol, optional
            In which order parameters; by default in all.

        Returns
        -------
        slopes : list of Expr
            In the order of `order_parameters`.
        definitions : dict of Symbol to Expr
            In the form for programs.

        Raises
        ------
        ValueError
            If the number of units is a symbol.
        """
        slopes = self._slopes(only)
        return slopes, self._terms.needed_definitions(slopes)

    def _slopes(self, only: Collection[Symbol] | None = None) -> list[Expr]:
        return [*map(self._terms.write_as_nested_polynomial, self._terms.gradient(only))]

    def _printed(self, what: tuple[str, ...], parameters: tuple[Symbol, ...]) -> Program:
        from slrsym.kernels.printing import program_from_expressions

        outputs: list[Expr] = []
        for name in what:
            if name == "hessian":
                rows = self._terms.hessian()
                outputs += [rows[i][j] for i in range(len(rows)) for j in range(i, len(rows))]
            elif name == "gradient":
                outputs += self._slopes()
            else:
                excess = self._terms.risk()
                outputs.append(excess + self.data.noise**2 if name == "risk" else excess)
        given = self._terms.needed_definitions(outputs)
        return program_from_expressions(outputs, self.order_parameters, parameters, given=given)

    def compile(self, backend: str = "numpy", *what: str) -> Callable[..., Any]:
        """Compile the risk and its gradient, or other chosen outputs, to a function.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'mpmath', 'ball', 'jax'}, optional
        *what : {'excess_risk', 'risk', 'gradient', 'hessian'}
            By default risk and gradient. Where two directions are aligned, the Hessian in their
            inner products may have no finite limit, as for a unit with a kink: its entries are
            infinite there, and mpmath raises `ZeroDivisionError`; ``jax.hessian`` of the risk,
            which sums multiples of them, is nan. Where a trained direction has length 0 in a unit
            with a kink, the gradient may have no limit either, as beside a target with a kink:
            slopes depend on the angle at which the length goes to 0, and some are infinite or nan.

        Returns
        -------
        callable
            ``f(state, *parameters)``, as of `slrsym.kernels.compile_expressions`, in the order of
            `order_parameters` and `parameters`.

        Raises
        ------
        ValueError
            If there is no such backend or output.
        NumbaMissingError, JaxMissingError
            If the backend is Numba or JAX and it is not installed.
        RuntimeError
            If the backend is JAX, which is set to single precision.
        """
        require_backend(backend)
        if not self.is_additive:
            found: Callable[..., Any] = self._terms.compile(backend, what or ("risk", "gradient"))
            return found
        chosen = what or ("risk", "gradient")
        program = self.program(*chosen)
        # Where two directions are aligned, the roots of a mean have infinite derivatives.
        if backend == "jax":
            from slrsym.kernels.jax_backend import jax_function_with_programs_of_slopes
            from slrsym.models.training.alignment import has_angles

            if has_angles(program):
                return jax_function_with_programs_of_slopes(self.program, chosen)
        return compile_program(program, backend)
