// Sets of cells of a board: 64 or 128 bits, bit c for cell c.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace inarow::positional {

inline constexpr int kMaxCells = 128;

__extension__ using Wide = unsigned __int128;

// A set of cells in the interface: cell c is bit c % 64 of word c / 64.
using Words = std::array<std::uint64_t, 2>;

template <class Mask>
constexpr Mask bit(int cell) {
    return Mask{1} << cell;
}

template <class Mask>
Mask from_words(const Words& words) {
    if constexpr (sizeof(Mask) == 8)
        return words[0];
    else
        return Mask{words[1]} << 64 | words[0];
}

template <class Mask>
Words to_words(Mask mask) {
    if constexpr (sizeof(Mask) == 8)
        return {mask, 0};
    else
        return {static_cast<std::uint64_t>(mask), static_cast<std::uint64_t>(mask >> 64)};
}

template <class Mask>
int count(Mask mask) {
    const Words words = to_words(mask);
    return std::popcount(words[0]) + std::popcount(words[1]);
}

template <class Mask>
int lowest(Mask mask) {
    const Words words = to_words(mask);
    return words[0] != 0 ? std::countr_zero(words[0]) : 64 + std::countr_zero(words[1]);
}

template <class Mask>
Mask without_lowest(Mask mask) {
    return mask & (mask - 1);
}

template <class Mask>
Mask lowest_bit(Mask mask) {
    return mask & (~mask + 1);
}

template <class Mask>
Mask board(int cells) {
    return cells == static_cast<int>(sizeof(Mask)) * 8 ? ~Mask{0} : bit<Mask>(cells) - 1;
}

// A permutation of the cells, applied to eight cells of a set at a time.
template <class Mask>
class Permutation {
  public:
    explicit Permutation(const std::vector<std::uint8_t>& to)
        : bytes_((to.size() + 7) / 8), images_(bytes_ * 256, Mask{0}) {
        for (std::size_t byte = 0; byte < bytes_; ++byte)
            for (unsigned value = 0; value < 256; ++value)
                for (std::size_t i = 0; i < 8 && byte * 8 + i < to.size(); ++i)
                    if ((value >> i & 1) != 0) images_[byte * 256 + value] |= bit<Mask>(to[byte * 8 + i]);
    }

    Mask operator()(Mask mask) const {
        Mask image = 0;
        const Mask* of_byte = images_.data();
        for (std::size_t byte = 0; byte < bytes_; ++byte, mask >>= 8, of_byte += 256)
            image |= of_byte[static_cast<std::uint8_t>(mask)];
        return image;
    }

  private:
    std::size_t bytes_;
    std::vector<Mask> images_;  // [byte of the mask][its value]
};

}  // namespace inarow::positional
