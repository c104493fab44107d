#include "ultimate/transposition_table.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace inarow::ultimate {
namespace {

TEST_CASE("it grows to the memory it may take, and keeps what it has") {
    TranspositionTable table(8 << 20);
    std::mt19937_64 random(2);
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 200'000; ++i) {
        keys.push_back(random());
        table.store(keys.back(), i % 2 == 0 ? Value::Wins : Value::Fails, 1);
    }
    CHECK(table.use() == doctest::Approx(200'000.0 / (4 << 18)).epsilon(0.01));  // a few were displaced
    int kept = 0;
    for (int i = 0; i < 200'000; ++i) {
        const Value found = table.find(keys[i]);
        CHECK((found == Value::Unknown || found == (i % 2 == 0 ? Value::Wins : Value::Fails)));
        kept += found != Value::Unknown;
        for (const int flipped : {0, 17, 18, 40, 63})
            CHECK(table.find(keys[i] ^ std::uint64_t{1} << flipped) == Value::Unknown);
    }
    CHECK(kept > 198'000);
}

TEST_CASE("a full bucket gives up what took the fewest nodes") {
    TranspositionTable table(0);                                   // as small as it gets
    const auto key = [](std::uint64_t n) { return n << 20 | 5; };  // all in one bucket
    for (std::uint64_t n = 1; n <= 4; ++n) table.store(key(n), Value::Wins, std::uint64_t{1} << (10 * n));
    table.store(key(5), Value::Fails, 100);
    CHECK(table.find(key(1)) == Value::Unknown);
    for (std::uint64_t n = 2; n <= 4; ++n) CHECK(table.find(key(n)) == Value::Wins);
    CHECK(table.find(key(5)) == Value::Fails);
    table.store(key(6), Value::Fails, 1);
    CHECK(table.find(key(5)) == Value::Unknown);
    CHECK(table.find(key(6)) == Value::Fails);
}

}  // namespace
}  // namespace inarow::ultimate
