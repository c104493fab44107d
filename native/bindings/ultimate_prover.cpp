// The prover of Ultimate Tic-Tac-Toe as the Python module inarow._native.ultimate_prover.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ultimate/prover/policy.hpp"
#include "ultimate/prover/prover.hpp"

namespace nb = nanobind;
using namespace inarow::ultimate::prover;

namespace {

Board board_after(const std::vector<int>& moves) {
    Board board = Board::start();
    for (const int move : moves) {
        bool legal = false;
        if (!board.has_won(Owner::X) && !board.has_won(Owner::O))
            board.each_move([&](int other) { return legal = other == move; });
        if (!legal) throw std::invalid_argument("move " + std::to_string(move) + " cannot be played");
        board.play(move);
    }
    return board;
}

// X's last ply up to this one is the one that counts.
Question question_of(int plies) {
    if (plies < 1 || plies > 81) throw std::invalid_argument("a game has 1 to 81 plies");
    return {plies - (plies % 2 == 0)};
}

Value success_of(bool x) { return x ? Value::Wins : Value::Fails; }

Prover::Progress report_to(const std::optional<nb::callable>& progress) {
    return [&progress](std::uint64_t nodes, double table_use) {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (progress) (*progress)(nodes, table_use);
    };
}

}  // namespace

NB_MODULE(ultimate_prover, m) {
    m.doc() = "The prover of Ultimate Tic-Tac-Toe";
    nb::exception<NotAPolicy>(m, "NotAPolicy", PyExc_ValueError);
    nb::class_<Prover>(m, "Prover")
        .def(nb::init<std::uint64_t>(), nb::arg("memory"))
        .def_prop_ro("nodes", &Prover::nodes)
        .def(
            "wins",
            [](Prover& self, const std::vector<int>& moves, int plies, const std::optional<nb::callable>& progress) {
                const Board board = board_after(moves);
                const Question question = question_of(plies);
                nb::gil_scoped_release release;
                return self.wins(board, question, report_to(progress));
            },
            nb::arg("moves"), nb::arg("plies"), nb::arg("progress").none())
        .def(
            "policy",
            [](Prover& self, const std::vector<int>& moves, int plies, bool x,
               const std::optional<nb::callable>& progress) {
                const Board board = board_after(moves);
                const Question question = question_of(plies);
                std::vector<std::uint8_t> ranks;
                {
                    nb::gil_scoped_release release;
                    ranks = make_policy(self, board, question, success_of(x), report_to(progress));
                }
                return nb::bytes(ranks.data(), ranks.size());
            },
            nb::arg("moves"), nb::arg("plies"), nb::arg("x"), nb::arg("progress").none());

    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const std::vector<int>& moves, int plies, bool x, const nb::bytes& answers,
               const std::optional<nb::callable>& progress) {
                const Board board = board_after(moves);
                const Question question = question_of(plies);
                const auto* first = static_cast<const std::uint8_t*>(answers.data());
                const std::vector<std::uint8_t> ranks(first, first + answers.size());
                nb::gil_scoped_release release;
                new (self) Policy(board, question, success_of(x), ranks, [&](std::size_t done) {
                    nb::gil_scoped_acquire acquire;
                    if (PyErr_CheckSignals() != 0) throw nb::python_error();
                    if (progress) (*progress)(done, ranks.size());
                });
            },
            nb::arg("moves"), nb::arg("plies"), nb::arg("x"), nb::arg("answers"), nb::arg("progress").none())
        .def("__len__", &Policy::size)
        .def(
            "move", [](const Policy& self, const std::vector<int>& moves) { return self.move(board_after(moves)); },
            nb::arg("moves"));
}
