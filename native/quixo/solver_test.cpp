#include "quixo/solver.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "quixo/instructions.hpp"
#include "quixo/test_tables.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;
using testing::QuixoValue;

constexpr std::uint32_t kBitmaps = 0, kBoth = 5, kEntries = 1000;

int outcome_at(const SolvedPlane& plane, std::size_t entry) {
    return (plane.outcomes[entry / 4] >> entry % 4 * 2 & 3) - 1;
}

// Every position has its value in the planes, and the histograms count all positions.
void check_planes(const PlainQuixo& plain, Solver& solver, bool plies) {
    const auto& values = plain.solve();
    const Layout& layout = solver.layout();
    const auto table = solve_planes(solver, plies);
    Pairs<std::array<std::map<std::size_t, std::uint64_t>, 2>> counts;
    plain.each_position([&](const QuixoPosition& at) {
        const bool mover_larger = std::popcount(at.mover) >= std::popcount(at.other);
        const Mask larger = mover_larger ? at.mover : at.other, smaller = mover_larger ? at.other : at.mover;
        const std::pair pair{std::popcount(larger), std::popcount(smaller)};
        const std::size_t number = mover_larger ? 0 : 1, entry = layout.entry(larger, smaller);
        const SolvedPlane& plane = table.at(pair)[number];
        const QuixoValue value = values[plain.number(at)];
        REQUIRE(outcome_at(plane, entry) == value.outcome);
        if (plies) REQUIRE(plane.stored().plies[entry] == static_cast<unsigned>(value.outcome == 0 ? 0 : value.plies));
        const auto top = static_cast<std::uint32_t>(plane.histogram.size() - 1);
        ++counts[pair][number][plies ? value.entry(top) : static_cast<std::size_t>(value.outcome + 1)];
    });
    for (const auto& [pair, planes] : table)
        for (std::size_t number = 0; number < planes.size(); ++number) {
            std::vector<std::uint64_t> expected(planes[number].histogram.size());
            for (const auto& [entry, count] : counts[pair][number]) expected[entry] = count;
            REQUIRE(planes[number].histogram == expected);
        }
}

TEST_CASE("values of small boards of all shapes, entry by entry and as bitmaps") {
    testing::each_quixo(8, [&](const PlainQuixo& plain) {
        CAPTURE(plain.rows);
        CAPTURE(plain.columns);
        CAPTURE(plain.line);
        for (const Instructions* instructions : instructions_here())
            for (const std::uint32_t small : {kBitmaps, kBoth, kEntries})
                for (const bool plies : {true, false}) {
                    CAPTURE(instructions->name);
                    CAPTURE(small);
                    CAPTURE(plies);
                    Solver solver(rules_of(plain), 1, instructions->name, small);
                    check_planes(plain, solver, plies);
                }
    });
}

TEST_CASE("values of 3x3 with any number of threads") {
    for (const bool double_line_wins : {false, true})
        for (const std::uint32_t small : {kBitmaps, kEntries})
            for (const int threads : {1, 2, 3}) {
                Solver solver(rules_in_a_row(3, 3, 3, double_line_wins), threads, "auto", small);
                CHECK(solver.lanes() == std::string(instructions_here().front()->name));
                for (const bool plies : {true, false}) {
                    check_planes({3, 3, 3, double_line_wins}, solver, plies);
                    CHECK(solver.memory(4, 3, plies) > 0);
                }
            }
}

