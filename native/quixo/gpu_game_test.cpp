#include "quixo/gpu_game.hpp"

#include <doctest/doctest.h>

#include <random>

#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

TEST_CASE("the board of the GPU is the board of the CPU") {
    std::mt19937 random(1);
    testing::each_quixo(gpu::max_cells, [&](const testing::PlainQuixo& plain) {
        const Rules rules = rules_in_a_row(plain.rows, plain.columns, plain.line, plain.double_line_wins);
        const Board board(rules);
        const gpu::Game game = gpu::game_of(rules);
        REQUIRE(game.cells == static_cast<gpu::u32>(board.cells()));
        REQUIRE(game.moves == board.moves().size());
        for (const bool mover : {false, true})
            for (const bool other : {false, true}) {
                const bool won = mover && other ? !plain.double_line_wins : mover;
                if (mover || other) REQUIRE(game.end[mover | other << 1] == (won ? gpu::win(0) : 0));
            }
        for (int i = 0; i < 10; ++i) {
            const Mask mask = random() & board.full();
            REQUIRE(gpu::has_line(game, mask) == board.has_line(mask));
            for (gpu::u32 m = 0; m < game.moves; ++m) {
                const Move& move = board.moves()[m];
                REQUIRE(gpu::moved(game, m, mask) == move.apply(mask));
                REQUIRE(gpu::unmoved(game, m, mask) == move.undo(mask));
                for (int cell = 0; cell < board.cells(); ++cell) REQUIRE(game.image[m][cell] == move.image(cell));
            }
            Mask smallest = mask;
            for (int g = 0; g < board.symmetries(); ++g) {
                const Mask image = gpu::turned(game, static_cast<gpu::u32>(g), mask);
                REQUIRE(image == board.image(g, mask));
                REQUIRE((gpu::fixing(game, mask) >> g & 1) == (image == mask));
                for (gpu::u32 m = 0; m < game.moves; ++m)
                    REQUIRE(gpu::moved(game, game.turned_move[g][m], image) ==
                            gpu::turned(game, static_cast<gpu::u32>(g), gpu::moved(game, m, mask)));
                smallest = std::min(smallest, image);
            }
            const gpu::u32 form = gpu::canonical(game, mask);
            REQUIRE((form >> 3) == smallest);
            REQUIRE(board.image(static_cast<int>(form & 7), mask) == smallest);

            const Mask places = random() & board.full();
            REQUIRE(gpu::extract(mask, places) == extract(mask, places));
            REQUIRE(gpu::deposit(extract(mask, places), places) == (mask & places));
            REQUIRE(gpu::rank_among(game, mask & places, places) == colex_rank(extract(mask, places)));
        }
    });
}

TEST_CASE("entries on the GPU: decided ones as stored, seeds in the middle") {
    for (const gpu::u32 solved :
         {0U, 1U, gpu::max_plies, gpu::win(0), gpu::win(1), gpu::win(gpu::max_plies), gpu::draw}) {
        const gpu::u32 seed = gpu::as_seed(solved);
        CHECK(seed < gpu::refuted_from);
        CHECK(gpu::is_undecided(seed));
        CHECK(gpu::is_undecided(solved) == (solved == gpu::draw));
    }
    CHECK(gpu::as_seed(3) < gpu::as_seed(gpu::draw));
    CHECK(gpu::as_seed(gpu::draw) < gpu::as_seed(gpu::win(3)));
    CHECK(gpu::as_seed(gpu::win(3)) == gpu::may_lose_from(4));
    CHECK(gpu::due_round(gpu::as_seed(3)) == 4);
    CHECK(gpu::due_round(gpu::as_seed(gpu::win(3))) == 4);
    CHECK(gpu::due_round(gpu::as_seed(gpu::draw)) == 0);
    CHECK(gpu::due_round(gpu::refuted_from) == 0);
}

}  // namespace
}  // namespace inarow::quixo
