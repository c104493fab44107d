// The core of Quixo as the Python module inarow._native.quixo.
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
#include <unordered_set>
#include <variant>

#include "bindings/read_at.hpp"
#include "quixo/gpu_game.hpp"
#include "quixo/gpu_on_cpu.hpp"
#include "quixo/locator.hpp"
#include "quixo/many.hpp"
#include "quixo/outcome_solver.hpp"
#include "quixo/pair_pieces.hpp"
#include "quixo/pieces.hpp"
#include "quixo/plies_solver.hpp"
#include "quixo/reachable.hpp"
#include "quixo/rows.hpp"
#include "quixo/search.hpp"
#include "quixo/solver.hpp"
#include "quixo/table_reader.hpp"
#include "quixo/threats.hpp"
#include "quixo/unpacked_pieces.hpp"
#include "quixo/win_plies.hpp"

namespace nb = nanobind;
using namespace inarow::quixo;
using inarow::HugeArray;
using inarow::KeptPages;
using inarow::make_huge;

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

template <class T, class Free>
Array<T> owned(std::unique_ptr<T[], Free> values, std::size_t count) {
    auto* kept = new std::unique_ptr<T[], Free>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::unique_ptr<T[], Free>*>(p); });
    return Array<T>(kept->get(), {count}, owner);
}

struct PyKeptPages {
    explicit PyKeptPages(std::size_t bytes) : most(bytes) {}

    const std::size_t most;
    std::optional<KeptPages> kept;
};

// Not initialized, of the pages that are kept.
Array<std::uint8_t> empty_bytes(std::size_t count) { return owned(make_huge<std::uint8_t>(count), count); }

void require_length(std::size_t found, std::size_t expected, const char* what) {
    if (found != expected)
        throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) + " entries, got " +
                                    std::to_string(found));
}

// Entries of a solved pair, as input to solving one with entries of this width: no wider than those.
template <class Entry>
struct Above;
template <>
struct Above<std::uint8_t> {
    using Array = ReadOnly<std::uint8_t>;
};
template <>
struct Above<std::uint16_t> {
    using Array = std::variant<ReadOnly<std::uint16_t>, ReadOnly<std::uint8_t>>;
};
template <class Entry>
using PyTask =
    std::tuple<int, int, std::optional<typename Above<Entry>::Array>, std::optional<typename Above<Entry>::Array>>;

template <class Entry>
StoredPair stored(const ReadOnly<Entry>& array, std::size_t expected, const char* what) {
    require_length(array.size(), expected, what);
    return {array.data(), static_cast<int>(sizeof(Entry))};
}
template <class... Arrays>
StoredPair stored(const std::variant<Arrays...>& array, std::size_t expected, const char* what) {
    return std::visit([&](const auto& its) { return stored(its, expected, what); }, array);
}

// Raises KeyboardInterrupt after Ctrl-C.
void raise_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Ends work on other threads than the one that gets Ctrl-C.
struct Stop {
    std::atomic<bool> asked{false};
};

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

// For each pair its entries and the histograms of its planes, or None where it needs wider entries.
template <class Entry>
nb::list solve(Solver& solver, const std::vector<PyTask<Entry>>& pairs) {
    const int cells = solver.layout().board().cells();
    std::vector<PairTask<Entry>> layer;
    std::vector<std::unique_ptr<Entry[]>> entries;
    for (const auto& [a, b, larger, smaller] : pairs) {
        if (b < 0 || a < b || a + b > cells) throw std::invalid_argument("no such pair of classes");
        if (a + b != std::get<0>(pairs[0]) + std::get<1>(pairs[0]))
            throw std::invalid_argument("pairs solved together must have the same number of marks");
        const bool full = a + b == cells;
        if (larger.has_value() == full || smaller.has_value() == (full || a == b))
            throw std::invalid_argument("a pair needs the pairs that a new mark leads to, and no others");
        PairTask<Entry> task{a, b, {}, {}, nullptr, {}};
        if (larger)
            task.larger =
                stored(*larger, solver.entries(a + 1, b), "larger").from(solver.layout().plane_entries(a + 1, b));
        if (smaller) task.smaller = stored(*smaller, solver.entries(a, b + 1), "smaller");
        entries.push_back(std::make_unique_for_overwrite<Entry[]>(solver.entries(a, b)));
        task.out = entries.back().get();
        layer.push_back(std::move(task));
    }
    interruptible([&](Interrupt& interrupt) { solver.solve(layer, interrupt); });
    nb::list results;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        if (layer[i].overflow) {
            results.append(nb::none());
            continue;
        }
        nb::list histograms;
        for (auto& histogram : layer[i].histograms)
            if (!histogram.empty()) histograms.append(to_numpy(std::move(histogram)));
        const std::size_t count = solver.entries(layer[i].a, layer[i].b);
        results.append(nb::make_tuple(owned(std::move(entries[i]), count), histograms));
    }
    return results;
}

