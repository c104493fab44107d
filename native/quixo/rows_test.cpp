#include "quixo/rows.hpp"

#include <doctest/doctest.h>

#include <random>

#include "quixo/instructions.hpp"

namespace inarow::quixo {
namespace {

bool bit_at(const RowArray& rows, std::size_t i) {
    return reinterpret_cast<const std::uint64_t*>(rows[0])[i / 64] >> i % 64 & 1;
}

TEST_CASE("the axes of a bitmap are permuted as a plain loop would") {
    std::mt19937_64 random(1);
    const Layout layout(Board(rules_in_a_row(2, 2, 2, false)));
    for (const Instructions* instructions : instructions_here()) {
        CAPTURE(instructions->name);
        const auto bitmaps = instructions->bitmaps(layout);
        for (int round = 0; round < 120; ++round) {
            Axes axes{};
            axes.count = row_axes + static_cast<int>(random() % 6);
            const int missing = random() % 3 == 0 ? static_cast<int>(random() % 3) : 0;  // axes the source has not
            const int source_axes = std::max(row_axes, axes.count - missing);
            axes.source_rows = row_count(source_axes);
            for (int axis = 0; axis < axes.count; ++axis) axes.from[axis] = static_cast<std::uint8_t>(axis);
            std::shuffle(axes.from, axes.from + axes.count, random);
            axes.flipped = random() % 2 == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(axes.count));
            axes.chosen = random() % 2 == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(axes.count));
            if (axes.flipped >= 0 && random() % 2 == 0) axes.chosen = axes.flipped;
            axes.chosen_bit = random() % 2 == 0;

            const RowArray from(static_cast<std::size_t>(axes.source_rows));
            const auto rows = static_cast<std::size_t>(row_count(axes.count));
            const RowArray to(rows);
            auto* words = reinterpret_cast<std::uint64_t*>(from[0]);
            for (int i = 0; i < axes.source_rows * 8; ++i) words[i] = random();
            bitmaps->permute(from[0], to[0], axes);

            const std::size_t source_bits = static_cast<std::size_t>(axes.source_rows) * 512;
            for (std::size_t w = 0; w < rows * 512; ++w) {
                if (axes.chosen >= 0 && (w >> axes.chosen & 1) != axes.chosen_bit) continue;
                std::size_t index = 0;
                for (int axis = 0; axis < axes.count; ++axis) {
                    const std::size_t bit = (w >> axis & 1) ^ (axis == axes.flipped ? 1U : 0U);
                    index |= bit << axes.from[axis];
                }
                REQUIRE(bit_at(to, w) == bit_at(from, index % source_bits));
            }
        }
    }
}

TEST_CASE("bits of 64 are extracted and deposited") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t bits = random(), places = random();
        const std::uint64_t word = PlainRows::extract(bits, places);
        CHECK(PlainRows::deposit(word, places) == (bits & places));
        CHECK((std::popcount(places) == 64 || word >> std::popcount(places) == 0));
    }
}

}  // namespace
}  // namespace inarow::quixo
