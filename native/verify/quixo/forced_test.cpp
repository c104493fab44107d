#include "verify/quixo/forced.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

namespace inarow::verify::quixo {
namespace {

// The values of all positions of a board by retrograde analysis in its plainest form: rounds until nothing changes.
std::map<std::uint64_t, std::uint32_t> solved(const Game& game) {
    std::map<std::uint64_t, std::uint32_t> values;
    std::vector<Position> open;
    const Mask full = (Mask{1} << game.rules().cells()) - 1;
    for (Mask mover = 0; mover <= full; ++mover)
        for (Mask other = 0; other <= full; ++other) {
            if (mover & other) continue;
            const std::uint32_t end = game.value_of_end({mover, other});
            if (end != kNoValue)
                values[std::uint64_t{mover} << 32 | other] = end;
            else
                open.push_back({mover, other});
        }
    for (std::uint32_t ply = 1; ply < 20; ++ply) {
        std::map<std::uint64_t, std::uint32_t> found;
        for (const Position& at : open) {
            const std::uint64_t word = std::uint64_t{at.mover} << 32 | at.other;
            if (values.contains(word)) continue;
            bool wins = false, loses = true;
            game.each_successor(at, [&](const Position& child) {
                const auto known = values.find(std::uint64_t{child.mover} << 32 | child.other);
                wins = wins || (known != values.end() && known->second < kDraw);
                loses = loses && known != values.end() && known->second > kDraw;
            });
            if (wins)
                found[word] = kWon - ply;
            else if (loses)
                found[word] = ply;
        }
        values.merge(found);
    }
    return values;
}

TEST_CASE("what is decided within some plies is what a whole analysis finds") {
    for (const bool wins : {false, true}) {
        const Game game({3, 3, 3, wins});
        const auto values = solved(game);
        Forced forced(game);
        int decided = 0;
        const Mask full = (Mask{1} << 9) - 1;
        for (Mask mover = 0; mover <= full; mover += 5)
            for (Mask other = 0; other <= full; ++other) {
                if (mover & other) continue;
                const auto known = values.find(std::uint64_t{mover} << 32 | other);
                const std::uint32_t value = known == values.end() ? kNoValue : known->second;
                const std::uint32_t plies = value < kDraw ? value : kWon - value;
                REQUIRE(forced.value({mover, other}, 5) == (value != kNoValue && plies <= 5 ? value : kNoValue));
                decided += value != kNoValue;
            }
        REQUIRE(decided > 500);
    }
}

}  // namespace
}  // namespace inarow::verify::quixo
