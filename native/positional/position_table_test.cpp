#include "positional/position_table.hpp"

#include <doctest/doctest.h>

namespace inarow::positional {
namespace {

using Table = PositionTable<std::uint64_t>;

Entry<std::uint64_t> entry(std::uint64_t number, int limit) {
    return {.key = {number, ~number, number << 7},
            .limit = static_cast<std::uint8_t>(limit),
            .moves = static_cast<std::uint8_t>(number % 5),
            .zone = 3 * number};
}

std::uint64_t findable(const Table& table, std::uint64_t numbers, int limit) {
    std::uint64_t found = 0;
    for (std::uint64_t n = 0; n < numbers; ++n) {
        const auto* at = table.find(entry(n, limit).key, limit);
        if (at == nullptr) continue;
        CHECK(at->moves == n % 5);
        CHECK(at->zone == 3 * n);
        ++found;
    }
    return found;
}

TEST_CASE("an entry is found by its key and its limit") {
    Table table(0);
    CHECK(table.find(entry(1, 3).key, 3) == nullptr);
    table.insert(entry(1, 3));
    CHECK(table.find(entry(1, 3).key, 3) != nullptr);
    CHECK(table.find(entry(1, 3).key, 4) == nullptr);
    CHECK(table.find(entry(2, 3).key, 3) == nullptr);
    table.insert(entry(1, 4));
    CHECK(table.find(entry(1, 3).key, 3) != nullptr);
    CHECK(table.find(entry(1, 4).key, 4) != nullptr);
    CHECK(table.kept() == 2);
}

TEST_CASE("a table grows within its memory, and counts what it keeps and what it drops") {
    constexpr std::uint64_t kEntries = 50'000;
    Table large(64 << 20), small(0);
    for (std::uint64_t n = 0; n < kEntries; ++n) {
        large.insert(entry(n, 2));
        small.insert(entry(n, 2));
    }
    for (const Table* table : {&large, &small}) {
        CHECK(table->kept() + table->dropped() == kEntries);
        CHECK(findable(*table, kEntries, 2) == table->kept());
    }
    CHECK(large.kept() > kEntries * 9 / 10);
    CHECK(small.kept() <= 1 << 12);
    CHECK(small.kept() > 1 << 11);
}

TEST_CASE("a full bucket gives up what took the least search") {
    Table table(0);
    for (std::uint64_t n = 0; n < 200; ++n) table.insert(entry(n, 9));
    for (std::uint64_t n = 0; n < 50'000; ++n) table.insert(entry(n, 1 + static_cast<int>(n % 3)));
    CHECK(findable(table, 200, 9) == 200);
}

}  // namespace
}  // namespace inarow::positional
