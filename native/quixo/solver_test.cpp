#include "quixo/solver.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "quixo/lanes.hpp"
#include "quixo/table_reader.hpp"
#include "quixo/test_tables.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;
using testing::QuixoValue;

constexpr int kCells = 8;  // of the boards on which all rules are tried

std::vector<std::string> kinds_of_lanes_and_long() {
    std::vector<std::string> lanes{"portable", "long"};
    if (cpu_has_avx2()) lanes.emplace_back("avx2");
    if (cpu_has_avx512()) lanes.emplace_back("avx512");
    return lanes;
}

template <class Entry>
TableReader reader_of(const PlainQuixo& plain, const Pairs<std::vector<Entry>>& table) {
    TableReader reader(rules_of(plain));
    for (const auto& [pair, entries] : table) {
        REQUIRE(entries.size() == reader.entries(pair.first, pair.second));
        reader.add(pair.first, pair.second, {entries.data(), sizeof(Entry)});
    }
    return reader;
}

// Every position has its value in the table.
template <class Entry>
void check_table(const PlainQuixo& plain, const std::vector<QuixoValue>& values,
                 const Pairs<std::vector<Entry>>& table) {
    const TableReader reader = reader_of(plain, table);
    plain.each_position([&](const QuixoPosition& at) {
        const QuixoValue value = values[plain.number(at)];
        const Result result = reader.probe(word_of(at));
        REQUIRE(static_cast<int>(result.outcome) == value.outcome);
        REQUIRE(result.plies == value.plies);
    });
}

TEST_CASE("the solver finds every value on small boards of all shapes") {
    testing::each_quixo(kCells, [&](const PlainQuixo& plain) {
        CAPTURE(plain.rows);
        CAPTURE(plain.columns);
        CAPTURE(plain.line);
        const std::vector<QuixoValue>& values = plain.solve();
        for (const std::string& lanes : kinds_of_lanes_and_long()) {
            CAPTURE(lanes);
            Solver solver(rules_of(plain), 1, lanes);
            check_table(plain, values, solve_all<std::uint8_t>(solver));
            check_table(plain, values, solve_all<std::uint16_t>(solver));
        }
    });
}

TEST_CASE("3x3 with any number of threads, and with what was kept about moves") {
    const PlainQuixo plain{3, 3, 3, false};
    const std::vector<QuixoValue>& values = plain.solve();
    CHECK(values[0] == QuixoValue{1, 7});  // Tanaka and others, Quixo Is Solved
    for (const int threads : {1, 2, 3}) {
        Solver solver(rules_of(plain), threads, "auto");
        CHECK(solver.lanes() == std::string(cpu_has_avx512() ? "avx512"
                                            : cpu_has_avx2() ? "avx2"
                                            : cpu_has_neon() ? "neon"
                                                             : "portable"));
        check_table(plain, values, solve_all<std::uint8_t>(solver));
        solver.retain();
        check_table(plain, values, solve_all<std::uint8_t>(solver));
        solver.forget();
        check_table(plain, values, solve_all<std::uint8_t>(solver));
    }
}

// Tanaka and others, Quixo Is Solved.
TEST_CASE("4x4 on two threads has the counts of the paper") {
    Solver solver(rules_in_a_row(4, 4, 4, false), 2, "auto");
    std::uint64_t counts[3] = {};  // losses, draws, wins of the side to move
    using V = Values<std::uint8_t>;
    const auto table = solve_all<std::uint8_t>(solver);
    for (const auto& [pair, entries] : table) {
        const auto [a, b] = pair;
        const std::size_t plane = solver.layout().plane_entries(a, b), block = solver.layout().block_entries(a, b);
        for (std::size_t i = 0; i < entries.size(); ++i)
            counts[1 + (entries[i] > V::draw) - (entries[i] < V::draw)] +=
                solver.layout().orbit(a, static_cast<std::uint32_t>(i % plane / block));
    }
    CHECK(counts[2] == 26'434'489);
    CHECK(counts[1] == 1'608'496);
    CHECK(counts[0] == 15'003'736);
}

TEST_CASE("histograms count positions, symmetric ones too") {
    const PlainQuixo plain{2, 4, 3, false};
    const std::vector<QuixoValue>& values = plain.solve();
    Solver solver(rules_of(plain), 2, "auto");
    const auto table = solve_all<std::uint8_t>(solver);
    constexpr int a = 3, b = 2;
    std::vector<std::uint8_t> out(solver.entries(a, b));
    std::vector<PairTask<std::uint8_t>> layer(1);
    layer[0] = {
        a,          b, {table.at({4, 2}).data() + solver.layout().plane_entries(4, 2), 1}, {table.at({3, 3}).data(), 1},
        out.data(), {}};
    Interrupt interrupt(never);
    solver.solve(layer, interrupt);
    CHECK(out == table.at({a, b}));
    for (int plane = 0; plane < 2; ++plane) {
        std::vector<std::uint64_t> expected(256);
        plain.each_position([&](const QuixoPosition& at) {
            const int mine = std::popcount(at.mover), theirs = std::popcount(at.other);
            if ((plane == 0 ? mine : theirs) == a && (plane == 0 ? theirs : mine) == b)
                ++expected[values[plain.number(at)].entry(255)];
        });
        CHECK(layer[0].histograms[plane] == expected);
    }
    CHECK_FALSE(layer[0].overflow);
}

TEST_CASE("what is no position, no pair and no kind of lanes") {
    TableReader reader(rules_in_a_row(3, 3, 3, false));
    CHECK(reader.probe(word_of({1, 1})).outcome == Outcome::invalid);
    CHECK(reader.probe(word_of({1 << 9, 0})).outcome == Outcome::invalid);
    CHECK(reader.probe(0).outcome == Outcome::missing);
    CHECK_THROWS_AS(Solver(rules_in_a_row(3, 3, 3, false), 1, "wide"), std::invalid_argument);
    Solver solver(rules_in_a_row(3, 3, 3, false), 1, "auto");
    CHECK_THROWS_AS(solver.memory(4, 6, 1), std::invalid_argument);
    CHECK_THROWS_AS(solver.memory(2, 3, 1), std::invalid_argument);
    CHECK(solver.memory(3, 2, 2).entries == 2 * solver.memory(3, 2, 1).entries);
    CHECK(solver.memory(3, 2, 1).entries == solver.entries(3, 2));
}

TEST_CASE("work that is interrupted returns") {
    Solver solver(rules_in_a_row(3, 3, 3, false), 2, "auto");
    Interrupt interrupt([] { return true; });
    interrupt.poll();
    std::vector<std::uint8_t> out(solver.entries(5, 4));
    std::vector<PairTask<std::uint8_t>> layer(1);
    layer[0] = {5, 4, {}, {}, out.data(), {}};
    solver.solve(layer, interrupt);
    CHECK(interrupt.asked());
}

}  // namespace
}  // namespace inarow::quixo
