"""Names, sorts, labels and the functions of the table (sections 1.3, 1.6 and 8.4)."""

import re

from .nodes import BINDERS, FORMULAS, HEADS_OF, TERMS

LETTERS = "A-Za-zαβγδεζηθκλμξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"
NAME = re.compile(rf"([{LETTERS}][{LETTERS}0-9]*(?:_[{LETTERS}0-9]+)*)(\^\*|\^[0-9]+|)'*")
LABEL = re.compile(r"[ -~]+")
SORTS = frozenset(k + c for k in "RZ" for c in ("", ">0", "<0", ">=0", "<=0", "!=0"))
ARITY = dict.fromkeys(
    [
        "exp",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "tanh",
        "atan",
        "erf",
        "abs",
        "log",
        "asin",
        "erf_prime",
        "erf_second",
        "sign",
    ],
    1,
)
ARITY.update(zeta=2, owens=2, max=2)
LAWS = frozenset(("gauss", "noise"))
HEADS = (
    TERMS
    | FORMULAS
    | LAWS
    | BINDERS
    | frozenset().union(*HEADS_OF.values())
    | frozenset(["oo", "-oo", "text", "tuple", "set"])
)


def named(head, x, sort):
    """Tell whether x is a name of what has this head and sort (1.3)."""
    found = NAME.fullmatch(x) if type(x) is str and len(x) <= 61 else None
    if found is None:
        return False
    word, upper = found.groups()
    if word in ARITY or word == "π" or (len(word) > 1 and word in HEADS):
        return False
    if word in ("e", "E"):
        return head == "s" and sort == "R" and upper in ("", "^*")
    return upper in ("", "^*") or (head == "ix" and sort == "R")


def is_label(x):
    """Tell whether x may be the name of a claim, a step or what is unchecked (8.4)."""
    return type(x) is str and len(x) <= 200 and LABEL.fullmatch(x) is not None and x == x.strip(" ")


def is_sort(x):
    """Tell whether x is a sort."""
    return type(x) is str and x in SORTS
