"""What commands print, run when the documentation is built."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from slrsym.prover.statements import remove_dollar_signs

ROOT = Path(__file__).parents[2]


def ran(line: str, files: dict[str, str] | None = None) -> str:
    """Run a command of slrsym in an empty folder with the given files, and return its output."""
    program, *words = shlex.split(line)
    if program != "slrsym":
        raise ValueError(f"only slrsym is run; got {line}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (files or {}).items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "slrsym", *words],
            cwd=folder,
            env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    return "\n".join(row.rstrip() for row in (done.stdout + done.stderr).strip("\n").split("\n"))


class Shown(SphinxDirective):
    """A command and what it prints; its content is a file that it reads, named by an option."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"file": directives.unchanged, "lines": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """Run it."""
        line = self.arguments[0]
        found: list[nodes.Node] = []
        files = {}
        if "file" in self.options:
            text = "\n".join(self.content) + "\n"
            files[self.options["file"]] = text
            found.append(nodes.literal_block(text, text, language="python"))
        printed = ran(line, files)
        rows = printed.split("\n")
        if self.options.get("lines", len(rows)) < len(rows):
            rows = [*rows[: self.options["lines"]], "..."]
        text = "\n".join((f"$ {line}", *rows))
        found.append(nodes.literal_block(text, text, language="text"))
        return found


class Helps(SphinxDirective):
    """The help of every command."""

    def run(self) -> list[nodes.Node]:
        """Ask each for it."""
        import typer.main
        from typer.testing import CliRunner

        from slrsym.cli.program import app

        found: list[nodes.Node] = []
        for path in ((), *_paths(typer.main.get_command(app))):
            name = " ".join(("slrsym", *path))
            text = CliRunner().invoke(app, [*path, "--help"], prog_name="slrsym").stdout.rstrip()
            section = nodes.section(ids=[nodes.make_id(name)])
            section += nodes.title(name, name)
            section += nodes.literal_block(text, text, language="text")
            found.append(section)
        return found


class Claims(SphinxDirective):
    """Tables of all claims, in the paper's order."""

    def run(self) -> list[nodes.Node]:
        """Ask the ledger."""
        import slrsym
        from slrsym.documents.export.build import titles_and_claims_of_files

        found: list[nodes.Node] = []
        for title, claims in titles_and_claims_of_files(slrsym.ledger().claims.values()):
            rows = ["| id | title | source | compared to the paper |", "|---|---|---|---|"]
            rows += [
                f"| `{claim.id}` | "
                + " | ".join(
                    map(
                        _cell,
                        map(
                            remove_dollar_signs,
                            (claim.title, claim.source, claim.compared_to_source),
                        ),
                    )
                )
                + " |"
                for claim in claims
            ]
            section = nodes.section(ids=[nodes.make_id(title)])
            title = remove_dollar_signs(title)
            section += nodes.title(title, title)
            section += self.parse_text_to_nodes("\n".join(rows))
            found.append(section)
        return found


class Errata(SphinxDirective):
    """Where the paper is not right, as book and site have it."""

    def run(self) -> list[nodes.Node]:
        """Write it as Markdown."""
        from slrsym.documents.export.errata import LEAD
        from slrsym.prover.claims.papers import builtin_papers

        found = self.parse_text_to_nodes(_plain(LEAD))
        errata = [entry for paper in builtin_papers() for entry in paper.errata]
        for heading, paragraphs in errata:
            section = nodes.section(ids=[nodes.make_id(heading)])
            section += nodes.title(heading, heading)
            section += self.parse_text_to_nodes("\n\n".join(map(_plain, paragraphs)))
            found.append(section)
        return found


def _plain(text: str) -> str:
    return text.replace("*", "\\*")


def _cell(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\|*_`<>[]{}$" else letter for letter in text)


def _paths(group, path=()):
    for name, command in group.commands.items():
        yield (*path, name)
        if hasattr(command, "commands"):
            yield from _paths(command, (*path, name))


def setup(app):
    """Register the directives."""
    app.add_directive("command", Shown)
    app.add_directive("helps", Helps)
    app.add_directive("claims", Claims)
    app.add_directive("errata", Errata)
    return {"version": "1", "parallel_read_safe": True}
