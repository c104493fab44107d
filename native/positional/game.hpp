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

}  // namespace inarow::positional
