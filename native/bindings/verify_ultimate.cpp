// The checker of certificates for Ultimate Tic-Tac-Toe as the Python module inarow._native.verify_ultimate.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "verify/ultimate/checker.hpp"

namespace nb = nanobind;
using namespace inarow::verify::ultimate;

NB_MODULE(verify_ultimate, m) {
    m.doc() = "The checker of certificates for Ultimate Tic-Tac-Toe";
    m.def(
        "check",
        [](bool x, int plies, const std::vector<int>& moves, const nb::bytes& answers,
           const std::optional<nb::callable>& progress) {
            const auto show = [&progress](std::uint64_t answers_used, int ply) {
                nb::gil_scoped_acquire acquire;
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                if (progress) (*progress)(answers_used, ply);
            };
            const auto* first = static_cast<const std::uint8_t*>(answers.data());
            const std::size_t count = answers.size();
            nb::gil_scoped_release release;
            const Report report = check_claim({x ? Side::X : Side::O, plies, moves}, first, count, show);
            return std::make_tuple(report.answered, report.opposed, report.longest, report.failure);
        },
        nb::arg("x"), nb::arg("plies"), nb::arg("moves"), nb::arg("answers"), nb::arg("progress").none());
}
