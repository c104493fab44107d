// The core of Quixo as the Python module inarow._native.quixo.
#include "bindings/quixo.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

#include "bindings/arrays.hpp"
#include "bindings/read_at.hpp"
#include "quixo/gpu_game.hpp"
#include "quixo/gpu_on_cpu.hpp"
#include "quixo/locator.hpp"
#include "quixo/many.hpp"
#include "quixo/pieces.hpp"
#include "quixo/reachable.hpp"
#include "quixo/search.hpp"
#include "quixo/solver.hpp"
#include "quixo/threats.hpp"
#include "quixo/win_plies.hpp"

namespace nb = nanobind;
using namespace inarow::quixo;
using namespace inarow::bindings;
using inarow::HugeArray;
using inarow::KeptPages;
using inarow::make_huge;

namespace {

struct PyKeptPages {
    explicit PyKeptPages(std::size_t bytes) : most(bytes) {}

    const std::size_t most;
    std::optional<KeptPages> kept;
};

// Not initialized, of the pages that are kept.
Array<std::uint8_t> empty_bytes(std::size_t count) { return owned(make_huge<std::uint8_t>(count), count); }

// Does long work without Python's lock; Ctrl-C interrupts it, and is raised as an exception, and so does `stop`.
template <class Work>
void interruptible(Work work, const Stop* stop = nullptr) {
    Interrupt interrupt([&] {
        if (stop && stop->asked) return true;
        nb::gil_scoped_acquire acquire;
        return PyErr_CheckSignals() != 0;
    });
    {
        nb::gil_scoped_release release;
        work(interrupt);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    if (interrupt.asked() || (stop && stop->asked)) throw std::runtime_error("it was stopped");
}

// For each plane of a pair its outcomes, packed, its plies or None, and how many positions it has of each entry or,
// without plies, of each outcome. `above` returns the plane that the new marks of a side lead to.
nb::list solve(Solver& solver, int a, int b, bool plies, const nb::callable& above, const Stop* stop) {
    const Layout& layout = solver.layout();
    nb::object kept;  // the plane that is being read
    const auto read = [&](int side) {
        const nb::gil_scoped_acquire acquire;
        kept.reset();
        kept = above(side);
        const std::size_t there = side == 0 ? layout.plane_entries(a + 1, b) : layout.plane_entries(a, b + 1);
        return stored_plane(nb::cast<PyPlane>(kept), there, plies);
    };
    std::vector<SolvedPlane> solved;
    interruptible([&](Interrupt& interrupt) { solved = solver.solve(a, b, plies, read, interrupt); }, stop);
    const std::size_t entries = layout.plane_entries(a, b);
    nb::list planes;
    for (SolvedPlane& plane : solved) {
        nb::object its = nb::none();
        if (plies) its = nb::cast(owned(std::move(plane.plies), entries * plane.width));
        if (plane.width == 2) its = its.attr("view")("<u2");
        planes.append(nb::make_tuple(owned(std::move(plane.outcomes), packed::bytes(entries)), its,
                                     to_numpy(std::move(plane.histogram))));
    }
    return planes;
}

// Where positions are stored: a << 6 | b << 1 | plane, or -1 for a word that is no position, and the entry in that
// plane.
std::tuple<Array<std::int16_t>, Array<std::uint64_t>> locate_many(Locator& locator, ReadOnly<std::uint64_t> words) {
    std::vector<std::int16_t> planes(words.size());
    std::vector<std::uint64_t> places(words.size());
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto found = locator.locate(words.data()[i]);
            planes[i] = static_cast<std::int16_t>(found ? found->a << 6 | found->b << 1 | found->plane : -1);
            places[i] = found ? locator.place(*found) : 0;
        }
    }
    return {to_numpy(std::move(planes)), to_numpy(std::move(places))};
}

