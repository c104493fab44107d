#include "verify/quixo/outcomes.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace inarow::verify::quixo {
namespace {

TEST_CASE("outcomes and plies of losses become codes") {
    std::mt19937 random(1);
    for (const int plies_width : {0, 1, 2})
        for (const int width : {1, 2})
            for (const std::uint64_t entries : {5, 4096, 3 * 4096 + 6}) {
                std::vector<std::uint8_t> outcomes((entries + 3) / 4), plies;
                std::vector<std::uint32_t> values;
                std::vector<std::int64_t> begins, places, losses, counted;
                std::int64_t lost = 0;
                for (std::uint64_t i = 0; i < entries; ++i) {
                    begins.push_back(0);
                    places.push_back(static_cast<std::int64_t>(i));
                    losses.push_back(lost);
                    const unsigned outcome = random() % 3;
                    lost += outcome == 0;
                    outcomes[i / 4] |= static_cast<std::uint8_t>(outcome << i % 4 * 2);
                    values.push_back(outcome == 0 ? kNoValue : Codes::kOutcomes[outcome]);
                }
                counted.resize(entries);
                count_losses_before(outcomes.data(), begins.data(), places.data(), entries, counted.data());
                CHECK(counted == losses);
                for (std::uint32_t& value : values) {
                    if (value != kNoValue) continue;
                    value = plies_width == 0 ? kLost : random() % 100 + (plies_width == 2 ? 300 : 0);
                    for (int byte = 0; byte < plies_width; ++byte)
                        plies.push_back(static_cast<std::uint8_t>(value >> 8 * byte));
                }
                const std::uint64_t first = 7;
                Codes codes;
                std::vector<std::uint8_t> bytes((first + entries) * width);
                const Plane plane{bytes.data(), width, &codes};
                const auto decode_all = [&](std::uint64_t bytes_of_plies) {
                    decode(outcomes.data(), entries, plies.data(), bytes_of_plies, plies_width, plane, first);
                };
                decode_all(plies.size());
                bool same = true;
                for (std::uint64_t i = 0; i < entries; ++i)
                    same &= values[i] == (width == 1 ? codes.values()[bytes[first + i]]
                                                     : reinterpret_cast<const std::uint16_t*>(bytes.data())[first + i]);
                CHECK(same);
                if (plies.empty()) continue;
                CHECK_THROWS_AS(decode_all(plies.size() - plies_width), std::invalid_argument);
                plies.resize(plies.size() + plies_width);
                CHECK_THROWS_AS(decode_all(plies.size()), std::invalid_argument);
            }
}

TEST_CASE("losses are counted from where a piece begins, in any order") {
    const std::uint8_t outcomes[] = {0b00010000, 0b01010100, 0, 0b10};  // three losses, one, four, three
    const std::int64_t begins[] = {0, 0, 0, 1, 1, 2}, places[] = {3, 16, 2, 1, 12, 6};
    std::int64_t found[6];
    count_losses_before(outcomes, begins, places, 6, found);
    const std::int64_t expected[] = {2, 11, 2, 1, 8, 5};
    for (int i = 0; i < 6; ++i) CHECK(found[i] == expected[i]);
}

}  // namespace
}  // namespace inarow::verify::quixo
