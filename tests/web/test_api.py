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

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from quixo.edges import A_WIN_AMONG_UNKNOWN_MOVES

from inarow import open_prober, open_table
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
from inarow.web.quixo import Quixos, record

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


START_5 = "...../...../...../...../....._x"
PAST_THE_BOOK = "xo.xo/ox.../....x/o...o/x.ox._x"
OVER = "xxx/oo./..._o"
BLANK = "." * 64  # Qubic's empty cube
CUBE = "xxx." + "." * 12 + "o...o...o" + "." * 39  # X completes a line at 3, O at 28

# What is asked, and some fields of the answer.
Answered = tuple[str, dict[str, Any], dict[str, Any]]
ANSWERS: list[Answered] = [
    ("quixo/probe", {"position": LOST}, {"value": "loss", "plies": 22}),
    ("quixo/probe", {"position": "..../..../..../...._x", "double_line": "wins"}, {"plies": 19}),
    ("quixo/probe", {"position": "..../..../..../...._x", "double_line": "wins", "line": 3}, {"plies": 7}),
    ("quixo/probe", {"position": OVER}, {"value": "loss", "plies": 0, "moves": [], "winner": "x"}),
    ("quixo/probe", {"position": START_5}, {"value": "draw", "source": "book", "reason": None}),
    ("quixo/probe", {"position": START_5, "line": 4}, {"value": "win", "plies": 17, "source": "results"}),
    (
        "quixo/probe",
        {"position": "...../...../...../..x../....._o", "line": 4},
        {"value": "loss", "source": "results"},
    ),
    ("quixo/probe", {"position": PAST_THE_BOOK}, {"value": None, "source": "search"}),
    ("quixo/stats", {"size": 3}, {"states": {"win": 12_748, "loss": 6_935, "draw": 0}}),
    ("quixo/stats", {"size": "3x3"}, {"states": {"win": 12_748, "loss": 6_935, "draw": 0}}),
    ("quixo/stats", {"size": "2x4"}, {"rows": 2, "columns": 4, "line": 4}),
    ("quixo/stats", {"size": "4x2"}, {"rows": 4, "columns": 2, "line": 4}),
    ("quixo/move", {"position": A_WIN_AMONG_UNKNOWN_MOVES.replace(" ", "_")}, {"value": None}),
    ("qubic/probe", {"position": CUBE}, {"threats": {"x": [3], "o": [28]}}),
    ("qubic/probe", {"position": "ox" + BLANK[2:]}, {"answer": None}),
    ("qubic/line", {"position": CUBE}, {"moves": [3], "winner": "x"}),
    ("qubic/stats", {}, {"lines": 76, "symmetries": 192}),
    ("ultimate/probe", {"position": "44,40,04,43"}, {"active_fields": [3]}),
    ("ultimate/probe", {"position": "00,01"}, {"strategy": None}),
    ("ultimate/stats", {}, {"wins": True, "shortest": 29, "longest": 43}),
]

# What is refused: the status, the request, where it is wrong, and what is said of it.
POSITION, SIZE, MOVE = ["query", "position"], ["query", "size"], ["query", "move"]
Refused = tuple[int, str, dict[str, Any], list[Any] | None, str]
REFUSED: list[Refused] = [
    (422, "quixo/probe", {"position": "..../.oox/..z./xo.._x"}, POSITION, "12"),
    (422, "quixo/probe", {"position": "hello"}, POSITION, "0"),
    (422, "quixo/probe", {"position": "../.._x" + "x" * 60}, POSITION, ""),
    (409, "quixo/probe", {"position": ".../.../..._x", "line": 4}, ["query", "line"], ""),
    (422, "quixo/probe", {"position": ".../.../..._x", "line": 14}, ["query", "line"], ""),
    (422, "quixo/probe", {"position": LOST, "double_line": "maybe"}, ["query", "double_line"], ""),
    (422, "quixo/probe", {"position": LOST, "misere": "maybe"}, ["query", "misere"], ""),
    (422, "quixo/probe", {}, POSITION, ""),
    *((422, "quixo/stats", {"size": size}, SIZE, "") for size in ("6", "2x14", "1x4", "x", "4x", "4*4", "")),
    (404, "quixo/stats", {"size": "4x5"}, None, "inarow quixo solve --size 4x5"),
    (404, "quixo/puzzles", {"size": 3}, None, "no puzzles"),
    (409, "quixo/move", {"position": OVER}, POSITION, "the game is over"),
    *(
        (422, "quixo/move", {"position": LOST, name: value}, ["query", name], "")
        for name, value in (("player", "strong"), ("mistakes", 2), ("mistakes", "nan"), ("seed", -1))
    ),
    (422, "qubic/probe", {"position": "x"}, POSITION, ""),
    (422, "qubic/probe", {"position": "z" * 64}, POSITION, ""),
    (409, "qubic/probe", {"position": "o" + BLANK[1:]}, POSITION, ""),
    (409, "qubic/probe", {"position": "xx" + BLANK[2:]}, POSITION, ""),
    (409, "qubic/probe", {"position": "x" + BLANK[1:], "move": 0}, MOVE, ""),
    (422, "qubic/probe", {"position": "x" + BLANK[1:], "move": 64}, MOVE, ""),
    (409, "qubic/move", {"position": "xxxx............ooo." + BLANK[20:]}, POSITION, "the game is over"),
    (409, "ultimate/probe", {"position": "44,40,51"}, POSITION, "6"),
    (409, "ultimate/probe", {"position": "44,40", "move": "51"}, MOVE, ""),
    (422, "ultimate/probe", {"position": "44,40", "move": "99"}, MOVE, ""),
    (409, "ultimate/line", {"position": "00,01"}, POSITION, "Xavier"),
]

