"""A document as a static site: HTML, MathML and SVG, with nothing from elsewhere."""

from slrsym.book.html.render import Renderer as Renderer
from slrsym.book.html.site import site_files as site_files
