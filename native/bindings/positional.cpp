// The searches for wins and for defences in positional games as the Python module inarow._native.positional.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "positional/defence_search.hpp"
#include "positional/threats.hpp"
#include "positional/win_search.hpp"

namespace nb = nanobind;
using namespace inarow::positional;

namespace {

// Masks are Python integers.
Words words_of(const nb::int_& mask) {
    const nb::object low = mask & nb::int_(~std::uint64_t{0});
    const nb::object high = mask >> nb::int_(64);
    return {nb::cast<std::uint64_t>(low), nb::cast<std::uint64_t>(high)};
}

nb::object mask_of(const Words& words) { return (nb::int_(words[1]) << nb::int_(64)) | nb::int_(words[0]); }

using Progress = std::optional<nb::callable>;

// A search for one game, bound to Python.
template <class Search, std::unique_ptr<Search> (*make)(const Game&, std::uint64_t)>
struct Bound {
    Game game;
    std::unique_ptr<Search> search;

    Bound(int cells, const std::vector<nb::int_>& lines, bool maker_breaker,
          const std::vector<std::vector<std::uint8_t>>& symmetries, std::uint64_t memory_limit)
        : game{cells, {}, maker_breaker, symmetries} {
        for (const nb::int_& line : lines) game.lines.push_back(words_of(line));
        search = make(game, memory_limit);
    }

    // Runs without the interpreter lock, except for progress and interrupts.
    template <class Work>
    auto run(const Progress& progress, const Work& work) {
        search->report = [this, &progress] {
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            const Statistics now = search->statistics();
            if (progress) (*progress)(now.nodes, now.kept);
        };
        nb::gil_scoped_release release;
        return work();
    }
};

using WideThreats = Threats<Wide>;

Wide wide_of(const nb::int_& mask) { return from_words<Wide>(words_of(mask)); }

template <auto question>
nb::object on_masks(WideThreats& threats, const nb::int_& x, const nb::int_& o) {
    return mask_of(to_words((threats.*question)(wide_of(x), wide_of(o))));
}

using BoundSearch = Bound<WinSearch, make_win_search>;
using BoundDefence = Bound<DefenceSearch, make_defence_search>;

nb::object solve(BoundSearch& bound, const nb::int_& x, const nb::int_& o, int moves, const Progress& progress) {
    const Words x_words = words_of(x), o_words = words_of(o);
    const WinResult found = bound.run(progress, [&] { return bound.search->solve(x_words, o_words, moves); });
    if (!found.wins) return nb::none();
    return nb::make_tuple(found.moves, found.move, mask_of(found.zone));
}

nb::object winning_moves(BoundSearch& bound, const nb::int_& x, const nb::int_& o, int moves,
                         const Progress& progress) {
    const Words x_words = words_of(x), o_words = words_of(o);
    return mask_of(bound.run(progress, [&] { return bound.search->winning_moves(x_words, o_words, moves); }));
}

nb::list write_strategy(BoundSearch& bound, int moves, int first, const Progress& progress) {
    const std::vector<Answer> answers =
        bound.run(progress, [&] { return strategy(bound.game, *bound.search, moves, first); });
    nb::list list;
    for (const Answer& answer : answers) list.append(nb::make_tuple(mask_of(answer.x), mask_of(answer.o), answer.move));
    return list;
}

bool defends(BoundDefence& bound, const Progress& progress) {
    return bound.run(progress, [&] { return bound.search->defends(); });
}

nb::list write_defence(BoundDefence& bound, const Progress& progress) {
    nb::list list;
    for (const DefenceLine& line : bound.run(progress, [&] { return bound.search->lines(); })) {
        const nb::object answer = line.answer == DefenceLine::kNone ? nb::none() : nb::cast(line.answer);
        list.append(nb::make_tuple(mask_of(line.x), mask_of(line.o), answer, line.pairs));
    }
    return list;
}

// What both searches have.
template <class Search>
nb::class_<Search> add_search(nb::module_& m, const char* name) {
    return nb::class_<Search>(m, name)
        .def(nb::init<int, const std::vector<nb::int_>&, bool, const std::vector<std::vector<std::uint8_t>>&,
                      std::uint64_t>(),
             nb::arg("cells"), nb::arg("lines"), nb::arg("maker_breaker"), nb::arg("symmetries"),
             nb::arg("memory_limit"))
        .def_prop_ro("nodes", [](const Search& s) { return s.search->statistics().nodes; })
        .def_prop_ro("kept", [](const Search& s) { return s.search->statistics().kept; });
}

}  // namespace

NB_MODULE(positional, m) {
    m.doc() = "The searches for wins and for defences in positional games";
    m.attr("UNLIMITED") = kUnlimited;
    add_search<BoundSearch>(m, "WinSearch")
        .def("solve", &solve, nb::arg("x"), nb::arg("o"), nb::arg("moves"), nb::arg("progress") = nb::none())
        .def("winning_moves", &winning_moves, nb::arg("x"), nb::arg("o"), nb::arg("moves"),
             nb::arg("progress") = nb::none())
        .def("strategy", &write_strategy, nb::arg("moves"), nb::arg("first"), nb::arg("progress") = nb::none())
        .def_prop_ro("dropped", [](const BoundSearch& s) { return s.search->statistics().dropped; });
    nb::class_<WideThreats>(m, "Threats")
        .def(
            "__init__",
            [](WideThreats* self, int cells, const std::vector<nb::int_>& lines, bool maker_breaker) {
                std::vector<Wide> masks;
                for (const nb::int_& line : lines) masks.push_back(wide_of(line));
                new (self) WideThreats(masks, cells, maker_breaker);
            },
            nb::arg("cells"), nb::arg("lines"), nb::arg("maker_breaker"))
        .def("winning", &on_masks<&WideThreats::winning>, nb::arg("x"), nb::arg("o"))
        .def("blocking", &on_masks<&WideThreats::blocking>, nb::arg("x"), nb::arg("o"))
        .def("promising", &on_masks<&WideThreats::promising>, nb::arg("x"), nb::arg("o"))
        .def(
            "forced_win",
            [](WideThreats& t, const nb::int_& x, const nb::int_& o) { return t.forced_win(wide_of(x), wide_of(o)); },
            nb::arg("x"), nb::arg("o"));
    add_search<BoundDefence>(m, "DefenceSearch")
        .def("defends", &defends, nb::arg("progress") = nb::none())
        .def("lines", &write_defence, nb::arg("progress") = nb::none());
}
