"""The proof kernel: terms, theorems, and the log that it judges. Imports python-flint alone."""

from slrsym.trusted import analysis as analysis
from slrsym.trusted import expect as expect
from slrsym.trusted import means as means
from slrsym.trusted import schemas as schemas
from slrsym.trusted.log import Book as Book
from slrsym.trusted.log import Judged as Judged
from slrsym.trusted.log import Line as Line
from slrsym.trusted.log import Script as Script
from slrsym.trusted.log import differs as differs
from slrsym.trusted.log import recheck as recheck
from slrsym.trusted.log import written as written
from slrsym.trusted.ring import Ring as Ring
from slrsym.trusted.term import Refused as Refused
from slrsym.trusted.theorem import Theorem as Theorem
