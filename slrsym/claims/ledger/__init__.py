"""The ledger: every claim with its status, what it rests on, and the evidence.

A ledger of a user's own claims may refer to those that come with the package. These fill gaps: they
are loaded when an id is asked for that the user's files do not have, and checked like any other.
"""

from slrsym.claims.ledger.dependencies import circle as circle
from slrsym.claims.ledger.ledger import Ledger as Ledger
from slrsym.claims.ledger.ledger import builtin_ledger as builtin_ledger
from slrsym.claims.ledger.rows import Foundation as Foundation
from slrsym.claims.ledger.rows import Row as Row
