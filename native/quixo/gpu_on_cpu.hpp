// The kernels of kernels/quixo.cu on one thread of a CPU: to test the code that both share, and to debug it.
#pragma once

#include <vector>

#include "gpu_forced.hpp"
#include "gpu_pieces.hpp"
#include "gpu_reach.hpp"
#include "gpu_survey.hpp"
#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

struct SoloGroup {
    static constexpr u32 slice = 1024;

    template <class Work>
    void each(u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i);
    }
    template <class Value, class Work>
    void scan(const Value* values, u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i, values[i]);
    }
    template <class Value, class Wanted, class Place, class Work>
    void look(const Value* values, u32 count, Wanted wanted, Place place, Work work) {
        for (u32 i = 0; i < count; ++i)
            if (wanted(i)) work(i, values[place(i)]);
    }
    u32 count(u32* counter) { return (*counter)++; }
    u32 add(u32* place, u32 value) { return (*place += value) - value; }
    u64 add(u64* place, u64 value) { return (*place += value) - value; }
    void raise(u32* place, u32 value) {
        if (*place < value) *place = value;
    }
    void set_bits(u32* place, u32 bits) { *place |= bits; }
};

template <class Worker, class Work>
void at_slice(const Game& game, const Pair& pair, int side, u32 block, u32 slice, u32 size, Work work) {
    static typename Worker::Shared shared;
    SoloGroup group;
    Worker worker(group, shared, game, pair, Slice(game, pair, side, block, slice, size));
    work(worker);
}

template <class Work>
void visit_block(const Game& game, const Pair& pair, int side, u32 block, Work work) {
    for (u32 slice = 0; slice * SoloGroup::slice < pair.ranks.entries; ++slice)
        at_slice<Visitor<SoloGroup>>(game, pair, side, block, slice, SoloGroup::slice, work);
}

template <class Work>
void follow_grain(const Game& game, const Pair& pair, int side, u32 which, Work work) {
    const u32 grains = grains_of(pair);
    at_slice<Follower<SoloGroup>>(game, pair, side, which / grains, which % grains, grain, work);
}

inline void seed(const Game& game, const Pair& pair, int side) {
    for (u32 i = 0; i < pair.blocks.count; ++i) visit_block(game, pair, side, i, [](auto& at) { at.seed(); });
}

inline void mirror(const Game& game, const Pair& pair) {
    for (u32 i = 0; i < pair.blocks.count; ++i) visit_block(game, pair, 1, i, [](auto& at) { at.mirror(); });
}

// Both kernels of a round, find_active and visit.
inline void visit(const Game& game, const Pair& pair, int side, int round) {
    for (u32 i = 0; i < pair.blocks.count; ++i)
        if (is_active(game, pair, side, i, round)) visit_block(game, pair, side, i, [=](auto& at) { at.visit(round); });
}

inline void note(const Game& game, const Pair& pair, int side, int round) {
    for (u32 i = 0; i < pair.blocks.count * grains_of(pair); ++i)
        follow_grain(game, pair, side, i, [=](auto& at) { at.note(round); });
}

// Likewise find_sources and follow.
inline void follow(const Game& game, const Pair& pair, int round) {
    std::vector<u32> sources[2];
    for (int side = 0; side < 2; ++side)
        for (u32 i = 0; i < pair.blocks.count * grains_of(pair); ++i)
            if (is_source(pair, side, i, round)) sources[side].push_back(i);
    for (int side = 0; side < 2; ++side)
        for (const u32 i : sources[side]) follow_grain(game, pair, side, i, [=](auto& at) { at.follow(round); });
}

inline void finish(const Pair& pair, int side, const u8* orbits, u64* histogram) {
    u16* entry = pair.entries[side];
    for (u32 block = 0; block < pair.blocks.count; ++block)
        for (u32 i = 0; i < pair.ranks.entries; ++i, ++entry) {
            if (is_undecided(*entry)) *entry = static_cast<u16>(draw);
            histogram[*entry] += orbits[block];
        }
}

inline void restore_wins(const Game& game, const Pair& pair, int side) {
    for (u32 i = 0; i < pair.blocks.count; ++i) visit_block(game, pair, side, i, [](auto& at) { at.restore_wins(); });
}

inline void survey(const Game& game, const Pair& pair, int side, const u8* orbits, const Survey& survey) {
    for (u32 block = 0; block < pair.blocks.count; ++block)
        for (u32 slice = 0; slice * SoloGroup::slice < pair.ranks.entries; ++slice)
            at_slice<Surveyor<SoloGroup>>(game, pair, side, block, slice, SoloGroup::slice,
                                          [&](auto& at) { at.look(orbits, survey); });
}

inline void narrow(const u16* entries, u64 count, const u8* numbers, u8* narrow) {
    for (u64 i = 0; i < count; ++i) narrow[i] = numbers[entries[i]];
}

inline void widen(const u8* narrow, u64 count, const u16* values, u16* entries) {
    for (u64 i = 0; i < count; ++i) entries[i] = values[narrow[i]];
}

inline void reach(const Game& game, const Reach& reach, u64 words) {
    for (u64 i = 0; i < words; ++i) reach_word(game, reach, i);
}

inline u64 count_bits(const u32* bits, u64 words, u32 stride, const u8* orbits) {
    u64 sum = 0;
    for (u64 i = 0; i < words; ++i) sum += u64{orbits[i / stride]} * static_cast<u64>(bits_of(bits[i]));
    return sum;
}

inline void force(const Game& game, const Pair& pair, const Forced& forced, int side, bool first, u64 entries) {
    for (u64 i = 0; i < entries; ++i) force_entry(game, pair, forced, side, first, i);
}

inline void count_bytes(const u8* bytes, u64 count, u32 of_block, const u8* orbits, u64* histogram) {
    for (u64 i = 0; i < count; ++i)
        if (bytes[i]) histogram[bytes[i]] += orbits[i / of_block];
}

// Calls work(piece, number) for each piece of so many entries.
template <class Work>
void each_piece(u32 entries, Work work) {
    static Piece<SoloGroup>::Shared shared;
    SoloGroup group;
    for (u32 i = 0; i < pieces_of(entries); ++i) {
        Piece<SoloGroup> piece(group, shared, i, entries);
        work(piece, i);
    }
}

inline void pack_outcomes(const u16* entries, u32 count, u8* packed, u32* lost) {
    each_piece(count, [=](auto& piece, u32 i) { piece.pack(entries, packed, lost + i); });
}

inline void gather_plies(const u16* entries, u32 count, const u32* begins, Plies plies) {
    each_piece(count, [=](auto& piece, u32 i) { piece.gather(entries, begins[i], plies); });
}

inline void restore_entries(const u8* packed, u32 count, const u32* begins, Plies plies, u16* entries) {
    each_piece(count, [=](auto& piece, u32 i) { piece.restore(packed, begins[i], plies, entries); });
}

}  // namespace inarow::quixo::gpu
