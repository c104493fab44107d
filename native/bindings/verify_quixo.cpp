// The checker as the Python module inarow._native.verify_quixo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "verify/quixo/checker.hpp"
#include "verify/quixo/forced.hpp"
#include "verify/quixo/gpu_on_cpu.hpp"
#include "verify/quixo/pieces.hpp"

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

// A plane of entries that keeps its array alive.
class BoundPlane {
  public:
    BoundPlane(Stored array, Codes::Kind kind) : array_(std::move(array)), codes_(std::make_shared<Codes>(kind)) {}
    BoundPlane(Stored array, const BoundPlane& like) : array_(std::move(array)), codes_(like.codes_) {}

    Plane view() const {
        return std::visit(
            [&](const auto& values) {
                // What only reads a plane does not write to a read-only array.
                return Plane{const_cast<void*>(static_cast<const void*>(values.data())),
                             static_cast<int>(sizeof(values.data()[0])), codes_.get()};
            },
            array_);
    }
    std::size_t size() const {
        return std::visit([](const auto& values) { return values.size(); }, array_);
    }
    std::vector<std::uint16_t> values() const { return {codes_->values(), codes_->values() + 256}; }

    void decode(Array<const std::uint8_t> outcomes, Array<const std::uint8_t> plies, int width, std::uint64_t first,
                std::uint64_t entries, int threads) {
        if (first + entries > size() || outcomes.size() != (entries + 3) / 4)
            throw std::invalid_argument("outcomes: not as many as entries");
        nb::gil_scoped_release release;
        inarow::verify::quixo::decode(outcomes.data(), plies.data(), width, entries, view(), first, threads);
    }

  private:
    Stored array_;
    std::shared_ptr<Codes> codes_;
};

// A pair that keeps the planes it looks into alive.
class BoundPair {
  public:
    using Planes = std::array<std::shared_ptr<BoundPlane>, 2>;

    BoundPair(const Game& game, int a, int b, Planes planes, Planes above, bool has_plies)
        : game_(game), kept_{std::move(planes), std::move(above)}, counts_{Counts(65536), Counts(65536)} {
        const std::uint64_t of_plane = entry_count(game, a, b) / (a == b ? 1 : 2);
        pair_ = {a, b, {}, {}, has_plies};
        const bool full = a + b == game.rules().cells();
        for (const int side : {0, 1}) {
            pair_.planes[side] = view(kept_[0][side], of_plane);
            const bool expected = !full && !(side == 1 && a == b);
            if ((kept_[1][side] != nullptr) != expected)
                throw std::invalid_argument("a pair needs the planes that a new mark leads to, and no others");
            if (!expected) continue;
            const int more_a = a + (side == 0), more_b = b + (side == 1);
            pair_.above[side] = view(kept_[1][side], entry_count(game, more_a, more_b) / (more_a == more_b ? 1 : 2));
        }
        const int width = pair_.planes[0].width;
        for (const Plane& plane : {pair_.planes[1], pair_.above[0], pair_.above[1]})
            if (plane.data != nullptr && plane.width != width)
                throw std::invalid_argument("planes: codes of different widths");
    }

    std::tuple<std::uint64_t, std::optional<Wrong>> check(int plane, std::uint64_t first, std::uint64_t last,
                                                          bool wins_filled, int threads) {
        Result result;
        {
            nb::gil_scoped_release release;
            result = inarow::verify::quixo::check(game_, pair_, {plane, first, last}, wins_filled, threads,
                                                  counts_.at(plane));
        }
        return {result.checked, tuple_of(result.counterexample)};
    }

    void fill_wins(int plane, std::uint64_t first, std::uint64_t last, int threads) {
        nb::gil_scoped_release release;
        inarow::verify::quixo::fill_wins(game_, pair_, {plane, first, last}, threads);
    }

    std::uint64_t derive(int plane, std::uint64_t first, std::uint64_t last, int threads) {
        nb::gil_scoped_release release;
        return inarow::verify::quixo::derive(game_, pair_, {plane, first, last}, threads);
    }

    std::optional<Wrong> find_underived() const {
        std::optional<Counterexample> found;
        {
            nb::gil_scoped_release release;
            found = inarow::verify::quixo::find_underived(game_, pair_);
        }
        return tuple_of(found);
    }

    void mirror(std::uint64_t first, std::uint64_t last, int threads) {
        nb::gil_scoped_release release;
        inarow::verify::quixo::mirror(game_, pair_, first, last, threads);
    }

    const Counts& counts(int plane) const { return counts_.at(plane); }

  private:
    static Plane view(const std::shared_ptr<BoundPlane>& plane, std::uint64_t entries) {
        if (plane == nullptr) throw std::invalid_argument("a plane is missing");
        if (plane->size() != entries)
            throw std::invalid_argument("a plane of " + std::to_string(plane->size()) + " entries, expected " +
                                        std::to_string(entries));
        return plane->view();
    }

