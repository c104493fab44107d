// The searching players of Ultimate Tic-Tac-Toe as the Python module inarow._native.ultimate_players.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <vector>

#include "ultimate/players/alpha_beta.hpp"
#include "ultimate/players/mcts.hpp"

namespace nb = nanobind;
using namespace inarow::ultimate::players;

namespace {

// The board after moves that are known to be legal.
Board board_after(const std::vector<int>& moves, bool closed) {
    Board board;
    board.closed = closed;
    for (const int move : moves) {
        if (move < 0 || move > 80) throw std::invalid_argument("a move is 0 to 80");
        board.play(move);
    }
    if (board.last_has_won() || board.no_room()) throw std::invalid_argument("the game is over");
    return board;
}

void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

NB_MODULE(ultimate_players, m) {
    m.doc() = "Searching players of Ultimate Tic-Tac-Toe";
    m.def(
        "mcts",
        [](const std::vector<int>& moves, bool closed, std::uint64_t playouts, double seconds, std::uint64_t seed,
           std::uint64_t memory) {
            const Board board = board_after(moves, closed);
            nb::gil_scoped_release release;
            const MctsResult result = mcts(board, {playouts, seconds, seed, memory, check_signals});
            std::vector<std::tuple<int, std::uint64_t, double, int>> found;
            for (const MctsMove& move : result.moves)
                found.emplace_back(move.move, move.visits, move.value, move.proven);
            return std::make_tuple(found, result.playouts);
        },
        nb::arg("moves"), nb::arg("closed"), nb::arg("playouts"), nb::arg("seconds"), nb::arg("seed"),
        nb::arg("memory"));
    m.def(
        "alpha_beta",
        [](const std::vector<int>& moves, bool closed, int depth, std::uint64_t seed) {
            if (depth < 1) throw std::invalid_argument("depth: must be at least 1");
            const Board board = board_after(moves, closed);
            nb::gil_scoped_release release;
            const AlphaBetaResult result = alpha_beta(board, depth, seed, check_signals);
            return std::make_tuple(result.move, result.score, result.nodes);
        },
        nb::arg("moves"), nb::arg("closed"), nb::arg("depth"), nb::arg("seed"));
}
