#include "quixo/lanes.hpp"

#include <doctest/doctest.h>

#include <random>

namespace inarow::quixo {
namespace {

TEST_CASE_TEMPLATE("a word that is split has the rank of its entry", Part, std::uint8_t, std::uint16_t) {
    const int most = sizeof(Part) == 1 ? max_short_bits : 20;
    for (int m = 0; m <= most; ++m)
        for (int b = 0; b <= m; ++b) {
            if (binomial(m, b) > 65'536) continue;
            const Ranks<Part> ranks(m, b);
            const std::vector<Mask> all = words(m, b);
            REQUIRE(ranks.entries == all.size());
            for (std::uint32_t i = 0; i < all.size(); ++i) {
                REQUIRE(ranks.rank(split_word<Part>(all[i], m)) == i);
                REQUIRE(ranks.word(i, m) == all[i]);
            }
            if (m == 9)
                for (std::size_t i = 0; i < ranks.low.size(); ++i) {
                    const auto lane = [i](Lanes64 lanes) { return (lanes >> i % 64 & 1) != 0; };
                    REQUIRE(lane(ranks.lanes[i / 64]) == (i < all.size()));
                    for (int bit = 0; bit < m; ++bit)
                        REQUIRE(lane(ranks.with_bit[static_cast<std::size_t>(bit) * ranks.groups + i / 64]) ==
                                (i < all.size() && (all[i] >> bit & 1) != 0));
                }
        }
}

template <class Permutation>
void check_permutation(int m, int m_there, std::mt19937& random) {
    using Part = typename Permutation::Part;
    std::vector<std::uint8_t> places(static_cast<std::size_t>(std::max(m, m_there)));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint8_t>(i);
    std::shuffle(places.begin(), places.end(), random);
    for (std::uint8_t& place : places)
        if (place >= m_there) place = dropped;
    const Permutation permutation(places.data(), m, m_there);
    for (int i = 0; i < 30; ++i) {
        const Mask word = random() & ((Mask{1} << m) - 1);
        Mask image = 0;
        for (int bit = 0; bit < m; ++bit)
            if ((word >> bit & 1) != 0 && places[bit] != dropped) image |= Mask{1} << places[bit];
        const auto [low, high] = permutation(split_word<Part>(word, m));
        const auto expected = split_word<Part>(image, m_there);
        REQUIRE(low == expected.low);
        REQUIRE(high == expected.high);
    }
}

TEST_CASE("bits of a word go where a permutation sends them, or nowhere") {
    std::mt19937 random(1);
    for (int m = 1; m <= 16; ++m)
        for (const int m_there : {m - 1, m}) check_permutation<ShortPermutation>(m, m_there, random);
    for (int m = 1; m <= max_cells; ++m)
        for (const int m_there : {m - 1, m}) check_permutation<LongPermutation>(m, m_there, random);
}

}  // namespace
}  // namespace inarow::quixo
