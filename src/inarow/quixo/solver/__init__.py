"""From the rules to the value of every position."""