// The planes of a pair, packed, and how many positions of each are won, lost and drawn.
nb::tuple solve_outcomes(OutcomeSolver& outcomes, int a, int b, const std::optional<ReadOnly<std::uint8_t>>& larger,
                         const std::optional<ReadOnly<std::uint8_t>>& smaller, const Stop* stop) {
    const Layout& layout = outcomes.layout();
    const int cells = layout.board().cells();
    if (b < 0 || a < b || a + b > cells) throw std::invalid_argument("no such pair of classes");
    const bool full = a + b == cells;
    if (larger.has_value() == full || smaller.has_value() == (full || a == b))
        throw std::invalid_argument("a pair needs the planes that a new mark leads to, and no others");
    if (larger) require_length(larger->size(), packed::bytes(layout.plane_entries(a + 1, b)), "larger");
    if (smaller) require_length(smaller->size(), packed::bytes(layout.plane_entries(a, b + 1)), "smaller");
    OutcomeTask task{a, b, larger ? larger->data() : nullptr, smaller ? smaller->data() : nullptr, {}, {}};
    HugeArray<std::uint8_t> planes[2];
    const std::size_t bytes = packed::bytes(layout.plane_entries(a, b));
    for (int plane = 0; plane < task.plane_count(); ++plane) {
        planes[plane] = make_huge<std::uint8_t>(bytes);
        task.planes[plane] = planes[plane].get();
    }
    interruptible([&](Interrupt& interrupt) { outcomes.solve(task, interrupt); }, stop);
    nb::list found, counts;
    for (int plane = 0; plane < task.plane_count(); ++plane) {
        found.append(owned(std::move(planes[plane]), bytes));
        const OutcomeCounts& its = task.counts[plane];
        counts.append(nb::make_tuple(its.win, its.loss, its.draw));
    }
    return nb::make_tuple(found, counts);
}

// A plane as Python has it: its outcomes, packed, and the plies of its entries.
using PyPlane = std::tuple<ReadOnly<std::uint8_t>, Above<std::uint16_t>::Array>;

PliesPlane plies_plane(const PyPlane& plane, std::size_t entries) {
    const auto& [outcomes, plies] = plane;
    require_length(outcomes.size(), packed::bytes(entries), "outcomes");
    return {outcomes.data(), stored(plies, entries, "plies")};
}

// The planes of a pair, packed, their plies, and how many positions of each have each entry of two bytes; None if there
// are more plies than can be held. `more`, given a side, returns the outcomes and the plies of the plane that its new
// marks lead to.
template <class Plies>
nb::object solve_plies(PliesSolver& solver, int a, int b, const nb::callable& more, const Stop* stop) {
    const Layout& layout = solver.layout();
    const int cells = layout.board().cells();
    if (b < 0 || a < b || a + b > cells) throw std::invalid_argument("no such pair of classes");
    const std::size_t entries = layout.plane_entries(a, b), bytes = packed::bytes(entries);
    PliesTask<Plies> task{a, b, {}, {}, {}, {}};
    HugeArray<std::uint8_t> outcomes[2];
    HugeArray<Plies> plies[2];
    for (int plane = 0; plane < task.plane_count(); ++plane) {
        outcomes[plane] = make_huge<std::uint8_t>(bytes);
        plies[plane] = make_huge<Plies>(entries);
        task.outcomes[plane] = outcomes[plane].get();
        task.plies[plane] = plies[plane].get();
    }
    nb::object kept;  // the plane that is being read
    task.more = [&](int side) -> PliesPlane {
        const nb::gil_scoped_acquire acquire;
        kept.reset();
        if (a + b == cells || (side == 1 && a == b)) return {};
        kept = more(side);
        const std::size_t there = side == 0 ? layout.plane_entries(a + 1, b) : layout.plane_entries(a, b + 1);
        return plies_plane(nb::cast<PyPlane>(kept), there);
    };
    bool held = false;
    interruptible([&](Interrupt& interrupt) { held = solver.solve(task, interrupt); }, stop);
    if (!held) return nb::none();
    nb::list planes;
    for (int plane = 0; plane < task.plane_count(); ++plane)
        planes.append(nb::make_tuple(owned(std::move(outcomes[plane]), bytes), owned(std::move(plies[plane]), entries),
                                     to_numpy(std::move(task.histograms[plane]))));
    return planes;
}

// Results one by one, for Python to compute with.
using ValuesAndPlies = std::pair<std::vector<int>, std::vector<int>>;

ValuesAndPlies values_and_plies(const std::vector<Result>& results) {
    ValuesAndPlies found;
    for (const Result& result : results) {
        found.first.push_back(static_cast<int>(result.outcome));
        found.second.push_back(result.plies);
    }
    return found;
}

