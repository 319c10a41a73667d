"""Which files are derivations, told by their text alone."""

import pytest

from slrsym.prover.claims import file_search as module
from slrsym.prover.claims.file_search import (
    DerivationError,
    DerivationSearch,
    builtin_derivation_folder,
    claim_ids_in_folder,
    derivation_files,
    files_with_claim,
)
from tests.conftest import claim_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from slrsym.proof import Claim\nc = Claim(id='a')\n", True),
        ("import slrsym.proof as p\nc = p.Claim(id='a')\n", True),
        ("from slrsym import proof\n", True),
        ("import slrsym as s\nc = s.proof.Claim(id='a')\n", True),
        ("import slrsym\nc = getattr(slrsym, 'proof').Claim(id='a')\n", True),
        ("import importlib\nc = importlib.import_module('slrsym.proof').Claim(id='a')\n", True),
        ("from functools import partial\nfrom slrsym.proof import Claim as C\n", True),
        ("import slrsym\nmade = slrsym.model('m').claims()\n", True),
        ("# slrsym makes a Claim(\n", False),
        ("Claim = dict\nClaim(id='a')\n", False),
        ("import slrsym\nprint('no claims')\n", False),
        ("", False),
        # Left to the loader, which says what is wrong with it.
        ("from slrsym.proof import Claim\nClaim((\n", True),
    ],
)
def test_a_derivation_imports_what_makes_claims(tmp_path, text, expected):
    file = tmp_path / "a.py"
    file.write_text(text, encoding="utf-8")
    assert DerivationSearch().is_derivation_file(file) is expected


@pytest.mark.parametrize("name", ["test_a.py", "a_test.py", "conftest.py", "_a.py", "setup.py"])
def test_the_name_of_a_derivation_does_not_matter(derivation, name):
    assert DerivationSearch().is_derivation_file(derivation(name, claim_text("one")))
    assert not DerivationSearch().is_derivation_file(derivation("a.txt", claim_text("one")))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "from helper import make\n"),
        ("a.py", "import math, helper as h\n"),
        ("a.py", "import math; import helper\n"),
        ("a.py", "from helper import (\n    make,\n)\n"),
        ("a.py", "import importlib\nhelper = importlib.import_module('helper')\n"),
        ("a.py", "from between import make\n"),
        ("pack/a.py", "from ..helper import make\n"),
        ("pack/a.py", "from .. import helper\n"),
        ("pack/sub/a.py", "from ... import helper\n"),
    ],
)
def test_a_file_that_imports_a_derivation_is_one(derivation, name, text):
    folder = derivation("helper.py", "def make(): return Claim\n").parent
    (folder / "between.py").write_text("from circle import make\n", encoding="utf-8")
    (folder / "circle.py").write_text("import between\nfrom helper import *\n", encoding="utf-8")
    for parent in (folder / name).relative_to(folder.parent).parents if "/" in name else ():
        (folder.parent / parent).mkdir(parents=True, exist_ok=True)
        (folder.parent / parent / "__init__.py").touch()
    file = derivation(name, text, header="")
    search = DerivationSearch()
    assert search.is_derivation_file(file)
    other = derivation("b.py", "import json, between2\n", header="")
    assert not search.is_derivation_file(other)


def test_a_file_that_is_not_text(tmp_path):
    """Loading it says what is wrong with it; left out, its claims would be unseen."""
    file = tmp_path / "a.py"
    file.write_bytes(b"import slrsym.proof \xff\xfe")
    assert DerivationSearch().is_derivation_file(file)
    assert not DerivationSearch().is_derivation_file(tmp_path / "nothing.py")


def test_nothing_is_run(derivation):
    file = derivation("a.py", "raise RuntimeError('run')\n", claim_text("one"))
    assert derivation_files(file.parent) == [file]


def test_folders_are_searched_in_order(derivation):
    folder = derivation("b.py", claim_text("one")).parent
    (folder / "sub" / "deeper").mkdir(parents=True)
    names = ["sub/deeper/d.py", "sub/c.py", "a.py"]
    files = [derivation(name, claim_text("one")) for name in names]
    assert derivation_files(folder) == sorted([*files, folder / "b.py"])


@pytest.mark.parametrize("folder", [".hidden", "__pycache__", "env"])
def test_folders_that_are_passed_over(derivation, folder):
    file = derivation("a.py", claim_text("one"))
    below = file.parent / folder
    below.mkdir()
    derivation(f"{folder}/b.py", claim_text("two"))
    if folder == "env":
        assert len(derivation_files(file.parent)) == 2
        (below / "pyvenv.cfg").touch()
    assert derivation_files(file.parent) == [file]
    # Asked for itself, it is searched.
    assert derivation_files(below) == [below / "b.py"]


def test_what_is_not_there(tmp_path):
    with pytest.raises(DerivationError, match="nothing does not exist"):
        derivation_files(tmp_path / "nothing")
    with pytest.raises(
        DerivationError, match=r"no derivation: no \.py file in it imports slrsym\.pr"
    ):
        derivation_files(tmp_path)
    notebook = tmp_path / "a.ipynb"
    notebook.write_text("from slrsym.proof import Claim\nClaim(1)\n", encoding="utf-8")
    with pytest.raises(DerivationError, match=r"claims in notebooks, such as .*a\.ipynb, are not"):
        derivation_files(tmp_path)


def test_an_installation_without_derivations(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "slrsym/prover/claims/file_search.py"))
    with pytest.raises(DerivationError, match="has no folder of derivations"):
        builtin_derivation_folder()
    inside = tmp_path / "slrsym" / "derivations"
    inside.mkdir(parents=True)
    assert builtin_derivation_folder() == inside


def test_an_id_that_is_made_when_the_file_runs_may_be_any(derivation):
    made = derivation("a.py", "from slrsym.proof import Claim\nc = Claim(id=name + 'a')\n")
    plain = derivation("b.py", claim_text("one"))
    parts = derivation("c.py", "from slrsym.proof import Claim\nc = Claim(id=f'lemma-{n}-i')\n")
    folder = made.parent
    assert files_with_claim("one", folder) == [plain]
    assert files_with_claim("two", folder) == [made]
    assert files_with_claim("lemma-3-i", folder) == [made, parts]
    assert claim_ids_in_folder(folder) == ["one"]