# Bodies that are refused.
BATCHES: list[tuple[int, str, Any, list[Any]]] = [
    (422, "quixo/probe", {"positions": ["../.._x", "..?/.._x"]}, ["body", "positions", 1]),
    (422, "quixo/probe", {"positions": []}, ["body", "positions"]),
    (422, "quixo/probe", {"positions": ["../.._x"] * 1001}, ["body", "positions"]),
    (422, "quixo/probe", {"positions": ["../.._x"], "size": 2}, ["body", "size"]),
    (413, "quixo/probe", {"positions": ["../.._x"] * 30 + [START_5] * 21}, ["body", "positions", 50]),
    (409, "quixo/analyse", {"position": ".../.../..._x", "moves": ["a1a3", "a3a1"]}, ["body", "moves", 1]),
    (413, "quixo/analyse", {"position": START_5, "moves": ["a1a5"] * 21}, ["body", "moves", 20]),
    (422, "quixo/probe", b'{"positions": [', ["body"]),
    (422, "quixo/probe", b"\xff\xfe", ["body"]),
]


class TestAnswers:
    @pytest.mark.parametrize("row", ANSWERS)
    def test_what_is_answered(self, client: TestClient, row: Answered) -> None:
        path, params, fields = row
        found = client.get(f"/api/{path}", params=params).json()
        assert {name: found.get(name) for name in fields} == fields

    @pytest.mark.parametrize("row", REFUSED)
    def test_what_is_wrong_and_where(self, client: TestClient, row: Refused) -> None:
        status, path, params, where, told = row
        error = problem(client, f"/api/{path}", status, params=params)
        assert error.get("where") == where
        assert error.get("at") == int(told) if told.isdigit() else told in error["what"]

    @pytest.mark.parametrize("row", BATCHES)
    def test_what_is_wrong_in_a_body(self, client: TestClient, row: tuple[int, str, Any, list[Any]]) -> None:
        status, path, body, where = row
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        options: dict[str, Any] = {"method": "POST", "content": content, "headers": headers}
        assert problem(client, f"/api/{path}", status, **options)["where"] == where

    @pytest.mark.parametrize(
        ("game", "positions"),
        [
            ("quixo", [".../.../..._x", "x../.o./..._x", OVER]),
            ("qubic", [BLANK, CUBE]),
            ("ultimate", ["start", "44,40"]),
        ],
    )
    def test_many_positions_at_once(self, client: TestClient, game: str, positions: list[str]) -> None:
        many = client.post(f"/api/{game}/probe", json={"positions": positions}).json()["probes"]
        path = f"/api/{game}/probe"
        assert many == [client.get(path, params={"position": one}).json() for one in positions]

    @pytest.mark.parametrize(
        ("game", "before", "move", "after"),
        [("qubic", "x" + BLANK[1:], 5, "x....o" + BLANK[6:]), ("ultimate", "44,40", "04", "44,40,04")],
    )
    def test_the_position_after_a_move(
        self, client: TestClient, game: str, before: str, move: Any, after: str
    ) -> None:
        path = f"/api/{game}/probe"
        made = client.get(path, params={"position": before, "move": move}).json()
        assert made == client.get(path, params={"position": after}).json()