// Looks positions up in files of the plain form. Threads may share it.
class PlainReader {
  public:
    // `limit` is how many bytes of entries are kept in memory, roughly.
    PlainReader(Rules rules, std::size_t limit)
        : limit_(limit), reader_(rules), moves_(numbered_moves(reader_.board())) {}

    // The entries of a pair begin at a place of an open file; the caller keeps it open.
    void add(int a, int b, int width, int file, std::uint64_t begin, ReadOnly<std::uint32_t> checksums,
             const std::string& name) {
        std::vector<std::uint32_t> sums(checksums.data(), checksums.data() + checksums.size());
        auto read = [=](std::uint64_t at, std::span<std::uint8_t> into) {
            return inarow::read_at(file, begin + at, into, name);
        };
        reader_.add(a, b, {name, width, reader_.entries(a, b), std::move(sums), read, held_});
    }

    // The entries of a pair in memory.
    template <class Entry>
    void add_array(int a, int b, ReadOnly<Entry> entries) {
        require_length(entries.size(), reader_.entries(a, b), "entries");
        const auto* data = reinterpret_cast<const std::uint8_t*>(entries.data());
        std::vector<std::uint8_t> bytes(data, data + entries.size() * sizeof(Entry));
        std::vector<std::uint32_t> sums;
        for (std::size_t at = 0, size = PairPieces::kEntries * sizeof(Entry); at < bytes.size(); at += size)
            sums.push_back(crc32(bytes.data() + at, std::min(size, bytes.size() - at)));
        auto read = [bytes = std::move(bytes)](std::uint64_t at, std::span<std::uint8_t> into) {
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), into.size(), into.begin());
            return into.size();
        };
        const int width = sizeof(Entry);
        reader_.add(a, b, {"memory", width, reader_.entries(a, b), std::move(sums), std::move(read), held_});
    }

    std::tuple<Array<std::int8_t>, Array<std::int32_t>> probe(ReadOnly<std::uint64_t> words) {
        std::vector<std::int8_t> outcomes(words.size());
        std::vector<std::int32_t> plies(words.size());
        {
            nb::gil_scoped_release release;
            look_up({words.data(), words.size()}, [&](std::size_t i, const Result& result) {
                outcomes[i] = static_cast<std::int8_t>(result.outcome);
                plies[i] = result.plies;
            });
        }
        return {to_numpy(std::move(outcomes)), to_numpy(std::move(plies))};
    }

    // Of a position and of those after its moves, in the order of moves_many.
    ValuesAndPlies probe_with_moves(std::uint64_t word) {
        std::vector<std::uint64_t> words{word};
        std::vector<Result> results;
        {
            nb::gil_scoped_release release;
            each_numbered_move(reader_.board(), moves_, word,
                               [&](int, std::uint64_t after) { words.push_back(after); });
            look_up(words, [&](std::size_t, const Result& result) { results.push_back(result); });
        }
        return values_and_plies(results);
    }

  private:
    // Calls keep(i, result) for each position.
    template <class Keep>
    void look_up(std::span<const std::uint64_t> words, Keep keep) {
        for (std::size_t first = 0; first < words.size(); first += kAtOnce) {
            {
                const std::shared_lock looking(kept_);
                for (std::size_t i = first; i < std::min(first + kAtOnce, words.size()); ++i)
                    keep(i, reader_.probe(words[i]));
            }
            if (held_ > limit_) {
                const std::unique_lock alone(kept_);
                reader_.each_pair([](const PairPieces& pair) { pair.drop(); });
            }
        }
    }

    static constexpr std::size_t kAtOnce = 1 << 14;

    std::size_t limit_;
    std::atomic<std::size_t> held_ = 0;
    std::shared_mutex kept_;
    TableReader<PairPieces> reader_;
    std::vector<Move> moves_;
};

using PieceNames = std::vector<UnpackedPieces::Name>;

PieceNames sorted(const std::unordered_set<UnpackedPieces::Name>& names) {
    PieceNames found(names.begin(), names.end());
    std::sort(found.begin(), found.end());
    return found;
}

// What was found, if it was, and the names of the pieces that are lacking. If it is neither, pieces make no sense.
std::tuple<std::optional<ValuesAndPlies>, std::tuple<PieceNames, PieceNames, PieceNames>> probe_unpacked(
    UnpackedPieces& pieces, std::uint64_t word) {
    const UnpackedPieces::Answer answer = pieces.probe_with_moves(word);
    if (answer.wrong) return {};
    if (!answer.lacks_pieces()) return {values_and_plies(answer.results), {}};
    return {std::nullopt, {sorted(answer.outcomes), sorted(answer.losses), sorted(answer.plies)}};
}

