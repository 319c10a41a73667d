"""The document as LaTeX."""

from slrsym.book.latex.book import book_files as book_files
from slrsym.book.latex.book import standalone as standalone
from slrsym.book.latex.render import Renderer as Renderer
from slrsym.book.latex.render import snippet as snippet
