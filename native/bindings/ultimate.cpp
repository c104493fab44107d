// Ultimate Tic-Tac-Toe as the Python module inarow._native.ultimate: the prover, and the players.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

#include "bindings/arrays.hpp"
#include "ultimate/players.hpp"
#include "ultimate/policy.hpp"
#include "ultimate/prover.hpp"
#include "ultimate/strategy.hpp"

namespace nb = nanobind;
using namespace inarow::ultimate;
using inarow::bindings::raise_signals;

namespace {

using MoveList = std::vector<int>;
using Callback = std::optional<nb::callable>;

Board board_after(const MoveList& moves, bool closed = false) {
    Board board = Board::start(closed);
    for (const int move : moves) {
        if (move < 0 || move >= kMoves || !board.can_play(move))
            throw std::invalid_argument("move " + std::to_string(move) + " cannot be played");
        board.play(move);
    }
    return board;
}

Board unfinished(const MoveList& moves, bool closed = false) {
    const Board board = board_after(moves, closed);
    if (board.is_over()) throw std::invalid_argument("the game is over");
    return board;
}

// X's last ply up to this one is the one that counts.
Question question_of(int plies) {
    if (plies < 1 || plies > kMoves) throw std::invalid_argument("a game has 1 to 81 plies");
    return {plies - (plies % 2 == 0)};
}

// Calls the function, if there is one, with what C++ reports.
auto report_to(const Callback& progress) {
    return [&progress](auto... report) {
        nb::gil_scoped_acquire acquire;
        raise_signals();
        if (progress) (*progress)(report...);
    };
}

}  // namespace

NB_MODULE(ultimate, m) {
    m.doc() = "Ultimate Tic-Tac-Toe";
    nb::exception<NotAPolicy>(m, "NotAPolicy", PyExc_ValueError);
    nb::class_<Prover>(m, "Prover")
        .def(nb::init<std::uint64_t>(), nb::arg("memory"))
        .def_prop_ro("nodes", &Prover::nodes)
        .def(
            "wins",
            [](Prover& self, const MoveList& moves, int plies, const Callback& progress) {
                const Board board = board_after(moves);
                const Question question = question_of(plies);
                nb::gil_scoped_release release;
                return self.wins(board, question, report_to(progress));
            },
            nb::arg("moves"), nb::arg("plies"), nb::arg("progress").none())
        .def(
            "policy",
            [](Prover& self, const MoveList& moves, int plies, bool x, const Callback& progress) {
                const Board board = board_after(moves);
                const Question question = question_of(plies);
                std::vector<std::uint8_t> ranks;
                {
                    nb::gil_scoped_release release;
                    ranks = make_policy(self, board, question, x, report_to(progress));
                }
                return nb::bytes(ranks.data(), ranks.size());
            },
            nb::arg("moves"), nb::arg("plies"), nb::arg("x"), nb::arg("progress").none());

    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const MoveList& moves, int plies, bool x, const nb::bytes& answers,
               const Callback& progress) {
                const Board board = board_after(moves);
                const Question question = question_of(plies);
                const auto* first = static_cast<const std::uint8_t*>(answers.data());
                const std::vector<std::uint8_t> ranks(first, first + answers.size());
                nb::gil_scoped_release release;
                new (self) Policy(board, question, x, ranks,
                                  [&](std::size_t done) { report_to(progress)(done, ranks.size()); });
            },
            nb::arg("moves"), nb::arg("plies"), nb::arg("x"), nb::arg("answers"), nb::arg("progress").none())
        .def("__len__", &Policy::size)
        .def(
            "move", [](const Policy& self, const MoveList& moves) { return self.move(board_after(moves)); },
            nb::arg("moves"));

    m.def(
        "mcts",
        [](const MoveList& moves, bool closed, std::uint64_t playouts, double seconds, std::uint64_t seed,
           std::uint64_t memory) {
            const Board board = unfinished(moves, closed);
            nb::gil_scoped_release release;
            const MctsResult result = mcts(board, {playouts, seconds, seed, memory, raise_signals});
            std::vector<std::tuple<int, std::uint64_t, double, int>> found;
            for (const MctsMove& move : result.moves)
                found.emplace_back(move.move, move.visits, move.value, move.proven);
            return std::make_tuple(found, result.playouts);
        },
        nb::arg("moves"), nb::arg("closed"), nb::arg("playouts"), nb::arg("seconds"), nb::arg("seed"),
        nb::arg("memory"));
    m.def(
        "alpha_beta",
        [](const MoveList& moves, bool closed, int depth, std::uint64_t seed) {
            if (depth < 1) throw std::invalid_argument("depth: must be at least 1");
            const Board board = unfinished(moves, closed);
            nb::gil_scoped_release release;
            return alpha_beta(board, depth, seed, raise_signals).move;
        },
        nb::arg("moves"), nb::arg("closed"), nb::arg("depth"), nb::arg("seed"));
    m.def(
        "explain",
        [](const MoveList& moves) -> std::variant<std::tuple<int, std::string, std::string>, std::string> {
            const auto found = explain(unfinished(moves));
            if (const auto* off = std::get_if<OffStrategy>(&found)) return *off;
            const auto& [move, phase, why] = std::get<Explanation>(found);
            return std::tuple(move, std::string(phase), why);
        },
        nb::arg("moves"));
}
