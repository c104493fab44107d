// A positional game as searches take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "positional/cells.hpp"

namespace inarow::positional {

struct Game {
    int cells;
    std::vector<Words> lines;
    bool maker_breaker;  // O only blocks
    // Permutations that map lines to lines, among them the identity: cell c goes to symmetry[c].
    std::vector<std::vector<std::uint8_t>> symmetries;
};

struct Statistics {
    std::uint64_t nodes = 0;    // positions searched
    std::uint64_t kept = 0;     // positions in memory
    std::uint64_t dropped = 0;  // positions overwritten by others
};

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// The lines of a game and its symmetries. std::invalid_argument if they are not on the board.
template <class Mask>
struct Board {
    explicit Board(const Game& game) : cells(game.cells) {
        for (const Words& line : game.lines) {
            lines.push_back(from_words<Mask>(line));
            require(lines.back() != 0 && (lines.back() & ~board<Mask>(cells)) == 0, "a line is not on the board");
        }
        for (const auto& to : game.symmetries) {
            require(to.size() == static_cast<std::size_t>(cells), "a symmetry is not one of the board");
            std::vector<std::uint8_t> from(to.size());
            for (std::size_t cell = 0; cell < to.size(); ++cell) {
                require(to[cell] < cells, "a symmetry leaves the board");
                from[to[cell]] = static_cast<std::uint8_t>(cell);
            }
            symmetries.emplace_back(to);
            back.emplace_back(from);
        }
        require(!symmetries.empty(), "there is no symmetry, not even the identity");
    }

    int cells;
    std::vector<Mask> lines;
    std::vector<Permutation<Mask>> symmetries;
    std::vector<Permutation<Mask>> back;  // from the image to the board
};

// Drops lines that lack all cells that one before them lacks: to complete them is to complete that one as well.
template <class Line, class Lacking>
void drop_longer(std::vector<Line>& lines, const Lacking& lacking) {
    std::size_t kept = 0;
    for (const Line line : lines) {
        bool longer = false;
        for (std::size_t i = 0; i < kept && !longer; ++i) longer = (lacking(lines[i]) & ~lacking(line)) == 0;
        if (!longer) lines[kept++] = line;
    }
    lines.resize(kept);
}

// The cells not used of the line that has the fewest of them; 0 if a line has fewer than two.
template <class Mask>
Mask tightest(const std::vector<Mask>& lines, Mask used) {
    Mask found = 0;
    int least = kMaxCells + 1;
    for (const Mask line : lines) {
        const int size = count(line & ~used);
        if (size < 2) return 0;
        if (size < least) {
            least = size;
            found = line & ~used;
        }
    }
    return found;
}

// Calls visit(pair, held) for each two of the cells: it is the better to pair them, the more lines have both.
template <class Mask, class Visit>
void each_pair(Mask cells, const std::vector<Mask>& lines, Visit visit) {
    for (; cells != 0; cells = without_lowest(cells))
        for (Mask others = without_lowest(cells); others != 0; others = without_lowest(others)) {
            const Mask pair = lowest_bit(cells) | lowest_bit(others);
            int held = 0;
            for (const Mask line : lines) held += (line & pair) == pair ? 2 : (line & pair) != 0 ? -1 : 0;
            visit(pair, held);
        }
}

}  // namespace inarow::positional
