// The checker as the Python module inarow._native.verify_quixo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "verify/quixo/checker.hpp"

namespace nb = nanobind;
using namespace inarow::verify::quixo;

namespace {

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Stored = std::variant<Array<const std::uint8_t>, Array<const std::uint16_t>>;
// plane, block, rank, A, B, stored, expected
using Wrong = std::tuple<int, std::uint64_t, std::uint64_t, Mask, Mask, std::uint32_t, std::uint32_t>;

std::optional<Wrong> tuple_of(const std::optional<Counterexample>& at) {
    if (!at) return std::nullopt;
    return Wrong{at->plane, at->block, at->rank, at->larger, at->smaller, at->stored, at->expected};
}

std::uint64_t entry_count(const Game& game, int a, int b) { return Layout::of(game.rules()).entry_count(a, b); }

// With `packed` an entry has two bits; otherwise one byte or two, as the array has.
Entries view(const Stored& array, const Game& game, int a, int b, bool packed, const char* what) {
    const std::uint64_t planes = a == b ? 1 : 2, of_plane = entry_count(game, a, b) / planes;
    const std::uint64_t expected = planes * (packed ? (of_plane + 3) / 4 : of_plane);
    return std::visit(
        [&](const auto& values) {
            const int width = sizeof(values.data()[0]);
            if (values.size() != expected || (packed && width != 1))
                throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) +
                                            " items, got " + std::to_string(values.size()));
            return Entries{values.data(), packed ? 0 : width, of_plane};
        },
        array);
}

// A pair that keeps the arrays it looks into alive.
class BoundPair {
  public:
    BoundPair(const Game& game, int a, int b, Stored entries, std::optional<Stored> larger,
              std::optional<Stored> smaller, bool packed)
        : game_(game), entries_(std::move(entries)), larger_(std::move(larger)), smaller_(std::move(smaller)) {
        pair_ = {a, b, view(entries_, game, a, b, packed, "entries"), {}, {}};
        const bool full = a + b == game.rules().cells();
        if (larger_.has_value() == full || smaller_.has_value() == (full || a == b))
            throw std::invalid_argument("a pair needs the pairs that a new mark leads to, and no others");
        if (larger_) pair_.larger = view(*larger_, game, a + 1, b, packed, "larger");
        if (smaller_) pair_.smaller = view(*smaller_, game, a, b + 1, packed, "smaller");
    }

    std::tuple<std::uint64_t, std::optional<Wrong>> check(std::uint64_t first, std::uint64_t last, int threads) const {
        Result result;
        {
            nb::gil_scoped_release release;
            result = inarow::verify::quixo::check(game_, pair_, first, last, threads);
        }
        return {result.checked, tuple_of(result.counterexample)};
    }

    std::uint64_t derive(Array<std::uint8_t> derived, std::uint64_t first, std::uint64_t last, int threads) const {
        require_bits(derived.size());
        nb::gil_scoped_release release;
        return inarow::verify::quixo::derive(game_, pair_, derived.data(), first, last, threads);
    }

    std::optional<Wrong> find_underived(Array<const std::uint8_t> derived) const {
        require_bits(derived.size());
        std::optional<Counterexample> found;
        {
            nb::gil_scoped_release release;
            found = inarow::verify::quixo::find_underived(game_, pair_, derived.data());
        }
        return tuple_of(found);
    }

    void fill_win_plies(Array<std::uint16_t> entries, std::uint64_t first, std::uint64_t last, int threads) const {
        nb::gil_scoped_release release;
        inarow::verify::quixo::fill_win_plies(game_, pair_, entries.data(), first, last, threads);
    }

    std::array<std::uint64_t, 3> count_outcomes(bool plane, std::uint64_t first, std::uint64_t last) const {
        nb::gil_scoped_release release;
        return inarow::verify::quixo::count_outcomes(game_, pair_, plane, first, last);
    }

  private:
    void require_bits(std::size_t bytes) const {
        if (bytes != (entry_count(game_, pair_.a, pair_.b) + 7) / 8)
            throw std::invalid_argument("derived: not one bit for each entry of the pair");
    }

    Game game_;
    Stored entries_;
    std::optional<Stored> larger_, smaller_;
    Pair pair_{};
};

template <class T>
using Found = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Found<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Found<T>(kept->data(), {kept->size()}, owner);
}

// A position as one word: the marks of the side to move in the upper half, the other's in the lower.
using Words = Array<const std::uint64_t>;

std::uint64_t word_of(const Position& position) { return std::uint64_t{position.mover} << 32 | position.other; }

