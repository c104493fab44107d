"""The search for a win in Qubic; native/bindings/qubic.cpp is its source.

Positions are masks of X's and O's cells. A node is a position with X to move, up to symmetry, in which nobody
can complete a line and X has no forced win: it needs an answer. An action is a move of X and the nodes that
remain after all replies of O.
"""

class Graph:
    def __init__(self, table_bits: int) -> None: ...
    def node(self, x: int, o: int) -> int: ...
    def position(self, id: int) -> tuple[int, int]: ...
    def solved(self, id: int) -> bool: ...
    def known_up_to(self, id: int) -> int:
        """Actions with at most this many nodes are known; -1 before the first expansion."""

    def cost(self, id: int) -> float:
        """The number of answers from a node on if none are shared; an estimate until it is solved."""

    def actions(self, id: int) -> list[tuple[int, list[int]]]: ...
    def expand(self, id: int) -> None:
        """Find the actions with few nodes; called again, those with more."""

    def solve(self, id: int, bound: float, expansions: int) -> bool:
        """Search best first until the node is solved, would cost more than the bound, or has had so many
        expansions."""

    def reset_costs(self, optimistic: bool) -> None:
        """Forget where the search was stuck; if optimistic, costs of unsolved nodes are lower bounds."""

    def __len__(self) -> int: ...
    @property
    def expansions(self) -> int: ...
    @property
    def threat_nodes(self) -> int: ...
    @property
    def memory(self) -> int:
        """In bytes."""

    def save(self) -> bytes: ...
    def load(self, data: bytes) -> None: ...

class Choice:
    """One action for each solved node; its length is that of the dictionary. The graph must not change."""

    def __init__(self, graph: Graph, root: int, seed: int) -> None: ...
    def start(self, moves: list[tuple[int, int]]) -> None:
        """Start with these moves at these nodes, and with the cheapest ones elsewhere."""

    def anneal(self, steps: int, hot: float, cold: float) -> None: ...
    def anneal_around(self, level: int, changes: int, steps: int, hot: float, cold: float) -> None:
        """Change several nodes with `level` X's at once, anneal, and keep the result if it is no larger."""

    def __len__(self) -> int: ...
    def used(self, graph: Graph) -> list[tuple[int, int, int]]:
        """The nodes of the dictionary, their moves, and how many nodes each keeps reachable."""

    def answers(self, graph: Graph, all_moves: bool) -> list[tuple[int, int, int]]:
        """X's and O's cells and the move; with all moves, each after which only these positions remain."""
