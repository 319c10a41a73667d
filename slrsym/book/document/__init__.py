"""The document that is exported, before it is LaTeX or HTML.

A `Document` has sections of claims. A claim has blocks: paragraphs, displayed formulas, and groups
of blocks with a heading, such as the cases of a proof. Formulas are boxes of
`slrsym.typeset`, each with the checked object that it shows; what is not a formula is
text, a reference to a claim, or a citation. A renderer needs to know nothing else.
"""

from slrsym.book.document.blocks import Block as Block
from slrsym.book.document.blocks import Display as Display
from slrsym.book.document.blocks import Formula as Formula
from slrsym.book.document.blocks import Group as Group
from slrsym.book.document.blocks import Link as Link
from slrsym.book.document.blocks import Paragraph as Paragraph
from slrsym.book.document.entries import AxiomEntry as AxiomEntry
from slrsym.book.document.entries import ClaimEntry as ClaimEntry
from slrsym.book.document.entries import Document as Document
from slrsym.book.document.entries import Label as Label
from slrsym.book.document.entries import Section as Section
from slrsym.book.document.inline import AxiomReference as AxiomReference
from slrsym.book.document.inline import Citation as Citation
from slrsym.book.document.inline import Inline as Inline
from slrsym.book.document.inline import Math as Math
from slrsym.book.document.inline import Raw as Raw
from slrsym.book.document.inline import Reference as Reference
from slrsym.book.document.inline import Text as Text
from slrsym.book.document.inline import listed as listed
