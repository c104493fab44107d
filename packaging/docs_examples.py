"""Shows the examples in docstrings as programs: Markdown would take their prompts for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Puts a fence around every example, which ends with an empty line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = re.sub(
                r"^>>> .*?(?=\n[ \t]*\n|\Z)",
                r"```pycon\n\g<0>\n```",
                obj.docstring.value,
                flags=re.DOTALL | re.MULTILINE,
            )
