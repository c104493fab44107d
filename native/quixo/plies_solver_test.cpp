#include "quixo/plies_solver.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "quixo/test_tables.hpp"
#include "quixo/win_plies.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;
using testing::QuixoValue;

std::vector<std::string> kinds_of_lanes() {
    std::vector<std::string> lanes{"portable"};
    if (cpu_has_avx2()) lanes.emplace_back("avx2");
    if (cpu_has_avx512()) lanes.emplace_back("avx512");
    if (cpu_has_neon()) lanes.emplace_back("neon");
    return lanes;
}

// Every position has its value in the planes, and the histograms count all positions.
template <class Plies>
void check_planes(const PlainQuixo& plain, const std::vector<QuixoValue>& values, const Layout& layout,
                  const Pairs<PliesPlanes<Plies>>& table) {
    Pairs<std::array<std::map<std::uint32_t, std::uint64_t>, 2>> counts;
    plain.each_position([&](const QuixoPosition& at) {
        const bool mover_larger = std::popcount(at.mover) >= std::popcount(at.other);
        const Mask larger = mover_larger ? at.mover : at.other, smaller = mover_larger ? at.other : at.mover;
        const std::pair pair{std::popcount(larger), std::popcount(smaller)};
        const std::size_t plane = mover_larger ? 0 : 1, entry = layout.entry(larger, smaller);
        const PliesPlanes<Plies>& planes = table.at(pair);
        const QuixoValue value = values[plain.number(at)];
        const int plies = value.outcome == 0 ? 0 : value.plies;
        REQUIRE((planes.outcomes[plane][entry / 4] >> entry % 4 * 2 & 3) - 1 == value.outcome);
        REQUIRE(planes.plies[plane][entry] == plies);
        ++counts[pair][plane][static_cast<std::uint32_t>(value.outcome < 0   ? plies
                                                         : value.outcome > 0 ? 65535 - plies
                                                                             : 32767)];
    });
    for (const auto& [pair, of_pair] : counts)
        for (std::size_t plane = 0; plane < (pair.first == pair.second ? 1 : 2); ++plane) {
            const auto& histogram = table.at(pair).histograms[plane];
            // One byte may be enough for its entries.
            const std::size_t top = histogram.size() - 1;
            const auto at = [&](std::uint32_t entry) {
                return entry < 32767 ? entry : entry == 32767 ? top / 2 : entry + top - 65535;
            };
            for (const auto& [entry, count] : of_pair[plane]) CHECK(histogram[at(entry)] == count);
            std::uint64_t all = 0;
            for (const auto& [entry, count] : of_pair[plane]) all += count;
            CHECK(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}) == all);
        }
}

TEST_CASE("values and plies of small boards of all shapes, entry by entry and as bitmaps") {
    testing::each_quixo(8, [&](const PlainQuixo& plain) {
        CAPTURE(plain.rows);
        CAPTURE(plain.columns);
        CAPTURE(plain.line);
        const std::vector<QuixoValue>& values = plain.solve();
        for (const std::uint32_t small : {0U, 5U, 1000U})
            for (const std::string& lanes : kinds_of_lanes()) {
                CAPTURE(small);
                CAPTURE(lanes);
                PliesSolver solver(rules_of(plain), 1, lanes, small);
                check_planes(plain, values, solver.layout(), solve_all_plies<std::uint8_t>(solver));
            }
    });
}

TEST_CASE("values and plies of 3x3 with any number of threads, and with wide plies") {
    for (const bool double_line_wins : {false, true}) {
        const PlainQuixo plain{3, 3, 3, double_line_wins};
        const std::vector<QuixoValue>& values = plain.solve();
        for (const std::uint32_t small : {0U, 1000U})
            for (const int threads : {1, 2, 3}) {
                PliesSolver solver(rules_of(plain), threads, "auto", small);
                check_planes(plain, values, solver.layout(), solve_all_plies<std::uint16_t>(solver));
                CHECK(solver.memory(4, 3, 1) > 0);
            }
    }
}

// Children that were decided after very many plies need wide plies, and their plies are kept.
TEST_CASE("more plies than a byte holds are recognised") {
    for (const std::uint32_t small : {0U, 1000U}) {
        PliesSolver solver(rules_in_a_row(3, 3, 3, false), 1, "auto", small);
        const Layout& layout = solver.layout();
        const auto table = solve_all_plies<std::uint16_t>(solver);
        const auto solve_with = [&]<class Plies>(std::vector<Plies> out[2]) {
            auto larger = table.at({5, 3}), smaller = table.at({4, 4});
            for (auto* plies : {&larger.plies[1], &smaller.plies[0]})
                for (auto& its : *plies)
                    if (its > 0) its = static_cast<std::uint16_t>(its + 300);
            std::vector<std::uint8_t> outcomes[2];
            PliesTask<Plies> task{4, 3, {}, {}, {}, {}};
            for (int plane = 0; plane < 2; ++plane) {
                out[plane].resize(layout.plane_entries(4, 3));
                outcomes[plane].resize(packed::bytes(out[plane].size()));
                task.plies[plane] = out[plane].data();
                task.outcomes[plane] = outcomes[plane].data();
            }
            task.more = [&](int side) { return side == 0 ? larger.plane(1) : smaller.plane(0); };
            Interrupt interrupt(never);
            return solver.solve(task, interrupt);
        };
        std::vector<std::uint8_t> narrow[2];
        std::vector<std::uint16_t> wide[2];
        CHECK_FALSE(solve_with(narrow));
        REQUIRE(solve_with(wide));
        CHECK(*std::max_element(wide[0].begin(), wide[0].end()) > 300);
    }
}

