// Planes of packed outcomes and of plies, and entries of one or two bytes, which follow from each other.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "lanes.hpp"
#include "packed.hpp"

namespace inarow::quixo {

// A solved plane: its outcomes, packed, and the plies of each entry, 0 for a draw, if they are known.
struct StoredPlane {
    const std::uint8_t* outcomes = nullptr;
    StoredPair plies;
};

namespace detail {

// Entries follow from plies, and plies from entries, by flipping the bits that a draw and a win have.
template <class Entry>
inline constexpr Entry flips[4] = {Values<Entry>::loss(0), Values<Entry>::draw, Values<Entry>::win(0),
                                   Values<Entry>::draw};

// From a whole byte of outcomes to the next, where entries are as wide as plies, or there are none.
template <class Entry>
void to_entries_by_four(const std::uint8_t* outcomes, const Entry* plies, std::size_t first, std::size_t last,
                        Entry* to) {
    static const auto by_byte = [] {
        std::array<std::array<Entry, 4>, 256> found{};
        for (unsigned byte = 0; byte < 256; ++byte)
            for (unsigned i = 0; i < 4; ++i) found[byte][i] = flips<Entry>[byte >> i * 2 & 3];
        return found;
    }();
    for (std::size_t byte = first; byte < last; ++byte)
        for (std::size_t i = 0; i < 4; ++i)
            to[byte * 4 + i] = (plies ? plies[byte * 4 + i] : Entry{0}) ^ by_byte[outcomes[byte]][i];
}

// The outcomes and the plies of sixteen entries of one byte.
inline void from_sixteen(const std::uint8_t* entries, std::uint8_t* outcomes, std::uint8_t* plies) {
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    using Words = std::uint32_t __attribute__((vector_size(16)));
    constexpr std::uint8_t draw = Values<std::uint8_t>::draw;
    Bytes its;
    std::memcpy(&its, entries, sizeof its);
    const Bytes drawn = (Bytes)(its == draw), won = (Bytes)(its > draw);
    const Bytes found = (its ^ won) & ~drawn;
    if (plies) std::memcpy(plies, &found, sizeof found);
    Words codes = (Words)((drawn & std::uint8_t{packed::draw}) | (won & std::uint8_t{packed::win}));
    codes |= codes >> 6;  // of each four, the last into the lowest byte
    codes |= codes >> 12;
    for (int i = 0; i < 4; ++i) outcomes[i] = static_cast<std::uint8_t>(codes[i]);
}

// The outcomes and the plies of up to four entries.
template <class Entry, class Plies>
void from_four(const Entry* entries, std::size_t count, std::uint8_t* outcomes, Plies* plies) {
    using V = Values<Entry>;
    unsigned bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned outcome = unsigned{entries[i] >= V::draw} + unsigned{entries[i] > V::draw};
        if (plies) plies[i] = static_cast<Plies>(entries[i] ^ flips<Entry>[outcome]);
        bits |= outcome << i * 2;
    }
    *outcomes = static_cast<std::uint8_t>(bits);
}

}  // namespace detail

// The entries from `first`, a multiple of four, up to `last`. They must be wide enough for the plies.
template <class Entry>
void to_entries(const StoredPlane& plane, std::size_t first, std::size_t last, Entry* to) {
    if (!plane.plies.data || plane.plies.width == sizeof(Entry)) {
        detail::to_entries_by_four(plane.outcomes, static_cast<const Entry*>(plane.plies.data), first / 4, last / 4,
                                   to);
        first = std::max(first, last / 4 * 4);
    }
    for (std::size_t i = first; i < last; ++i)
        to[i] = static_cast<Entry>(plane.plies.data ? plane.plies[i] : 0) ^
                detail::flips<Entry>[plane.outcomes[i / 4] >> i % 4 * 2 & 3];
}

// The inverse; `plies` may be null.
template <class Entry, class Plies>
void from_entries(const Entry* entries, std::size_t first, std::size_t last, std::uint8_t* outcomes, Plies* plies) {
    if constexpr (sizeof(Entry) == 1 && sizeof(Plies) == 1)
        for (; first + 16 <= last; first += 16)
            detail::from_sixteen(entries + first, outcomes + first / 4, plies ? plies + first : nullptr);
    for (; first < last; first += 4)
        detail::from_four(entries + first, std::min<std::size_t>(4, last - first), outcomes + first / 4,
                          plies ? plies + first : nullptr);
}

// The most plies of so many entries.
inline int longest_in(const StoredPlane& plane, std::size_t entries) {
    if (!plane.plies.data) return 0;
    const auto most = [&](const auto* plies) {
        std::remove_cvref_t<decltype(*plies)> found[16] = {};  // as many as a vector has
        std::size_t i = 0;
        for (; i + 16 <= entries; i += 16)
            for (std::size_t j = 0; j < 16; ++j) found[j] = plies[i + j] > found[j] ? plies[i + j] : found[j];
        for (; i < entries; ++i) found[0] = std::max(found[0], plies[i]);
        return int{*std::max_element(found, found + 16)};
    };
    return plane.plies.width == 1 ? most(static_cast<const std::uint8_t*>(plane.plies.data))
                                  : most(static_cast<const std::uint16_t*>(plane.plies.data));
}

}  // namespace inarow::quixo
