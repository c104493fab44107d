// How positions are called, and remembered.
#pragma once

#include <algorithm>
#include <compare>
#include <functional>
#include <vector>

#include "board.hpp"

namespace inarow::quixo {

// By the marks of both sides, those of the side to move first.
template <class Mask>
struct Names {
    struct Word {
        Mask mover, other;

        auto operator<=>(const Word&) const = default;
    };
    // Of a position in one of two roles.
    struct Key {
        Mask mover, other;
        std::uint64_t role;  // 0 if it is no position

        explicit operator bool() const { return role != 0; }
        bool operator==(const Key&) const = default;
    };

    static constexpr Mask mover(const Word& word) { return word.mover; }
    static constexpr Mask other(const Word& word) { return word.other; }
    static constexpr Word word(Mask mover, Mask other) { return {mover, other}; }
    static constexpr Key key(Mask mover, Mask other, bool second) { return {mover, other, 1u + second}; }
    static constexpr std::uint64_t hash(const Key& key) {
        return (hash(Word{key.mover, key.other}) ^ key.role) * 0x9e3779b97f4a7c15u;
    }
    static constexpr std::uint64_t hash(const Word& word) {
        const std::uint64_t mixed = (word.mover * 0x9e3779b97f4a7c15u ^ word.other) * 0xd6e8feb86659fd93u;
        return mixed ^ mixed >> 32;
    }
};

// Small boards have room for all of it in 64 bits.
template <>
struct Names<Mask> {
    using Word = std::uint64_t;
    using Key = std::uint64_t;
    static_assert(max_cells <= 30);

    static constexpr Mask mover(Word word) { return static_cast<Mask>(word >> 32); }
    static constexpr Mask other(Word word) { return static_cast<Mask>(word); }
    static constexpr Word word(Mask mover, Mask other) { return std::uint64_t{mover} << 32 | other; }
    // Not 0, even for the empty board.
    static constexpr Key key(Mask mover, Mask other, bool second) {
        return std::uint64_t{1} << 63 | word(mover, other) | std::uint64_t{second} << 62;
    }
    static constexpr std::uint64_t hash(Key key) { return key * 0x9e3779b97f4a7c15u; }
};

// Sorts a few items by a key; equals stay in their order. The sorts of the library are too large for pages.
template <class Item, class Key>
void sort_few(std::vector<Item>& items, Key key) {
    for (auto at = items.begin(); at != items.end(); ++at)
        std::rotate(std::ranges::upper_bound(items.begin(), at, std::invoke(key, *at), {}, key), at, at + 1);
}

// How many marks a position has.
template <class Mask>
int marks_of(const typename Names<Mask>::Word& word) {
    return std::popcount(Names<Mask>::mover(word)) + std::popcount(Names<Mask>::other(word));
}

}  // namespace inarow::quixo