// The positions after each, concatenated, and the index at which those of each end.
std::tuple<Array<std::uint64_t>, Array<std::int64_t>> successors(const Board& board, ReadOnly<std::uint64_t> words) {
    std::vector<std::uint64_t> found;
    std::vector<std::int64_t> ends(words.size());
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t word = words.data()[i];
            each_successor(board, static_cast<Mask>(word >> 32), static_cast<Mask>(word),
                           [&](Mask mover, Mask other) { found.push_back(std::uint64_t{mover} << 32 | other); });
            ends[i] = static_cast<std::int64_t>(found.size());
        }
    }
    return {to_numpy(std::move(found)), to_numpy(std::move(ends))};
}

void require_positions(const Board& board, ReadOnly<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i)
        if (!is_position(board, words.data()[i])) {
            char text[64];
            std::snprintf(text, sizeof text, "word %zu (0x%016llx)", i,
                          static_cast<unsigned long long>(words.data()[i]));
            throw std::invalid_argument(std::string(text) + " is not a position of this board");
        }
}

// The legal moves of each position, by taken and then by pushed cell: where those of each begin, with the end of the
// last, their numbers in that order of all moves, and the positions after them.
std::tuple<Array<std::int64_t>, Array<std::uint8_t>, Array<std::uint64_t>> moves_many(const Board& board,
                                                                                      ReadOnly<std::uint64_t> words) {
    std::vector<std::int64_t> offsets(words.size() + 1);
    std::vector<std::uint8_t> numbers;
    std::vector<std::uint64_t> after;
    {
        nb::gil_scoped_release release;
        require_positions(board, words);
        const std::vector<Move> moves = numbered_moves(board);
        for (std::size_t i = 0; i < words.size(); ++i) {
            each_numbered_move(board, moves, words.data()[i], [&](int number, std::uint64_t word) {
                numbers.push_back(static_cast<std::uint8_t>(number));
                after.push_back(word);
            });
            offsets[i + 1] = static_cast<std::int64_t>(after.size());
        }
    }
    return {to_numpy(std::move(offsets)), to_numpy(std::move(numbers)), to_numpy(std::move(after))};
}

Array<std::uint64_t> canonical_many(const Board& board, ReadOnly<std::uint64_t> words) {
    std::vector<std::uint64_t> found(words.size());
    {
        nb::gil_scoped_release release;
        require_positions(board, words);
        for (std::size_t i = 0; i < words.size(); ++i) found[i] = canonical_word(board, words.data()[i]);
    }
    return to_numpy(std::move(found));
}

// The tiles of each position, from the upper left: 1 if the side to move has it, -1 if the other has, 0 if it is blank.
nb::ndarray<std::int8_t, nb::numpy, nb::ndim<2>> tiles_many(const Board& board, ReadOnly<std::uint64_t> words) {
    const auto cells = static_cast<std::size_t>(board.cells());
    auto* tiles = new std::int8_t[words.size() * cells];
    nb::capsule owner(tiles, [](void* p) noexcept { delete[] static_cast<std::int8_t*>(p); });
    {
        nb::gil_scoped_release release;
        require_positions(board, words);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t word = words.data()[i];
            for (std::size_t place = 0; place < cells; ++place) {
                const std::size_t cell = cells - 1 - place;
                tiles[i * cells + place] = static_cast<std::int8_t>((word >> (32 + cell) & 1) - (word >> cell & 1));
            }
        }
    }
    return {tiles, {words.size(), cells}, owner};
}

// The positions of texts, up to the first that is not one of a board of this shape.
Array<std::uint64_t> parse_many(Rules rules, nb::list texts) {
    std::vector<std::uint64_t> found;
    found.reserve(texts.size());
    for (const nb::handle text : texts) {
        Py_ssize_t size = 0;
        const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (!utf8) PyErr_Clear();  // no text, or none that UTF-8 could hold
        const auto word = utf8 ? parse_word(rules, {utf8, static_cast<std::size_t>(size)}) : std::nullopt;
        if (!word) break;
        found.push_back(*word);
    }
    return to_numpy(std::move(found));
}

