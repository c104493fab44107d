// The checker as the Python module inarow._native.verify_quixo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>

#include "verify/quixo/checker.hpp"

namespace nb = nanobind;
using namespace inarow::verify;

namespace {

template <class T>
using ReadOnly = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = std::variant<ReadOnly<std::uint8_t>, ReadOnly<std::uint16_t>>;
// plane, block, rank, A, B, stored, expected
using Wrong = std::tuple<int, std::uint64_t, std::uint64_t, Mask, Mask, std::uint32_t, std::uint32_t>;

// Without `packed` an entry has one byte or two, as the array has; with it, two bits.
Entries entries_of(const Array& array, int size, int a, int b, bool packed, const char* what) {
    const std::uint64_t planes = a == b ? 1 : 2, of_plane = entry_count(size, a, b) / planes;
    const std::uint64_t expected = planes * (packed ? (of_plane + 3) / 4 : of_plane);
    const auto view = [&](const auto& values) {
        const int width = sizeof(values.data()[0]);
        if (values.size() != expected || (packed && width != 1))
            throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) +
                                        " entries, got " + std::to_string(values.size()));
        return Entries{values.data(), packed ? 0 : width, of_plane};
    };
    return std::visit(view, array);
}

struct Above {
    Entries larger{}, smaller{};
};

Above above(int size, int a, int b, const std::optional<Array>& larger, const std::optional<Array>& smaller,
            bool packed) {
    const bool full = a + b == size * size;
    if (larger.has_value() == full || smaller.has_value() == (full || a == b))
        throw std::invalid_argument("a pair needs the pairs that a new mark leads to, and no others");
    Above found;
    if (larger) found.larger = entries_of(*larger, size, a + 1, b, packed, "larger");
    if (smaller) found.smaller = entries_of(*smaller, size, a, b + 1, packed, "smaller");
    return found;
}

std::tuple<std::uint64_t, std::optional<Wrong>> check_entries(int size, int line, bool double_line_wins, int a, int b,
                                                              const Array& entries, const std::optional<Array>& larger,
                                                              const std::optional<Array>& smaller, std::uint64_t first,
                                                              std::uint64_t last, int threads, bool packed) {
    const Entries pair = entries_of(entries, size, a, b, packed, "entries");
    const Above more = above(size, a, b, larger, smaller, packed);
    Result result;
    {
        nb::gil_scoped_release release;
        result = check({size, line, double_line_wins}, a, b, pair, more.larger, more.smaller, first, last, threads);
    }
    if (!result.counterexample) return {result.checked, std::nullopt};
    const Counterexample& at = *result.counterexample;
    return {result.checked, Wrong{at.plane, at.block, at.rank, at.larger, at.smaller, at.stored, at.expected}};
}

void derive_wins_of(int size, int line, bool double_line_wins, int a, int b,
                    nb::ndarray<std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> entries,
                    const std::optional<Array>& larger, const std::optional<Array>& smaller, std::uint64_t first,
                    std::uint64_t last, int threads) {
    if (entries.size() != entry_count(size, a, b)) throw std::invalid_argument("entries: not those of the pair");
    const Above more = above(size, a, b, larger, smaller, false);
    nb::gil_scoped_release release;
    derive_wins({size, line, double_line_wins}, a, b, entries.data(), more.larger, more.smaller, first, last, threads);
}

template <class T>
using Found = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Found<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Found<T>(kept->data(), {kept->size()}, owner);
}

// A position as one word: the marks of the side to move in the upper half, the other's in the lower.
using Words = ReadOnly<std::uint64_t>;

Position position_of(std::uint64_t word) { return {static_cast<Mask>(word >> 32), static_cast<Mask>(word)}; }
std::uint64_t word_of(const Position& position) { return std::uint64_t{position.mover} << 32 | position.other; }

Found<std::uint64_t> positions(int size, int a, int b, bool plane, Words indices) {
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < indices.size(); ++i)
        words.push_back(word_of(position_at(size, {a, b, plane, indices.data()[i]})));
    return to_numpy(std::move(words));
}

// a << 6 | b << 1 | plane, and the entry in that plane.
std::tuple<Found<std::int32_t>, Found<std::uint64_t>> places(int size, Words words) {
    std::vector<std::int32_t> planes;
    std::vector<std::uint64_t> indices;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Place place = place_of(size, position_of(words.data()[i]));
        planes.push_back(place.a << 6 | place.b << 1 | static_cast<int>(place.plane));
        indices.push_back(place.index);
    }
    return {to_numpy(std::move(planes)), to_numpy(std::move(indices))};
}

Found<std::uint32_t> ends(int size, int line, bool double_line_wins, Words words) {
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < words.size(); ++i)
        values.push_back(value_of_end({size, line, double_line_wins}, position_of(words.data()[i])));
    return to_numpy(std::move(values));
}

// The positions after each, one behind the other, and where those of each end.
std::tuple<Found<std::uint64_t>, Found<std::int64_t>> successors_of(int size, Words words) {
    std::vector<std::uint64_t> found;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const Position& child : successors(size, position_of(words.data()[i]))) found.push_back(word_of(child));
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
    m.def("entry_count", &entry_count, nb::arg("size"), nb::arg("a"), nb::arg("b"));
    m.def("orbits", &orbits, nb::arg("size"), nb::arg("a"));
    m.def("check", &check_entries, nb::arg("size"), nb::arg("line"), nb::arg("double_line_wins"), nb::arg("a"),
          nb::arg("b"), nb::arg("entries").noconvert(), nb::arg("larger").noconvert().none(),
          nb::arg("smaller").noconvert().none(), nb::arg("first"), nb::arg("last"), nb::arg("threads"),
          nb::arg("packed") = false);
    m.def("derive_wins", &derive_wins_of, nb::arg("size"), nb::arg("line"), nb::arg("double_line_wins"), nb::arg("a"),
          nb::arg("b"), nb::arg("entries").noconvert(), nb::arg("larger").noconvert().none(),
          nb::arg("smaller").noconvert().none(), nb::arg("first"), nb::arg("last"), nb::arg("threads"));
    m.def(
        "count_outcomes",
        [](int size, int a, int b, const Array& packed, bool plane, std::uint64_t first, std::uint64_t last) {
            const Entries pair = entries_of(packed, size, a, b, true, "packed");
            nb::gil_scoped_release release;
            return count_outcomes(size, a, b, pair, plane, first, last);
        },
        nb::arg("size"), nb::arg("a"), nb::arg("b"), nb::arg("packed").noconvert(), nb::arg("plane"),
        nb::arg("first_block"), nb::arg("last_block"));
    m.def("positions", &positions, nb::arg("size"), nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("indices"));
    m.def("places", &places, nb::arg("size"), nb::arg("words"));
    m.def("ends", &ends, nb::arg("size"), nb::arg("line"), nb::arg("double_line_wins"), nb::arg("words"));
    m.def("successors", &successors_of, nb::arg("size"), nb::arg("words"));
}
