"""Checked claims as documents: a neutral tree, and what renders it."""

from slrsym.book.build import build
from slrsym.book.document import Document
