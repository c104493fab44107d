// The checker as the Python module inarow._native.verify_quixo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
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
#include "verify/quixo/outcomes.hpp"

namespace nb = nanobind;
using namespace inarow::verify::quixo;

namespace {

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = Array<const std::uint8_t>;
using Words = Array<const std::uint64_t>;  // positions: the marks of the side to move in the upper half
using Numbers = Array<const std::int64_t>;
template <class T>
using Found = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// plane, entry, stored, expected
using Wrong = std::tuple<int, std::uint64_t, std::uint32_t, std::uint32_t>;

template <class T>
Found<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Found<T>(kept->data(), {kept->size()}, owner);
}

std::optional<Wrong> tuple_of(const std::optional<Counterexample>& at) {
    if (!at) return std::nullopt;
    return Wrong{at->plane, at->index, at->stored, at->expected};
}

std::uint64_t of_plane(const Game& game, int a, int b) {
    return Layout::of(game.rules()).entry_count(a, b) / (a == b ? 1 : 2);
}

// A plane of entries that keeps its array alive.
class BoundPlane {
  public:
    using Stored = std::variant<Array<std::uint8_t>, Array<std::uint16_t>>;

    explicit BoundPlane(Stored array) : array_(std::move(array)), codes_(std::make_shared<Codes>()) {}
    BoundPlane(Stored array, const BoundPlane& like) : array_(std::move(array)), codes_(like.codes_) {}

    Plane view() const {
        return std::visit(
            [&](const auto& values) {
                return Plane{values.data(), static_cast<int>(sizeof(values.data()[0])), codes_.get()};
            },
            array_);
    }
    std::size_t size() const {
        return std::visit([](const auto& values) { return values.size(); }, array_);
    }
    std::vector<std::uint16_t> values() const { return {codes_->values(), codes_->values() + 256}; }

    void decode(Bytes outcomes, Bytes plies, int width, std::uint64_t first, std::uint64_t entries) {
        if (first > size() || entries > size() - first || outcomes.size() != (entries + 3) / 4)
            throw std::invalid_argument("outcomes: not as many as entries");
        nb::gil_scoped_release release;
        inarow::verify::quixo::decode(outcomes.data(), entries, plies.data(), plies.size(), width, view(), first);
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
        : game_(game), kept_{std::move(planes), std::move(above)} {
        Pair pair{a, b, {}, {}, has_plies};
        const std::uint64_t entries = of_plane(game, a, b);
        const bool full = a + b == game.rules().cells();
        for (const int side : {0, 1}) {
            pair.planes[side] = view(kept_[0][side], entries);
            const bool expected = !full && !(side == 1 && a == b);
            if ((kept_[1][side] != nullptr) != expected)
                throw std::invalid_argument("a pair needs the planes that a new mark leads to, and no others");
            if (expected) pair.above[side] = view(kept_[1][side], of_plane(game, a + (side == 0), b + (side == 1)));
        }
        for (const Plane& plane : {pair.planes[1], pair.above[0], pair.above[1]})
            if (plane.data != nullptr && plane.width != pair.planes[0].width)
                throw std::invalid_argument("planes: codes of different widths");
        checker_ = Checker::of(game_, pair);
    }
    BoundPair(const BoundPair&) = delete;

    std::tuple<std::uint64_t, std::optional<Wrong>> check(int plane, std::uint64_t first, std::uint64_t last,
                                                          int threads) const {
        const Result result = checker_->check({plane, first, last}, threads);
        return {result.checked, tuple_of(result.counterexample)};
    }
    void fill_wins(int plane, std::uint64_t first, std::uint64_t last, int threads) const {
        checker_->fill_wins({plane, first, last}, threads);
    }
    std::uint64_t derive(int plane, std::uint64_t first, std::uint64_t last, int threads) const {
        return checker_->derive({plane, first, last}, threads);
    }
    void mirror(std::uint64_t first, std::uint64_t last, int threads) const { checker_->mirror(first, last, threads); }
    std::optional<Wrong> find_underived() const { return tuple_of(checker_->find_underived()); }
    Found<std::uint64_t> counts(int plane, int threads) const {
        std::vector<std::uint64_t> found;
        {
            nb::gil_scoped_release release;
            found = checker_->count(plane, threads);
        }
        return to_numpy(std::move(found));
    }

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
    std::unique_ptr<const Checker> checker_;
};

std::uint64_t word_of(const Position& position) { return std::uint64_t{position.mover} << 32 | position.other; }

// What `of` makes of each position.
template <class T, class Of>
std::vector<T> of_each(const Game& game, const Words& words, Of of) {
    const Mask all = (Mask{1} << game.rules().cells()) - 1;
    std::vector<T> found;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint64_t word = words.data()[i];
        const Position position{static_cast<Mask>(word >> 32), static_cast<Mask>(word)};
        if ((position.mover & position.other) != 0 || ((position.mover | position.other) & ~all) != 0)
            throw std::invalid_argument("not a position of this board");
        found.push_back(of(position));
    }
    return found;
}

