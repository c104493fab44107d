// Checks a defence: answers with which O, who moves second, keeps X from ever completing a line.
//
// Plays every move of X that is worth a try against it, from the empty board. It shares no code with the search for
// defences, and is meant to be trusted after reading it. A position is what X and O still lack of their lines; nothing
// else of the board matters. These rules keep the walk short; docs/defences.md has their proofs:
//
// - Longer: a line is dropped if it lacks all cells that another line of the same side lacks.
// - Alone: a line of X is dropped if it lacks two cells that no other line lacks, X's or O's.
// - Better: X does not try a cell if all lines that lack it also lack a certain other cell.
// - Weight: a line of X that lacks m cells weighs 2^-m. If they all weigh less than 1 when O is to move, O holds.
// - Pairs: when X is to move, pairs of cells without a common cell hold if every line of X lacks both cells of a pair,
//   or is among lines that weigh less than 1 after any move of X, cells in pairs not counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "verify/positional/checker.hpp"

namespace inarow::verify {

struct DefenceLine {
    Words x;
    Words o;
    std::optional<int> answer;               // none: X is to move on the empty board, and the pairs hold
    std::vector<std::pair<int, int>> pairs;  // that hold after the answer; none: X plays on
};

// Why O does not hold: there is no line for a position in which O's move is not forced; X threatens two cells; X
// completes a line; the pairs of a line do not block everything.
enum class Breach : std::uint8_t { Unanswered, TwoThreats, Completed, Pairs };

struct DefenceWalk {
    // A game that X wins, or that O has no answer to: alternating moves from the empty board.
    struct Counterexample {
        std::vector<int> moves;
        Breach breach;
        std::optional<std::size_t> line;  // the one that failed
    };

    std::optional<Counterexample> counterexample;
    std::uint64_t answered = 0;      // positions up to symmetry with O to move: by a line, and X plays on
    std::uint64_t paired = 0;        // by a line with pairs, which hold
    std::uint64_t forced = 0;        // by the only reply that blocks
    std::vector<std::uint8_t> used;  // for each line, whether O played by it
};

// Of several lines for a position, the first counts. The walk ends at the first breach. `progress` is called every few
// thousand positions; may throw to stop. std::invalid_argument if the game, a symmetry or a line is invalid.
DefenceWalk walk_defence(const GameData& game, const std::vector<DefenceLine>& lines,
                         const std::function<void(std::uint64_t positions)>& progress);

}  // namespace inarow::verify
