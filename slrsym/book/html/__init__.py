"""A document as a static site: HTML, MathML and SVG, with nothing from elsewhere."""

from slrsym.book.html.pages import site_files as site_files
from slrsym.book.html.render import Renderer as Renderer
