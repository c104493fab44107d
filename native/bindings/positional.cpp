// The search for wins in positional games as the Python module inarow._native.positional.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "positional/search.hpp"
#include "positional/strategy.hpp"

namespace nb = nanobind;
using namespace inarow::positional;

namespace {

// Masks are Python's integers.
Words words_of(const nb::int_& mask) {
    const nb::object low = mask & nb::int_(~std::uint64_t{0});
    const nb::object high = mask >> nb::int_(64);
    return {nb::cast<std::uint64_t>(low), nb::cast<std::uint64_t>(high)};
}

nb::object mask_of(const Words& words) { return (nb::int_(words[1]) << nb::int_(64)) | nb::int_(words[0]); }

using Progress = std::optional<nb::callable>;

struct BoundSearch {
    Game game;
    std::unique_ptr<Solver> solver;

    BoundSearch(int cells, const std::vector<nb::int_>& lines, bool maker_breaker,
                const std::vector<std::vector<std::uint8_t>>& symmetries, std::uint64_t memory_limit)
        : game{cells, {}, maker_breaker, symmetries} {
        for (const nb::int_& line : lines) game.lines.push_back(words_of(line));
        solver = make_solver(game, memory_limit);
    }

    // Works without Python, but for progress and interrupts.
    template <class Work>
    auto run(const Progress& progress, const Work& work) {
        solver->report = [this, &progress] {
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            const Statistics now = solver->statistics();
            if (progress) (*progress)(now.nodes, now.kept);
        };
        nb::gil_scoped_release release;
        return work();
    }
};

nb::object solve(BoundSearch& search, const nb::int_& x, const nb::int_& o, int moves, const Progress& progress) {
    const Words x_words = words_of(x), o_words = words_of(o);
    const Outcome found = search.run(progress, [&] { return search.solver->solve(x_words, o_words, moves); });
    if (!found.wins) return nb::none();
    return nb::make_tuple(found.moves, found.move, mask_of(found.zone));
}

nb::object winning_moves(BoundSearch& search, const nb::int_& x, const nb::int_& o, int moves,
                         const Progress& progress) {
    const Words x_words = words_of(x), o_words = words_of(o);
    return mask_of(search.run(progress, [&] { return search.solver->winning_moves(x_words, o_words, moves); }));
}

nb::list write_strategy(BoundSearch& search, int moves, int first, const Progress& progress) {
    const std::vector<Answer> answers =
        search.run(progress, [&] { return strategy(search.game, *search.solver, moves, first); });
    nb::list list;
    for (const Answer& answer : answers) list.append(nb::make_tuple(mask_of(answer.x), mask_of(answer.o), answer.move));
    return list;
}

}  // namespace

NB_MODULE(positional, m) {
    m.doc() = "The search for wins in positional games";
    m.attr("UNLIMITED") = kUnlimited;
    nb::class_<BoundSearch>(m, "WinSearch")
        .def(nb::init<int, const std::vector<nb::int_>&, bool, const std::vector<std::vector<std::uint8_t>>&,
                      std::uint64_t>(),
             nb::arg("cells"), nb::arg("lines"), nb::arg("maker_breaker"), nb::arg("symmetries"),
             nb::arg("memory_limit"))
        .def("solve", &solve, nb::arg("x"), nb::arg("o"), nb::arg("moves"), nb::arg("progress") = nb::none())
        .def("winning_moves", &winning_moves, nb::arg("x"), nb::arg("o"), nb::arg("moves"),
             nb::arg("progress") = nb::none())
        .def("strategy", &write_strategy, nb::arg("moves"), nb::arg("first"), nb::arg("progress") = nb::none())
        .def_prop_ro("nodes", [](const BoundSearch& s) { return s.solver->statistics().nodes; })
        .def_prop_ro("kept", [](const BoundSearch& s) { return s.solver->statistics().kept; })
        .def_prop_ro("dropped", [](const BoundSearch& s) { return s.solver->statistics().dropped; });
}
