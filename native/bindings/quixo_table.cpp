// Tables and books in the Python module inarow._native.quixo. Python supplies the parts of files that they ask for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <span>

#include "bindings/arrays.hpp"
#include "bindings/quixo.hpp"
#include "huge_pages.hpp"
#include "quixo/book.hpp"
#include "quixo/piece_reader.hpp"
#include "quixo/planes.hpp"
#include "quixo/table_reader.hpp"

namespace nb = nanobind;
using namespace inarow::quixo;
using namespace inarow::bindings;
using inarow::HugeArray;
using inarow::make_huge;

namespace {

using Words = std::span<const std::uint64_t>;
using ValuesAndPlies = std::tuple<Array<std::int8_t>, Array<std::int32_t>>;

std::span<const std::uint8_t> bytes_of(nb::handle object) {
    const auto bytes = nb::cast<nb::bytes>(object);
    return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// What Python returned, while its lock is not held.
struct Held {
    nb::object object;

    ~Held() {
        nb::gil_scoped_acquire acquire;
        object.reset();
    }
};

// Others may go on while Python is asked. Whoever has Python's lock never waits for this one.
class Unlocked {
  public:
    explicit Unlocked(std::mutex& mutex) : mutex_(mutex) { mutex_.unlock(); }
    ~Unlocked() { mutex_.lock(); }

  private:
    std::mutex& mutex_;
};

// Whole pairs in memory. Threads may share it once all are added.
class WholeTable {
  public:
    WholeTable(const Rules& rules, bool has_plies) : reader_(rules, has_plies) {}

    // The planes of a pair: their outcomes and, if it has plies, those of each entry.
    void add(int a, int b, const std::vector<PyPlane>& planes) {
        const std::size_t entries = reader_.layout().plane_entries(a, b);
        std::vector<StoredPlane> found;
        require_length(planes.size(), a == b ? 1 : 2, "planes");
        for (const PyPlane& plane : planes) found.push_back(stored_plane(plane, entries, reader_.has_plies()));
        const bool narrow = std::all_of(found.begin(), found.end(), [&](const StoredPlane& plane) {
            return longest_in(plane, entries) <= Values<std::uint8_t>::max_plies;
        });
        const auto entries_of = [&]<class Entry>(std::vector<HugeArray<Entry>>& all) {
            auto kept = make_huge<Entry>(entries * found.size());
            for (std::size_t plane = 0; plane < found.size(); ++plane)
                to_entries(found[plane], 0, entries, kept.get() + plane * entries);
            reader_.add(a, b, {kept.get(), sizeof(Entry)});
            all.push_back(std::move(kept));
        };
        narrow ? entries_of(narrow_) : entries_of(wide_);
    }

    void look_up(Words words, std::span<Result> results) const {
        for (std::size_t i = 0; i < words.size(); ++i) results[i] = reader_.probe(words[i]);
    }

  private:
    TableReader reader_;
    std::vector<HugeArray<std::uint8_t>> narrow_;
    std::vector<HugeArray<std::uint16_t>> wide_;
};

template <class LookUp>
ValuesAndPlies probe_many(ReadOnly<std::uint64_t> words, LookUp look_up) {
    std::vector<std::int8_t> values(words.size());
    std::vector<std::int32_t> plies(words.size());
    {
        nb::gil_scoped_release release;
        const auto results = std::make_unique_for_overwrite<Result[]>(words.size());
        look_up(Words(words.data(), words.size()), std::span(results.get(), words.size()));
        for (std::size_t i = 0; i < words.size(); ++i) {
            values[i] = static_cast<std::int8_t>(results[i].outcome);
            plies[i] = results[i].plies;
        }
    }
    return {to_numpy(std::move(values)), to_numpy(std::move(plies))};
}

// A table of which Python supplies the files: `supply` has fetch(parts, may), which returns for each part what is
// stored and what that unpacks to, or None, and whole(), which returns it unpacked or None; damaged(pair, plies, piece,
// why), wrong(word) and contradicted() raise. Threads may share it.
class Table : public Source {
  public:
    // It is unpacked as a whole once so many positions were looked up.
    Table(const Rules& rules, bool has_plies, bool complete, bool far, std::int64_t worth_unpacking, nb::object supply)
        : Source(Origin::table, complete ? rules.cells() : -1, complete && has_plies ? rules.cells() : -1,
                 far ? -1 : rules.cells()),
          supply_(std::move(supply)),
          reader_(rules, has_plies, far ? Reach::far : Reach::near,
                  {[this](const auto& parts, bool may) { return fetch(parts, may); },
                   [this](const PieceReader::Part& part, const char* why) {
                       raise("damaged", part.pair, part.plies, part.piece, why);
                   },
                   [this](std::uint64_t word) { raise("wrong", word); }}),
          moves_(numbered_moves(reader_.board())),
          left_(worth_unpacking) {}

    void add_pair(int a, int b, std::uint64_t entries, std::uint64_t values, std::uint64_t plies, int width) {
        if (!reader_.add_pair(a, b, entries, values, plies, width)) throw std::invalid_argument("no pair of a table");
    }
    // The plies of some positions, which it has no plies of itself.
    void add_plies_of(std::shared_ptr<Table> other) { with_plies_ = std::move(other); }

    bool look_up(Words words, std::span<Result> results) override {
        ask(words, results, [&] { return reader_.look_up(words, results); });
        return true;
    }
    bool look_up_with_moves(Words words, std::span<Result> results) override {
        ask(words, results, [&] { return reader_.look_up_with_moves(words, results); });
        return true;
    }

    Array<std::int8_t> values(ReadOnly<std::uint64_t> words) {
        return std::get<0>(probe_many(words, [&](Words its, std::span<Result> results) {
            if (const auto whole = in_memory(its.size())) return whole->look_up(its, results);
            const std::scoped_lock lock(mutex_);
            reader_.look_up_outcomes(its, results);
        }));
    }

    std::optional<PyProbe> probe(std::uint64_t word) {
        std::optional<Probe> found;
        {
            nb::gil_scoped_release release;
            found = probe_in(*this, reader_.board(), moves_, word);
        }
        return is_known(found->known.result) ? std::optional(to_python(*std::move(found))) : std::nullopt;
    }

    bool is_in_memory() const { return whole_ != nullptr; }

  private:
    template <class Pieces>
    void ask(Words words, std::span<Result> results, Pieces look_up_in_pieces) {
        if (const auto whole = in_memory(words.size())) {
            whole->look_up(words, results);
        } else {
            const std::scoped_lock lock(mutex_);
            look_up_in_pieces();
        }
        if (!with_plies_) return;
        std::vector<std::uint64_t> open;
        std::vector<Result*> theirs;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (std::abs(static_cast<int>(results[i].outcome)) == 1 && results[i].plies < 0) {
                open.push_back(words[i]);
                theirs.push_back(&results[i]);
            }
        if (open.empty()) return;
        std::vector<Result> found(open.size());
        with_plies_->look_up(open, found);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (found[i].outcome == Outcome::missing) continue;
            if (found[i].outcome != theirs[i]->outcome) raise("contradicted");
            theirs[i]->plies = found[i].plies;
        }
    }

    template <class... Arguments>
    void raise(const char* method, Arguments... arguments) {
        const nb::gil_scoped_acquire acquire;
        supply_.attr(method)(arguments...);
    }

    bool fetch(const PieceReader::Parts& parts, bool may) {
        Held found;
        std::vector<std::pair<std::span<const std::uint8_t>, std::span<const std::uint8_t>>> given(parts.size());
        {
            const Unlocked unlocked(mutex_);
            const nb::gil_scoped_acquire acquire;
            nb::list asked;
            for (const auto& [pair, plies, piece, begin, end, most, checksum] : parts)
                asked.append(nb::make_tuple(pair, plies, piece, begin, end, most, checksum));
            found.object = supply_.attr("fetch")(asked, may);
            if (found.object.is_none()) return true;
            for (std::size_t i = 0; i < given.size(); ++i)
                given[i] = {bytes_of(found.object[i][0]), bytes_of(found.object[i][1])};
        }
        auto bytes = given.begin();
        for (const auto& part : parts) {
            reader_.give(part, bytes->first, bytes->second);
            ++bytes;
        }
        return true;
    }

    std::shared_ptr<WholeTable> in_memory(std::size_t asked) {
        if ((left_ -= static_cast<std::int64_t>(asked)) > 0) return nullptr;
        const std::scoped_lock lock(unpacking_);
        if (!whole_ && left_ <= 0) {
            const nb::gil_scoped_acquire acquire;
            const nb::object found = supply_.attr("whole")();
            if (found.is_none())  // what is damaged may never be asked for
                left_ = std::numeric_limits<std::int64_t>::max();
            else
                whole_ = nb::cast<std::shared_ptr<WholeTable>>(found);
        }
        return whole_;
    }

    nb::object supply_;
    PieceReader reader_;
    std::mutex mutex_;  // of the reader
    std::vector<Move> moves_;
    std::atomic<std::int64_t> left_;  // positions until all is unpacked
    std::mutex unpacking_;
    std::shared_ptr<WholeTable> whole_;
    std::shared_ptr<Table> with_plies_;
};

// A book whose chunks `fetch(a, b, number, size)` returns, unpacked. Threads may share it.
class PyBook : public Source {
  public:
    PyBook(const Rules& rules, int outcome_marks, int plies_marks, nb::object fetch)
        : Source(Origin::book, outcome_marks, plies_marks, outcome_marks),
          fetch_(std::move(fetch)),
          book(rules, [this](const auto& chunks) { return fetched(chunks); }, kept) {}

