#include "positional/cells.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace inarow::positional {
namespace {

template <class Mask>
constexpr int kBits = static_cast<int>(sizeof(Mask)) * 8;

template <class Mask>
Mask random_mask(std::mt19937_64& random, int cells) {
    return from_words<Mask>({random(), random()}) & board<Mask>(cells);
}

TEST_CASE_TEMPLATE("sets of cells", Mask, std::uint64_t, Wide) {
    const int last = kBits<Mask> - 1;
    const Mask ends = bit<Mask>(0) | bit<Mask>(last);
    CHECK(count(ends) == 2);
    CHECK(lowest(ends) == 0);
    CHECK(lowest(without_lowest(ends)) == last);
    CHECK((without_lowest(without_lowest(ends)) == 0));
    CHECK((lowest_bit(ends) == 1));
    CHECK((lowest_bit(bit<Mask>(last)) == bit<Mask>(last)));
    CHECK(count(board<Mask>(kBits<Mask>)) == kBits<Mask>);
    CHECK(count(board<Mask>(last)) == last);
    CHECK((to_words(ends) == Words{sizeof(Mask) == 8 ? 1ULL << 63 | 1 : 1, sizeof(Mask) == 8 ? 0 : 1ULL << 63}));

    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i) {
        const Mask mask = random_mask<Mask>(random, kBits<Mask>);
        CHECK((from_words<Mask>(to_words(mask)) == mask));
    }
}

TEST_CASE_TEMPLATE("a permutation moves every cell where it says", Mask, std::uint64_t, Wide) {
    std::mt19937_64 random(2);
    for (const int cells : {1, 7, 8, 9, 36, kBits<Mask>}) {
        std::vector<std::uint8_t> to(static_cast<std::size_t>(cells));
        for (int cell = 0; cell < cells; ++cell) to[cell] = static_cast<std::uint8_t>(cell);
        std::shuffle(to.begin(), to.end(), random);
        const Permutation<Mask> permutation(to);
        for (int i = 0; i < 50; ++i) {
            const Mask mask = random_mask<Mask>(random, cells);
            Mask image = 0;
            for (int cell = 0; cell < cells; ++cell)
                if ((mask >> cell & 1) != 0) image |= bit<Mask>(to[cell]);
            CHECK((permutation(mask) == image));
        }
    }
}

}  // namespace
}  // namespace inarow::positional
