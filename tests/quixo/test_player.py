"""Players of Quixo: at their best, and weaker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from random import Random

import pytest
from quixo.boards import random_board, words_of
from quixo.edges import (
    A_WIN_AMONG_UNKNOWN_MOVES,
    assert_ranked,
    edge_positions,
    play_out,
    random_position,
)
from quixo.forms import Forms

from inarow.quixo import prober as prober_module
from inarow.quixo.player import LEVELS, Player
from inarow.quixo.prober import Prober, SearchLimits, open_prober
from inarow.quixo.results import longest_win
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.solver.solve import solve
from inarow.quixo.table.book import Book
from inarow.quixo.table.table import Table, open_table

RULES = Quixo(3)


@pytest.fixture(scope="module")
def small() -> Iterator[Prober]:
    with open_prober(RULES) as prober:
        yield prober


@pytest.fixture(scope="module")
def middle() -> Iterator[Prober]:
    with open_prober(Quixo(4)) as prober:
        yield prober


@pytest.fixture(scope="module")
def large() -> Iterator[Prober]:
    with open_prober(Quixo(5), search_nodes=1 << 10) as prober:
        yield prober


@pytest.mark.parametrize("seed", [None, 1])
def test_3x3_is_won_within_7_plies_whatever_is_replied(small: Prober, seed: int | None) -> None:
    player = Player(small, "best", seed)

    @cache
    def longest(position: Position) -> int:
        """Plies to the end with the player to move; a cycle would never return."""
        after = player.choose(position).position
        if after.is_over:
            assert after.winner == "x"
            return 1
        replies = [after.play(move) for move in after.legal_moves()]
        return 2 + max(longest(reply) if not reply.is_over else lost(reply) for reply in replies)

    def lost(position: Position) -> int:
        assert position.winner == "x"  # only a reply that makes a line for X may end the game
        return 0

    assert longest(RULES.start()) == 7


def test_a_lost_game_is_delayed(small: Prober) -> None:
    position = RULES.start().play("a1a3")
    probe = small.probe(position)
    assert probe.value == "loss"
    assert Player(small).choose(position).plies == probe.plies


def test_a_draw_is_kept_by_the_move_with_the_most_losing_replies(middle: Prober) -> None:
    player = Player(middle, "best", 5)
    found, differ = 0, 0
    for word in words_of(middle.rules, 1, 2)[::40]:
        position = middle.rules.from_word(word)
        probe = middle.with_replies(middle.probe(position))
        if probe.value != "draw":
            assert all(move.losing_replies is None for move in probe.moves)
            continue
        found += 1
        traps = {}
        for move in probe.moves:
            if move.value == "draw":
                replies = middle.probe(move.position).moves
                traps[move.move] = sum(reply.value == "loss" for reply in replies)
                assert (move.losing_replies, move.replies) == (traps[move.move], len(replies))
        assert traps[player.choose(position).move] == max(traps.values())
        differ += min(traps.values()) < max(traps.values())
    assert found > 5
    assert differ > 0


def test_a_seed_varies_games_that_are_equally_good(small: Prober) -> None:
    start = RULES.start()
    chosen = [Player(small, "best", seed).choose(start) for seed in range(20)]
    assert {(move.value, move.plies) for move in chosen} == {("win", 7)}
    assert len({move.move for move in chosen}) > 1
    assert [Player(small, "best", seed).choose(start) for seed in range(20)] == chosen
    first = [Player(small).choose(start) for _ in range(5)]
    assert set(first) == {small.probe(start).moves[0]}


def test_the_weaker_player_errs_as_often_as_it_is_told(middle: Prober) -> None:
    start = middle.rules.start().play("a1a4")
    best = set(middle.probe(start).best)
    share = len(best) / len(middle.probe(start).moves)

    def errors(mistakes: float) -> int:
        players = (Player(middle, "weaker", seed, mistakes=mistakes) for seed in range(400))
        return sum(player.choose(start) not in best for player in players)

    assert errors(0) == 0
    for mistakes in (0.15, 0.65, 1):
        assert errors(mistakes) == pytest.approx(400 * mistakes * (1 - share), abs=40)
    # Whether it errs is another question in each position, also with one seed.
    player = Player(middle, "weaker", 7, mistakes=0.5)
    replies = [start.play(move) for move in start.legal_moves()]
    erred = [player.choose(reply) not in middle.probe(reply).best for reply in replies]
    assert {True, False} <= set(erred)


def test_a_player_with_less_time_is_the_same_otherwise(small: Prober) -> None:
    player = Player(small, "level", 7, level=2).within(0.5)
    assert (player.kind, player.seed, player.level, player.prober.limits.seconds) == ("level", 7, 2, 0.5)
    weaker = Player(small, "weaker", mistakes=0.1).within(1)
    assert (weaker.mistakes, weaker.prober.knows_everything) == (0.1, True)
    weaker.prober.close()
    assert small.probe(RULES.start()).plies == 7  # its tables are still open


def test_only_the_weaker_player_errs(middle: Prober) -> None:
    start = middle.rules.start()
    assert Player(middle, "best", 3, mistakes=1).choose(start) in middle.probe(start).best


def test_beyond_what_is_known_the_best_looking_move_is_made(large: Prober) -> None:
    quiet = large.rules.parse("xo.xo/ox.../....x/o...o/x.ox. x")
    assert Player(large, "best", 1).choose(quiet) == large.probe(quiet).moves[0]
    drawn = large.probe(large.rules.start())
    assert Player(large, "best", 1).choose(drawn.position) in large.with_replies(drawn).moves


def test_the_longest_loss_is_chosen_where_only_results_know_it(large: Prober) -> None:
    assert Player(large).choose(longest_win()[1]).plies == 168


def test_a_game_that_is_over_has_no_move(small: Prober) -> None:
    with pytest.raises(ValueError, match="the game is over"):
        Player(small).choose(RULES.parse("xxx/oo./... o"))


def test_bad_arguments_are_named(small: Prober) -> None:
    with pytest.raises(ValueError, match="kind 'strong': must be one of best, trap, level, weaker"):
        Player(small, "strong")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mistakes 2: must be from 0 to 1"):
        Player(small, "weaker", mistakes=2)


def test_the_words_say_how_it_plays(small: Prober, large: Prober) -> None:
    assert "35%" in Player(small, "weaker").describe()
    assert Player(small).describe().startswith("Plays perfectly")
    assert "the book and a search of 8 plies and more" in Player(large).describe()
    assert "not perfect" in Player(large).describe()


def test_with_plies_a_game_lasts_exactly_as_long_as_it_must(middle: Prober) -> None:
    """Between two players at their best, from random positions that are won or lost."""
    chance, lengths = Random(3), set()
    for seed in range(25):
        position = random_board(middle.rules, chance)
        probe = middle.probe(position)
        plies = 0
        while probe.value != "draw" and not position.is_over:
            position = Player(middle, "best", seed).choose(position).position
            plies += 1
        if probe.value != "draw":
            assert plies == probe.plies
            lengths.add(plies)
    assert max(lengths) > 3


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prober, Table]]:
    """A prober of 3×5 with outcomes alone, and the whole table."""
    rules, folder = Quixo(3, 5), tmp_path_factory.mktemp("outcomes")
    solve(rules, folder / "whole")
    solve(rules, folder / "outcomes", outcomes_only=True)
    with (
        open_table(folder / "whole") as whole,
        open_table(folder / "outcomes") as table,
        ExitStack() as opened,
    ):
        yield Prober(rules, [table], opened, SearchLimits(5, 20_000, 60)), whole


def test_with_outcomes_alone_won_games_are_won(outcomes: tuple[Prober, Table]) -> None:
    """Against the longest resistance; a random choice of winning moves takes hundreds of plies."""
    prober, whole = outcomes
    chance, hard = Random(4), 0
    while hard < 8:
        position = random_board(prober.rules, chance)
        known = whole.probe(position)
        if known.value != "win" or not 9 <= (known.plies or 0) <= 15:
            continue
        hard += 1
        winner, game, player = position.turn, [position], Player(prober, "best", hard)
        while not position.is_over:
            if position.turn == winner:
                move = player.choose(position, game)
                assert move.value == "win"
            else:
                move = whole.probe(position).moves[0]
            position = move.position
            game.append(position)
            assert len(game) < 400
        assert position.winner == winner


def test_with_outcomes_alone_a_loss_is_resisted(outcomes: tuple[Prober, Table]) -> None:
    """A move of the loser gives up fewer plies than a random one would."""
    prober, whole = outcomes
    chance, chosen, mean, found = Random(5), 0.0, 0.0, 0
    while found < 20:
        position = random_board(prober.rules, chance)
        known = whole.probe(position)
        if known.value != "loss" or (known.plies or 0) < 8:
            continue
        found += 1
        plies = {move.move: move.plies or 0 for move in known.moves}
        chosen += plies[Player(prober, "best", found).choose(position).move]
        mean += sum(plies.values()) / len(plies)
    assert chosen > mean + 20


# --- Levels and traps ---


def plain_choices(position: Position, prober: Prober, plies: int) -> set[str]:
    """What a level may play, by what a table knows: as the docstring of `Player` says."""
    moves = prober.probe(position).moves
    seen = {move.text: move.value for move in moves if move.value != "draw" and (move.plies or 0) <= plies}
    length = {move.text: move.plies or 0 for move in moves}
    wins = [text for text, value in seen.items() if value == "win"]
    if wins:
        return {text for text in wins if length[text] == min(length[win] for win in wins)}
    open_ones = {move.text for move in moves} - seen.keys()
    return open_ones or {text for text in seen if length[text] == max(length.values())}


@pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))
def test_a_level_sees_so_many_plies(middle: Prober, level: int) -> None:
    random = Random(level)
    without_table = Prober(Quixo(4), [], ExitStack(), middle.limits)
    for _ in range(12):
        position = Quixo(4).start()
        for _ in range(random.randint(0, 14)):
            position = position.play(random.choice(position.legal_moves()))
            if position.is_over:
                break
        if position.is_over:
            continue
        allowed = plain_choices(position, middle, LEVELS[level - 1])
        for seed in range(3):
            assert Player(middle, "level", seed, level=level).choose(position).text in allowed
        if level < 5:  # by search as by the table
            assert Player(without_table, "level", 1, level=level).choose(position).text in allowed


def test_a_level_has_a_seed(middle: Prober) -> None:
    start = Quixo(4).start()
    chosen = [Player(middle, "level", seed, level=1).choose(start).text for seed in range(20)]
    assert chosen == [Player(middle, "level", seed, level=1).choose(start).text for seed in range(20)]
    assert len(set(chosen)) > 5
    assert "Level 1: sees what is decided within 1 ply" in Player(middle, "level", level=1).describe()
    with pytest.raises(ValueError, match="level 7: must be 1 to 6"):
        Player(middle, "level", level=7)


def test_a_trap_leaves_few_ways_to_win(middle: Prober) -> None:
    def ways(position: Position) -> int:
        return sum(move.value == "win" for move in middle.probe(position).moves)

    random = Random(1)
    fewer = 0
    for _ in range(60):
        position = Quixo(4).start()
        for _ in range(random.randint(4, 14)):
            position = position.play(random.choice(position.legal_moves()))
            if position.is_over:
                break
        probe = middle.probe(position)
        chosen = Player(middle, "trap", 1).choose(position) if probe.moves else None
        if chosen is None or probe.value != "loss":
            assert chosen is None or chosen.value == probe.value
            continue
        best = Player(middle, "best").choose(position)
        fewest = min(ways(move.position) for move in probe.moves)
        assert ways(chosen.position) == fewest
        fewer += fewest < ways(best.position)
    assert fewer > 2


# --- Where the book ends ---


@pytest.fixture(scope="module")
def shallow() -> Iterator[Prober]:
    with open_prober(Quixo(5), search_plies=2, search_nodes=1 << 6) as prober:
        yield prober


def chosen(player: Player) -> Callable[[Position], tuple[Move, str | None]]:
    def choose(position: Position) -> tuple[Move, str | None]:
        move = player.choose(position)
        return move.move, move.value

    return choose


@pytest.mark.parametrize("kind", ["best", "trap", "weaker", "level"])
def test_every_player_has_a_move_where_no_winning_one_is_known(shallow: Prober, kind: str) -> None:
    position = Position.parse(A_WIN_AMONG_UNKNOWN_MOVES)
    probe = shallow.probe(position)
    assert probe.value == "win"
    assert {move.value for move in probe.moves} == {None, "draw", "loss"}
    chosen = Player(shallow, kind, 1, mistakes=0).choose(position)  # type: ignore[arg-type]
    assert chosen.value is None or kind == "level"


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.exhaustive)])
def test_ten_marks_rank_first_what_may_keep_the_value(shallow: Prober, count: int) -> None:
    for position, value in edge_positions(count):
        probe = shallow.probe(position)
        assert probe.value == value
        assert_ranked(value, [move.value for move in probe.moves])


@pytest.mark.parametrize(("count", "most"), [(8, 30), pytest.param(200, 400, marks=pytest.mark.exhaustive)])
def test_games_across_the_edge_give_nothing_away_that_is_known(
    shallow: Prober, count: int, most: int
) -> None:
    for seed in range(count):
        player, random = Player(shallow, "best", seed), Random(seed)
        play_out(shallow.rules, "xo"[seed % 2], random, chosen(player), most)


def test_what_is_deduced_is_right(four: Forms, book_of_four: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """4×4 as if only a book of it was there."""
    table, book = four.compact, book_of_four
    monkeypatch.setattr(prober_module, "QUICK_CELLS", 0)
    monkeypatch.setattr(prober_module, "shipped_book", lambda rules: book)
    random, deduced = Random(4), 0
    with open_prober(Quixo(4), search_plies=1, search_nodes=1) as prober:
        for _ in range(500):
            marks = random.randint(book.outcome_marks - 1, book.outcome_marks)
            position = random_position(Quixo(4), random, marks)
            if position.is_over:
                continue
            probe = prober.probe(position)
            true = {move.move: move for move in table.probe(position).moves}
            assert probe.value is not None
            assert probe.value == table.probe(position).value
            assert_ranked(probe.value, [move.value for move in probe.moves])
            for move in probe.moves:
                assert move.value in (None, true[move.move].value)
                assert move.plies in (None, true[move.move].plies)
                marks = sum(move.position.counts)
                deduced += marks > book.outcome_marks and move.value is not None
    assert deduced
