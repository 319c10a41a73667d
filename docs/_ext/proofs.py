"""Ids of claims, wherever they stand as code, link to the proof.

That is the file of derivations; or, with `-D slrsym_site=ADDRESS`, the page of the claim on a site
that `slrsym export html` has made, beside these pages or elsewhere.
"""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes

PAGE = """# {title}

Its claims are in {{doc}}`../claims`, how they are checked in {{doc}}`../../explanation/proved`.

```{{literalinclude}} {file}
:language: python
:linenos:
```
"""


def _claims():
    import slrsym

    return slrsym.ledger().claims


def _write(app):
    from slrsym.documents.export.build import derivation_file_title

    folder = Path(app.srcdir, "reference", "proofs")
    folder.mkdir(exist_ok=True)
    for file in {claim.file for claim in _claims().values()}:
        title = derivation_file_title(file)
        text = PAGE.format(title=title, file=os.path.relpath(file, folder))
        page = folder / f"{file.parent.name}-{file.stem}.md"
        # What has not changed is not read again.
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def _link(app, doctree, docname):
    if app.builder.format != "html":
        return
    site, claims = app.config.slrsym_site.rstrip("/"), _claims()
    up = "" if "://" in site else "../" * docname.count("/")
    for code in list(doctree.findall(nodes.literal)):
        id = code.astext()
        if id not in claims or isinstance(code.parent, nodes.reference):
            continue
        file = claims[id].file
        page = f"reference/proofs/{file.parent.name}-{file.stem}"
        to = f"{up}{site}/claims/{id}.html" if site else app.builder.get_relative_uri(docname, page)
        link = nodes.reference("", "", internal=True, refuri=to)
        code.replace_self(link)
        link += code


def setup(app):
    """Write the pages before others are read; links are made when all are known."""
    app.add_config_value("slrsym_site", "", "html")
    app.connect("builder-inited", _write)
    app.connect("doctree-resolved", _link)
    return {"version": "1", "parallel_read_safe": True}
