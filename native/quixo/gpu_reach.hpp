// Which positions are reachable, as bits: every position that is not reached yet looks for one before it that is. nvrtc
// compiles it too.
#pragma once

#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

// A class of positions, a bit for each entry of its plane; every block begins with a new word.
struct ReachPlane {
    u32* bits;
    const u32* masks;  // A of each block
    u32 entries;       // of a block
    u32 stride;        // words of a block
    u32 mover_is_a;    // A has the tiles of the side to move
};

struct Reach {
    ReachPlane here;
    ReachPlane before[2];  // where moves to here come from: of those that took a blank tile, and of the others
    u32* closed;           // bits like here.bits: no move of an unfinished game leads here
    const u32* where;      // as in Pair
    const u32* words;      // the local words of a block, in the order of its entries
    u32* changed;          // set if anything was reached
};

static_assert(sizeof(Reach) == 128, "solver/engines/gpu_reach.py lays it out by the byte");

INAROW_DEVICE inline bool is_reached(const Game& game, const ReachPlane& plane, const u32* where, u32 mover,
                                     u32 other) {
    const u32 a = plane.mover_is_a ? mover : other, b = plane.mover_is_a ? other : mover;
    const u32 place = where[a], block = place >> 3;
    const u32 rank = rank_among(game, turned(game, place & 7, b), below(game.cells) & ~plane.masks[block]);
    return plane.bits[static_cast<u64>(block) * plane.stride + rank / 32] >> rank % 32 & 1;
}

enum class Found { nothing, unreached, reached };

// What leads to a position by a move of the side that moved last: its tile, pushed in, was its own or blank.
INAROW_DEVICE inline Found look_back(const Game& game, const Reach& reach, u32 mover, u32 other) {
    Found found = Found::nothing;
    for (u32 move = 0; move < game.moves; ++move) {
        if (!(other >> game.pushed[move] & 1)) continue;
        const u32 waiting = unmoved(game, move, mover), marked = unmoved(game, move, other);
        if (has_line(game, waiting)) continue;
        const u32 before[2] = {marked & ~(1u << game.taken[move]), marked};
        for (int own = 0; own < 2; ++own) {
            if (has_line(game, before[own])) break;  // with its own tile there is a line too
            if (is_reached(game, reach.before[own], reach.where, before[own], waiting)) return Found::reached;
            found = Found::unreached;
        }
    }
    return found;
}

// Looks at the positions of a word that are still open.
INAROW_DEVICE inline void reach_word(const Game& game, const Reach& reach, u64 index) {
    const ReachPlane& here = reach.here;
    const u32 block = static_cast<u32>(index / here.stride), first = static_cast<u32>(index % here.stride) * 32;
    const u32 valid = here.entries - first >= 32 ? ~0u : below(static_cast<int>(here.entries - first));
    u32 open = valid & ~(here.bits[index] | reach.closed[index]);
    if (!open) return;
    const u32 a = here.masks[block], free = below(game.cells) & ~a;
    u32 reached = 0, closed = 0;
    for (; open; open &= open - 1) {
        const u32 b = deposit(reach.words[first + lowest_of(open)], free), bit = open & -open;
        const Found found = here.mover_is_a ? look_back(game, reach, a, b) : look_back(game, reach, b, a);
        if (found == Found::reached) reached |= bit;
        if (found == Found::nothing) closed |= bit;
    }
    if (reached) {
        here.bits[index] |= reached;
        *reach.changed = 1;
    }
    if (closed) reach.closed[index] |= closed;
}

}  // namespace inarow::quixo::gpu
