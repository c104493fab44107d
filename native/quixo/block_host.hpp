// The work of kernels/quixo.cu on one thread of a CPU: for tests of what the two share, and for seeing it with a
// debugger.
#pragma once

#include "block_work.hpp"

namespace inarow::quixo::blocks {

struct SoloTeam {
    template <class Work>
    void each(u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i);
    }
    u32 add(u32* place, u32 value) { return (*place += value) - value; }
    void raise(u32* place, u32 value) {
        if (*place < value) *place = value;
    }
    void set_bits(u32* place, u32 bits) { *place |= bits; }
};

template <class Work>
void each_slice(const Game& game, const Pair& pair, int side, u32 block, Work work) {
    static Shared shared;
    SoloTeam team;
    for (u32 slice = 0; slice * slice_size < pair.ranks.entries; ++slice) {
        Slice<SoloTeam> at(team, shared, game, pair, side, block, slice);
        work(at);
    }
}

inline void seed(const Game& game, const Pair& pair, int side) {
    for (u32 i = 0; i < pair.blocks.count; ++i) each_slice(game, pair, side, i, [](auto& slice) { slice.seed(); });
}

inline void mirror(const Game& game, const Pair& pair) {
    for (u32 i = 0; i < pair.blocks.count; ++i) each_slice(game, pair, 1, i, [](auto& slice) { slice.mirror(); });
}

// Both kernels of a round, find_active and visit.
inline void visit(const Game& game, const Pair& pair, int side, int round) {
    for (u32 i = 0; i < pair.blocks.count; ++i)
        if (is_active(game, pair, side, i, round))
            each_slice(game, pair, side, i, [=](auto& slice) { slice.visit(round); });
}

inline void finish(const Pair& pair, int side, const u8* orbits, u64* histogram) {
    u16* entry = pair.entries[side];
    for (u32 block = 0; block < pair.blocks.count; ++block)
        for (u32 i = 0; i < pair.ranks.entries; ++i, ++entry) {
            if (is_undecided(*entry)) *entry = static_cast<u16>(draw);
            histogram[*entry] += orbits[block];
        }
}

}  // namespace inarow::quixo::blocks
