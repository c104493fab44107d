// The checker of dictionaries as the Python module inarow._native.verify_positional.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "verify/positional/checker.hpp"
#include "verify/positional/defence.hpp"

namespace nb = nanobind;
using namespace inarow::verify;

namespace {

using Lines = std::vector<nb::int_>;
using Numbers = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Permutations = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Positions =
    nb::ndarray<const std::uint64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;  // [position][x, o][word]

void require_positions(const Positions& positions, int cells) {
    if (cells < 1 || cells > kMaxBoard) throw std::invalid_argument("a board has 1 to 128 cells");
    if (positions.shape(1) != 2) throw std::invalid_argument("a position has two masks");
    if (positions.shape(2) != static_cast<std::size_t>(word_count(cells)))
        throw std::invalid_argument("a mask of this board has " + std::to_string(word_count(cells)) + " words");
}

Answers answers_of(int cells, const Positions& positions, const Numbers& moves) {
    require_positions(positions, cells);
    if (positions.shape(0) != moves.shape(0)) throw std::invalid_argument("each position needs one move");
    return {moves.shape(0), positions.data(), moves.data()};
}

// A mask that is a Python integer.
Words words_of(const nb::int_& mask) {
    const nb::object low = mask & nb::int_(~std::uint64_t{0});
    const nb::object high = mask >> nb::int_(64);
    return {nb::cast<std::uint64_t>(low), nb::cast<std::uint64_t>(high)};
}

GameData game_of(int cells, const Lines& lines, bool maker_breaker, const std::optional<Permutations>& symmetries) {
    GameData game{cells, {}, maker_breaker, {}};
    for (const nb::int_& line : lines) game.lines.push_back(words_of(line));
    for (std::size_t s = 0; symmetries && s < symmetries->shape(0); ++s) {
        const std::uint8_t* row = symmetries->data() + s * symmetries->shape(1);
        game.symmetries.emplace_back(row, row + symmetries->shape(1));
    }
    return game;
}

// An array that refers to data of a result, and keeps the result alive.
template <class T>
auto view(nb::handle owner, const T* data, std::initializer_list<std::size_t> shape) {
    return nb::ndarray<nb::numpy, const T>(data, shape, owner);
}

RollOut call(int cells, const Lines& lines, bool maker_breaker, const Permutations& symmetries,
             const Positions& positions, const Numbers& moves, bool assisted, bool proof_only, int threads,
             std::uint64_t memory_limit, unsigned kept, const std::optional<nb::callable>& progress) {
    const GameData game = game_of(cells, lines, maker_breaker, symmetries);
    const Answers answers = answers_of(cells, positions, moves);
    const auto report = [&progress](std::uint64_t reached, int plies) {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (progress) (*progress)(reached, plies);
    };
    const Options options{assisted, proof_only, threads, memory_limit, kept, report};
    nb::gil_scoped_release release;
    return roll_out(game, answers, options);
}

using Pairs = std::vector<std::pair<int, int>>;

DefenceWalk walk(int cells, const Lines& lines, bool maker_breaker, const Permutations& symmetries,
                 const std::vector<std::tuple<nb::int_, nb::int_, std::optional<int>, Pairs>>& defence,
                 const std::optional<nb::callable>& progress) {
    const GameData game = game_of(cells, lines, maker_breaker, symmetries);
    std::vector<DefenceLine> of_defence;
    for (const auto& [x, o, answer, pairs] : defence) of_defence.push_back({words_of(x), words_of(o), answer, pairs});
    const auto report = [&progress](std::uint64_t positions) {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (progress) (*progress)(positions);
    };
    nb::gil_scoped_release release;
    return walk_defence(game, of_defence, report);
}

}  // namespace

NB_MODULE(verify_positional, m) {
    m.doc() = "The checker of strategy dictionaries";
    nb::class_<RollOut>(m, "RollOut")
        .def_prop_ro("positions", [](const RollOut& r) { return std::vector(r.positions.begin(), r.positions.end()); })
        .def_prop_ro("counterexample",
                     [](const RollOut& r) -> nb::object {
                         if (!r.counterexample) return nb::none();
                         const Counterexample& c = *r.counterexample;
                         return nb::make_tuple(c.moves, static_cast<int>(c.failure));
                     })
        .def_prop_ro("used",
                     [](nb::handle_t<RollOut> self) {
                         const auto& r = nb::cast<const RollOut&>(self);
                         return view(self, r.used.data(), {r.used.size()});
                     })
        .def_ro("conflicts", &RollOut::conflicts)
        .def_ro("longest_game", &RollOut::longest_game)
        .def_ro("longest_threats", &RollOut::longest_threats)
        .def_prop_ro("kept_positions",
                     [](nb::handle_t<RollOut> self) {
                         const auto& r = nb::cast<const RollOut&>(self);
                         const std::size_t kept = r.kept_moves.size();
                         return view(self, r.kept_positions.data(), {kept, 2, static_cast<std::size_t>(r.words)});
                     })
        .def_prop_ro("kept_moves", [](nb::handle_t<RollOut> self) {
            const auto& r = nb::cast<const RollOut&>(self);
            return view(self, r.kept_moves.data(), {r.kept_moves.size()});
        });
    m.def(
        "fault",
        [](int cells, const Positions& positions, const Numbers& moves) {
            return fault(cells, answers_of(cells, positions, moves));
        },
        nb::arg("cells"), nb::arg("positions").noconvert(), nb::arg("moves").noconvert());
    m.def("roll_out", &call, nb::arg("cells"), nb::arg("lines"), nb::arg("maker_breaker"),
          nb::arg("symmetries").noconvert(), nb::arg("positions").noconvert(), nb::arg("moves").noconvert(),
          nb::arg("assisted"), nb::arg("proof_only"), nb::arg("threads"), nb::arg("memory_limit"), nb::arg("kept"),
          nb::arg("progress").none());
    m.def(
        "forced_wins",
        [](int cells, const Lines& lines, bool maker_breaker, const Positions& positions) {
            require_positions(positions, cells);
            return forced_wins(game_of(cells, lines, maker_breaker, {}), positions.shape(0), positions.data());
        },
        nb::arg("cells"), nb::arg("lines"), nb::arg("maker_breaker"), nb::arg("positions").noconvert());
    nb::class_<DefenceWalk>(m, "DefenceWalk")
        .def_prop_ro("counterexample",
                     [](const DefenceWalk& w) -> nb::object {
                         if (!w.counterexample) return nb::none();
                         const auto& c = *w.counterexample;
                         return nb::make_tuple(c.moves, static_cast<int>(c.breach), c.line);
                     })
        .def_ro("answered", &DefenceWalk::answered)
        .def_ro("paired", &DefenceWalk::paired)
        .def_ro("forced", &DefenceWalk::forced)
        .def_prop_ro("used", [](nb::handle_t<DefenceWalk> self) {
            const auto& w = nb::cast<const DefenceWalk&>(self);
            return view(self, w.used.data(), {w.used.size()});
        });
    m.def("walk_defence", &walk, nb::arg("cells"), nb::arg("lines"), nb::arg("maker_breaker"),
          nb::arg("symmetries").noconvert(), nb::arg("defence"), nb::arg("progress").none());
}