Found<std::uint8_t> orbits(const Game& game, int a) {
    if (a < 0 || a > game.rules().cells()) throw std::invalid_argument("a must be 0 up to the number of cells");
    return to_numpy(Layout::of(game.rules()).orbits(a));
}

Found<std::uint64_t> positions(const Game& game, int a, int b, bool plane, Words indices) {
    const Layout& layout = Layout::of(game.rules());
    const std::uint64_t entries = of_plane(game, a, b);
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (indices.data()[i] >= entries) throw std::invalid_argument("no such entry");
        words.push_back(word_of(layout.position_at({a, b, plane, indices.data()[i]})));
    }
    return to_numpy(std::move(words));
}

std::tuple<Found<std::int32_t>, Found<std::uint64_t>> places(const Game& game, Words words) {
    std::vector<std::uint64_t> indices;
    auto planes = of_each<std::int32_t>(game, words, [&](const Position& position) {
        const Place place = Layout::of(game.rules()).place_of(position);
        indices.push_back(place.index);
        return place.a << 6 | place.b << 1 | static_cast<int>(place.plane);
    });
    return {to_numpy(std::move(planes)), to_numpy(std::move(indices))};
}

Found<std::uint32_t> ends(const Game& game, Words words) {
    return to_numpy(
        of_each<std::uint32_t>(game, words, [&](const Position& position) { return game.value_of_end(position); }));
}

Found<std::uint64_t> smallest(const Game& game, Words words) {
    const Layout& layout = Layout::of(game.rules());
    return to_numpy(of_each<std::uint64_t>(game, words, [&](const Position& at) {
        std::uint64_t found = word_of(at);
        for (int symmetry = 0; symmetry < layout.symmetries(); ++symmetry)
            found = std::min(found, word_of({layout.image(symmetry, at.mover), layout.image(symmetry, at.other)}));
        return found;
    }));
}

std::vector<std::tuple<int, int>> moves(const Game& game) {
    std::vector<std::tuple<int, int>> found;
    for (const Move& move : game.moves()) found.emplace_back(move.path[0], move.path[move.length - 1]);
    return found;
}

Found<std::uint32_t> forced(const Game& game, Words words, int plies) {
    Forced search(game);
    return to_numpy(
        of_each<std::uint32_t>(game, words, [&](const Position& position) { return search.value(position, plies); }));
}

std::tuple<Found<std::uint64_t>, Found<std::int64_t>> successors(const Game& game, Words words) {
    std::vector<std::uint64_t> found;
    auto ends = of_each<std::int64_t>(game, words, [&](const Position& position) {
        game.each_successor(position, [&](const Position& child) { found.push_back(word_of(child)); });
        return static_cast<std::int64_t>(found.size());
    });
    return {to_numpy(std::move(found)), to_numpy(std::move(ends))};
}

Found<std::int64_t> losses_before(Bytes outcomes, Numbers begins, Numbers places) {
    const auto size = static_cast<std::int64_t>(outcomes.size());
    bool fits = begins.size() == places.size();
    for (std::size_t i = 0; fits && i < begins.size(); ++i) {
        const std::int64_t begin = begins.data()[i], place = places.data()[i];
        fits = begin >= 0 && begin <= size && place >= 0 && place <= 4 * (size - begin);
    }
    if (!fits) throw std::invalid_argument("outcomes: places past their end");
    std::vector<std::int64_t> losses(begins.size());
    {
        nb::gil_scoped_release release;
        count_losses_before(outcomes.data(), begins.data(), places.data(), losses.size(), losses.data());
    }
    return to_numpy(std::move(losses));
}

// A struct of the GPU's checker as bytes, and the other way round.
template <class T>
const T* struct_in(const Bytes& bytes) {
    if (bytes.size() != sizeof(T)) throw std::invalid_argument("a struct of another size");
    return reinterpret_cast<const T*>(bytes.data());
}

Found<std::uint8_t> gpu_game(const Game& game) {
    const gpu::Game found = gpu::game_for_gpu(game);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&found);
    return to_numpy(std::vector<std::uint8_t>(bytes, bytes + sizeof(found)));
}

// The kernels, run by a CPU for tests; each takes what it takes on a GPU.
struct GpuOnCpu {
    using Counters = Array<std::uint64_t>;

    static gpu::u64* pointer(const Counters& numbers) { return reinterpret_cast<gpu::u64*>(numbers.data()); }

    static void decode(Bytes outcomes, Bytes plies, Numbers offsets, std::uint32_t width, std::uint32_t piece,
                       std::uint64_t count, Array<std::uint16_t> entries) {
        gpu::decode(outcomes.data(), plies.data(), reinterpret_cast<const gpu::u64*>(offsets.data()), width, piece,
                    count, entries.data());
    }
    static void derive_wins(Bytes game, Bytes pair, int plane, Counters counter) {
        gpu::derive_wins(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane, pointer(counter));
    }
    static void check(Bytes game, Bytes pair, int plane, Counters counter, Counters wrong) {
        gpu::check(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane, pointer(counter), pointer(wrong));
    }
    static void count_values(Bytes pair, int plane, Bytes orbits, Counters counter, Counters histogram) {
        gpu::count_values(struct_in<gpu::Pair>(pair), plane, orbits.data(), pointer(counter), pointer(histogram));
    }
};