// Children that were decided after very many plies need wide plies.
TEST_CASE("more plies than a byte holds, and more than can be held") {
    const auto solved_after = [&](int more, const Instructions* instructions, std::uint32_t small) {
        Solver solver(rules_in_a_row(3, 3, 3, false), 1, instructions->name, small);
        const auto table = solve_all<std::uint16_t>(solver);
        const Layout& layout = solver.layout();
        const auto later = [&](int a, int b) {
            auto entries = table.at({a, b});
            for (auto& entry : entries) {
                if (entry > 0 && entry < 32767) entry = static_cast<std::uint16_t>(entry + more);
                if (entry < 65535 && entry > 32767) entry = static_cast<std::uint16_t>(entry - more);
            }
            return entries;
        };
        const std::vector<std::uint16_t> children[2] = {later(5, 3), later(4, 4)};
        std::vector<std::uint8_t> outcomes[2];
        std::vector<std::uint16_t> plies[2];
        const auto above = [&](int side) {
            const std::size_t size = side == 0 ? layout.plane_entries(5, 3) : layout.plane_entries(4, 4);
            outcomes[side].resize(packed::bytes(size));
            plies[side].resize(size);
            from_entries(children[side].data() + (side == 0 ? size : 0), 0, size, outcomes[side].data(),
                         plies[side].data());
            return StoredPlane{outcomes[side].data(), {plies[side].data(), 2}};
        };
        Interrupt interrupt(never);
        std::vector<std::uint32_t> found;
        for (const SolvedPlane& plane : solver.solve(4, 3, true, above, interrupt)) {
            CHECK(plane.width == (more > 200 ? 2 : 1));
            for (std::size_t i = 0; i < layout.plane_entries(4, 3); ++i) found.push_back(plane.stored().plies[i]);
        }
        return found;
    };
    const auto here = instructions_here();
    for (const int more : {0, 128, 300}) {
        const auto expected = solved_after(more, here.back(), kEntries);
        CHECK(*std::max_element(expected.begin(), expected.end()) > static_cast<unsigned>(more));
        for (const Instructions* instructions : here)
            for (const std::uint32_t small : {kBitmaps, kEntries})
                CHECK(solved_after(more, instructions, small) == expected);
    }
    for (const std::uint32_t small : {kBitmaps, kEntries})
        CHECK_THROWS_AS(solved_after(16380, here.back(), small), std::overflow_error);
}

TEST_CASE("planes and entries follow from each other") {
    std::vector<std::uint8_t> entries;
    for (int i = 0; i < 1003; ++i) entries.push_back(static_cast<std::uint8_t>(i * 89 % 256 == 128 ? 0 : i * 89));
    std::vector<std::uint8_t> outcomes(packed::bytes(entries.size())), plies(entries.size());
    for (const std::size_t last : {entries.size(), std::size_t{64}, std::size_t{7}}) {
        from_entries(entries.data(), 0, last, outcomes.data(), plies.data());
        const StoredPlane plane{outcomes.data(), {plies.data(), 1}};
        CHECK(longest_in(plane, last) == *std::max_element(plies.begin(), plies.begin() + static_cast<long>(last)));
        std::vector<std::uint8_t> narrow(last);
        std::vector<std::uint16_t> wide(last), wide_plies(last);
        to_entries(plane, 0, last, narrow.data());
        to_entries(plane, 0, last, wide.data());
        CHECK(std::equal(narrow.begin(), narrow.end(), entries.begin()));
        for (std::size_t i = 0; i < last; ++i)
            REQUIRE(wide[i] == (entries[i] < 127 ? entries[i] : entries[i] == 127 ? 32767 : 65280 + entries[i]));
        from_entries(wide.data(), 0, last, outcomes.data(), wide_plies.data());
        CHECK(std::equal(wide_plies.begin(), wide_plies.end(), plies.begin()));
    }
}

TEST_CASE("work that is interrupted returns") {
    for (const std::uint32_t small : {kBitmaps, kEntries})
        for (const bool plies : {true, false}) {
            Solver solver(rules_in_a_row(3, 3, 3, false), 2, "auto", small);
            Interrupt interrupt([] { return true; });
            interrupt.poll();
            solver.solve(5, 4, plies, {}, interrupt);
            CHECK(interrupt.asked());
        }
}

}  // namespace
}  // namespace inarow::quixo
