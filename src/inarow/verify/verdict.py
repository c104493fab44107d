"""What every check of `inarow.verify` concludes."""

from typing import Literal

Verdict = Literal["proven", "consistent", "wrong"]
"""The conclusion of a check.

- "proven": everything claimed follows from the rules of the game, and all of it was checked.
- "consistent": nothing contradicts the rules, but what was checked does not prove the claim; the report's
  reason says what is missing.
- "wrong": the report names a counterexample or the claim that is false.
"""
