#include "quixo/reachable.hpp"

#include <doctest/doctest.h>

namespace inarow::quixo {
namespace {

TEST_CASE("the walk can be stopped") {
    struct Stop {};
    CHECK_THROWS_AS(Reachable(rules_in_a_row(3, 3, 3, false), [] { throw Stop{}; }), Stop);
}

}  // namespace
}  // namespace inarow::quixo
