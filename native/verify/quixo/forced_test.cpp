#include "verify/quixo/forced.hpp"

#include <doctest/doctest.h>

#include "testing/quixo.hpp"

namespace inarow::verify::quixo {
namespace {

TEST_CASE("what is decided within some plies is what a whole analysis finds") {
    for (const bool wins : {false, true}) {
        const testing::PlainQuixo plain{3, 3, 3, wins};
        const Game game({3, 3, 3, wins ? DoubleLine::wins : DoubleLine::loses});
        Forced forced(game);
        int decided = 0;
        plain.each_position([&](const testing::QuixoPosition& at) {
            if (at.mover % 5 != 0) return;
            const testing::QuixoValue value = plain.solve()[plain.number(at)];
            const bool found = value.outcome != 0 && value.plies <= 5;
            REQUIRE(forced.value({at.mover, at.other}, 5) == (found ? value.entry(65535) : kNoValue));
            decided += found;
        });
        REQUIRE(decided > 500);
    }
}

}  // namespace
}  // namespace inarow::verify::quixo
