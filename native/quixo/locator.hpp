// Finds where a position is stored without a table of all masks: for looking up a few positions of a few pairs. Layout
// is for whole pairs.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "layout.hpp"

namespace inarow::quixo {

struct Located {
    int a, b, plane;
    std::uint32_t block, rank;
};

// Safe to use from several threads at once.
class Locator {
  public:
    explicit Locator(Rules rules) : board_(rules), blocks_(board_.cells() + 1) {}

    // `word` has the marks of the side to move in its upper half and the other's in its lower half; nothing if it is no
    // position.
    std::optional<Located> locate(std::uint64_t word) {
        const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
        if ((mover & other) || ((mover | other) & ~board_.full())) return std::nullopt;
        const bool mover_larger = std::popcount(mover) >= std::popcount(other);
        const Mask larger = mover_larger ? mover : other, smaller = mover_larger ? other : mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        int best = 0;
        Mask canonical = larger;
        for (int g = 1; g < board_.symmetries(); ++g)
            if (const Mask image = board_.image(g, larger); image < canonical) canonical = image, best = g;
        const auto block = place_among(blocks_of(a), canonical);
        const Mask there = extract(board_.image(best, smaller), board_.full() & ~canonical);
        return Located{a, b, mover_larger ? 0 : 1, block, colex_rank(there)};
    }

    // The entry in its plane.
    std::uint64_t place(const Located& at) const {
        return std::uint64_t{at.block} * binomial(board_.cells() - at.a, at.b) + at.rank;
    }

    // The position that is stored there.
    std::uint64_t word(const Located& at) {
        const Mask larger = blocks_of(at.a)[at.block];
        const Mask smaller = deposit(words(board_.cells() - at.a, at.b)[at.rank], board_.full() & ~larger);
        return at.plane == 0 ? std::uint64_t{larger} << 32 | smaller : std::uint64_t{smaller} << 32 | larger;
    }

    std::size_t block_count(int a) { return blocks_of(a).size(); }

  private:
    // The place of a mask that is among these, which ascend. Without branches, as nobody could guess them.
    static std::uint32_t place_among(const std::vector<Mask>& masks, Mask mask) {
        std::uint32_t first = 0;
        for (auto count = static_cast<std::uint32_t>(masks.size()); count > 1;) {
            const std::uint32_t half = count / 2;
            first += masks[first + half] <= mask ? half : 0;
            count -= half;
        }
        return first;
    }

    // The masks with a marks that are smallest among their images, in ascending order.
    const std::vector<Mask>& blocks_of(int a) {
        auto& blocks = blocks_[a];
        std::call_once(found_[a], [&] {
            for (const Mask mask : words(board_.cells(), a)) {
                bool smallest = true;
                for (int g = 1; g < board_.symmetries() && smallest; ++g) smallest = board_.image(g, mask) >= mask;
                if (smallest) blocks.push_back(mask);
            }
        });
        return blocks;
    }

    Board board_;
    std::vector<std::vector<Mask>> blocks_;
    std::array<std::once_flag, max_cells + 1> found_;
};

}  // namespace inarow::quixo
