"""`python -m inarow` is the program `inarow`."""

from inarow.cli.main import run

if __name__ == "__main__":
    run()
