// The core as the Python module inarow._core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "quixo/pair_solver.hpp"
#include "quixo/probe.hpp"
#include "quixo/reachable.hpp"
#include "quixo/solver.hpp"

namespace nb = nanobind;
using namespace inarow::quixo;

namespace {

template <class T>
using Array = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using ReadOnly = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Array<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

void require_length(std::size_t found, std::size_t expected, const char* what) {
    if (found != expected)
        throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) + " entries, got " +
                                    std::to_string(found));
}

template <class Entry>
Array<Entry> solve(Solver& solver, int a, int b, std::optional<ReadOnly<Entry>> larger,
                   std::optional<ReadOnly<Entry>> smaller) {
    const int cells = solver.layout().board().cells();
    if (b < 0 || a < b || a + b > cells) throw std::invalid_argument("no such pair of classes");
    const bool full = a + b == cells;
    if (larger.has_value() == full || smaller.has_value() == (full || a == b))
        throw std::invalid_argument("a pair needs the pairs that a new mark leads to, and no others");
    if (larger) require_length(larger->size(), solver.entries(a + 1, b), "larger");
    if (smaller) require_length(smaller->size(), solver.entries(a, b + 1), "smaller");
    std::vector<Entry> out(solver.entries(a, b));
    {
        nb::gil_scoped_release release;
        solver.solve<Entry>(a, b, larger ? larger->data() : nullptr, smaller ? smaller->data() : nullptr, out.data());
    }
    return to_numpy(std::move(out));
}

template <class Entry>
Array<std::uint64_t> histogram(const Solver& solver, int a, int b, int plane, ReadOnly<Entry> entries) {
    require_length(entries.size(), solver.entries(a, b), "entries");
    if (plane < 0 || plane > (a == b ? 0 : 1)) throw std::invalid_argument("no such plane");
    nb::gil_scoped_release release;
    auto counts = solver.histogram<Entry>(a, b, entries.data() + plane * solver.layout().plane_entries(a, b));
    nb::gil_scoped_acquire acquire;
    return to_numpy(std::move(counts));
}

// A prober that keeps the arrays it looks into alive.
struct PyProber {
    explicit PyProber(int size) : prober(size) {}

    template <class Entry>
    void add(int a, int b, ReadOnly<Entry> entries) {
        require_length(entries.size(), prober.entries(a, b), "entries");
        prober.add(a, b, {entries.data(), static_cast<int>(sizeof(Entry))});
        kept.push_back(nb::cast(entries));
    }

    std::tuple<Array<std::int8_t>, Array<std::int32_t>> probe(ReadOnly<std::uint64_t> words) const {
        std::vector<std::int8_t> outcomes(words.size());
        std::vector<std::int32_t> plies(words.size());
        {
            nb::gil_scoped_release release;
            for (std::size_t i = 0; i < words.size(); ++i) {
                const Result result = prober.probe(words.data()[i]);
                outcomes[i] = static_cast<std::int8_t>(result.outcome);
                plies[i] = result.plies;
            }
        }
        return {to_numpy(std::move(outcomes)), to_numpy(std::move(plies))};
    }

    Prober prober;
    std::vector<nb::object> kept;
};

}  // namespace

NB_MODULE(_core, m) {
    nb::exception<PliesOverflow>(m, "PliesOverflow", PyExc_OverflowError);

    nb::class_<Solver>(m, "Solver")
        .def(
            "__init__",
            [](Solver* self, int size, int line, bool double_line_wins, int threads, const std::string& lanes) {
                new (self) Solver({size, line, double_line_wins}, threads, lanes);
            },
            nb::arg("size"), nb::arg("line"), nb::arg("double_line_wins"), nb::arg("threads"),
            nb::arg("lanes") = "auto")
        .def_prop_ro("lanes", &Solver::lanes)
        .def("entries", &Solver::entries, nb::arg("a"), nb::arg("b"))
        .def("solve_narrow", &solve<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("larger").none(),
             nb::arg("smaller").none())
        .def("solve_wide", &solve<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("larger").none(),
             nb::arg("smaller").none())
        .def("histogram", &histogram<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("entries"))
        .def("histogram", &histogram<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("entries"));

    nb::class_<PyProber>(m, "Prober")
        .def(nb::init<int>(), nb::arg("size"))
        .def("add", &PyProber::add<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("entries"))
        .def("add", &PyProber::add<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("entries"))
        .def("probe", &PyProber::probe, nb::arg("words"));

    nb::class_<Reachable>(m, "Reachable")
        .def(
            "__init__",
            [](Reachable* self, int size, int line, bool double_line_wins) {
                nb::gil_scoped_release release;
                new (self) Reachable({size, line, double_line_wins});
            },
            nb::arg("size"), nb::arg("line"), nb::arg("double_line_wins"))
        .def(
            "counts",
            [](const Reachable& self, int a, int b, int plane) {
                const auto c = self.counts(a, b, plane);
                return std::tuple(c[0], c[1], c[2]);
            },
            nb::arg("a"), nb::arg("b"), nb::arg("plane"))
        .def(
            "example",
            [](const Reachable& self, int a, int b, int plane, int kind) -> std::optional<std::uint64_t> {
                Mask mover = 0, other = 0;
                if (!self.example(a, b, plane, static_cast<Reach>(kind), mover, other)) return std::nullopt;
                return std::uint64_t{mover} << 32 | other;
            },
            nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("kind"));
}