    bool look_up(Words words, std::span<Result> results) override {
        const std::scoped_lock lock(mutex_);
        return book.look_up(words, results);
    }

  private:
    static constexpr std::size_t kept = 256;  // chunks: 16 MiB

    bool fetched(const std::set<Book::Chunk>& chunks) {
        for (const Book::Chunk& chunk : chunks) {
            Held codes;
            std::span<const std::uint8_t> bytes;
            {
                const Unlocked unlocked(mutex_);
                const nb::gil_scoped_acquire acquire;
                codes.object = fetch_(chunk.a, chunk.b, chunk.number);
                bytes = bytes_of(codes.object);
            }
            if (!book.give(chunk, bytes)) throw std::invalid_argument("no chunk of a book");
        }
        return true;
    }

    nb::object fetch_;
    std::mutex mutex_;

  public:
    Book book;
};

std::tuple<std::uint64_t, Array<std::uint32_t>> run_of(const PieceIndex& index, std::size_t first, std::size_t count) {
    if (first > index.size()) throw std::out_of_range("no such piece");
    std::vector<std::uint32_t> lengths;
    for (std::size_t piece = first; piece < std::min(first + count, index.size()); ++piece)
        lengths.push_back(static_cast<std::uint32_t>(index.length(piece)));
    return {lengths.empty() ? 0 : index.begin(first), to_numpy(std::move(lengths))};
}

// The first of so many pieces from `first` on that is not what was written.
std::optional<std::size_t> first_wrong(const PieceIndex& index, std::size_t first, std::size_t count, nb::bytes data) {
    std::span<const std::uint8_t> left = bytes_of(data);
    nb::gil_scoped_release release;
    for (const std::size_t last = std::min(first + count, index.size()); first < last; ++first) {
        const std::size_t length = std::min<std::size_t>(index.length(first), left.size());
        if (!index.matches(first, left.first(length))) return first;
        left = left.subspan(length);
    }
    return std::nullopt;
}

}  // namespace

