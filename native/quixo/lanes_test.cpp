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

TEST_CASE_TEMPLATE("entries keep the order of their values", Entry, std::uint8_t, std::uint16_t) {
    using V = Values<Entry>;
    CHECK(V::loss(0) < V::loss(1));
    CHECK(V::loss(V::max_plies) < V::draw);
    CHECK(V::draw < V::win(V::max_plies));
    CHECK(V::win(1) < V::win(0));
    CHECK(V::undecided(V::pending(V::draw)));
    CHECK_FALSE(V::undecided(V::win(0)));
    CHECK_FALSE(V::undecided(V::loss(0)));
    CHECK(V::widened(Values<std::uint8_t>::loss(3)) == V::loss(3));
    CHECK(V::widened(Values<std::uint8_t>::win(3)) == V::win(3));
    CHECK(V::widened(Values<std::uint8_t>::draw) == V::draw);
    if (V::hold_seeds)
        for (const Entry seed : {V::loss(0), V::loss(100), V::win(0), V::win(100)}) {
            CHECK(V::undecided(V::pending(seed)));
            CHECK(static_cast<Entry>(V::pending(seed) ^ V::turned) == seed);
        }
}

TEST_CASE_TEMPLATE("lanes are selected by their entries", Entry, std::uint8_t, std::uint16_t) {
    using Lanes = PortableLanes<Entry, std::uint8_t>;
    std::mt19937_64 random(2);
    const Ranks<std::uint8_t> ranks(8, 3);
    for (int round = 0; round < 50; ++round) {
        Entry entries[64];
        for (Entry& entry : entries)
            entry = static_cast<Entry>(random() % 2 == 0 ? Values<Entry>::draw : random() % (Values<Entry>::top + 1U));
        const Lanes64 among = round % 2 == 0 ? ~Lanes64{0} : random();
        const Entry value = entries[random() % 64];
        const auto bits = split_word<std::uint8_t>(0b101, 8);
        const auto check = [&](Lanes64 found, Lanes64 lanes, auto test) {
            for (int i = 0; i < 64; ++i) REQUIRE((found >> i & 1) == ((lanes >> i & 1) != 0 && test(i)));
        };
        check(Lanes::select_equal(entries, among, value), among, [&](int i) { return entries[i] == value; });
        check(Lanes::select_at_least(entries, among, value), among, [&](int i) { return entries[i] >= value; });
        check(Lanes::select_undecided(entries, among), among,
              [&](int i) { return Values<Entry>::undecided(entries[i]); });
        if (round == 0)
            check(Lanes::select_containing(ranks, 0, bits) & ranks.lanes[0], ranks.lanes[0],
                  [&](int i) { return (ranks.word(static_cast<std::uint32_t>(i), 8) & 0b101) == 0b101; });
        Lanes::assign(entries, among, 7);
        for (int i = 0; i < 64; ++i)
            if ((among >> i & 1) != 0) REQUIRE(entries[i] == 7);
    }
}

}  // namespace
}  // namespace inarow::quixo
