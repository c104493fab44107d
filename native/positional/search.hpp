// Whether X, who is to move, completes a line within so many moves of its own, whatever O does.
//
// An AND/OR search over positions, depth first and by number of X's moves. What keeps it small:
//
// - A line counts only while X could still complete it in time. Cells that are in no such line are dead, and positions
//   that agree in all else are one position, up to the symmetries of the game.
// - A proof of a win uses some cells, its *zone*; a mark of O's elsewhere does not disturb it. So when X has an answer
//   to one reply of O's, that answer is good for all replies outside its zone, and O must look for others inside of it,
//   then inside the zone that this and the next answer share, and so on.
// - A line of which X lacks m cells weighs 2^-m. Where all weigh less than 1/2, O blocks them all (Erdős and
// Selfridge).
//   So it does where pairs of cells are found, one in every line, of which O takes one when X takes the other.
// - O first tries the cell that takes the most weight off.
//
// In maker-maker games O's lines count as well. A mark of O's outside the zone is still a reply to consider if it is in
// a line that O could threaten to complete before X has won, and X may make a move only to block such a line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "positional/cells.hpp"

namespace inarow::positional {

inline constexpr int kUnlimited = 255;  // moves: more than any game has

struct Game {
    int cells;
    std::vector<Words> lines;
    bool maker_breaker;  // O only blocks
    // Permutations that take lines to lines: cell c goes to symmetry[c]. The identity is among them.
    std::vector<std::vector<std::uint8_t>> symmetries;
};

struct Outcome {
    bool wins;
    int moves;   // that X needs at most, if it wins; not always the fewest
    int move;    // that wins
    Words zone;  // marks of O's outside of it do not spoil the win, unless O threatens with them (maker-maker)
};

struct Statistics {
    std::uint64_t nodes = 0;    // positions looked at, with X to move
    std::uint64_t kept = 0;     // positions in memory
    std::uint64_t dropped = 0;  // positions that had to make room for others
};

class Solver {
  public:
    virtual ~Solver() = default;

    // X is to move and has no line, nor has O. std::invalid_argument if cells are taken twice or not on the board.
    virtual Outcome solve(const Words& x, const Words& o, int moves) = 0;

    // The cells with which X wins within so many moves, this one included.
    virtual Words winning_moves(const Words& x, const Words& o, int moves) = 0;

    virtual Statistics statistics() const = 0;

    // Called now and then, and may throw to stop; the solver can be used again after that.
    std::function<void()> report;
};

// `memory_limit` in bytes is for positions kept; the search goes on when it is reached, but more slowly.
std::unique_ptr<Solver> make_solver(const Game& game, std::uint64_t memory_limit);

}  // namespace inarow::positional
