// The checker as the Python module inarow._native.verify_quixo.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
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

template <class T>
Found<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Found<T>(kept->data(), {kept->size()}, owner);
}

// A plane of entries that keeps its array alive.
template <class Code>
Plane plane_of(Array<Code> array, std::shared_ptr<Codes> codes) {
    auto owner = std::make_shared<Array<Code>>(std::move(array));
    return {owner->data(), owner->size(), sizeof(Code), std::move(codes), owner};
}

template <class Code>
void bind_plane(nb::class_<Plane>& bound) {
    bound.def(
        "__init__",
        [](Plane* plane, Array<Code> array, const Plane* like) {
            new (plane) Plane(plane_of<Code>(std::move(array), like ? like->codes : std::make_shared<Codes>()));
        },
        nb::arg("array").noconvert(), nb::arg("like").none() = nb::none());
}

void decode_into(const Plane& plane, Bytes outcomes, Bytes plies, int width, std::uint64_t first,
                 std::uint64_t entries) {
    if (first > plane.size || entries > plane.size - first || outcomes.size() != (entries + 3) / 4)
        throw std::invalid_argument("outcomes: not as many as entries");
    nb::gil_scoped_release release;
    decode(outcomes.data(), entries, plies.data(), plies.size(), width, plane, first);
}

Found<std::uint64_t> counts(const Checker& checker, int plane, int threads) {
    std::vector<std::uint64_t> found;
    {
        nb::gil_scoped_release release;
        found = checker.count(plane, threads);
    }
    return to_numpy(std::move(found));
}

std::uint64_t word_of(const Position& position) { return std::uint64_t{position.mover} << 32 | position.other; }

// What `of` makes of each position.
template <class T, class Of>
std::vector<T> of_each(const Game& game, const Words& words, Of of) {
    const Mask all = (Mask{1} << game.cells()) - 1;
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
    if (a < 0 || a > game.cells()) throw std::invalid_argument("a must be 0 up to the number of cells");
    return to_numpy(Layout::of(game).orbits(a));
}

Found<std::uint64_t> positions(const Game& game, int a, int b, bool plane, Words indices) {
    const Layout& layout = Layout::of(game);
    const std::uint64_t entries = layout.of_plane(a, b);
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
        const Place place = Layout::of(game).place_of(position);
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
    const Layout& layout = Layout::of(game);
    return to_numpy(of_each<std::uint64_t>(game, words, [&](const Position& at) {
        std::uint64_t found = word_of(at);
        for (int symmetry = 0; symmetry < layout.symmetries(); ++symmetry)
            found = std::min(found, word_of({layout.image(symmetry, at.mover), layout.image(symmetry, at.other)}));
        return found;
    }));
}

std::vector<std::tuple<int, int>> moves(const Game& game) {
    std::vector<std::tuple<int, int>> found;
    for (const Move& move : game.moves) found.emplace_back(move.path[0], move.path[move.length - 1]);
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

// A struct of the GPU's checker in its bytes.
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
void bind_kernels(nb::module_ m) {
    using Counters = Array<std::uint64_t>;
    m.def("decode", [](Bytes outcomes, Bytes plies, Numbers offsets, std::uint32_t width, std::uint32_t piece,
                       std::uint64_t count, Array<std::uint16_t> entries) {
        gpu::decode(outcomes.data(), plies.data(), reinterpret_cast<const gpu::u64*>(offsets.data()), width, piece,
                    count, entries.data());
    });
    const auto pointer = [](const Counters& numbers) { return reinterpret_cast<gpu::u64*>(numbers.data()); };
    m.def("derive_wins", [pointer](Bytes game, Bytes pair, int plane, Counters counter) {
        gpu::derive_wins(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane, pointer(counter));
    });
    m.def("check", [pointer](Bytes game, Bytes pair, int plane, Counters counter, Counters wrong) {
        gpu::check(struct_in<gpu::Game>(game), struct_in<gpu::Pair>(pair), plane, pointer(counter), pointer(wrong));
    });
    m.def("count_values", [pointer](Bytes pair, int plane, Bytes orbits, Counters counter, Counters histogram) {
        gpu::count_values(struct_in<gpu::Pair>(pair), plane, orbits.data(), pointer(counter), pointer(histogram));
    });
}

}  // namespace

