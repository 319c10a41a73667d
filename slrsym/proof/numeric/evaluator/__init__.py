"""Evaluation of an expression at one point, node by node."""

from slrsym.proof.numeric.evaluator.evaluator import Evaluator as Evaluator
