"""Which files are derivations, told by their text alone."""

import pytest

from slrsym.claims import file_search as module
from slrsym.claims.file_search import (
    DerivationError,
    builtin_derivation_folder,
    claim_ids_in_folder,
    derivation_files,
    files_with_claim,
    is_derivation_file,
)

from .conftest import claim_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from slrsym.proof import Claim\nc = Claim(id='a')\n", True),
        ("import slrsym.proof as p\nc = p.Claim(id='a')\n", True),
        ("from slrsym.proof import Claim\ndef f(c: Claim): ...\n", False),
        ("# slrsym makes a Claim(\n", False),
        ("Claim = dict\nClaim(id='a')\n", False),
        ("import slrsym\nprint('no claims')\n", False),
        ("", False),
        # Left to the loader, which says what is wrong with it.
        ("from slrsym.proof import Claim\nClaim((\n", True),
    ],
)
def test_a_derivation_calls_claim(tmp_path, text, expected):
    file = tmp_path / "a.py"
    file.write_text(text, encoding="utf-8")
    assert is_derivation_file(file) is expected


@pytest.mark.parametrize("name", ["test_a.py", "conftest.py", "_helper.py", "a.txt", "setup.py"])
def test_names_that_are_never_derivations(derivation, name):
    assert not is_derivation_file(derivation(name, claim_text("one")))


def test_a_file_that_is_not_text(tmp_path):
    file = tmp_path / "a.py"
    file.write_bytes(b"slrsym Claim( \xff\xfe")
    assert not is_derivation_file(file)
    assert not is_derivation_file(tmp_path / "nothing.py")


def test_nothing_is_run(derivation):
    file = derivation("a.py", "raise RuntimeError('run')\n", claim_text("one"))
    assert derivation_files(file.parent) == [file]


def test_folders_are_searched_in_order(derivation):
    folder = derivation("b.py", claim_text("one")).parent
    (folder / "sub" / "deeper").mkdir(parents=True)
    names = ["sub/deeper/d.py", "sub/c.py", "a.py"]
    files = [derivation(name, claim_text("one")) for name in names]
    assert derivation_files(folder) == sorted([*files, folder / "b.py"])


@pytest.mark.parametrize("folder", [".hidden", "_private", "__pycache__", "env"])
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
    with pytest.raises(DerivationError, match=r"has no derivation: no \.py file in it calls Claim"):
        derivation_files(tmp_path)


def test_an_installation_without_derivations(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "slrsym" / "claims" / "file_search.py"))
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
