"""The proof kernel: terms, theorems, and the log that it judges. Imports python-flint alone."""

from slrsym.trusted import analysis, arithmetic, expect, means, numbers, vectors
from slrsym.trusted.log import Book, Judged, Line, Script, differs, recheck
from slrsym.trusted.ring import Ring
from slrsym.trusted.term import Rejected
from slrsym.trusted.theorem import Theorem