DoubleLine double_line_of(const std::string& name) {
    if (name == "loses") return DoubleLine::loses;
    if (name == "wins") return DoubleLine::wins;
    if (name == "draws") return DoubleLine::draws;
    throw std::invalid_argument("double_line must be loses, wins or draws, not " + name);
}

}  // namespace

NB_MODULE(verify_quixo, m) {
    m.doc() = "The checker of Quixo tables";
    m.attr("MAX_CELLS") = kMaxCells;
    m.attr("DRAW") = kDraw;
    m.attr("NOT_AN_ENTRY") = kNotAnEntry;
    m.attr("NO_VALUE") = kNoValue;

    nb::class_<Game>(m, "Game")
        .def(
            "__init__",
            [](Game* game, int rows, int columns, int line, const std::string& double_line, bool misere, bool wrap,
               bool diagonals) {
                new (game) Game(Rules{rows, columns, line, double_line_of(double_line), misere, wrap, diagonals});
            },
            nb::arg("rows"), nb::arg("columns"), nb::arg("line"), nb::arg("double_line"), nb::arg("misere") = false,
            nb::arg("wrap") = false, nb::arg("diagonals") = true)
        .def_prop_ro("lines", &Game::lines)
        .def_prop_ro("moves", &moves)
        .def("of_plane", &of_plane, nb::arg("a"), nb::arg("b"))
        .def("orbits", &orbits, nb::arg("a"))
        .def(
            "masks", [](const Game& game, int a) { return to_numpy(Layout::of(game.rules()).canonical(a)); },
            nb::arg("a"))
        .def("forms", [](const Game& game) { return to_numpy(gpu::forms_for_gpu(Layout::of(game.rules()))); })
        .def("for_gpu", &gpu_game)
        .def("positions", &positions, nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("indices"))
        .def("places", &places, nb::arg("words"))
        .def("ends", &ends, nb::arg("words"))
        .def("smallest", &smallest, nb::arg("words"))
        .def("forced", &forced, nb::arg("words"), nb::arg("plies"))
        .def("successors", &successors, nb::arg("words"));

    nb::exception<NoCodeLeft>(m, "NoCodeLeft");

    nb::class_<BoundPlane>(m, "Plane")
        .def(nb::init<BoundPlane::Stored>(), nb::arg("array").noconvert())
        .def(nb::init<BoundPlane::Stored, const BoundPlane&>(), nb::arg("array").noconvert(), nb::arg("like"))
        .def("values", [](const BoundPlane& plane) { return to_numpy(plane.values()); })
        .def("decode", &BoundPlane::decode, nb::arg("outcomes"), nb::arg("plies"), nb::arg("width"), nb::arg("first"),
             nb::arg("entries"));

    using Alone = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<BoundPair>(m, "Pair")
        .def(nb::init<const Game&, int, int, BoundPair::Planes, BoundPair::Planes, bool>(), nb::arg("game"),
             nb::arg("a"), nb::arg("b"), nb::arg("planes"), nb::arg("above"), nb::arg("has_plies"))
        .def("check", &BoundPair::check, Alone(), nb::arg("plane"), nb::arg("first"), nb::arg("last"),
             nb::arg("threads"))
        .def("fill_wins", &BoundPair::fill_wins, Alone(), nb::arg("plane"), nb::arg("first"), nb::arg("last"),
             nb::arg("threads"))
        .def("derive", &BoundPair::derive, Alone(), nb::arg("plane"), nb::arg("first"), nb::arg("last"),
             nb::arg("threads"))
        .def("mirror", &BoundPair::mirror, Alone(), nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("find_underived", &BoundPair::find_underived, Alone())
        .def("counts", &BoundPair::counts, nb::arg("plane"), nb::arg("threads"));

    m.def("losses_before", &losses_before, nb::arg("outcomes"), nb::arg("begins"), nb::arg("places"));

    nb::class_<GpuOnCpu>(m, "GpuOnCpu")
        .def_static("decode", &GpuOnCpu::decode, nb::arg("outcomes"), nb::arg("plies"), nb::arg("offsets"),
                    nb::arg("width"), nb::arg("piece"), nb::arg("count"), nb::arg("entries").noconvert())
        .def_static("derive_wins", &GpuOnCpu::derive_wins, nb::arg("game"), nb::arg("pair"), nb::arg("plane"),
                    nb::arg("counter").noconvert())
        .def_static("check", &GpuOnCpu::check, nb::arg("game"), nb::arg("pair"), nb::arg("plane"),
                    nb::arg("counter").noconvert(), nb::arg("wrong").noconvert())
        .def_static("count_values", &GpuOnCpu::count_values, nb::arg("pair"), nb::arg("plane"), nb::arg("orbits"),
                    nb::arg("counter").noconvert(), nb::arg("histogram").noconvert());
}
