"""The HTTP API: what it answers, what it refuses, and how."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import anyio
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from quixo.edges import A_WIN_AMONG_UNKNOWN_MOVES
from web.running import in_a_loop

from inarow import open_table
from inarow.cli.main import main
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.rules import Game
from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.rules import Position, Quixo, shapes
from inarow.quixo.solver import user_table
from inarow.quixo.solver.solve import solve
from inarow.quixo.solver.user_table import ensure_table
from inarow.web.app import create_app
from inarow.web.border import MOST_BODY, MOST_URL
from inarow.web.documents import documents
from inarow.web.pages import site_files
from inarow.web.quixo import Probers
from inarow.web.replies import Busy
from inarow.web.work import Work

LOST = "..../.oox/..../xo.._x"  # in 22, the longest of 4×4: docs/results/quixo.md


def problem(client: TestClient, path: str, status: int = 422, **options: Any) -> dict[str, Any]:
    """The error of a request that must fail with this status."""
    answer = client.request(options.pop("method", "GET"), path, **options)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    error: dict[str, Any] = answer.json()["error"]
    assert error["status"] == status
    assert "Traceback" not in answer.text
    return error


class TestQuixo:
    def test_a_probe_is_the_record_of_the_command_line_and_more(
        self, client: TestClient, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main(["quixo", "probe", LOST, "--json"])
        printed = json.loads(capsys.readouterr().out)
        record = client.get("/api/quixo/probe", params={"position": LOST}).json()
        threats: dict[str, Any] = {"x": [], "o": [], "blocks": None}
        assert record == {**printed, "winner": None, "winning_cells": [], "threats": threats}
        assert (record["value"], record["plies"]) == ("loss", 22)

    def test_rules_change_the_value(self, client: TestClient) -> None:
        params: dict[str, Any] = {"position": "..../..../..../...._x", "double_line": "wins"}
        assert client.get("/api/quixo/probe", params=params).json()["plies"] == 19
        assert client.get("/api/quixo/probe", params={**params, "line": 3}).json()["plies"] == 7

    def test_the_end_of_a_game(self, client: TestClient) -> None:
        record = client.get("/api/quixo/probe", params={"position": "xxx/oo./..._o"}).json()
        assert (record["value"], record["plies"], record["moves"]) == ("loss", 0, [])
        assert record["winner"] == "x"
        assert sorted(record["winning_cells"]) == ["a3", "b3", "c3"]

    def test_many_positions_at_once(self, client: TestClient) -> None:
        positions = [".../.../..._x", "x../.o./..._x", "xxx/oo./..._o"]
        answer = client.post("/api/quixo/probe", json={"positions": positions})
        singly = [client.get("/api/quixo/probe", params={"position": p}).json() for p in positions]
        assert answer.json()["probes"] == singly

    def test_a_line_is_optimal_to_the_end(self, client: TestClient) -> None:
        record = client.get("/api/quixo/line", params={"position": ".../.../..._x"}).json()
        assert len(record["moves"]) == record["plies"] == 7
        position = Quixo(3).start()
        for nth, move in enumerate(record["moves"]):
            position = position.play(move["move"])
            assert move["plies"] == 7 - nth
        assert position.winner == "x"

    def test_counts(self, client: TestClient) -> None:
        small = client.get("/api/quixo/stats", params={"size": 3}).json()
        assert small["states"] == {"win": 12_748, "loss": 6_935, "draw": 0}
        large = client.get("/api/quixo/stats", params={"size": 5}).json()
        assert sum(large["states"].values()) == 3**25

    def test_puzzles(self, client: TestClient) -> None:
        found = client.get("/api/quixo/puzzles", params={"size": 5}).json()
        assert found == shipped_puzzles(Quixo(5)).to_json()
        assert "no puzzles" in problem(client, "/api/quixo/puzzles", 404, params={"size": 3})["what"]

    def test_a_game_is_judged(self, client: TestClient) -> None:
        game = {"position": ".../.../..._x", "moves": ["a1a3", "c1a1", "a2c2"]}
        found = client.post("/api/quixo/analyse", json=game).json()
        assert [move["cost"] for move in found["moves"]] == [None, None, "won in 5 → lost in 6"]
        assert (found["turned"], found["x"]["accuracy"]) == (3, 0.5)
        wrong = problem(
            client, "/api/quixo/analyse", 409, method="POST", json={**game, "moves": ["a1a3", "a3a1"]}
        )
        assert wrong["where"] == ["body", "moves", 1]
        long = {"position": "...../...../...../...../....._x", "moves": ["a1a5"] * 21}
        assert "20" in problem(client, "/api/quixo/analyse", 413, method="POST", json=long)["what"]

    def test_sizes_of_counts(self, client: TestClient) -> None:
        def stats(size: str) -> Any:
            return client.get("/api/quixo/stats", params={"size": size}).json()

        assert stats("3x3") == stats("3")
        wide, tall = stats("2x4"), stats("4x2")
        assert (wide["rows"], wide["columns"], wide["line"]) == (2, 4, 4)
        assert (tall["rows"], tall["columns"]) == (4, 2)
        assert wide["states"] == tall["states"]
        assert sum(wide["states"].values()) == 3**8

    @pytest.mark.parametrize("size", ["6", "2x14", "1x4", "x", "4x", "4*4", ""])
    def test_sizes_that_no_board_has(self, client: TestClient, size: str) -> None:
        assert problem(client, "/api/quixo/stats", params={"size": size})["where"] == ["query", "size"]

    def test_counts_that_are_not_known(self, client: TestClient) -> None:
        error = problem(client, "/api/quixo/stats", 404, params={"size": "4x5"})
        assert "inarow quixo solve --size 4x5" in error["what"]

    @pytest.mark.parametrize("shape", shapes())
    def test_every_shape_is_a_position(self, client: TestClient, shape: tuple[int, int]) -> None:
        start = Quixo(*shape).start()
        operation = client.get("/api/openapi.json").json()["paths"]["/api/quixo/probe"]["get"]
        pattern = operation["parameters"][0]["schema"]["pattern"]
        assert re.search(pattern, start.text)
        assert re.search(pattern, start.url_text)
        assert not re.search(pattern, f"{start.url_text}x")
        if start.rules.cells <= 9 or start.rules.cells > 16:
            record = client.get("/api/quixo/probe", params={"position": start.url_text}).json()
            assert {move["move"] for move in record["moves"]} == {
                start.rules.move_text(move) for move in start.legal_moves()
            }

    def test_a_rectangle_is_solved(self, client: TestClient) -> None:
        params: dict[str, Any] = {"position": "..../...._x", "line": 3}
        record = client.get("/api/quixo/probe", params=params).json()
        line = client.get("/api/quixo/line", params=params).json()
        assert (record["value"], record["source"]) == ("win", "table")
        assert len(line["moves"]) == record["plies"]
        last = client.get(
            "/api/quixo/probe", params={**params, "position": line["moves"][-1]["position"]}
        ).json()
        assert last["winner"] == "x"
        assert len(last["winning_cells"]) >= 3

    def test_the_start_of_other_rules_is_known_from_the_results(self, client: TestClient) -> None:
        params: dict[str, Any] = {"position": "...../...../...../...../....._x", "line": 4}
        record = client.get("/api/quixo/probe", params=params).json()
        assert (record["value"], record["plies"], record["source"]) == ("win", 17, "results")

    def test_a_move_of_each_player(self, client: TestClient) -> None:
        def move(**params: Any) -> Any:
            return client.get("/api/quixo/move", params={"position": LOST, **params})

        moves = client.get("/api/quixo/probe", params={"position": LOST}).json()["moves"]
        assert {**move().json(), "alike": 0} == {**moves[0], "player": move().json()["player"]}
        assert move().json()["player"].startswith("Plays perfectly")
        assert {move(player="best", seed=seed).json()["plies"] for seed in range(5)} == {22}
        chosen = [move(player="weaker", mistakes=1, seed=seed).json()["move"] for seed in range(60)]
        assert len(set(chosen)) > 10
        assert set(chosen) <= {record["move"] for record in moves}
        again = [move(player="weaker", mistakes=1, seed=seed).json()["move"] for seed in range(60)]
        assert again == chosen
        assert move(player="weaker", seed=1).headers["cache-control"] == "public, max-age=60"
        assert move(player="weaker").headers["cache-control"] == "no-store"

    def test_a_move_past_the_table(self, client: TestClient) -> None:
        params = {"position": "xo.xo/ox.../....x/o...o/x.ox._x", "player": "best", "seed": 3}
        chosen = client.get("/api/quixo/move", params=params).json()
        probe = client.get("/api/quixo/probe", params={"position": params["position"]}).json()
        assert "not perfect" in chosen.pop("player")
        assert {**chosen, "alike": 0} == probe["moves"][0]

    def test_a_move_where_no_winning_one_is_known(self, client: TestClient) -> None:
        text = A_WIN_AMONG_UNKNOWN_MOVES.replace(" ", "_")
        chosen = client.get("/api/quixo/move", params={"position": text, "player": "best"}).json()
        assert chosen["value"] is None

    def test_moves_that_cannot_be_made(self, client: TestClient) -> None:
        over = problem(client, "/api/quixo/move", 409, params={"position": "xxx/oo./..._o"})
        assert (over["what"], over["where"]) == ("the game is over", ["query", "position"])
        for name, value in (("player", "strong"), ("mistakes", 2), ("mistakes", "nan"), ("seed", -1)):
            params = {"position": LOST, name: value}
            assert problem(client, "/api/quixo/move", params=params)["where"] == ["query", name]

    def test_where_nothing_is_known_the_moves_are_given_all_the_same(self, client: TestClient) -> None:
        text = "xo.xo/ox.../....x/o...o/x.ox._x"
        record = client.get("/api/quixo/probe", params={"position": text}).json()
        moves = {move["move"] for move in record["moves"]}
        assert moves == {Quixo(5).move_text(move) for move in Position.parse(text).legal_moves()}
        assert (record["value"], record["source"]) == (None, "search")
        assert "the book ends at 10 marks" in record["reason"]

    def test_the_results_know_classes_with_a_single_value(self, client: TestClient) -> None:
        params: dict[str, Any] = {"position": "...../...../...../..x../....._o", "line": 4}
        record = client.get("/api/quixo/probe", params=params).json()
        assert (record["value"], record["source"]) == ("loss", "results")
        assert {move["value"] for move in record["moves"]} == {"loss"}

    def test_losing_replies_are_counted_in_a_draw(self, client: TestClient) -> None:
        record = client.get("/api/quixo/probe", params={"position": "..../..../..../oo.x_x"}).json()
        assert record["value"] == "draw"
        for move in record["moves"]:
            if move["value"] == "draw":
                replies = client.get(
                    "/api/quixo/probe", params={"position": move["position"].replace(" ", "_")}
                )
                losing = [reply["value"] for reply in replies.json()["moves"]]
                assert (move["losing_replies"], move["replies"]) == (losing.count("loss"), len(losing))
            else:
                assert move["losing_replies"] is None

    def test_the_book_is_asked_where_there_is_no_table(self, client: TestClient) -> None:
        record = client.get("/api/quixo/probe", params={"position": "...../...../...../...../....._x"}).json()
        assert (record["value"], record["source"], record["reason"]) == ("draw", "book", None)
        line = client.get("/api/quixo/line", params={"position": "xxxx./oo.../o..../o..../....._x"}).json()
        assert [move["plies"] for move in line["moves"]] == [1]

    def test_searches_are_fewer_at_once(self, client: TestClient) -> None:
        body = {"positions": ["../.._x"] * 30 + ["...../...../...../...../....._x"] * 21}
        error = problem(client, "/api/quixo/probe", 413, method="POST", json=body)
        assert error["where"] == ["body", "positions", 50]
        body["positions"].pop()
        answer = client.post("/api/quixo/probe", json=body).json()["probes"]
        assert [record["source"] for record in answer] == ["table"] * 30 + ["book"] * 20

    @pytest.mark.parametrize(
        ("status", "params", "where", "at"),
        [
            (422, {"position": "..../.oox/..z./xo.._x"}, ["query", "position"], 12),
            (422, {"position": "hello"}, ["query", "position"], 0),
            (422, {"position": "../.._x" + "x" * 60}, ["query", "position"], None),
            (409, {"position": ".../.../..._x", "line": 4}, ["query", "line"], None),
            (422, {"position": ".../.../..._x", "line": 13}, ["query", "line"], None),
            (422, {"position": ".../.../..._x", "double_line": "maybe"}, ["query", "double_line"], None),
            (422, {}, ["query", "position"], None),
        ],
    )
    def test_what_is_wrong_and_where(
        self, client: TestClient, status: int, params: dict[str, Any], where: list[str], at: int | None
    ) -> None:
        error = problem(client, "/api/quixo/probe", status, params=params)
        assert error["where"] == where
        assert error.get("at") == at

    def test_what_is_wrong_in_a_batch(self, client: TestClient) -> None:
        def wrong(**options: Any) -> dict[str, Any]:
            return problem(client, "/api/quixo/probe", method="POST", **options)

        assert wrong(json={"positions": ["../.._x", "..?/.._x"]})["where"] == ["body", "positions", 1]
        assert wrong(json={"positions": []})["where"] == ["body", "positions"]
        assert wrong(json={"positions": ["../.._x"] * 1001})["where"] == ["body", "positions"]
        assert wrong(json={"positions": ["../.._x"], "size": 2})["where"] == ["body", "size"]
        assert (
            "JSON" in wrong(content=b'{"positions": [', headers={"content-type": "application/json"})["what"]
        )
        assert wrong(content=b"\xff\xfe", headers={"content-type": "application/json"})["where"] == ["body"]


class TestProbers:
    def test_a_table_is_solved_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        solved: list[Quixo] = []

        def counted(rules: Quixo, progress: object) -> Path:
            solved.append(rules)
            return ensure_table(rules)

        monkeypatch.setattr(user_table, "ensure_table", counted)
        probers = Probers()
        threads = [threading.Thread(target=probers.of, args=(Quixo(2),)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert solved == [Quixo(2)]
        assert probers.rules == [Quixo(2)]

    def test_large_boards_are_not_solved(self) -> None:
        probers = Probers()
        assert not probers.of(Quixo(5)).is_fast
        assert probers.rules == []


class TestQubic:
    def test_the_proof_says_why(self, client: TestClient) -> None:
        record = client.get("/api/qubic/probe").json()
        assert record["answer"]["reason"] == "dictionary"
        assert record["answer"]["cell"] == 0

    def test_threats_and_forced_wins(self, client: TestClient) -> None:
        cells = ["."] * 64
        for cell in (0, 1, 2):
            cells[cell] = "x"
        for cell in (16, 20, 24):
            cells[cell] = "o"
        record = client.get("/api/qubic/probe", params={"position": "".join(cells)}).json()
        assert record["threats"] == {"x": [3], "o": [28]}
        assert record["answer"] == {
            "cell": 3,
            "reason": "win",
            "why": "This completes a line and wins.",
            "line_number": None,
            "sequence": None,
        }
        line = client.get("/api/qubic/line", params={"position": "".join(cells)}).json()
        assert (line["moves"], line["winner"]) == ([3], "x")

    def test_where_the_dictionary_ends_it_says_so(self, client: TestClient) -> None:
        record = client.get("/api/qubic/probe", params={"position": "ox" + "." * 62}).json()
        assert record["answer"] is None
        assert "no answer" in record["reason"]

    @pytest.mark.parametrize(
        ("text", "status"), [("x", 422), ("z" * 64, 422), ("o" + "." * 63, 409), ("xx" + "." * 62, 409)]
    )
    def test_what_is_no_position(self, client: TestClient, text: str, status: int) -> None:
        error = problem(client, "/api/qubic/probe", status, params={"position": text})
        assert error["where"] == ["query", "position"]

    def test_the_position_after_a_move(self, client: TestClient) -> None:
        params = {"position": "x" + "." * 63, "move": 5}
        after = client.get("/api/qubic/probe", params=params).json()
        there = client.get("/api/qubic/probe", params={"position": "x....o" + "." * 58}).json()
        assert after == there
        for move, status in ((0, 409), (64, 422)):
            error = problem(client, "/api/qubic/probe", status, params={**params, "move": move})
            assert error["where"] == ["query", "move"]

    def test_moves(self, client: TestClient) -> None:
        def move(position: str, **params: Any) -> Any:
            return client.get("/api/qubic/move", params={"position": position, **params}).json()["move"]

        assert move("." * 64) == 0  # the proof's
        begun = "x" + "." * 63
        assert len({move(begun, seed=seed) for seed in range(20)}) > 5
        assert move(begun, seed=4) == move(begun, seed=4)
        assert move("xxx." + "." * 12 + "oo.." + "." * 44) == 3
        assert move("xxx." + "." * 12 + "o..." + "." * 43 + "o") == 3
        # Beyond the dictionary X plays on.
        assert move("ox" + "." * 62, seed=1) in range(2, 64)
        over = "xxxx" + "." * 12 + "ooo." + "." * 44
        assert (
            problem(client, "/api/qubic/move", 409, params={"position": over})["what"] == "the game is over"
        )

    def test_counts(self, client: TestClient) -> None:
        stats = client.get("/api/qubic/stats").json()
        assert (stats["lines"], stats["symmetries"]) == (76, 192)
        assert stats["dictionary_lines"] == len(shipped_dictionary(Game.named("qubic")).lines)


class TestUltimate:
    def test_the_strategy_says_why(self, client: TestClient) -> None:
        record = client.get("/api/ultimate/probe", params={"position": "44,40,04,43"}).json()
        assert record["strategy"]["move"] == "34"
        assert record["strategy"]["phase"] == "opening"
        assert record["active_fields"] == [3]
        after = client.get("/api/ultimate/probe", params={"position": "44,40,04,43,34"}).json()
        assert after["last_strategy"] == record["strategy"]
        assert after["strategy"] is None

    def test_off_the_strategy(self, client: TestClient) -> None:
        record = client.get("/api/ultimate/probe", params={"position": "00,01"}).json()
        assert record["strategy"] is None
        assert "Xavier" in record["reason"]
        assert "Xavier" in problem(client, "/api/ultimate/line", 409, params={"position": "00,01"})["what"]

    def test_moves(self, client: TestClient) -> None:
        def move(position: str, **params: Any) -> Any:
            return client.get("/api/ultimate/move", params={"position": position, **params}).json()["move"]

        assert move("start") == "44"
        assert move("44,40,04,43") == "34"
        resisting = client.get("/api/ultimate/probe", params={"position": "44"}).json()["resistance"]
        assert {move("44", seed=seed) for seed in range(40)} <= set(resisting)
        assert move("00,01", seed=1) == move("00,01", seed=1)
        assert move("44,40,04,43", seed=1, player="search") == move("44,40,04,43", seed=1, player="search")
        closed = [move("44,40", variant="closed", seed=seed) for seed in range(10)]
        assert len(set(closed)) > 1
        assert {played[0] for played in closed} == {"0"}

    def test_a_line_ends_with_a_win_of_x(self, client: TestClient) -> None:
        record = client.get("/api/ultimate/line").json()
        assert record["winner"] == "x"
        assert 29 <= len(record["moves"]) <= 43  # the bounds of arXiv:2006.02353

    def test_counts(self, client: TestClient) -> None:
        stats = client.get("/api/ultimate/stats").json()
        assert (stats["wins"], stats["shortest"], stats["longest"]) == (True, 29, 43)
        assert sum(row["games"] for row in stats["games"]) == 602_430_151_680  # docs/results/ultimate.md

    def test_an_illegal_move_is_pointed_at(self, client: TestClient) -> None:
        error = problem(client, "/api/ultimate/probe", 409, params={"position": "44,40,51"})
        assert (error["where"], error["at"]) == (["query", "position"], 6)

    def test_the_position_after_a_move(self, client: TestClient) -> None:
        after = client.get("/api/ultimate/probe", params={"position": "44,40", "move": "04"}).json()
        assert after == client.get("/api/ultimate/probe", params={"position": "44,40,04"}).json()
        for move, status in (("51", 409), ("99", 422)):
            params = {"position": "44,40", "move": move}
            assert problem(client, "/api/ultimate/probe", status, params=params)["where"] == ["query", "move"]

    def test_many_positions_at_once(self, client: TestClient) -> None:
        answer = client.post("/api/ultimate/probe", json={"positions": ["start", "44,40"]})
        assert [record["position"] for record in answer.json()["probes"]] == ["start", "44 40"]


class TestServer:
    def test_health(self, client: TestClient) -> None:
        record = client.get("/api/health").json()
        assert record["status"] == "ok"
        assert "Quixo 3×3, line 3, double line loses" in record["tables"]

    def test_answers_are_kept_by_the_caller(self, client: TestClient) -> None:
        first = client.get("/api/quixo/probe", params={"position": ".../.../..._x"})
        assert "max-age" in first.headers["cache-control"]
        tag = first.headers["etag"]
        again = client.get(
            "/api/quixo/probe", params={"position": ".../.../..._x"}, headers={"if-none-match": f'"a", {tag}'}
        )
        assert (again.status_code, again.content) == (304, b"")
        page = client.get("/quixo/")
        assert client.get("/quixo/", headers={"if-none-match": page.headers["etag"]}).status_code == 304

    def test_any_page_may_read(self, client: TestClient) -> None:
        answer = client.get("/api/health", headers={"origin": "https://example.org"})
        assert answer.headers["access-control-allow-origin"] == "*"
        asked = client.options(
            "/api/quixo/probe",
            headers={"origin": "https://example.org", "access-control-request-method": "DELETE"},
        )
        assert asked.status_code == 400

    def test_nothing_is_loaded_from_elsewhere(self, client: TestClient) -> None:
        for path in ("/", "/quixo/", "/qubic/", "/ultimate/", "/results/", "/results/quixo/", "/api/docs/"):
            page = client.get(path)
            assert page.status_code == 200
            assert "default-src 'none'" in page.headers["content-security-policy"]
            for attribute in ('src="', 'rel="stylesheet" href="', 'rel="icon" href="'):
                for part in page.text.split(attribute)[1:]:
                    loaded = part.split('"')[0]
                    assert client.get(urljoin(path, loaded)).status_code == 200, loaded

    def test_links_lead_to_pages_under_any_path(self, client: TestClient) -> None:
        for name, body in site_files():
            assert not re.search(rb'(href|src)="/', body), name
        moved = client.get("/quixo?position=.../.../..._x", follow_redirects=False)
        assert (moved.status_code, moved.headers["location"]) == (308, "quixo/?position=.../.../..._x")

    def test_pages_that_do_not_exist(self, app: FastAPI) -> None:
        outer = FastAPI()
        outer.mount("/any/path", app)
        under = TestClient(outer, headers={"accept": "text/html"}, base_url="http://localhost")
        for path in ("/nothing", "/results/nothing/", "/no/such/page"):
            page = under.get(f"/any/path{path}")
            assert page.status_code == 404
            assert "There is no such page" in page.text
            for link in re.findall('(?:href|src)="([^"#]+)"', page.text):
                assert under.get(urljoin(f"/any/path{path}", link)).status_code == 200, link
        assert under.get("/any/path/api/nothing").json()["error"]["status"] == 404

    def test_links_to_parts_of_documents_lead_to_headings(self, client: TestClient) -> None:
        links = re.findall(r'href="\.\./results/([\w-]+)/#([^"]+)"', client.get("/results/").text)
        assert len(links) > 5
        for name, anchor in links:
            assert f'id="{anchor}"' in client.get(f"/results/{name}/").text, (name, anchor)

    def test_the_documents_are_pages(self, client: TestClient) -> None:
        listed = client.get("/results/").text
        assert {"quixo", "dictionaries"} <= {document.name for document in documents()}
        for document in documents():
            assert f'href="../results/{document.name}/"' in listed
            path = f"/results/{document.name}/"
            page = client.get(path).text
            assert " style=" not in page  # the policy would not let it in
            assert "<pre>" not in page  # what scrolls can be reached by keyboard
            assert "<th></th>" not in page
            regions = re.findall('role="region" aria-label="([^"]+)"', page)
            assert len(set(regions)) == len(regions)
            for part in page.split('<img src="')[1:]:
                image = urljoin(path, part.split('"')[0])
                assert client.get(image).headers["content-type"] == "image/svg+xml"
            for part in page.split('<a href="')[1:]:
                target = part.split('"')[0]
                if not target.startswith(("https://", "#")):
                    assert client.get(urljoin(path, target)).status_code == 200, target

    def test_first_paint_is_small(self, client: TestClient) -> None:
        """The bytes that the largest page loads, compressed as they are sent."""
        loaded = {"header.js", "style.css", "icon.svg", "texts-en-quixo.js"}
        found = ["quixo.js", "source-http.js"]
        while found:
            name = found.pop()
            loaded.add(name)
            modules = re.findall(r'from "\./([\w-]+\.js)"', client.get(f"/static/{name}").text)
            found += [module for module in modules if module not in loaded]
        total = _sent(client, "/quixo/") + sum(_sent(client, f"/static/{name}") for name in loaded)
        total += _sent(client, "/api/quixo/probe?position=.../.../..._x")
        assert total < 50_000

    @pytest.mark.parametrize(
        "path",
        [
            "/static/../app.py",
            "/static/..%2fapp.py",
            "/static/%2e%2e/app.py",
            "/static/....//app.py",
            "/static//etc/passwd",
            "/results/..%2f..%2fpyproject",
            "/api/quixo/",
            "/nothing",
        ],
    )
    def test_no_path_leads_out(self, client: TestClient, path: str) -> None:
        assert problem(client, path, 404)["what"] == "Not Found"

    def test_solving_does_not_hold_up_the_rest(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def slow(rules: Quixo, progress: object) -> Path:
            if rules == Quixo(3):
                begun.set()
                assert go_on.wait(30)
            return ensure_table(rules)

        def plies(position: str) -> Any:
            return fresh.get("/api/quixo/probe", params={"position": position}).json()["plies"]

        monkeypatch.setattr(user_table, "ensure_table", slow)
        answers: list[Any] = []
        with TestClient(create_app()) as fresh:
            asking = threading.Thread(target=lambda: answers.append(plies(".../.../..._x")))
            asking.start()
            assert begun.wait(30)
            assert fresh.get("/api/health").status_code == 200
            assert plies("../.._x") == 3
            assert answers == []
            go_on.set()
            asking.join()
        assert answers == [7]

    def test_methods(self, client: TestClient) -> None:
        assert problem(client, "/api/quixo/probe", 405, method="DELETE")
        assert client.head("/quixo/").status_code == 200

    def test_too_large(self, client: TestClient) -> None:
        def endless() -> Iterator[bytes]:
            yield b'{"positions": ["'
            for _ in range(MOST_BODY // 1024 + 1):
                yield b"x" * 1024

        announced = {"positions": ["x" * MOST_BODY]}
        assert problem(client, "/api/quixo/probe", 413, method="POST", json=announced)["where"] == ["body"]
        headers = {"content-type": "application/json"}
        assert problem(client, "/api/quixo/probe", 413, method="POST", content=endless(), headers=headers)
        assert problem(client, f"/api/quixo/probe?position={'x' * MOST_URL}", 414)

    def test_our_own_mistakes_are_not_told(self, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> None:
            raise RuntimeError("secret")

        monkeypatch.setattr("inarow.web.ultimate.line_record", broken)
        assert "secret" not in problem(client, "/api/ultimate/line", 500)["what"]

    def test_a_damaged_table_is_said_to_be_one(self, client: TestClient) -> None:
        # Of this rule no other test makes a table.
        home = Path(os.environ["XDG_DATA_HOME"])
        folder = home / "inarow" / "quixo" / "2x2-line2-wins"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("nonsense")
        params = {"position": "../.._x", "double_line": "wins"}
        error = problem(client, "/api/quixo/probe", 503, params=params)
        assert error["what"] == "a table of this server is damaged; its log says which"
        shutil.rmtree(folder)
        assert client.get("/api/quixo/probe", params=params).json()["plies"] == 3


class TestWork:
    def test_no_more_waits_than_is_let(self) -> None:
        released = threading.Event()

        async def scene() -> None:
            work = Work(threads=1, queue=1)
            async with anyio.create_task_group() as group:
                for _ in range(2):
                    group.start_soon(work.run, released.wait)
                await anyio.sleep(0)
                await anyio.sleep(0)
                with pytest.raises(Busy):
                    await work.run(released.wait)
                released.set()
            assert await work.run(lambda: 7) == 7

        in_a_loop(scene())


def _sent(client: TestClient, path: str) -> int:
    with client.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
        assert answer.status_code == 200, path
        return int(answer.headers["content-length"])


def test_a_table_that_is_not_complete(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def progress(done: int, total: int) -> None:
        if done > 100_000:  # the smallest pairs of full boards
            raise Enough

    folder = tmp_path / "secret"
    with pytest.raises(Enough):
        solve(Quixo(5), folder, progress=progress)
    with open_table(folder) as table, TestClient(create_app([table], search_seconds=0.25)) as client:

        def record(position: str) -> Any:
            answer = client.get("/api/quixo/probe", params={"position": position})
            assert "secret" not in answer.text  # callers have no business with our folders
            return answer.json()

        assert record("oxxxx/xxoxx/xxxxo/xoxxx/xxxox_x")["source"] == "table"
        assert record("...../...../...../...../....._x")["source"] == "book"
        gap = record("xo.xo/ox.../....x/o...o/x.ox._x")
        assert gap["value"] is None
        assert "complete it with 'inarow quixo solve --size 5 --out DIR'" in gap["reason"]


def test_the_table_of_a_folder_is_served(tmp_path: Path) -> None:
    solve(Quixo(2), tmp_path / "2x2")
    with open_table(tmp_path / "2x2") as table:
        answer = TestClient(create_app([table])).get("/api/health").json()
    assert answer["tables"] == ["Quixo 2×2, line 2, double line loses"]
