"""The document as LaTeX."""

from slrsym.export.latex.book import book_files as book_files
from slrsym.export.latex.book import standalone as standalone
from slrsym.export.latex.displays import snippet as snippet
from slrsym.export.latex.render import Renderer as Renderer
