// The prober and the players of Quixo in the Python module inarow._native.quixo.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/quixo.hpp"
#include "quixo/player.hpp"
#include "quixo/results.hpp"

namespace nb = nanobind;
using namespace inarow::quixo;
using namespace inarow::bindings;

namespace {

using PyProber = OfAnySize<BasicProber>;
using PyPlayer = OfAnySize<BasicPlayer>;
// A position: the marks of the side to move, and of the other.
using PyPosition = std::pair<std::uint64_t, std::uint64_t>;
template <class Mask>
auto words_of(const std::vector<PyPosition>& positions) {
    std::vector<typename Names<Mask>::Word> words;
    for (const auto& [mover, other] : positions) words.push_back(word_of_masks<Mask>(mover, other));
    return words;
}

// Ends what runs on this thread.
thread_local const Stop* current_stop = nullptr;

template <class Work>
auto stoppable(const Stop* stop, Work work) {
    nb::gil_scoped_release release;
    const Stop* const before = std::exchange(current_stop, stop);
    struct Restore {
        const Stop* before;
        ~Restore() { current_stop = before; }
    } restore{before};
    return work();
}

}  // namespace

void bind_prober(nb::module_& m) {
    nb::class_<PyProber>(m, "Prober")
        .def(
            "__init__",
            [](PyProber* self, const Rules& rules, std::vector<std::shared_ptr<Source>> sources,
               const std::map<std::pair<int, int>, int>& classes,
               const std::map<std::uint64_t, std::pair<int, int>>& kept,
               const std::vector<std::tuple<int, int, bool, int>>& facts, int plies, std::uint64_t nodes,
               double seconds) {
                const auto make = [&]<class Mask>(std::unique_ptr<BasicProber<Mask>>& made, auto all) {
                    std::vector<typename BasicSearch<Mask>::ClassFacts> of_classes;
                    for (const auto& [longest_win, longest_loss, has_draws, score] : facts)
                        of_classes.push_back({longest_win, longest_loss, has_draws, score});
                    made = std::make_unique<BasicProber<Mask>>(rules, std::move(all), std::move(of_classes),
                                                               SearchLimits{plies, nodes, seconds}, [] {
                                                                   raise_signals();
                                                                   return current_stop && current_stop->asked;
                                                               });
                };
                new (self) PyProber();
                // Of a larger board there is no table, and no book.
                if (rules.cells() > max_cells)
                    return make(self->wide, std::vector<std::shared_ptr<BasicSource<WideMask>>>{});
                std::map<std::pair<int, int>, Outcome> values;
                for (const auto& [marks, value] : classes) values[marks] = static_cast<Outcome>(value);
                std::map<std::uint64_t, Result> outcomes;
                for (const auto& [word, its] : kept) outcomes[word] = {static_cast<Outcome>(its.first), its.second};
                sources.push_back(std::make_shared<Results>(Board(rules), std::move(values), std::move(outcomes)));
                make(self->small, std::move(sources));
            },
            nb::arg("rules"), nb::arg("sources"), nb::arg("classes"), nb::arg("kept"), nb::arg("facts"),
            nb::arg("plies"), nb::arg("nodes"), nb::arg("seconds"))
        .def(
            "probe",
            [](PyProber& self, std::uint64_t mover, std::uint64_t other, const Stop* stop) -> PyProbe {
                return self.with([&]<class Mask>(BasicProber<Mask>& prober) -> PyProbe {
                    auto probe = stoppable(stop, [&] { return prober.probe(word_of_masks<Mask>(mover, other)); });
                    return to_python(*std::move(probe));
                });
            },
            nb::arg("mover"), nb::arg("other"), nb::arg("stop").none() = nb::none())
        .def(
            "count_replies",
            [](PyProber& self, const PyPosition& position, const std::vector<PyPosition>& after) {
                return self.with([&]<class Mask>(BasicProber<Mask>& prober) {
                    const Known draw{{Outcome::draw, -1}, Origin::table};
                    BasicProbe<Mask> probe{word_of_masks<Mask>(position.first, position.second), draw, {}, -1, {}};
                    for (const auto& word : words_of<Mask>(after)) probe.moves.push_back({0, word, draw});
                    {
                        nb::gil_scoped_release release;
                        prober.count_replies(probe);
                    }
                    std::vector<std::pair<int, int>> counts;
                    for (const auto& move : probe.moves) counts.emplace_back(move.losing_replies, move.replies);
                    return counts;
                });
            },
            nb::arg("position"), nb::arg("after"))
        .def(
            "stored",
            [](PyProber& self, const std::vector<PyPosition>& positions) {
                return self.with([&]<class Mask>(BasicProber<Mask>& prober) {
                    std::vector<PyKnown> found;
                    const auto words = words_of<Mask>(positions);
                    const auto known = stoppable(nullptr, [&] { return prober.stored(words); });
                    for (const Known& its : *known) found.push_back(to_python(its));
                    return found;
                });
            },
            nb::arg("positions"))
        .def(
            "outcomes",
            [](PyProber& self, ReadOnly<std::uint64_t> words) {
                if (!self.small) throw std::invalid_argument("positions of a board as large are no words");
                std::vector<Outcome> found(words.size());
                {
                    nb::gil_scoped_release release;
                    self.small->outcomes({words.data(), words.size()}, found);
                }
                std::vector<std::int8_t> values;
                for (const Outcome outcome : found) values.push_back(static_cast<std::int8_t>(outcome));
                return to_numpy(std::move(values));
            },
            nb::arg("words"))
        .def("stop", [](PyProber& self) { self.with([](auto& prober) { prober.stop(); }); });

    nb::class_<PyPlayer>(m, "Player")
        .def(
            "__init__",
            [](PyPlayer* self, PyProber& prober, int kind, int level, double mistakes,
               std::optional<std::uint64_t> seed) {
                const Strength strength{static_cast<Kind>(kind), level, mistakes, seed};
                new (self) PyPlayer();
                if (prober.small)
                    self->small = std::make_unique<Player>(*prober.small, strength);
                else
                    self->wide = std::make_unique<BasicPlayer<WideMask>>(*prober.wide, strength);
            },
            nb::arg("prober"), nb::arg("kind"), nb::arg("level"), nb::arg("mistakes"), nb::arg("seed").none(),
            nb::keep_alive<1, 2>())
        .def(
            "choose",
            [](PyPlayer& self, std::uint64_t mover, std::uint64_t other, const std::vector<PyPosition>& before,
               const Stop* stop) {
                return self.with([&]<class Mask>(BasicPlayer<Mask>& player) {
                    const auto earlier = words_of<Mask>(before);
                    return to_python(*stoppable(stop, [&] {
                        return player.choose(word_of_masks<Mask>(mover, other), {earlier.begin(), earlier.end()});
                    }));
                });
            },
            nb::arg("mover"), nb::arg("other"), nb::arg("before"), nb::arg("stop").none() = nb::none());
    m.attr("LEVELS") = nb::cast(std::vector<int>(levels.begin(), levels.end()));
}
