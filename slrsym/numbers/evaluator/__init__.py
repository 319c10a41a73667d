"""Evaluation of an expression at one point, node by node."""

from slrsym.numbers.evaluator.evaluator import Evaluator as Evaluator