TEST_CASE("the plies of wins are restored plane by plane") {
    testing::each_quixo(8, [&](const PlainQuixo& plain) {
        PliesSolver solver(rules_of(plain), 1, "auto", 0);
        const WinPlies wins(rules_of(plain));
        const auto table = solve_all_plies<std::uint8_t>(solver);
        // Wins have plies that nothing may look at.
        const auto without = [](PliesPlanes<std::uint8_t> planes) {
            for (int plane = 0; plane < 2; ++plane)
                for (std::size_t i = 0; i < planes.plies[plane].size(); ++i)
                    if ((planes.outcomes[plane][i / 4] >> i % 4 * 2 & 3) == packed::win) planes.plies[plane][i] = 1;
            return planes;
        };
        for (const auto& [pair, planes] : table) {
            const auto [a, b] = pair;
            for (int plane = 0; plane < (a == b ? 1 : 2); ++plane) {
                PliesPlanes<std::uint8_t> found = without(planes), above;
                if (a + b < plain.rows * plain.columns)
                    above = without(plane == 0 ? table.at({a + 1, b}) : table.at({a, b + 1}));
                const PliesPlane more = a + b < plain.rows * plain.columns ? above.plane(1 - plane) : PliesPlane{};
                const PliesPlane other = found.plane(a == b ? 0 : 1 - plane);
                REQUIRE(wins.fill_plane(a, b, plane, found.outcomes[plane].data(), found.plies[plane].data(), other,
                                        more, 0, wins.blocks(a), 2));
                REQUIRE(found.plies[plane] == planes.plies[plane]);
            }
        }
    });
}

TEST_CASE("a win that nothing lost follows is refused") {
    const WinPlies wins(rules_in_a_row(3, 3, 3, false));
    const std::size_t entries = wins.layout().plane_entries(2, 2), grown = wins.layout().plane_entries(3, 2);
    std::vector<std::uint8_t> won(packed::bytes(entries), 0xaa), drawn(packed::bytes(grown), 0x55);
    std::vector<std::uint8_t> plies(entries), more(grown);
    const PliesPlane its{won.data(), {plies.data(), 1}}, above{drawn.data(), {more.data(), 1}};
    CHECK_FALSE(wins.fill_plane(2, 2, 0, won.data(), plies.data(), its, above, 0, wins.blocks(2), 1));
}

TEST_CASE("planes and entries follow from each other") {
    std::vector<std::uint8_t> entries;
    for (int i = 0; i < 1003; ++i) entries.push_back(static_cast<std::uint8_t>(i * 89 % 256 == 128 ? 0 : i * 89));
    std::vector<std::uint8_t> outcomes(packed::bytes(entries.size())), plies(entries.size());
    for (const std::size_t last : {entries.size(), std::size_t{64}, std::size_t{7}}) {
        REQUIRE(from_entries(entries.data(), 0, last, outcomes.data(), plies.data()));
        const PliesPlane plane{outcomes.data(), {plies.data(), 1}};
        CHECK(longest_in(plane, last) == *std::max_element(plies.begin(), plies.begin() + static_cast<long>(last)));
        std::vector<std::uint8_t> narrow(last);
        std::vector<std::uint16_t> wide(last), wide_plies(last);
        to_entries(plane, 0, last, narrow.data());
        to_entries(plane, 0, last, wide.data());
        CHECK(std::equal(narrow.begin(), narrow.end(), entries.begin()));
        for (std::size_t i = 0; i < last; ++i)
            REQUIRE(wide[i] == (entries[i] < 127 ? entries[i] : entries[i] == 127 ? 32767 : 65280 + entries[i]));
        REQUIRE(from_entries(wide.data(), 0, last, outcomes.data(), wide_plies.data()));
        CHECK(std::equal(wide_plies.begin(), wide_plies.end(), plies.begin()));
    }
    const std::vector<std::uint16_t> longer{300, 32767, 65535 - 300, 5};
    CHECK_FALSE(from_entries(longer.data(), 0, 4, outcomes.data(), plies.data()));
}

TEST_CASE("work that is interrupted returns") {
    for (const std::uint32_t small : {0U, 1000U}) {
        PliesSolver solver(rules_in_a_row(3, 3, 3, false), 2, "auto", small);
        Interrupt interrupt([] { return true; });
        interrupt.poll();
        PliesPlanes<std::uint8_t> planes;
        PliesTask<std::uint8_t> task{5, 4, [](int) { return PliesPlane{}; }, {}, {}, {}};
        for (int plane = 0; plane < 2; ++plane) {
            planes.plies[plane].resize(solver.layout().plane_entries(5, 4));
            planes.outcomes[plane].resize(packed::bytes(planes.plies[plane].size()));
            task.plies[plane] = planes.plies[plane].data();
            task.outcomes[plane] = planes.outcomes[plane].data();
        }
        solver.solve(task, interrupt);
        CHECK(interrupt.asked());
    }
}

}  // namespace
}  // namespace inarow::quixo
