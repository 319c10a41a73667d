"""Checked claims as documents: a neutral tree, and what renders it."""

from slrsym.export.build import build
from slrsym.export.document import Document
