// Whether O, who moves second, can keep X from completing a line for ever, and how.
//
// A *defence* is found by proof numbers, depth first (df-pn): the search goes on where the least is missing to a proof.
// A position is what X and O still lack of the lines that they can complete. What keeps the search small:
//
// - A line that lacks all cells that another one lacks is dropped; so is a line of X with two cells that are in no
//   other line: when X takes one of them, O takes the other.
// - A cell is not tried if all lines through it also go through another cell: the other one is at least as good.
// - A line of X that lacks m cells weighs 2^-m. If X's lines weigh less than 1 when O is to move, O blocks all of them
//   by always taking the heaviest cell (Erdős and Selfridge).
// - Pairs of cells close a position when X is to move: O answers in the pair. Lines that contain a pair are blocked,
//   and the other ones by their weight, if it is small enough without the cells in pairs.
// - The weight of X's lines says how far a proof is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "positional/cells.hpp"
#include "positional/game.hpp"

namespace inarow::positional {

// O's answer to a position. With pairs, X gets no line after it: O answers in the pairs, and blocks the heaviest cell
// when X plays elsewhere.
struct DefenceLine {
    static constexpr int kNone = -1;

    Words x;
    Words o;
    int answer;  // kNone: X is to move
    std::vector<std::pair<int, int>> pairs;
};

class DefenceSearch {
  public:
    virtual ~DefenceSearch() = default;

    // Whether there is a defence on the empty board. std::bad_alloc if the memory does not suffice.
    virtual bool defends() = 0;

    // The defence: an answer to every position, up to symmetry, that X can reach by cells worth trying, in which O's
    // reply is not forced and the lines weigh 1 or more. There must be one.
    virtual std::vector<DefenceLine> lines() = 0;

    virtual Statistics statistics() const = 0;

    // Called every few thousand nodes; may throw to stop the search.
    std::function<void()> report;
};

// `memory_limit` is the number of bytes for positions kept.
std::unique_ptr<DefenceSearch> make_defence_search(const Game& game, std::uint64_t memory_limit);

}  // namespace inarow::positional
