"""Export of checked claims as documents: a neutral tree, and its LaTeX and HTML renderers."""

from slrsym.documents.export.build import build
from slrsym.documents.export.document import Document
