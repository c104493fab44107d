// The GPU's checker run by a CPU, and what the host prepares for it. The tests compare it with the CPU's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "verify/quixo/board.hpp"
#include "verify/quixo/gpu_check.hpp"
#include "verify/quixo/layout.hpp"

namespace inarow::verify::quixo::gpu {

static_assert(sizeof(Pair) == 80, "the host fills in the same fields");

inline Game game_for_gpu(const quixo::Game& game) {
    const Layout& layout = Layout::of(game.rules());
    Game found{};
    require(game.moves().size() <= max_moves && game.lines().size() <= max_lines, "too large a board for the GPU");
    found.cells = static_cast<u32>(layout.cells());
    found.moves = static_cast<u32>(game.moves().size());
    found.lines = static_cast<u32>(game.lines().size());
    found.symmetries = static_cast<u32>(layout.symmetries());
    found.double_line_wins = game.rules().double_line_wins;
    std::copy(game.lines().begin(), game.lines().end(), found.line);
    for (u32 i = 0; i < found.moves; ++i) {
        const Move& move = game.moves()[i];
        found.taken[i] = 1u << move.path[0];
        found.pushed[i] = 1u << move.path[move.length - 1];
        found.step[i] = move.path[0] - move.path[1];
        for (int at = 1; at < move.length; ++at) found.row[i] |= 1u << move.path[at];
    }
    for (int n = 0; n <= max_cells; ++n)
        for (int k = 0; k <= max_cells; ++k) found.choose[n][k] = kChoose[n][k];
    const Mask all = (Mask{1} << layout.cells()) - 1;
    for (int symmetry = 0; symmetry < layout.symmetries(); ++symmetry)
        for (int byte = 0; byte < 4; ++byte)
            for (Mask bits = 0; bits < 256; ++bits)
                found.image[symmetry][byte][bits] = layout.image(symmetry, bits << 8 * byte & all);
    return found;
}

// The form of every mask, as Pair has it.
inline std::vector<u32> forms_for_gpu(const Layout& layout) {
    std::vector<u32> forms;
    forms.reserve(layout.forms().size());
    for (const Form& form : layout.forms()) forms.push_back(form.block << 3 | form.symmetry);
    return forms;
}

// What each kernel in kernels/verify_quixo.cu does.

inline void decode(const u8* outcomes, const u8* plies, const u64* offsets, u32 width, u32 piece, u64 count,
                   u16* entries) {
    for (u64 begin = 0; begin < count; begin += piece) {
        const u8* next = plies + offsets[begin / piece];
        for (u64 i = begin; i < std::min(count, begin + piece); ++i)
            entries[i] = static_cast<u16>(entry_of(outcomes[i / 4] >> (i % 4 * 2), width, next));
    }
}

inline void derive_wins(const Game& game, const Pair& pair, int plane) {
    for (u64 i = 0; i < pair.blocks * pair.ranks; ++i)
        if (pair.entries[plane][i] == top)
            pair.entries[plane][i] =
                static_cast<u16>(win_value(game, pair, plane, i / pair.ranks, static_cast<u32>(i % pair.ranks)));
}

inline u64 find_wrong(const Game& game, const Pair& pair, int plane, bool wins_derived) {
    u64 i = 0;
    while (i < pair.blocks * pair.ranks &&
           is_right(game, pair, plane, i / pair.ranks, static_cast<u32>(i % pair.ranks), wins_derived))
        ++i;
    return i;
}

inline u32 explain(const Game& game, const Pair& pair, int plane, u64 index) {
    return expected_value(game, pair, plane, index / pair.ranks, static_cast<u32>(index % pair.ranks));
}

inline std::vector<u64> count_values(const Pair& pair, int plane, const u8* orbits) {
    std::vector<u64> histogram(4 * 65536);
    for (u64 i = 0; i < pair.blocks * pair.ranks; ++i) {
        const u32 orbit = orbits[i / pair.ranks], row = orbit == 1 ? 0 : orbit == 2 ? 1 : orbit == 4 ? 2 : 3;
        ++histogram[row * 65536 + pair.entries[plane][i]];
    }
    return histogram;
}

}  // namespace inarow::verify::quixo::gpu
