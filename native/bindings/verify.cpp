// The checker as the Python module inarow._verify.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>

#include "verify/quixo_checker.hpp"

namespace nb = nanobind;
using namespace inarow::verify;

namespace {

template <class T>
using ReadOnly = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = std::variant<ReadOnly<std::uint8_t>, ReadOnly<std::uint16_t>>;
// plane, block, rank, A, B, stored, expected
using Wrong = std::tuple<int, std::uint64_t, std::uint64_t, Mask, Mask, std::uint32_t, std::uint32_t>;

Entries entries_of(const Array& array, std::uint64_t expected, const char* what) {
    const auto view = [&](const auto& values) {
        if (values.size() != expected)
            throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) +
                                        " entries, got " + std::to_string(values.size()));
        return Entries{values.data(), static_cast<int>(sizeof(values.data()[0]))};
    };
    return std::visit(view, array);
}

std::tuple<std::uint64_t, std::optional<Wrong>> check_entries(int size, int line, bool double_line_wins, int a, int b,
                                                              const Array& entries, const std::optional<Array>& larger,
                                                              const std::optional<Array>& smaller, std::uint64_t first,
                                                              std::uint64_t last, int threads) {
    const Entries pair = entries_of(entries, entry_count(size, a, b), "entries");
    const bool full = a + b == size * size;
    if (larger.has_value() == full || smaller.has_value() == (full || a == b))
        throw std::invalid_argument("a pair needs the pairs that a new mark leads to, and no others");
    const Entries with_larger = larger ? entries_of(*larger, entry_count(size, a + 1, b), "larger") : Entries{};
    const Entries with_smaller = smaller ? entries_of(*smaller, entry_count(size, a, b + 1), "smaller") : Entries{};
    Result result;
    {
        nb::gil_scoped_release release;
        result = check({size, line, double_line_wins}, a, b, pair, with_larger, with_smaller, first, last, threads);
    }
    if (!result.counterexample) return {result.checked, std::nullopt};
    const Counterexample& at = *result.counterexample;
    return {result.checked, Wrong{at.plane, at.block, at.rank, at.larger, at.smaller, at.stored, at.expected}};
}

}  // namespace

NB_MODULE(_verify, m) {
    m.doc() = "The checker of Quixo tables";
    m.attr("DRAW") = kDraw;
    m.attr("NOT_AN_ENTRY") = kNotAnEntry;
    m.attr("NO_VALUE") = kNoValue;
    m.def("entry_count", &entry_count, nb::arg("size"), nb::arg("a"), nb::arg("b"));
    m.def("orbits", &orbits, nb::arg("size"), nb::arg("a"));
    m.def("check", &check_entries, nb::arg("size"), nb::arg("line"), nb::arg("double_line_wins"), nb::arg("a"),
          nb::arg("b"), nb::arg("entries").noconvert(), nb::arg("larger").noconvert().none(),
          nb::arg("smaller").noconvert().none(), nb::arg("first"), nb::arg("last"), nb::arg("threads"));
}
