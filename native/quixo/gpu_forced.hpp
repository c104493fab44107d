// Sequences of only moves: how long each side in turn has a single move that keeps the draw. nvrtc compiles it too.
#pragma once

#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

// The plies of the sequence that begins in each entry: 0 if no single move keeps a draw there.
constexpr u8 most_forced = 253, forced_open = 254, forced_for_ever = 255;

struct Forced {
    u8* plies[2];       // of the planes; if both sides have as many marks, of the first alone
    const u8* more[2];  // of the planes that Pair::more points to
    u32* changed;       // set if anything was found
    u32 balanced;       // both sides have as many marks
};

static_assert(sizeof(Forced) == 48, "solver/engines/gpu_pairs.py lays it out by the byte");

// What the children of a drawn position say about it. In the first round nothing is known of those in this pair.
INAROW_DEVICE inline u8 forced_plies(const Game& game, const Pair& pair, const Forced& forced, int side, bool first,
                                     u32 larger, u32 smaller) {
    const u32 mover = side == 0 ? larger : smaller, other = side == 0 ? smaller : larger;
    u32 kept = 0, found = 0;
    for (u32 move = 0; move < game.moves; ++move) {
        const u32 taken = 1u << game.taken[move];
        if (other & taken) continue;
        const u32 waits = moved(game, move, mover | taken), moves = moved(game, move, other);
        const bool is_new = !(mover & taken);
        // Where the child is: in a plane of this pair or in one above, by the set that its blocks are of.
        const bool swapped = !is_new && forced.balanced, mover_is_a = (side == 0) != swapped;
        const u32 a = mover_is_a ? waits : moves, b = mover_is_a ? moves : waits;
        const Blocks& blocks = is_new && side == 0 ? pair.grown : pair.blocks;
        const u32 entries = is_new ? pair.more_ranks[side].entries : pair.ranks.entries;
        const int plane = swapped ? 0 : 1 - side;
        const u32 place = pair.where[a], block = place >> 3;
        const u32 rank = rank_among(game, turned(game, place & 7, b), below(game.cells) & ~blocks.masks[block]);
        const u64 index = static_cast<u64>(block) * entries + rank;
        if ((is_new ? pair.more[side] : pair.entries[plane])[index] != draw) continue;
        if (++kept == 2) return 0;
        found = is_new ? forced.more[side][index] : first ? forced_open : forced.plies[plane][index];
    }
    return static_cast<u8>(found < most_forced ? found + 1 : found);
}

// Looks at an entry: in the first round at any draw, later at those whose sequence is still open.
INAROW_DEVICE inline void force_entry(const Game& game, const Pair& pair, const Forced& forced, int side, bool first,
                                      u64 index) {
    u8& plies = forced.plies[side][index];
    if (first) plies = 0;
    if (first ? pair.entries[side][index] != draw : plies != forced_open) return;
    const u32 block = static_cast<u32>(index / pair.ranks.entries), larger = pair.blocks.masks[block];
    const u32 smaller = deposit(pair.words[index % pair.ranks.entries], below(game.cells) & ~larger);
    plies = forced_plies(game, pair, forced, side, first, larger, smaller);
    if (first ? plies == forced_open : plies != forced_open) *forced.changed = 1;
}

}  // namespace inarow::quixo::gpu
