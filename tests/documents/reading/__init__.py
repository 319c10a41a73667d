r"""Formulas read back from their LaTeX: the grammar of what the printer writes, and no more.

It shares no code with the printer. What a letter means is looked up in the names that a claim's
entry carries; the rest is read from the text alone.
"""

from tests.documents.reading.formulas import read as read
from tests.documents.reading.formulas import read_display as read_display
from tests.documents.reading.tokens import ReadingError as ReadingError
