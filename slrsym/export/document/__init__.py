"""The document that is exported, before it is LaTeX or HTML.

A `Document` has sections of claims. A claim has blocks: paragraphs, displayed formulas, and groups
of blocks with a heading, such as the cases of a proof. Formulas are boxes of
`slrsym.gaussian.typeset`, each with the checked object that it shows; what is not a formula is
text, a reference to a claim, or a citation. A renderer needs to know nothing else.
"""

from slrsym.export.document.blocks import Block as Block
from slrsym.export.document.blocks import Display as Display
from slrsym.export.document.blocks import Formula as Formula
from slrsym.export.document.blocks import Group as Group
from slrsym.export.document.blocks import Link as Link
from slrsym.export.document.blocks import Paragraph as Paragraph
from slrsym.export.document.entries import AxiomEntry as AxiomEntry
from slrsym.export.document.entries import ClaimEntry as ClaimEntry
from slrsym.export.document.entries import Document as Document
from slrsym.export.document.entries import Label as Label
from slrsym.export.document.entries import Section as Section
from slrsym.export.document.inline import AxiomReference as AxiomReference
from slrsym.export.document.inline import Citation as Citation
from slrsym.export.document.inline import Inline as Inline
from slrsym.export.document.inline import Math as Math
from slrsym.export.document.inline import Raw as Raw
from slrsym.export.document.inline import Reference as Reference
from slrsym.export.document.inline import Text as Text
from slrsym.export.document.inline import listed as listed