NB_MODULE(verify_quixo, m) {
    m.doc() = "The checker of Quixo tables";
    m.attr("MAX_CELLS") = kMaxCells;
    m.attr("WON") = kWon;
    m.attr("LOST") = kLost;
    m.attr("DRAW") = kDraw;
    m.attr("NOT_AN_ENTRY") = kNotAnEntry;
    m.attr("NO_VALUE") = kNoValue;

    nb::class_<Game>(m, "Game")
        .def(
            "__init__",
            [](Game* game, int rows, int columns, std::vector<Mask> lines, std::uint32_t mine, std::uint32_t theirs,
               std::uint32_t both) { new (game) Game(rows, columns, std::move(lines), {mine, theirs, both}); },
            nb::arg("rows"), nb::arg("columns"), nb::arg("lines"), nb::arg("mine"), nb::arg("theirs"), nb::arg("both"))
        .def_ro("lines", &Game::lines)
        .def_prop_ro("moves", &moves)
        .def(
            "of_plane", [](const Game& game, int a, int b) { return Layout::of(game).of_plane(a, b); }, nb::arg("a"),
            nb::arg("b"))
        .def("orbits", &orbits, nb::arg("a"))
        .def(
            "masks", [](const Game& game, int a) { return to_numpy(Layout::of(game).canonical(a)); }, nb::arg("a"))
        .def("forms", [](const Game& game) { return to_numpy(gpu::forms_for_gpu(Layout::of(game))); })
        .def("for_gpu", &gpu_game)
        .def("positions", &positions, nb::arg("a"), nb::arg("b"), nb::arg("plane"), nb::arg("indices"))
        .def("places", &places, nb::arg("words"))
        .def("ends", &ends, nb::arg("words"))
        .def("smallest", &smallest, nb::arg("words"))
        .def("forced", &forced, nb::arg("words"), nb::arg("plies"))
        .def("successors", &successors, nb::arg("words"));

    nb::exception<NoCodeLeft>(m, "NoCodeLeft");

    nb::class_<Plane> plane(m, "Plane");
    bind_plane<std::uint8_t>(plane);
    bind_plane<std::uint16_t>(plane);
    plane
        .def("values",
             [](const Plane& self) {
                 return to_numpy(std::vector<std::uint16_t>(self.codes->values(), self.codes->values() + 256));
             })
        .def("decode", &decode_into, nb::arg("outcomes"), nb::arg("plies"), nb::arg("width"), nb::arg("first"),
             nb::arg("entries"));

    using Alone = nb::call_guard<nb::gil_scoped_release>;
    const auto bound = [&](nb::class_<Checker>& pair, const char* name, auto function) {
        pair.def(name, function, Alone(), nb::arg("plane"), nb::arg("first"), nb::arg("last"), nb::arg("threads"));
    };
    nb::class_<Checker> pair(m, "Pair");
    pair.def(nb::new_([](const Game& game, int a, int b, Pair::Planes planes, Pair::Planes above, bool has_plies) {
                 return Checker::of(game, {a, b, std::move(planes), std::move(above), has_plies});
             }),
             nb::arg("game"), nb::arg("a"), nb::arg("b"), nb::arg("planes"), nb::arg("above"), nb::arg("has_plies"))
        .def("mirror", &Checker::mirror, Alone(), nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("find_underived", &Checker::find_underived, Alone())
        .def("counts", &counts, nb::arg("plane"), nb::arg("threads"));
    bound(pair, "check", &Checker::check);
    bound(pair, "fill_wins", &Checker::fill_wins);
    bound(pair, "derive", &Checker::derive);

    m.def("losses_before", &losses_before, nb::arg("outcomes"), nb::arg("begins"), nb::arg("places"));

    bind_kernels(m.def_submodule("gpu_on_cpu"));
}
