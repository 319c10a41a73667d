"""Statements have their pictures, in book and site; these are of the settings that figures have."""

import json
import re

import pytest

from slrsym.documents import figures
from slrsym.documents.export.latex_book import latex_book_files
from slrsym.documents.export.site import site_files
from slrsym.papers.single_location.documents.stored_figures import PICTURES
from tests._profile import thorough_only
from tests.papers.single_location.documents.pictures import noted, shortened

DRAWN = sorted({picture.figure for picture in PICTURES.values()})


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_has_the_settings_of_its_figure(name):
    settings = json.loads(json.dumps(figures.recipe(name).settings))
    assert noted()[name]["settings"] == settings


def test_nothing_is_drawn_that_is_not_shown():
    assert sorted(noted()) == DRAWN


def test_what_a_caption_says_of_runs_was_seen():
    assert noted()["4b"]["seen"].startswith("30 of 30 runs recover both directions")
    assert "Thirty runs" in PICTURES["theorem-5"].caption


def test_shorter_coordinates_are_the_same_to_a_tenth_and_factors_to_four_digits():
    long = '<path d="M 1.23456 -7.00012 \nL 0.00123456 12"/>\n  <metadata>x</metadata><g/>'
    assert shortened(long) == '<path d="M 1.2 -7L 0.001235 12"/><g/>'
    assert 'id="a1.23456"' in shortened('<p id="a1.23456"/>')


def test_statements_show_their_pictures(document):
    here = [claim.id for claim in document.claims if claim.id in PICTURES]
    assert here
    site, book = site_files(document), latex_book_files(document)
    text = "".join(text for text in book.values() if isinstance(text, str))
    for id in here:
        name = PICTURES[id].name
        shown = re.search(r'<img src="\.\./(.*?)" alt="(.*?)"', site[f"claims/{id}.html"])
        assert shown[1] == f"pictures/{name}.svg"
        assert len(shown[2]) > 40
        assert site[shown[1]].endswith("</svg>\n") or site[shown[1]].endswith("</svg>")
        assert book[f"{name}.pdf"].startswith(b"%PDF")
        assert f"\\label{{{name}}}" in text


@thorough_only
def test_site_book_and_documentation_link_to_each_other(document):
    site = site_files(
        document, extra_links={"Book": "../latex/book.pdf", "Documentation": "https://x.org/"}
    )
    page = site[f"claims/{document.claims[0].id}.html"]
    assert '<a href="../../latex/book.pdf">Book</a>' in page
    assert '<a href="https://x.org/">Documentation</a>' in page
    book = latex_book_files(document, beside={"Site": "../html/index.html"})
    assert r"\href{../html/index.html}{Site}" in book["book.tex"]
    assert r"\href{../html/claims/lemma-6.html}{lemma-6}" in "".join(
        text for name, text in book.items() if name.startswith("section")
    )