Position position_of(const Game& game, std::uint64_t word) {
    const Position position{static_cast<Mask>(word >> 32), static_cast<Mask>(word)};
    const Mask all = (Mask{1} << game.rules().cells()) - 1;
    if ((position.mover & position.other) != 0 || ((position.mover | position.other) & ~all) != 0)
        throw std::invalid_argument("not a position of this board");
    return position;
}

Found<std::uint8_t> orbits(const Game& game, int a) {
    if (a < 0 || a > game.rules().cells()) throw std::invalid_argument("a must be 0 up to the number of cells");
    return to_numpy(Layout::of(game.rules()).orbits(a));
}

Found<std::uint64_t> positions(const Game& game, int a, int b, bool plane, Words indices) {
    const Layout& layout = Layout::of(game.rules());
    const std::uint64_t of_plane = layout.entry_count(a, b) / (a == b ? 1 : 2);
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (indices.data()[i] >= of_plane) throw std::invalid_argument("no such entry");
        words.push_back(word_of(layout.position_at({a, b, plane, indices.data()[i]})));
    }
    return to_numpy(std::move(words));
}

std::tuple<Found<std::int32_t>, Found<std::uint64_t>> places(const Game& game, Words words) {
    const Layout& layout = Layout::of(game.rules());
    std::vector<std::int32_t> planes;
    std::vector<std::uint64_t> indices;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Place place = layout.place_of(position_of(game, words.data()[i]));
        planes.push_back(place.a << 6 | place.b << 1 | static_cast<int>(place.plane));
        indices.push_back(place.index);
    }
    return {to_numpy(std::move(planes)), to_numpy(std::move(indices))};
}

Found<std::uint32_t> ends(const Game& game, Words words) {
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < words.size(); ++i)
        values.push_back(game.value_of_end(position_of(game, words.data()[i])));
    return to_numpy(std::move(values));
}

std::tuple<Found<std::uint64_t>, Found<std::int64_t>> successors(const Game& game, Words words) {
    std::vector<std::uint64_t> found;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < words.size(); ++i) {
        game.each_successor(position_of(game, words.data()[i]),
                            [&](const Position& child) { found.push_back(word_of(child)); });
        last.push_back(static_cast<std::int64_t>(found.size()));
    }
    return {to_numpy(std::move(found)), to_numpy(std::move(last))};
}

}  // namespace

NB_MODULE(verify_quixo, m) {
    m.doc() = "The checker of Quixo tables";
    m.attr("DRAW") = kDraw;
    m.attr("NOT_AN_ENTRY") = kNotAnEntry;
    m.attr("NO_VALUE") = kNoValue;

    nb::class_<Game>(m, "Game")
        .def(
            "__init__",
            [](Game* game, int rows, int columns, int line, bool double_line_wins) {
                new (game) Game(Rules{rows, columns, line, double_line_wins});
            },
            nb::arg("rows"), nb::arg("columns"), nb::arg("line"), nb::arg("double_line_wins"))
        .def_prop_ro("lines", &Game::lines)
        .def_prop_ro("move_count", [](const Game& game) { return game.moves().size(); })
        .def("entry_count", &entry_count, nb::arg("a"), nb::arg("b"))
        .def("orbits", &orbits, nb::arg("a"))
        .def("positions", &positions, nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("indices"))
        .def("places", &places, nb::arg("words"))
        .def("ends", &ends, nb::arg("words"))
        .def("successors", &successors, nb::arg("words"));

    nb::class_<BoundPair>(m, "Pair")
        .def(nb::init<const Game&, int, int, Stored, std::optional<Stored>, std::optional<Stored>, bool>(),
             nb::arg("game"), nb::arg("a"), nb::arg("b"), nb::arg("entries").noconvert(),
             nb::arg("larger").noconvert().none(), nb::arg("smaller").noconvert().none(), nb::arg("packed") = false)
        .def("check", &BoundPair::check, nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("derive", &BoundPair::derive, nb::arg("derived").noconvert(), nb::arg("first"), nb::arg("last"),
             nb::arg("threads"))
        .def("find_underived", &BoundPair::find_underived, nb::arg("derived").noconvert())
        .def("fill_win_plies", &BoundPair::fill_win_plies, nb::arg("entries").noconvert(), nb::arg("first"),
             nb::arg("last"), nb::arg("threads"))
        .def("count_outcomes", &BoundPair::count_outcomes, nb::arg("plane"), nb::arg("first_block"),
             nb::arg("last_block"));
}
