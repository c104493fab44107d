"""inarow's games for other libraries: PettingZoo, Gymnasium, OpenSpiel and Jupyter.

Each module needs the library that it is named after, and nothing else imports it.
"""
