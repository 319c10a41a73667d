"""Commands that only this paper has: ``slrsym paper single-location``."""

from __future__ import annotations

import typer

from slrsym.cli.shared import format_examples
from slrsym.papers.single_location.commands import certify
from slrsym.papers.single_location.commands.compare import compare
from slrsym.papers.single_location.commands.landscape import landscape
from slrsym.papers.single_location.commands.options import EXAMPLES, CommandOfTask
from slrsym.papers.single_location.commands.portrait import portrait
from slrsym.papers.single_location.commands.recovery import recovery
from slrsym.papers.single_location.commands.simulate import simulate

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Attention layers that solve single-location regression (arXiv 2410.01537).",
)
for _command in (simulate, landscape, recovery, compare, portrait):
    app.command(cls=CommandOfTask, epilog=format_examples(_command.__name__, EXAMPLES))(_command)
app.add_typer(certify.app, name="certify")
