"""Folders of exported files."""

import pytest

from slrsym.files import (
    ExportFolderError,
    SavingFailedError,
    require_safe_export_folder,
    write_export_folder,
)

FILES = {"book.tex": "one", "parts/a.tex": "two"}


def names(folder):
    return sorted(
        f.relative_to(folder).as_posix()
        for f in folder.rglob("*")
        if f.is_file() and f.name != ".slrsym-export.json"
    )


def test_a_new_folder_is_made(tmp_path):
    folder = tmp_path / "new" / "deep"
    write_export_folder(folder, FILES)
    assert names(folder) == ["book.tex", "parts/a.tex"]
    assert (folder / "parts" / "a.tex").read_text() == "two"
    assert [f.name for f in folder.parent.iterdir()] == ["deep"]


def test_an_empty_folder_is_filled(tmp_path):
    write_export_folder(tmp_path, FILES)
    assert names(tmp_path) == sorted(FILES)


def test_an_earlier_export_is_replaced_with_what_tex_made_of_it(tmp_path):
    write_export_folder(tmp_path, FILES)
    for name in ("book.pdf", "book.aux", "book.fdb_latexmk"):
        (tmp_path / name).write_text("made by TeX")
    write_export_folder(tmp_path, {"book.tex": "new", "other.tex": "more"})
    assert names(tmp_path) == ["book.tex", "other.tex"]
    assert (tmp_path / "book.tex").read_text() == "new"


@pytest.mark.parametrize("name", ["notes.txt", "parts/b.tex", "a.pdf"])
def test_what_no_export_wrote_is_left_alone(tmp_path, name):
    write_export_folder(tmp_path, FILES)
    (tmp_path / name).write_text("mine")
    with pytest.raises(ExportFolderError, match=rf"holds {name}, which no export has written"):
        write_export_folder(tmp_path, {"book.tex": "new"})
    assert (tmp_path / name).read_text() == "mine"
    assert (tmp_path / "book.tex").read_text() == "one"


def test_an_export_that_was_edited_is_left_alone(tmp_path):
    write_export_folder(tmp_path, FILES)
    (tmp_path / "book.tex").write_text("edited")
    with pytest.raises(ExportFolderError, match=r"book\.tex in .* was changed"):
        write_export_folder(tmp_path, FILES)
    assert (tmp_path / "book.tex").read_text() == "edited"


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ExportFolderError, match="is not a folder"):
        require_safe_export_folder(tmp_path / "file")
    with pytest.raises(ExportFolderError, match="cannot make a folder"):
        require_safe_export_folder(tmp_path / "file" / "below")


def test_nothing_is_left_where_writing_fails(tmp_path, monkeypatch):
    folder = tmp_path / "new"

    def broken(folder, contents):
        (folder / "half.tex").write_text("half")
        raise OSError("no space left")

    monkeypatch.setattr("slrsym.files._fill", broken)
    with pytest.raises(SavingFailedError, match="new could not be written: no space left"):
        write_export_folder(folder, FILES)
    assert list(tmp_path.iterdir()) == []
    folder.mkdir()
    with pytest.raises(SavingFailedError, match="new could not be written: no space left"):
        write_export_folder(folder, FILES)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch, exists):
    # Whoever runs the tests may be allowed everything.
    monkeypatch.setattr("slrsym.files.os.access", lambda *_: False)
    folder = tmp_path / "out"
    if exists:
        folder.mkdir()
    message = "out cannot be written to" if exists else f"cannot make a folder in {tmp_path}"
    with pytest.raises(ExportFolderError, match=message):
        write_export_folder(folder, {"a.tex": "text"})
    assert folder.exists() == exists
    assert not exists or list(folder.iterdir()) == []