    Game game_;
    std::array<Planes, 2> kept_;
    std::array<Counts, 2> counts_;
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

Found<std::uint32_t> forced(const Game& game, Words words, int plies) {
    Forced search(game);
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < words.size(); ++i)
        values.push_back(search.value(position_of(game, words.data()[i]), plies));
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

using Bytes = Array<const std::uint8_t>;
using Sizes = Array<const std::uint64_t>;

using Places = Array<const std::int64_t>;
using Checksums = Array<const std::uint32_t>;

StoredPieces stored_pieces(const Bytes& content, const Places& begins, const Places& lengths,
                           const Checksums& checksums, const Sizes& sizes) {
    const std::size_t count = checksums.size();
    bool fits = begins.size() == count && lengths.size() == count && sizes.size() == count;
    for (std::size_t i = 0; fits && i < count; ++i)
        fits = begins.data()[i] >= 0 && lengths.data()[i] >= 0 &&
               begins.data()[i] + lengths.data()[i] <= static_cast<std::int64_t>(content.size());
    if (!fits) throw std::invalid_argument("pieces: lengths do not agree");
    return {content.data(), begins.data(), lengths.data(), checksums.data(), count};
}

std::tuple<Found<std::uint8_t>, Found<std::uint64_t>, Found<std::uint64_t>, std::optional<std::size_t>,
           std::optional<std::size_t>>
frames(Bytes content, Places begins, Places lengths, Checksums checksums, Sizes sizes) {
    const StoredPieces pieces = stored_pieces(content, begins, lengths, checksums, sizes);
    Frames found;
    {
        nb::gil_scoped_release release;
        found = frames_of(pieces, sizes.data());
    }
    return {to_numpy(std::move(found.bytes)), to_numpy(std::move(found.segments)), to_numpy(std::move(found.sizes)),
            found.wrong, found.unexpected};
}

void lay_out_pieces(Bytes content, Places begins, Places lengths, Checksums checksums, Sizes sizes, Bytes unpacked,
                    Array<std::uint8_t> target) {
    const StoredPieces pieces = stored_pieces(content, begins, lengths, checksums, sizes);
    std::uint64_t framed = 0, all = 0;
    for (std::size_t i = 0; i < pieces.count; ++i) {
        all += sizes.data()[i];
        if (pieces.lengths[i] > 1) framed += sizes.data()[i];
    }
    if (framed != unpacked.size() || all != target.size()) throw std::invalid_argument("pieces: sizes do not agree");
    nb::gil_scoped_release release;
    lay_out(pieces, sizes.data(), unpacked.data(), target.data());
}

Found<std::uint32_t> losses_before(Bytes outcomes, Sizes begins, Sizes places, int threads) {
    bool fits = begins.size() == places.size();
    for (std::size_t i = 0; fits && i < begins.size(); ++i)
        fits = begins.data()[i] + (places.data()[i] + 3) / 4 <= outcomes.size();
    if (!fits) throw std::invalid_argument("outcomes: places past their end");
    std::vector<std::uint32_t> losses(begins.size());
    {
        nb::gil_scoped_release release;
        count_losses_before(outcomes.data(), begins.data(), places.data(), losses.size(), losses.data(), threads);
    }
    return to_numpy(std::move(losses));
}

Found<std::uint32_t> losses_of_pieces(Bytes outcomes, std::uint64_t entries, int threads) {
    if (outcomes.size() != (entries + 3) / 4) throw std::invalid_argument("outcomes: not as many as entries");
    std::vector<std::uint32_t> losses((entries + kPiece - 1) / kPiece);
    {
        nb::gil_scoped_release release;
        count_losses(outcomes.data(), entries, losses.data(), threads);
    }
    return to_numpy(std::move(losses));
}

// The structs of the GPU's checker, as bytes.
template <class T>
const T& struct_in(const Bytes& bytes) {
    if (bytes.size() != sizeof(T)) throw std::invalid_argument("a struct of another size");
    return *reinterpret_cast<const T*>(bytes.data());
}

Found<std::uint8_t> gpu_game(const Game& game) {
    const gpu::Game found = gpu::game_for_gpu(game);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&found);
    return to_numpy(std::vector<std::uint8_t>(bytes, bytes + sizeof(found)));
}

