#include "quixo/seed_codes.hpp"

#include <doctest/doctest.h>

#include <random>

namespace inarow::quixo {
namespace {

using Codes = SeedCodes<PlainRows>;

// The seed that the children of an entry give it, as the rules say.
Seed plain_seed(const std::vector<std::pair<unsigned, int>>& children) {
    int win = -1, loss = 0;
    bool may_lose = true;
    for (const auto& [outcome, plies] : children) {
        if (outcome == packed::loss && (win < 0 || plies < win)) win = plies;
        may_lose &= outcome == packed::win;
        loss = std::max(loss, plies);
    }
    if (win >= 0) return {SeedKind::win, win + 1};
    return may_lose ? Seed{SeedKind::loss, loss + 1} : Seed{SeedKind::none, 0};
}

// What the passes find out, one after the other.
Seed seed_by_codes(const std::vector<std::pair<unsigned, int>>& children, const std::vector<Codes>& passes) {
    for (const Codes& codes : passes) {
        std::uint8_t least = 255;
        for (const auto& [outcome, plies] : children) least = std::min(least, codes.code(outcome, plies));
        if (const Seed seed = codes.seed(least); seed.kind != SeedKind::unknown) return seed;
    }
    return {SeedKind::unknown, 0};
}

TEST_CASE("the least code of the children is the seed") {
    std::mt19937 random(3);
    for (const int longest : {0, 1, 2, 9, 126, 127, 169, 250, 251, 254, 255, 256, 507, 509, 1000, 16000})
        for (const bool alternate : {true, false}) {
            CAPTURE(longest);
            CAPTURE(alternate);
            PliesSeen<PlainRows> seen;
            std::vector<std::vector<std::pair<unsigned, int>>> all{{}};
            for (int i = 0; i < 2000; ++i) {
                auto& children = all.emplace_back(random() % 4);
                const unsigned outcomes = 1 + random() % 7;  // those that may occur
                for (auto& [outcome, plies] : children) {
                    do outcome = random() % 3;
                    while (!(outcomes >> outcome & 1));
                    plies = random() % 3 == 0 ? longest - static_cast<int>(random() % 3) : static_cast<int>(random());
                    plies = std::abs(plies) % (longest + 1);
                    // Losses take an even number of plies, wins an odd one, but for the shortest.
                    if (alternate && plies > 1 && (plies & 1) != (outcome == packed::win)) --plies;
                    if (outcome == packed::draw) plies = 0;
                    seen.add(outcome, plies);
                }
            }
            const auto passes = Codes::passes(seen);
            CHECK((alternate && longest <= 250) <= (passes.size() == 1));
            for (const auto& children : all) {
                const Seed expected = plain_seed(children), found = seed_by_codes(children, passes);
                REQUIRE(found.kind == expected.kind);
                REQUIRE(found.round == expected.round);
            }
        }
}

TEST_CASE("many entries are coded at once as one by one") {
    std::mt19937 random(4);
    for (const int width : {1, 2})
        for (const int longest : {3, 168, 255}) {
            const std::size_t size = 300;
            std::vector<std::uint8_t> outcomes(packed::bytes(size)), narrow(size);
            std::vector<std::uint16_t> wide(size);
            for (std::size_t i = 0; i < size; ++i) {
                const unsigned outcome = random() % 3;
                outcomes[i / 4] |= static_cast<std::uint8_t>(outcome << i % 4 * 2);
                wide[i] = narrow[i] = outcome == packed::draw ? 0 : static_cast<std::uint8_t>(random() % (longest + 1));
            }
            const StoredPlane plane{outcomes.data(),
                                    {width == 1 ? static_cast<void*>(narrow.data()) : wide.data(), width}};
            for (const bool alternate : {true, false}) {
                PliesSeen<PlainRows> seen;
                seen.add(plane, 0, size);
                CHECK(seen.longest == *std::max_element(narrow.begin(), narrow.end()));
                CHECK_FALSE(seen.alternate);
                seen.alternate = alternate;
                for (const Codes& codes : Codes::passes(seen))
                    for (const std::size_t first : {0, 1, 2, 3, 7, 130, 270}) {
                        const std::size_t count = std::min<std::size_t>(size - first, 77);
                        std::vector<std::uint8_t> found(count + 31);
                        codes.encode(plane, first, count, size, found.data());
                        for (std::size_t i = 0; i < count; ++i)
                            REQUIRE(found[i] ==
                                    codes.code(outcomes[(first + i) / 4] >> (first + i) % 4 * 2 & 3, wide[first + i]));
                    }
            }
        }
}

}  // namespace
}  // namespace inarow::quixo
