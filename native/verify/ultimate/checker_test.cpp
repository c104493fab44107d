// For the sanitizers: tests/verify/ultimate has the rest.
#include "verify/ultimate/checker.hpp"

#include <doctest/doctest.h>

namespace inarow::verify::ultimate {
namespace {

TEST_CASE("nobody wins in fewer than seventeen plies") {
    for (const int plies : {1, 9, 15, 16}) {
        CHECK(check_claim({Side::O, plies, {}}, nullptr, 0, nullptr).failure.empty());
        CHECK_FALSE(check_claim({Side::X, plies, {}}, nullptr, 0, nullptr).failure.empty());
    }
    CHECK(check_claim({Side::X, 17, {}}, nullptr, 0, nullptr).failure.find("there is no answer") == 0);
}

}  // namespace
}  // namespace inarow::verify::ultimate