// The values of words, or none, and the names of the pieces that are lacking.
std::tuple<std::optional<Array<std::int8_t>>, PieceNames> values_unpacked(UnpackedPieces& pieces,
                                                                          ReadOnly<std::uint64_t> words) {
    const UnpackedPieces::Answer answer = pieces.outcomes(std::span(words.data(), words.size()));
    if (answer.wrong) return {};
    if (answer.lacks_pieces()) return {std::nullopt, sorted(answer.outcomes)};
    std::vector<std::int8_t> values;
    for (const Result& result : answer.results) values.push_back(static_cast<std::int8_t>(result.outcome));
    return {to_numpy(std::move(values)), {}};
}

void add_outcomes(UnpackedPieces& pieces, UnpackedPieces::Name name, ReadOnly<std::uint8_t> packed,
                  std::uint32_t entries) {
    if (entries > UnpackedPieces::piece_entries || packed.size() < packed::bytes(entries))
        throw std::invalid_argument("a piece has at most 16,384 entries, and four of them in a byte");
    pieces.add_outcomes(name, packed.data(), entries);
}

template <class Plies>
void add_plies(UnpackedPieces& pieces, UnpackedPieces::Name name, ReadOnly<Plies> plies) {
    pieces.add_plies(name, plies.data(), plies.size());
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

// For each place in a row of packed outcomes, the number of losses before it; fastest if rows and places ascend.
Array<std::uint32_t> lost_before(nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> packed,
                                 ReadOnly<std::int64_t> rows, ReadOnly<std::uint32_t> places) {
    require_length(places.size(), rows.size(), "places");
    std::vector<std::uint32_t> lost(rows.size());
    const std::size_t width = packed.shape(1);
    std::size_t counted_row = 0;
    std::uint32_t counted = 0, before = 0;  // entries of that row that were counted, and the losses among them
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = static_cast<std::size_t>(rows.data()[i]);
        const std::uint32_t place = places.data()[i], whole = place / 4 * 4;
        if (row >= packed.shape(0) || place > 4 * width) throw std::out_of_range("no such entry");
        if (row != counted_row || place < counted) counted_row = row, counted = before = 0;
        const std::uint8_t* bytes = packed.data() + row * width;
        before += count_lost(bytes, counted, whole);
        counted = whole;
        lost[i] = before + count_lost(bytes, whole, place);
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

// Searches positions to some depth: their values and plies, -1 where they are not known, before and after; and whether
// there was enough time.
std::tuple<Array<std::int8_t>, Array<std::int32_t>, bool> deepen(Search& search, ReadOnly<std::uint64_t> words,
                                                                 ReadOnly<std::int8_t> values,
                                                                 ReadOnly<std::int32_t> plies, int depth,
                                                                 double seconds) {
    require_length(values.size(), words.size(), "values");
    require_length(plies.size(), words.size(), "plies");
    std::vector<Search::Question> questions;
    for (std::size_t i = 0; i < words.size(); ++i)
        questions.push_back({words.data()[i], static_cast<Outcome>(values.data()[i]), plies.data()[i]});
    bool complete;
    {
        nb::gil_scoped_release release;
        complete = search.deepen(questions, depth, seconds);
    }
    std::vector<std::int8_t> found;
    std::vector<std::int32_t> found_plies;
    for (const auto& question : questions) {
        found.push_back(static_cast<std::int8_t>(question.outcome));
        found_plies.push_back(question.plies);
    }
    return {to_numpy(std::move(found)), to_numpy(std::move(found_plies)), complete};
}

// A Python function that takes words and returns values, as an oracle; none if it is None.
Search::Oracle oracle_of(nb::object function) {
    if (function.is_none()) return {};
    return [function = std::move(function)](std::span<const std::uint64_t> words, std::span<Outcome> outcomes) {
        nb::gil_scoped_acquire acquire;
        const auto values =
            nb::cast<ReadOnly<std::int8_t>>(function(to_numpy(std::vector(words.begin(), words.end()))));
        require_length(values.size(), words.size(), "values");
        for (std::size_t i = 0; i < words.size(); ++i) outcomes[i] = static_cast<Outcome>(values.data()[i]);
    };
}

using AnyEntries = std::variant<ReadOnly<std::uint8_t>, ReadOnly<std::uint16_t>>;

StoredPair stored_pair(const std::optional<AnyEntries>& entries, std::size_t expected, const char* what) {
    if (!entries) return {nullptr, 1};
    const auto view = [&](const auto& values) {
        require_length(values.size(), expected, what);
        return StoredPair{values.data(), static_cast<int>(sizeof(values.data()[0]))};
    };
    return std::visit(view, *entries);
}

struct PyWinPlies {
    explicit PyWinPlies(Rules rules) : cells(rules.cells()), wins(rules) {}

    std::size_t blocks(int a) const { return wins.blocks(a); }

    bool fill(int a, int b, nb::ndarray<std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> entries,
              const std::optional<AnyEntries>& larger, const std::optional<AnyEntries>& smaller, std::size_t first,
              std::size_t last, int threads) const {
        const bool full = a + b == cells;
        if (larger.has_value() == full || smaller.has_value() == (full || a == b))
            throw std::invalid_argument("a pair needs the pairs that a new mark leads to, and no others");
        require_length(entries.size(), wins.entries(a, b), "entries");
        if (last > wins.blocks(a) * (a == b ? 1 : 2)) throw std::out_of_range("no such block");
        const StoredPair more = stored_pair(larger, larger ? wins.entries(a + 1, b) : 0, "larger");
        const StoredPair other = stored_pair(smaller, smaller ? wins.entries(a, b + 1) : 0, "smaller");
        nb::gil_scoped_release release;
        return wins.fill(a, b, entries.data(), more, other, first, last, threads);
    }

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
        const PliesPlane there = plies_plane(other, size);
        PliesPlane grown;
        if (more)
            grown = plies_plane(
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
    nb::class_<Rules>(m, "Rules")
        .def(
            "__init__",
            [](Rules* self, int rows, int columns, int line, bool double_line_wins) {
                new (self) Rules(Board({rows, columns, line, double_line_wins}).rules());
            },
            nb::arg("rows"), nb::arg("columns"), nb::arg("line"), nb::arg("double_line_wins"))
        .def_ro("rows", &Rules::rows)
        .def_ro("columns", &Rules::columns)
        .def_ro("line", &Rules::line)
        .def_ro("double_line_wins", &Rules::double_line_wins)
        .def_prop_ro("lines", [](const Rules& self) { return Board(self).lines(); })
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

    nb::class_<Solver>(m, "Solver")
        .def(nb::init<Rules, int, const std::string&>(), nb::arg("rules"), nb::arg("threads"),
             nb::arg("lanes") = "auto")
        .def_prop_ro("lanes", &Solver::lanes)
        .def("entries", &Solver::entries, nb::arg("a"), nb::arg("b"))
        .def(
            "memory",
            [](const Solver& self, int a, int b, int width) {
                const PairMemory memory = self.memory(a, b, width);
                return std::tuple(memory.entries, memory.workspace, memory.moves, self.layout().bytes());
            },
            nb::arg("a"), nb::arg("b"), nb::arg("width"))
        .def("solve_narrow", &solve<std::uint8_t>, nb::arg("pairs"))
        .def("solve_wide", &solve<std::uint16_t>, nb::arg("pairs"));

    nb::class_<PyKeptPages>(m, "KeptPages")
        .def(nb::init<std::size_t>(), nb::arg("most"))
        .def("__enter__", [](PyKeptPages& self) { self.kept.emplace(self.most); })
        .def("__exit__", [](PyKeptPages& self, const nb::args&) { self.kept.reset(); });
    m.def("empty_bytes", &empty_bytes, nb::arg("count"));

    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("ask", [](Stop& self) { self.asked = true; });
    nb::class_<OutcomeSolver>(m, "OutcomeSolver")
        .def(nb::init<Rules, int, const std::string&, std::uint32_t>(), nb::arg("rules"), nb::arg("threads"),
             nb::arg("lanes") = "auto", nb::arg("small") = 600)
        .def_prop_ro("lanes", &OutcomeSolver::lanes)
        .def(
            "plane_entries", [](const OutcomeSolver& self, int a, int b) { return self.layout().plane_entries(a, b); },
            nb::arg("a"), nb::arg("b"))
        .def("memory", &OutcomeSolver::memory, nb::arg("a"), nb::arg("b"))
        .def("solve", &solve_outcomes, nb::arg("a"), nb::arg("b"), nb::arg("larger").none(), nb::arg("smaller").none(),
             nb::arg("stop").none() = nb::none());

    nb::class_<PliesSolver>(m, "PliesSolver")
        .def(nb::init<Rules, int, const std::string&, std::uint32_t>(), nb::arg("rules"), nb::arg("threads"),
             nb::arg("lanes") = "auto", nb::arg("small") = 600)
        .def_prop_ro("lanes", &PliesSolver::lanes)
        .def("memory", &PliesSolver::memory, nb::arg("a"), nb::arg("b"), nb::arg("width"))
        .def("solve_narrow", &solve_plies<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("more"),
             nb::arg("stop").none() = nb::none())
        .def("solve_wide", &solve_plies<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("more"),
             nb::arg("stop").none() = nb::none());

    m.def(
        "permute_rows",
        [](ReadOnly<std::uint8_t> bits, const std::vector<int>& from, int flipped, const std::string& lanes) {
            const int axes = static_cast<int>(from.size());
            if (axes < row_axes || axes > max_cells || bits.size() != std::size_t{1} << (axes - 3))
                throw std::invalid_argument("a bitmap has a bit for each word of 9 to 25 bits");
            Axes how{axes, row_count(axes), {}, flipped};
            std::copy(from.begin(), from.end(), how.from);
            RowArray in(how.source_rows), out(how.source_rows);
            std::memcpy(in[0], bits.data(), bits.size());
            permute_rows(in[0], out[0], how, lanes);
            const auto* found = reinterpret_cast<const std::uint8_t*>(out[0]);
            return to_numpy(std::vector<std::uint8_t>(found, found + bits.size()));
        },
        nb::arg("bits"), nb::arg("from_axes"), nb::arg("flipped"), nb::arg("lanes"));

    nb::exception<DamagedPiece>(m, "DamagedPiece");
    nb::class_<PlainReader>(m, "PlainReader")
        .def(nb::init<Rules, std::size_t>(), nb::arg("rules"), nb::arg("limit"))
        .def("add", &PlainReader::add, nb::arg("a"), nb::arg("b"), nb::arg("width"), nb::arg("file"), nb::arg("begin"),
             nb::arg("checksums"), nb::arg("name"))
        .def("add_array", &PlainReader::add_array<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("entries"))
        .def("add_array", &PlainReader::add_array<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("entries"))
        .def("probe", &PlainReader::probe, nb::arg("words"))
        .def("probe_with_moves", &PlainReader::probe_with_moves, nb::arg("word"))
        .def(
            "values", [](PlainReader& self, ReadOnly<std::uint64_t> words) { return std::get<0>(self.probe(words)); },
            nb::arg("words"));

    // Python's lock is what lets threads share it.
    nb::class_<UnpackedPieces>(m, "UnpackedPieces")
        .def(nb::init<Rules, bool>(), nb::arg("rules"), nb::arg("has_plies"))
        .def("add_pair", &UnpackedPieces::add_pair, nb::arg("a"), nb::arg("b"))
        .def("add_outcomes", &add_outcomes, nb::arg("name"), nb::arg("packed"), nb::arg("entries"))
        .def("add_without_losses", &UnpackedPieces::add_without_losses, nb::arg("name"))
        .def("add_plies", &add_plies<std::uint8_t>, nb::arg("name"), nb::arg("plies"))
        .def("add_plies", &add_plies<std::uint16_t>, nb::arg("name"), nb::arg("plies"))
        .def("losses", &UnpackedPieces::losses, nb::arg("name"))
        .def("__len__", &UnpackedPieces::size)
        .def("clear", &UnpackedPieces::clear)
        .def("probe_with_moves", &probe_unpacked, nb::arg("word"))
        .def("values", &values_unpacked, nb::arg("words"));

    nb::class_<Locator>(m, "Locator")
        .def(nb::init<Rules>(), nb::arg("rules"))
        .def("block_count", &Locator::block_count, nb::arg("a"))
        .def(
            "locate",
            [](Locator& self, std::uint64_t word) -> std::optional<std::tuple<int, int, int, unsigned, unsigned>> {
                const auto found = self.locate(word);
                if (!found) return std::nullopt;
                return std::tuple(found->a, found->b, found->plane, found->block, found->rank);
            },
            nb::arg("word"))
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
    m.def("lost_before", &lost_before, nb::arg("packed"), nb::arg("rows"), nb::arg("places"));
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
        .def("fill", &PyWinPlies::fill, nb::arg("a"), nb::arg("b"), nb::arg("entries").noconvert(),
             nb::arg("larger").noconvert().none(), nb::arg("smaller").noconvert().none(), nb::arg("first"),
             nb::arg("last"), nb::arg("threads"))
        .def("fill_plane", &PyWinPlies::fill_plane<std::uint8_t>, nb::arg("a"), nb::arg("b"), nb::arg("plane"),
             nb::arg("outcomes"), nb::arg("plies").noconvert(), nb::arg("other"), nb::arg("more").none(),
             nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("fill_plane", &PyWinPlies::fill_plane<std::uint16_t>, nb::arg("a"), nb::arg("b"), nb::arg("plane"),
             nb::arg("outcomes"), nb::arg("plies").noconvert(), nb::arg("other"), nb::arg("more").none(),
             nb::arg("first"), nb::arg("last"), nb::arg("threads"));

    nb::class_<Search>(m, "Search")
        .def(
            "__init__",
            [](Search* self, Rules rules, const std::vector<std::tuple<int, int, bool, int>>& facts, bool by_class,
               nb::object oracle) {
                std::vector<Search::ClassFacts> of_classes;
                for (const auto& [longest_win, longest_loss, has_draws, score] : facts)
                    of_classes.push_back({longest_win, longest_loss, has_draws, score});
                new (self) Search(rules, std::move(of_classes), by_class, raise_signals, oracle_of(oracle));
            },
            nb::arg("rules"), nb::arg("facts"), nb::arg("by_class") = true, nb::arg("oracle") = nb::none())
        .def("deepen", &deepen, nb::arg("words"), nb::arg("values"), nb::arg("plies"), nb::arg("depth"),
             nb::arg("seconds"))
        .def(
            "guess",
            [](Search& self, ReadOnly<std::uint64_t> words, int plies) {
                std::vector<std::int32_t> scores(words.size());
                nb::gil_scoped_release release;
                for (std::size_t i = 0; i < words.size(); ++i) scores[i] = self.guess(words.data()[i], plies);
                return scores;
            },
            nb::arg("words"), nb::arg("plies"))
        .def(
            "prove",
            [](Search& self, std::uint64_t word, int expected, std::uint64_t nodes, double seconds) {
                nb::gil_scoped_release release;
                const Result result = self.prove(word, static_cast<Outcome>(expected), nodes, seconds);
                return std::tuple(static_cast<int>(result.outcome), result.plies);
            },
            nb::arg("word"), nb::arg("expected"), nb::arg("nodes"), nb::arg("seconds"))
        .def("left_to_prove", &Search::left_to_prove, nb::arg("word"))
        .def(
            "proven",
            [](Search& self, std::uint64_t word) {
                const Result result = self.proven(word);
                return std::tuple(static_cast<int>(result.outcome), result.plies);
            },
            nb::arg("word"))
        .def("stop", &Search::stop)
        .def_prop_ro("nodes", &Search::nodes);

    nb::class_<Reachable>(m, "Reachable")
        .def(
            "__init__",
            [](Reachable* self, Rules rules) {
                nb::gil_scoped_release release;
                new (self) Reachable(rules, raise_signals);
            },
            nb::arg("rules"))
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
            nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("kind"))
        .def("reached", &reached, nb::arg("words"));

    // The kernels of kernels/quixo.cu on the CPU. Like them they take addresses, and trust their caller.
    namespace gpu = inarow::quixo::gpu;
    auto host = m.def_submodule("kernels", "The kernels of the GPU, on one thread of the CPU.");
    host.attr("GRAIN") = gpu::grain;
    host.attr("DUE_WORDS") = gpu::due_words;
    host.attr("MAX_PLIES") = gpu::max_plies;
    host.attr("FOLLOW_WINS") = gpu::follow_wins;
    host.attr("CHECK_ALL") = gpu::check_all;
    host.attr("SURVEY_COUNTS") = static_cast<int>(gpu::survey_counts);
    host.attr("FORCED_OPEN") = gpu::forced_open;
    host.attr("FORCED_FOR_EVER") = gpu::forced_for_ever;
    host.attr("SURVEY_LISTS") = static_cast<int>(gpu::survey_lists);
    host.def(
        "game",
        [](const Rules& rules) {
            const gpu::Game game = gpu::game_of(rules);
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(&game);
            return to_numpy(std::vector<std::uint8_t>(bytes, bytes + sizeof game));
        },
        nb::arg("rules"));
    const auto game = [](std::uintptr_t address) -> const gpu::Game& {
        return *reinterpret_cast<const gpu::Game*>(address);
    };
    const auto pair = [](std::uintptr_t address) -> const gpu::Pair& {
        return *reinterpret_cast<const gpu::Pair*>(address);
    };
    host.def("find_canonical", [=](std::uintptr_t g, std::uint32_t masks, std::uintptr_t found) {
        for (std::uint32_t i = 0; i < masks; ++i)
            reinterpret_cast<std::uint32_t*>(found)[i] = gpu::canonical(game(g), i);
    });
    host.def("find_lines", [=](std::uintptr_t g, std::uintptr_t masks, std::uint32_t count, std::uintptr_t lined,
                               std::uintptr_t fixing) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t mask = reinterpret_cast<const std::uint32_t*>(masks)[i];
            reinterpret_cast<std::uint8_t*>(lined)[i] = gpu::has_line(game(g), mask);
            reinterpret_cast<std::uint8_t*>(fixing)[i] = gpu::fixing(game(g), mask);
        }
    });
    host.def("find_steps", [=](std::uintptr_t g, std::uintptr_t masks, std::uint32_t count, std::uintptr_t where,
                               std::uintptr_t same, std::uintptr_t larger) {
        for (std::uint32_t i = 0; i < count * game(g).moves; ++i)
            gpu::fill_step(game(g), reinterpret_cast<const std::uint32_t*>(masks),
                           reinterpret_cast<const std::uint32_t*>(where), i, reinterpret_cast<std::uint32_t*>(same),
                           reinterpret_cast<std::uint32_t*>(larger));
    });
    host.def("seed", [=](std::uintptr_t g, std::uintptr_t p, int side) { gpu::seed(game(g), pair(p), side); });
    host.def("mirror", [=](std::uintptr_t g, std::uintptr_t p) { gpu::mirror(game(g), pair(p)); });
    host.def("visit", [=](std::uintptr_t g, std::uintptr_t p, int side, int round) {
        gpu::visit(game(g), pair(p), side, round);
    });
    host.def("publish", [=](std::uintptr_t p, int side, int round) { gpu::publish(pair(p), side, round); });
    host.def("note", [=](std::uintptr_t g, std::uintptr_t p, int side, int round) {
        gpu::note(game(g), pair(p), side, round);
    });
    host.def("find_sources", [=](std::uintptr_t p, int side, int round, std::uint32_t how) {
        return gpu::find_sources(pair(p), side, round, how);
    });
    host.def("follow", [=](std::uintptr_t g, std::uintptr_t p, int side, int round, std::uint32_t how,
                           const std::vector<std::uint32_t>& sources) {
        gpu::follow(game(g), pair(p), side, round, how, sources);
    });
    host.def("finish", [=](std::uintptr_t p, int side, std::uintptr_t orbits, std::uintptr_t histogram) {
        gpu::finish(pair(p), side, reinterpret_cast<const std::uint8_t*>(orbits),
                    reinterpret_cast<gpu::u64*>(histogram));
    });
    host.def("restore_wins",
             [=](std::uintptr_t g, std::uintptr_t p, int side) { gpu::restore_wins(game(g), pair(p), side); });
    host.def("survey", [=](std::uintptr_t g, std::uintptr_t p, int side, std::uintptr_t orbits, std::uintptr_t counts,
                           std::uintptr_t positions, std::uintptr_t listed, std::uint32_t room) {
        gpu::survey(game(g), pair(p), side, reinterpret_cast<const std::uint8_t*>(orbits),
                    {reinterpret_cast<gpu::u64*>(counts), reinterpret_cast<gpu::u64*>(positions),
                     reinterpret_cast<std::uint32_t*>(listed), room});
    });
    host.def("reach", [=](std::uintptr_t g, std::uintptr_t reach, std::uint64_t words) {
        gpu::reach(game(g), *reinterpret_cast<const gpu::Reach*>(reach), words);
    });
    host.def("count_bits", [](std::uintptr_t bits, std::uint64_t words, std::uint32_t stride, std::uintptr_t orbits,
                              std::uintptr_t total) {
        *reinterpret_cast<gpu::u64*>(total) += gpu::count_bits(reinterpret_cast<const std::uint32_t*>(bits), words,
                                                               stride, reinterpret_cast<const std::uint8_t*>(orbits));
    });
    host.def("force", [=](std::uintptr_t g, std::uintptr_t p, std::uintptr_t forced, int side, bool first,
                          std::uint64_t entries) {
        gpu::force(game(g), pair(p), *reinterpret_cast<const gpu::Forced*>(forced), side, first, entries);
    });
    host.def("count_bytes", [](std::uintptr_t bytes, std::uint64_t count, std::uint32_t of_block, std::uintptr_t orbits,
                               std::uintptr_t histogram) {
        gpu::count_bytes(reinterpret_cast<const std::uint8_t*>(bytes), count, of_block,
                         reinterpret_cast<const std::uint8_t*>(orbits), reinterpret_cast<gpu::u64*>(histogram));
    });
    host.def("pack_outcomes",
             [](std::uintptr_t entries, std::uint32_t count, std::uintptr_t packed, std::uintptr_t lost) {
                 gpu::pack_outcomes(reinterpret_cast<const std::uint16_t*>(entries), count,
                                    reinterpret_cast<std::uint8_t*>(packed), reinterpret_cast<std::uint32_t*>(lost));
             });
    host.def("gather_plies", [](std::uintptr_t entries, std::uint32_t count, std::uintptr_t begins,
                                std::uintptr_t plies, std::uint32_t width) {
        gpu::gather_plies(reinterpret_cast<const std::uint16_t*>(entries), count,
                          reinterpret_cast<const std::uint32_t*>(begins),
                          gpu::Plies{reinterpret_cast<std::uint8_t*>(plies), width});
    });
    host.def("restore_entries", [](std::uintptr_t packed, std::uint32_t count, std::uintptr_t begins,
                                   std::uintptr_t plies, std::uint32_t width, std::uintptr_t entries) {
        gpu::restore_entries(
            reinterpret_cast<const std::uint8_t*>(packed), count, reinterpret_cast<const std::uint32_t*>(begins),
            gpu::Plies{reinterpret_cast<std::uint8_t*>(plies), width}, reinterpret_cast<std::uint16_t*>(entries));
    });
    host.def("narrow", [](std::uintptr_t entries, std::uint64_t count, std::uintptr_t numbers, std::uintptr_t narrow) {
        gpu::narrow(reinterpret_cast<const std::uint16_t*>(entries), count,
                    reinterpret_cast<const std::uint8_t*>(numbers), reinterpret_cast<std::uint8_t*>(narrow));
    });
    host.def("widen", [](std::uintptr_t narrow, std::uint64_t count, std::uintptr_t values, std::uintptr_t entries) {
        gpu::widen(reinterpret_cast<const std::uint8_t*>(narrow), count, reinterpret_cast<const std::uint16_t*>(values),
                   reinterpret_cast<std::uint16_t*>(entries));
    });
}
