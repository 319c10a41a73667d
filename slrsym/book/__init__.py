"""Checked claims as documents: a neutral tree, and what renders it."""

from slrsym.book.build import build as build
from slrsym.book.document import Document as Document