// So many positions of a class, from a number on.
Array<std::uint64_t> class_words(Rules rules, int x, int o, std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint64_t> words;
    const PositionClass positions(rules.cells(), x, o);
    {
        nb::gil_scoped_release release;
        if (count <= positions.size()) words.reserve(count);
        positions.each(first, count, [&](std::uint64_t word) { words.push_back(word); });
    }
    return to_numpy(std::move(words));
}

// Numbers below a bound, each as likely.
Array<std::uint64_t> uniform(UniformNumbers& random, std::uint64_t bound, std::size_t count) {
    if (bound == 0) throw std::invalid_argument("there is no number below 0");
    std::vector<std::uint64_t> found(count);
    for (auto& number : found) number = random.below(bound);
    return to_numpy(std::move(found));
}

// The positions with these numbers, if those of the classes are numbered one class after the other.
Array<std::uint64_t> words_at(Rules rules, const std::vector<std::tuple<int, int>>& classes,
                              ReadOnly<std::uint64_t> numbers) {
    std::vector<PositionClass> found;
    std::vector<std::uint64_t> ends;
    for (const auto& [x, o] : classes) {
        found.emplace_back(rules.cells(), x, o);
        ends.push_back((ends.empty() ? 0 : ends.back()) + found.back().size());
    }
    std::vector<std::uint64_t> words(numbers.size());
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t number = numbers.data()[i];
            const auto end = std::upper_bound(ends.begin(), ends.end(), number);
            if (end == ends.end()) throw std::out_of_range("there is no position with this number");
            const PositionClass& its = found[static_cast<std::size_t>(end - ends.begin())];
            words[i] = its.word(number - (*end - its.size()));
        }
    }
    return to_numpy(std::move(words));
}

