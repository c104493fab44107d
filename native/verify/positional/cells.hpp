// Sets of cells of a board, and what is required of its symmetries: for the checkers only.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

#include "verify/positional/checker.hpp"

namespace inarow::verify {

__extension__ using Wide = unsigned __int128;

inline void require(bool condition, const std::string& message) {
    if (!condition) throw std::invalid_argument(message);
}

template <class Mask>
constexpr Mask bit(int cell) {
    return Mask{1} << cell;
}

template <class Mask>
constexpr int kWords = sizeof(Mask) / sizeof(std::uint64_t);

template <class Mask>
Mask from_words(const std::uint64_t* from) {
    if constexpr (kWords<Mask> == 1)
        return from[0];
    else
        return Mask{from[1]} << 64 | from[0];
}

template <class Mask>
Words to_words(Mask mask) {
    if constexpr (kWords<Mask> == 1)
        return {mask, 0};
    else
        return {static_cast<std::uint64_t>(mask), static_cast<std::uint64_t>(mask >> 64)};
}

template <class Mask>
int lowest(Mask mask) {
    const Words split = to_words(mask);
    return split[0] != 0 ? std::countr_zero(split[0]) : 64 + std::countr_zero(split[1]);
}

template <class Mask>
Mask without_lowest(Mask mask) {
    return mask & (mask - 1);
}

template <class Mask>
bool is_one(Mask mask) {
    return mask != 0 && without_lowest(mask) == 0;
}

template <class Mask>
bool is_two(Mask mask) {
    return is_one(without_lowest(mask));
}

template <class Mask>
int count(Mask mask) {
    const Words split = to_words(mask);
    return std::popcount(split[0]) + std::popcount(split[1]);
}

template <class Mask>
Mask board(int cells) {
    return cells == kWords<Mask> * 64 ? ~Mask{0} : bit<Mask>(cells) - 1;
}

// std::invalid_argument unless all are permutations of the cells that map lines to lines. The lines are sorted.
template <class Mask>
void require_symmetries(int cells, const std::vector<Mask>& lines,
                        const std::vector<std::vector<std::uint8_t>>& symmetries) {
    require(!symmetries.empty(), "there is no symmetry, not even the identity");
    for (std::size_t s = 0; s < symmetries.size(); ++s) {
        const std::vector<std::uint8_t>& to = symmetries[s];
        const std::string name = "symmetry " + std::to_string(s);
        require(to.size() == static_cast<std::size_t>(cells), name + " is not one of the board");
        Mask reached = 0;
        for (const int cell : to) {
            require(cell < cells, name + " leaves the board");
            reached |= bit<Mask>(cell);
        }
        require(reached == board<Mask>(cells), name + " maps two cells to one");
        for (const Mask line : lines) {
            Mask image = 0;
            for (Mask rest = line; rest != 0; rest = without_lowest(rest)) image |= bit<Mask>(to[lowest(rest)]);
            require(std::binary_search(lines.begin(), lines.end(), image), name + " does not map lines to lines");
        }
    }
}

}  // namespace inarow::verify
