"""A document as a static site: HTML, MathML and SVG, with nothing from elsewhere."""

from slrsym.export.html.render import Renderer as Renderer
from slrsym.export.html.site import site_files as site_files