Array<bool> reached(const Reachable& reachable, ReadOnly<std::uint64_t> words) {
    require_positions(reachable.layout().board(), words);
    auto found = std::make_unique_for_overwrite<bool[]>(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        found[i] = reachable.contains(static_cast<Mask>(words.data()[i] >> 32), static_cast<Mask>(words.data()[i]));
    return owned(std::move(found), words.size());
}

// Whether the game is over in each position.
Array<bool> over(const Board& board, ReadOnly<std::uint64_t> words) {
    auto found = std::make_unique_for_overwrite<bool[]>(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
        found[i] = board.has_line(static_cast<Mask>(words.data()[i] >> 32)) ||
                   board.has_line(static_cast<Mask>(words.data()[i]));
    return owned(std::move(found), words.size());
}

// The number of losses in each row of packed outcomes, which have so many entries.
Array<std::uint32_t> losses_in(nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> packed,
                               ReadOnly<std::uint32_t> entries) {
    require_length(entries.size(), packed.shape(0), "entries");
    std::vector<std::uint32_t> lost(entries.size());
    const std::size_t width = packed.shape(1);
    for (std::size_t row = 0; row < lost.size(); ++row) {
        if (entries.data()[row] > 4 * width) throw std::out_of_range("no such entry");
        lost[row] = count_lost(packed.data() + row * width, 0, entries.data()[row]);
    }
    return to_numpy(std::move(lost));
}

// The plies of the losses among some entries, and how many of them each piece of entries has.
template <class Plies>
nb::tuple lost_plies_of(ReadOnly<std::uint8_t> packed, ReadOnly<Plies> plies, std::size_t piece) {
    require_length(packed.size(), packed::bytes(plies.size()), "outcomes");
    if (piece == 0 || piece % 4 != 0) throw std::invalid_argument("a piece has a multiple of four entries");
    std::vector<std::uint32_t> counts((plies.size() + piece - 1) / piece);
    std::vector<Plies> lost;
    {
        nb::gil_scoped_release release;
        std::size_t total = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const std::size_t first = i * piece, size = std::min(piece, plies.size() - first);
            counts[i] = count_lost(packed.data() + first / 4, 0, static_cast<std::uint32_t>(size));
            total += counts[i];
        }
        lost.reserve(total);
        for (std::size_t byte = 0; byte < packed.size(); ++byte) {
            const unsigned four = packed.data()[byte];
            // The lower bit of each pair of bits is set unless it is a loss.
            unsigned losses = ~(four | four >> 1) & 0x55;
            if (plies.size() - byte * 4 < 4) losses &= (1u << (plies.size() - byte * 4) * 2) - 1;
            for (; losses; losses &= losses - 1)
                lost.push_back(plies.data()[byte * 4 + static_cast<std::size_t>(std::countr_zero(losses)) / 2]);
        }
    }
    return nb::make_tuple(to_numpy(std::move(lost)), to_numpy(std::move(counts)));
}

// What a function says about each of some pieces, which lie one after the other.
template <class T, class Function>
Array<T> of_pieces(ReadOnly<std::uint8_t> data, ReadOnly<std::uint32_t> sizes, Function function) {
    std::vector<T> found(sizes.size());
    {
        nb::gil_scoped_release release;
        std::size_t first = 0;
        for (std::size_t i = 0; i < found.size(); first += sizes.data()[i++]) {
            if (sizes.data()[i] > data.size() - first) throw std::out_of_range("pieces: more bytes than there are");
            found[i] = function(data.data() + first, sizes.data()[i]);
        }
        if (first != data.size()) throw std::out_of_range("pieces: fewer bytes than there are");
    }
    return to_numpy(std::move(found));
}

using PySearch = OfAnySize<BasicSearch>;

// The values and plies of positions, 2 and -1 where they are not known, as far as a search of some depth finds them.
std::tuple<Array<std::int8_t>, Array<std::int32_t>> find(PySearch& search, ReadOnly<std::uint64_t> movers,
                                                         ReadOnly<std::uint64_t> others, int plies, double seconds) {
    require_length(others.size(), movers.size(), "others");
    return search.with([&]<class Mask>(BasicSearch<Mask>& one) {
        std::vector<typename BasicSearch<Mask>::Question> questions;
        for (std::size_t i = 0; i < movers.size(); ++i)
            questions.push_back({word_of_masks<Mask>(movers.data()[i], others.data()[i])});
        {
            nb::gil_scoped_release release;
            one.find(questions, plies, seconds, [] { return false; });
        }
        std::vector<std::int8_t> found;
        std::vector<std::int32_t> found_plies;
        for (const auto& question : questions) {
            found.push_back(static_cast<std::int8_t>(question.outcome));
            found_plies.push_back(question.plies);
        }
        return std::tuple(to_numpy(std::move(found)), to_numpy(std::move(found_plies)));
    });
}

struct PyWinPlies {
    explicit PyWinPlies(Rules rules) : cells(rules.cells()), wins(rules) {}

    std::size_t blocks(int a) const { return wins.blocks(a); }

    template <class Plies>
    bool fill_plane(int a, int b, int plane, ReadOnly<std::uint8_t> outcomes,
                    nb::ndarray<Plies, nb::ndim<1>, nb::c_contig, nb::device::cpu> plies, const PyPlane& other,
                    const std::optional<PyPlane>& more, std::size_t first, std::size_t last, int threads) const {
        if (b < 0 || a < b || a + b > cells || plane < 0 || plane > (a > b))
            throw std::invalid_argument("no such plane");
        if (more.has_value() == (a + b == cells))
            throw std::invalid_argument("a plane needs the plane that a new mark leads to, if there is one");
        const std::size_t size = wins.layout().plane_entries(a, b);
        require_length(outcomes.size(), packed::bytes(size), "outcomes");
        require_length(plies.size(), size, "plies");
        if (last > wins.blocks(a)) throw std::out_of_range("no such block");
        const StoredPlane there = stored_plane(other, size);
        StoredPlane grown;
        if (more)
            grown = stored_plane(
                *more, plane == 0 ? wins.layout().plane_entries(a + 1, b) : wins.layout().plane_entries(a, b + 1));
        nb::gil_scoped_release release;
        return wins.fill_plane(a, b, plane, outcomes.data(), plies.data(), there, grown, first, last, threads);
    }

    int cells;
    WinPlies wins;
};

using Pushes = std::vector<std::pair<int, int>>;  // cells taken and pushed in
using LineThreats = std::vector<std::pair<Mask, Pushes>>;

std::tuple<LineThreats, LineThreats, Pushes> threats_in(const Board& board, std::uint64_t word) {
    if (!is_position(board, word)) throw std::invalid_argument("no position of this board");
    const auto pushes = [](const std::vector<const Move*>& moves) {
        Pushes found;
        for (const Move* move : moves) found.emplace_back(move->taken, move->pushed);
        return found;
    };
    const auto lines = [&](const std::vector<Threat>& threats) {
        LineThreats found;
        for (const Threat& threat : threats) found.emplace_back(threat.line, pushes(threat.moves));
        return found;
    };
    const Threats found = threats_of(board, static_cast<Mask>(word >> 32), static_cast<Mask>(word));
    return {lines(found.mover), lines(found.other), pushes(found.blocks)};
}

// A kernel of kernels/quixo.cu on the CPU. It takes addresses in place of pointers, trusts its caller, and
// keeps Python's lock: what a GPU shares among threads is static.
template <class... Arguments>
void def_kernel(nb::module_& m, const char* name, void (*kernel)(Arguments...)) {
    m.def(name, [kernel](std::conditional_t<std::is_pointer_v<Arguments>, std::uintptr_t, Arguments>... arguments) {
        kernel((Arguments)arguments...);
    });
}

}  // namespace

