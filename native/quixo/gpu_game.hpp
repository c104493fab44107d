// Lays out the rules and the board for the GPU.
#pragma once

#include "gpu_work.hpp"
#include "layout.hpp"

namespace inarow::quixo::gpu {

static_assert(max_cells <= quixo::max_cells && max_lines == quixo::max_lines);

inline Game game_of(const Rules& rules) {
    const Board board(rules);
    if (board.cells() > max_cells) throw std::invalid_argument("a GPU solves boards of up to 25 cells");
    Game game{};
    game.cells = static_cast<u32>(board.cells());
    game.moves = static_cast<u32>(board.moves().size());
    game.lines = static_cast<u32>(board.lines().size());
    game.symmetries = static_cast<u32>(board.symmetries());
    for (const bool mover : {false, true})
        for (const bool other : {false, true}) {
            const Outcome outcome = board.ended(mover, other);
            game.end[mover | other << 1] = outcome == Outcome::win ? win(0) : outcome == Outcome::loss ? 0 : draw;
        }
    std::copy(board.lines().begin(), board.lines().end(), game.line);
    for (u32 i = 0; i < game.moves; ++i) {
        const Move& move = board.moves()[i];
        game.segment[i] = move.segment();
        game.shift[i] = static_cast<signed char>(-move.step());
        game.taken[i] = static_cast<u8>(move.taken);
        game.pushed[i] = static_cast<u8>(move.pushed);
        for (int cell = 0; cell < board.cells(); ++cell) game.image[i][cell] = static_cast<u8>(move.image(cell));
    }
    for (int k = 0; k <= max_cells; ++k)
        for (int n = 0; n <= max_cells; ++n) game.choose[k][n] = binomial(n, k);
    for (int g = 0; g < board.symmetries(); ++g) {
        for (int cell = 0; cell < board.cells(); ++cell)
            game.symmetry[g][cell] = static_cast<u8>(board.cell_image(g, cell));
        for (u32 i = 0; i < game.moves; ++i)
            for (u32 j = 0; j < game.moves; ++j)
                if (game.taken[j] == game.symmetry[g][game.taken[i]] &&
                    game.pushed[j] == game.symmetry[g][game.pushed[i]])
                    game.turned_move[g][i] = static_cast<u8>(j);
        for (int part = 0; part < 4; ++part)
            for (u32 bits = 0; bits < 128; ++bits)
                game.turned[g][part][bits] = board.image(g, bits << 7 * part & board.full());
    }
    return game;
}

}  // namespace inarow::quixo::gpu