// Runs what the kernels do, for tests.
struct GpuOnCpu {
    static void decode(Bytes outcomes, Bytes plies, Array<const std::uint64_t> offsets, std::uint32_t width,
                       Array<std::uint16_t> entries) {
        if (outcomes.size() != (entries.size() + 3) / 4) throw std::invalid_argument("not as many outcomes as entries");
        nb::gil_scoped_release release;
        static_assert(sizeof(std::uint64_t) == sizeof(gpu::u64));
        const std::vector<gpu::u64> begins(offsets.data(), offsets.data() + offsets.size());
        gpu::decode(outcomes.data(), plies.data(), begins.data(), width, kPiece, entries.size(), entries.data());
    }
    static void derive_wins(Bytes game, Bytes pair, int plane) {
        nb::gil_scoped_release release;
        gpu::derive_wins(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane);
    }
    static std::uint64_t find_wrong(Bytes game, Bytes pair, int plane, bool wins_derived) {
        nb::gil_scoped_release release;
        return gpu::find_wrong(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane, wins_derived);
    }
    static std::uint32_t explain(Bytes game, Bytes pair, int plane, std::uint64_t index) {
        return gpu::explain(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane, index);
    }
    static Found<std::uint64_t> count_values(Bytes pair, int plane, Bytes orbits) {
        const auto found = gpu::count_values(struct_in<gpu::Pair>(pair), plane, orbits.data());
        return to_numpy(std::vector<std::uint64_t>(found.begin(), found.end()));
    }
};

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
        .def(
            "masks", [](const Game& game, int a) { return to_numpy(Layout::of(game.rules()).canonical(a)); },
            nb::arg("a"))
        .def("forms", [](const Game& game) { return to_numpy(gpu::forms_for_gpu(Layout::of(game.rules()))); })
        .def("for_gpu", &gpu_game)
        .def("positions", &positions, nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("indices"))
        .def("places", &places, nb::arg("words"))
        .def("ends", &ends, nb::arg("words"))
        .def("forced", &forced, nb::arg("words"), nb::arg("plies"))
        .def("successors", &successors, nb::arg("words"));

    nb::enum_<Codes::Kind>(m, "Codes")
        .value("PLAIN", Codes::Kind::plain)
        .value("OUTCOMES", Codes::Kind::outcomes)
        .value("PLIES", Codes::Kind::plies);
    nb::exception<NoCodeLeft>(m, "NoCodeLeft");

    nb::class_<BoundPlane>(m, "Plane")
        .def(nb::init<Stored, Codes::Kind>(), nb::arg("array").noconvert(), nb::arg("codes"))
        .def(nb::init<Stored, const BoundPlane&>(), nb::arg("array").noconvert(), nb::arg("like"))
        .def("values", [](const BoundPlane& plane) { return to_numpy(plane.values()); })
        .def("decode", &BoundPlane::decode, nb::arg("outcomes"), nb::arg("plies"), nb::arg("width"), nb::arg("first"),
             nb::arg("entries"), nb::arg("threads"));

    nb::class_<BoundPair>(m, "Pair")
        .def(nb::init<const Game&, int, int, BoundPair::Planes, BoundPair::Planes, bool>(), nb::arg("game"),
             nb::arg("a"), nb::arg("b"), nb::arg("planes"), nb::arg("above"), nb::arg("has_plies"))
        .def("check", &BoundPair::check, nb::arg("plane"), nb::arg("first"), nb::arg("last"), nb::arg("wins_filled"),
             nb::arg("threads"))
        .def("fill_wins", &BoundPair::fill_wins, nb::arg("plane"), nb::arg("first"), nb::arg("last"),
             nb::arg("threads"))
        .def("derive", &BoundPair::derive, nb::arg("plane"), nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("find_underived", &BoundPair::find_underived)
        .def("mirror", &BoundPair::mirror, nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("counts", [](const BoundPair& pair, int plane) { return to_numpy(pair.counts(plane)); }, nb::arg("plane"));

    m.def("frames", &frames, nb::arg("content"), nb::arg("begins"), nb::arg("lengths"), nb::arg("checksums"),
          nb::arg("sizes"));
    m.def("lay_out", &lay_out_pieces, nb::arg("content"), nb::arg("begins"), nb::arg("lengths"), nb::arg("checksums"),
          nb::arg("sizes"), nb::arg("unpacked"), nb::arg("target"));
    m.def("losses_before", &losses_before, nb::arg("outcomes"), nb::arg("begins"), nb::arg("places"),
          nb::arg("threads"));
    m.def("count_losses", &losses_of_pieces, nb::arg("outcomes"), nb::arg("entries"), nb::arg("threads"));

    nb::class_<GpuOnCpu>(m, "GpuOnCpu")
        .def_static("decode", &GpuOnCpu::decode, nb::arg("outcomes"), nb::arg("plies"), nb::arg("offsets"),
                    nb::arg("width"), nb::arg("entries").noconvert())
        .def_static("derive_wins", &GpuOnCpu::derive_wins, nb::arg("game"), nb::arg("pair"), nb::arg("plane"))
        .def_static("find_wrong", &GpuOnCpu::find_wrong, nb::arg("game"), nb::arg("pair"), nb::arg("plane"),
                    nb::arg("wins_derived"))
        .def_static("explain", &GpuOnCpu::explain, nb::arg("game"), nb::arg("pair"), nb::arg("plane"), nb::arg("index"))
        .def_static("count_values", &GpuOnCpu::count_values, nb::arg("pair"), nb::arg("plane"), nb::arg("orbits"));
}