class TestQuixo:
    def test_a_probe_is_the_record_of_the_command_line_and_more(
        self, client: TestClient, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main(["quixo", "probe", LOST, "--json"])
        printed = json.loads(capsys.readouterr().out)
        record = client.get("/api/quixo/probe", params={"position": LOST}).json()
        threats: dict[str, Any] = {"x": [], "o": [], "blocks": None}
        assert record == {**printed, "winner": None, "winning_cells": [], "threats": threats}

    def test_variants(self, client: TestClient) -> None:
        params: dict[str, Any] = {"position": ".../.../..._x", "misere": 1, "diagonals": 0}
        rules = Quixo(3, misere=True, diagonals=False)
        with open_prober(rules) as prober:
            expected = record(prober, rules.start())
        assert client.get("/api/quixo/probe", params=params).json() == json.loads(json.dumps(expected))
        body = {"positions": [params["position"]], "misere": True, "diagonals": False}
        assert client.post("/api/quixo/probe", json=body).json()["probes"][0]["plies"] == expected["plies"]
        stats = client.get(
            "/api/quixo/stats", params={"size": 3, "wrap": True, "double_line": "draws"}
        ).json()
        assert (stats["wrap"], stats["double_line"]) == (True, "draws")
        assert Quixo.from_json(stats) == Quixo(3, wrap=True, double_line="draws")

    def test_a_line_is_optimal_to_the_end(self, client: TestClient) -> None:
        record = client.get("/api/quixo/line", params={"position": ".../.../..._x"}).json()
        assert len(record["moves"]) == record["plies"] == 7
        position = Quixo(3).start()
        for nth, move in enumerate(record["moves"]):
            position = position.play(move["move"])
            assert move["plies"] == 7 - nth
        assert position.winner == "x"

    def test_a_game_is_judged(self, client: TestClient) -> None:
        game = {"position": ".../.../..._x", "moves": ["a1a3", "c1a1", "a2c2"]}
        found = client.post("/api/quixo/analyse", json=game).json()
        assert [move["cost"] for move in found["moves"]] == [None, None, "won in 5 → lost in 6"]
        assert (found["turned"], found["x"]["accuracy"]) == (3, 0.5)

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

    def test_a_move_of_each_player(self, client: TestClient) -> None:
        def move(**params: Any) -> Any:
            return client.get("/api/quixo/move", params={"position": LOST, **params})

        moves = client.get("/api/quixo/probe", params={"position": LOST}).json()["moves"]
        best = move().json()
        assert best.pop("player").startswith("Plays perfectly")
        assert {**best, "alike": 0} == moves[0]
        chosen, again = ([move(player="weaker", mistakes=1, seed=n).json() for n in range(20)] for _ in "12")
        assert chosen == again
        assert len({found["move"] for found in chosen}) > 5
        assert move(player="weaker", seed=1).headers["cache-control"] == "public, max-age=60"
        assert move(player="weaker").headers["cache-control"] == "no-store"

    def test_what_ships(self, client: TestClient) -> None:
        found = client.get("/api/quixo/puzzles", params={"size": 5}).json()
        assert found == shipped_puzzles(Quixo(5)).to_json()
        large = client.get("/api/quixo/stats", params={"size": 5}).json()
        assert sum(large["states"].values()) == 3**25

    def test_where_nothing_is_known_the_moves_are_given_all_the_same(self, client: TestClient) -> None:
        record = client.get("/api/quixo/probe", params={"position": PAST_THE_BOOK}).json()
        position = Position.parse(PAST_THE_BOOK)
        moves = {position.rules.move_text(move) for move in position.legal_moves()}
        assert {move["move"] for move in record["moves"]} == moves
        assert "the book ends at 10 marks" in record["reason"]


class TestQuixos:
    def test_a_table_is_solved_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        solved: list[Quixo] = []

        def counted(rules: Quixo, progress: object) -> Path:
            solved.append(rules)
            return ensure_table(rules)

        monkeypatch.setattr(user_table, "ensure_table", counted)
        quixos = Quixos()
        threads = [threading.Thread(target=quixos.prober, args=(Quixo(2),)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert solved == [Quixo(2)]
        assert quixos.rules == [Quixo(2)]

    def test_large_boards_are_not_solved(self) -> None:
        quixos = Quixos()
        assert not quixos.prober(Quixo(5)).is_fast
        assert quixos.rules == []


class TestQubic:
    def test_the_proof_says_why(self, client: TestClient) -> None:
        answer = client.get("/api/qubic/probe").json()["answer"]
        assert (answer["reason"], answer["cell"]) == ("dictionary", 0)
        answer = client.get("/api/qubic/probe", params={"position": CUBE}).json()["answer"]
        why = "This completes a line and wins."
        assert answer == {"cell": 3, "reason": "win", "why": why, "line_number": None, "sequence": None}
        beyond = client.get("/api/qubic/probe", params={"position": "ox" + BLANK[2:]}).json()
        assert "no answer" in beyond["reason"]
        stats = client.get("/api/qubic/stats").json()
        assert stats["dictionary_lines"] == len(shipped_dictionary(Game.named("qubic")).lines)

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


class TestUltimate:
    def test_the_strategy_says_why(self, client: TestClient) -> None:
        record = client.get("/api/ultimate/probe", params={"position": "44,40,04,43"}).json()
        assert record["strategy"]["move"] == "34"
        assert record["strategy"]["phase"] == "opening"
        assert record["active_fields"] == [3]
        after = client.get("/api/ultimate/probe", params={"position": "44,40,04,43,34"}).json()
        assert after["last_strategy"] == record["strategy"]
        assert after["strategy"] is None

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
        assert sum(row["games"] for row in stats["games"]) == 602_430_151_680  # docs/results/ultimate.md


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
        assert client.get("/static/icon.svg").headers["cache-control"] == "max-age=86400"

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
