"""Export of checked claims as documents: a neutral tree, and its LaTeX and HTML renderers."""

from slrsym.export.build import build
from slrsym.export.document import Document
