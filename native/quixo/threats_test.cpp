#include "quixo/threats.hpp"

#include <doctest/doctest.h>

namespace inarow::quixo {
namespace {

TEST_CASE("threats of both sides, and the moves that prevent them") {
    const Board board(rules_in_a_row(3, 3, 3, false));
    // Rows from the top: "xx.", "...", "o..", with O to move.
    const Mask x = 0b110'000'000, o = 0b000'000'100;
    const Threats found = threats_of(board, o, x);
    REQUIRE(found.mover.empty());
    REQUIRE(found.other.size() == 1);
    REQUIRE(found.other[0].line == 0b111'000'000);
    for (const Move* move : found.other[0].moves) REQUIRE(board.has_line(move->apply(x | Mask{1} << move->taken)));
    REQUIRE(!found.blocks.empty());
    for (const Move* move : found.blocks) {
        const Mask theirs = move->apply(x), mine = move->apply(o | Mask{1} << move->taken);
        REQUIRE(threats::completions(board, theirs, mine).empty());
    }
}

TEST_CASE("a line that completes one of the other side too is a threat only where that wins") {
    // "xx." above "oo." above "...": pushing a tile in the last column down or up completes one row or both.
    const Mask x = 0b110'000'000, o = 0b000'110'000;
    for (const bool wins : {false, true}) {
        const Board board(rules_in_a_row(3, 3, 3, wins));
        for (const Threat& threat : threats_of(board, x, o).mover)
            for (const Move* move : threat.moves) REQUIRE((wins || !board.has_line(move->apply(o))));
    }
}

TEST_CASE("a game that is over has no threats") {
    const Board board(rules_in_a_row(3, 3, 3, false));
    const Threats found = threats_of(board, 0b000'000'011, 0b111'000'000);
    REQUIRE((found.mover.empty() && found.other.empty() && found.blocks.empty()));
}

}  // namespace
}  // namespace inarow::quixo
