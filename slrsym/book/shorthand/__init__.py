"""The paper's abbreviations: which of them a claim is written with, and what they stand for."""

from slrsym.book.shorthand.choosing import chosen as chosen
from slrsym.book.shorthand.names import names_in as names_in
from slrsym.book.shorthand.planar import PLANAR_NAMES as PLANAR_NAMES
from slrsym.book.shorthand.planar import with_planar_letters as with_planar_letters
from slrsym.book.shorthand.rewriting import Shorthand as Shorthand