void bind_table(nb::module_& m) {
    m.attr("PIECE") = PieceReader::piece_entries;
    nb::class_<PieceIndex>(m, "PieceIndex")
        .def(
            "__init__",
            [](PieceIndex* self, nb::bytes listed, std::uint64_t begin) {
                auto found = PieceIndex::read(bytes_of(listed), begin);
                if (!found) throw std::invalid_argument("the pieces do not fill the file");
                new (self) PieceIndex(std::move(*found));
            },
            nb::arg("listed"), nb::arg("begin"))
        .def_static("begin_of", &PieceIndex::begin_of, nb::arg("size"), nb::arg("pieces"))
        .def("run", &run_of, nb::arg("first"), nb::arg("count"))
        .def("first_wrong", &first_wrong, nb::arg("first"), nb::arg("count"), nb::arg("data"));

    nb::class_<WholeTable>(m, "WholeTable")
        .def(nb::init<Rules, bool>(), nb::arg("rules"), nb::arg("has_plies"))
        .def("add", &WholeTable::add, nb::arg("a"), nb::arg("b"), nb::arg("planes"));

    nb::class_<LaterMoves>(m, "LaterMoves").def("__call__", [](const LaterMoves& self) { return self.made(); });
    nb::class_<Source>(m, "Source")
        .def(
            "probe_many",
            [](Source& self, ReadOnly<std::uint64_t> words) {
                return probe_many(words, [&](Words its, std::span<Result> results) { self.look_up(its, results); });
            },
            nb::arg("words"));
    nb::class_<Table, Source>(m, "Table")
        .def(nb::init<Rules, bool, bool, bool, std::int64_t, nb::object>(), nb::arg("rules"), nb::arg("has_plies"),
             nb::arg("complete"), nb::arg("far"), nb::arg("worth_unpacking"), nb::arg("supply"))
        .def("add_pair", &Table::add_pair, nb::arg("a"), nb::arg("b"), nb::arg("entries"), nb::arg("values"),
             nb::arg("plies"), nb::arg("width"))
        .def("add_plies_of", &Table::add_plies_of, nb::arg("other"))
        .def("probe", &Table::probe, nb::arg("word"))
        .def("values", &Table::values, nb::arg("words"))
        .def_prop_ro("is_in_memory", &Table::is_in_memory);
    nb::class_<PyBook, Source>(m, "Book")
        .def(nb::init<Rules, int, int, nb::object>(), nb::arg("rules"), nb::arg("outcome_marks"),
             nb::arg("plies_marks"), nb::arg("fetch"))
        .def(
            "add_pair",
            [](PyBook& self, int a, int b, bool has_plies, std::vector<std::uint16_t> alphabet, std::uint64_t blocks,
               std::uint64_t per_chunk) {
                if (!self.book.add_pair(a, b, has_plies, std::move(alphabet), blocks, per_chunk))
                    throw std::invalid_argument("no pair of a book");
                std::vector<std::size_t> sizes;
                for (std::uint32_t number = 0; number < self.book.chunks(a, b); ++number)
                    sizes.push_back(self.book.chunk(a, b, number).size);
                return sizes;
            },
            nb::arg("a"), nb::arg("b"), nb::arg("has_plies"), nb::arg("alphabet"), nb::arg("blocks"),
            nb::arg("per_chunk"));
}