NB_MODULE(quixo, m) {
    m.def(
        "read_at",
        [](int file, std::uint64_t begin, std::size_t size) {
            std::vector<std::uint8_t> bytes(size);
            {
                nb::gil_scoped_release release;
                bytes.resize(inarow::read_at(file, begin, bytes, "read_at"));
            }
            return nb::bytes(bytes.data(), bytes.size());
        },
        nb::arg("file"), nb::arg("begin"), nb::arg("size"));
    nb::set_leak_warnings(false);  // a cache that is not empty when Python ends is no leak
    m.attr("MAX_CELLS") = max_cells;
    m.attr("MAX_WIDE_CELLS") = max_wide_cells;
    nb::class_<Rules>(m, "Rules")
        .def(
            "__init__",
            [](Rules* self, int rows, int columns, std::vector<WideMask> lines, std::tuple<int, int, int> ends) {
                const auto [own, other, both] = ends;
                for (const int outcome : {own, other, both})
                    if (outcome < -1 || outcome > 1) throw std::invalid_argument("a game ends with -1, 0 or 1");
                Rules rules{rows,
                            columns,
                            std::move(lines),
                            {static_cast<Outcome>(own), static_cast<Outcome>(other), static_cast<Outcome>(both)}};
                if (rules.rows > 0 && rules.columns > 0 && rules.cells() > max_cells)
                    BasicBoard<WideMask>{rules};
                else
                    Board{rules};
                new (self) Rules(std::move(rules));
            },
            nb::arg("rows"), nb::arg("columns"), nb::arg("lines"), nb::arg("ends"))
        .def_ro("rows", &Rules::rows)
        .def_ro("columns", &Rules::columns)
        .def_ro("lines", &Rules::lines)
        .def_prop_ro("ends",
                     [](const Rules& self) {
                         const auto& [own, other, both] = self.ends;
                         return std::tuple(static_cast<int>(own), static_cast<int>(other), static_cast<int>(both));
                     })
        .def_prop_ro("moves",
                     [](const Rules& self) {
                         std::vector<std::tuple<int, int>> moves;
                         const Board board(self);
                         for (const Move& move : board.moves()) moves.emplace_back(move.taken, move.pushed);
                         return moves;
                     })
        .def_prop_ro("symmetries", [](const Rules& self) {
            const Board board(self);
            std::vector<std::vector<int>> symmetries(board.symmetries());
            for (int g = 0; g < board.symmetries(); ++g)
                for (int cell = 0; cell < board.cells(); ++cell) symmetries[g].push_back(board.cell_image(g, cell));
            return symmetries;
        });

    nb::class_<PyKeptPages>(m, "KeptPages")
        .def(nb::init<std::size_t>(), nb::arg("most"))
        .def("__enter__", [](PyKeptPages& self) { self.kept.emplace(self.most); })
        .def("__exit__", [](PyKeptPages& self, const nb::args&) { self.kept.reset(); });
    m.def("empty_bytes", &empty_bytes, nb::arg("count"));

    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("ask", [](Stop& self) { self.asked = true; });
    nb::class_<Solver>(m, "Solver")
        .def(nb::init<Rules, int, const std::string&, std::uint32_t>(), nb::arg("rules"), nb::arg("threads"),
             nb::arg("lanes") = "auto", nb::arg("small") = 600)
        .def_prop_ro("lanes", &Solver::lanes)
        .def("memory", &Solver::memory, nb::arg("a"), nb::arg("b"), nb::arg("plies"))
        .def("solve", &solve, nb::arg("a"), nb::arg("b"), nb::arg("plies"), nb::arg("above"),
             nb::arg("stop").none() = nb::none());

    nb::class_<Locator>(m, "Locator")
        .def(nb::init<Rules>(), nb::arg("rules"))
        .def("locate_many", &locate_many, nb::arg("words"))
        .def(
            "word",
            [](Locator& self, int a, int b, int plane, unsigned block, unsigned rank) {
                return self.word({a, b, plane, block, rank});
            },
            nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("block"), nb::arg("rank"));

    nb::class_<Board>(m, "Board")
        .def(nb::init<Rules>(), nb::arg("rules"))
        .def("successors", &successors, nb::arg("words"))
        .def("over", &over, nb::arg("words"))
        .def("moves", &moves_many, nb::arg("words"))
        .def("canonical", &canonical_many, nb::arg("words"))
        .def("tiles", &tiles_many, nb::arg("words"))
        .def("threats", &threats_in, nb::arg("word"));
    m.def("parse_many", &parse_many, nb::arg("rules"), nb::arg("texts"));
    m.def("class_words", &class_words, nb::arg("rules"), nb::arg("x"), nb::arg("o"), nb::arg("first"),
          nb::arg("count"));
    m.def("words_at", &words_at, nb::arg("rules"), nb::arg("classes"), nb::arg("numbers"));
    nb::class_<UniformNumbers>(m, "UniformNumbers")
        .def(nb::init<std::uint64_t>(), nb::arg("seed"))
        .def("below", &uniform, nb::arg("bound"), nb::arg("count"));
    m.def("losses_in", &losses_in, nb::arg("packed"), nb::arg("entries"));
    m.def("lost_plies_of", &lost_plies_of<std::uint8_t>, nb::arg("outcomes"), nb::arg("plies"), nb::arg("piece"));
    m.def("lost_plies_of", &lost_plies_of<std::uint16_t>, nb::arg("outcomes"), nb::arg("plies"), nb::arg("piece"));
    m.def(
        "piece_checksums",
        [](ReadOnly<std::uint8_t> data, ReadOnly<std::uint32_t> sizes) {
            return of_pieces<std::uint32_t>(data, sizes, crc32);
        },
        nb::arg("data"), nb::arg("sizes"));
    m.def(
        "uniform_pieces",
        [](ReadOnly<std::uint8_t> data, ReadOnly<std::uint32_t> sizes) {
            return of_pieces<std::uint8_t>(data, sizes, is_uniform);
        },
        nb::arg("data"), nb::arg("sizes"));

    nb::class_<PyWinPlies>(m, "WinPlies")
        .def(nb::init<Rules>(), nb::arg("rules"))
        .def("blocks", &PyWinPlies::blocks, nb::arg("a"))
        .def("fill_plane", &PyWinPlies::fill_plane<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("plane"),
             nb::arg("outcomes"), nb::arg("plies").noconvert(), nb::arg("other"), nb::arg("more").none(),
             nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("fill_plane", &PyWinPlies::fill_plane<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("plane"),
             nb::arg("outcomes"), nb::arg("plies").noconvert(), nb::arg("other"), nb::arg("more").none(),
             nb::arg("first"), nb::arg("last"), nb::arg("threads"));

    nb::class_<PySearch>(m, "Search")
        .def(
            "__init__",
            [](PySearch* self, const Rules& rules, const std::vector<std::tuple<int, int, bool, int>>& facts) {
                const auto make = [&]<class Mask>(std::unique_ptr<BasicSearch<Mask>>& made) {
                    std::vector<typename BasicSearch<Mask>::ClassFacts> of_classes;
                    for (const auto& [longest_win, longest_loss, has_draws, score] : facts)
                        of_classes.push_back({longest_win, longest_loss, has_draws, score});
                    made = std::make_unique<BasicSearch<Mask>>(rules, std::move(of_classes), true, raise_signals);
                };
                new (self) PySearch();
                rules.cells() <= max_cells ? make(self->small) : make(self->wide);
            },
            nb::arg("rules"), nb::arg("facts"))
        .def("find", &find, nb::arg("movers"), nb::arg("others"), nb::arg("plies"), nb::arg("seconds"))
        .def("stop", [](PySearch& self) { self.with([](auto& search) { search.stop(); }); });

    nb::class_<Reachable>(m, "Reachable")
        .def(
            "__init__",
            [](Reachable* self, Rules rules) {
                nb::gil_scoped_release release;
                new (self) Reachable(rules, raise_signals);
            },
            nb::arg("rules"))
        .def("reached", &reached, nb::arg("words"));

    namespace gpu = inarow::quixo::gpu;
    auto host = m.def_submodule("kernels", "The kernels of the GPU, on one thread of the CPU.");
    host.attr("GRAIN") = gpu::grain;
    host.attr("SMALL_BLOCK") = gpu::small_block;
    host.attr("DUE_WORDS") = gpu::due_words;
    host.attr("MAX_PLIES") = gpu::max_plies;
    host.attr("FOLLOW_WINS") = gpu::follow_wins;
    host.attr("CHECK_ALL") = gpu::check_all;
    host.def(
        "game",
        [](const Rules& rules) {
            const gpu::Game game = gpu::game_of(rules);
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(&game);
            return to_numpy(std::vector<std::uint8_t>(bytes, bytes + sizeof game));
        },
        nb::arg("rules"));
#define INAROW_DEF_KERNEL(name) def_kernel(host, #name, &gpu::name)
    INAROW_DEF_KERNEL(find_canonical);
    INAROW_DEF_KERNEL(find_lines);
    INAROW_DEF_KERNEL(find_steps);
    INAROW_DEF_KERNEL(seed_by_warps);
    INAROW_DEF_KERNEL(seed_by_blocks);
    INAROW_DEF_KERNEL(mirror_by_warps);
    INAROW_DEF_KERNEL(mirror_by_blocks);
    INAROW_DEF_KERNEL(find_active);
    INAROW_DEF_KERNEL(visit_by_warps);
    INAROW_DEF_KERNEL(visit_by_blocks);
    INAROW_DEF_KERNEL(publish);
    INAROW_DEF_KERNEL(note);
    INAROW_DEF_KERNEL(find_sources);
    INAROW_DEF_KERNEL(follow);
    INAROW_DEF_KERNEL(finish);
    INAROW_DEF_KERNEL(restore_wins_by_warps);
    INAROW_DEF_KERNEL(restore_wins_by_blocks);
    INAROW_DEF_KERNEL(pack_outcomes);
    INAROW_DEF_KERNEL(gather_plies);
    INAROW_DEF_KERNEL(restore_entries);
    INAROW_DEF_KERNEL(narrow);
    INAROW_DEF_KERNEL(widen);
#undef INAROW_DEF_KERNEL

    bind_table(m);
    bind_prober(m);
}
