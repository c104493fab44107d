// The kernels of kernels/quixo.cu on one thread of a CPU: to test the code that both share, and to debug it.
#pragma once

#include <vector>

#include "gpu_pieces.hpp"
#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

struct SoloGroup {
    static constexpr u32 slice = 1024, members = 1, block_words = max_block_words;

    template <class Work>
    void each(u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i);
    }
    template <class Value, class Work>
    void scan(const Value* values, u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i, values[i]);
    }
    template <class Value, class Which, class Wanted, class Place, class Work>
    void look(const Value* values, u32 count, Which which, Wanted wanted, Place place, Work work) {
        for (u32 i = 0; i < count; ++i)
            if (const auto item = which(i); wanted(item)) work(item, values[place(item)]);
    }
    template <class Value, class Test>
    void mark(const Value* values, u32 count, u32* bits, Test test) {
        for (u32 i = 0; i < count; ++i) {
            if (i % 32 == 0) bits[i / 32] = 0;
            if (test(i, values[i])) bits[i / 32] |= 1u << i % 32;
        }
    }
    template <class Work>
    void share(u32*, u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(*this, 0, i);
    }
    template <class Word, class Work>
    void each_bit(u32 begin, u32 end, Word word, u16*, Work work) {
        for (u32 i = begin; i < end; ++i)
            for (u32 bits = word(i); bits; bits &= bits - 1) work(i * 32 + static_cast<u32>(lowest_of(bits)));
    }
    u32 count(u32* counter) { return (*counter)++; }
    u32 add(u32* place, u32 value) { return (*place += value) - value; }
    u64 add(u64* place, u64 value) { return (*place += value) - value; }
    void raise(u32* place, u32 value) {
        if (*place < value) *place = value;
    }
    void set_bits(u32* place, u32 bits) { *place |= bits; }
    void replace(u16* place, u32 old, u32 value) {
        if (*place == old) *place = static_cast<u16>(value);
    }
};

template <class Worker, class Work>
void at_slice(const Game& game, const Pair& pair, int side, u32 block, u32 slice, u32 size, Work work) {
    static typename Worker::Shared shared;
    SoloGroup group;
    Worker worker(group, shared, game, pair, Slice(game, pair, side, block, slice, size));
    work(worker);
}

template <class Worker, class Work>
void visit_block(const Game& game, const Pair& pair, int side, u32 block, Work work) {
    for (u32 slice = 0; slice * SoloGroup::slice < pair.ranks.entries; ++slice)
        at_slice<Worker>(game, pair, side, block, slice, SoloGroup::slice, work);
}

template <class Work>
void follow_grain(const Game& game, const Pair& pair, int side, u32 which, Tally& tally, Work work) {
    static Follower<SoloGroup>::Shared shared;
    const u32 grains = grains_of(pair);
    SoloGroup group;
    const Slice at(game, pair, side, which / grains, which % grains, grain);
    Follower<SoloGroup> worker(group, shared, game, pair, at, tally);
    work(worker);
}

inline void seed(const Game& game, const Pair& pair, int side) {
    for (u32 i = 0; i < pair.blocks.count; ++i)
        visit_block<Seeder<SoloGroup>>(game, pair, side, i, [](auto& at) { at.seed(); });
}

inline void mirror(const Game& game, const Pair& pair) {
    for (u32 i = 0; i < pair.blocks.count; ++i)
        visit_block<Seeder<SoloGroup>>(game, pair, 1, i, [](auto& at) { at.mirror(); });
}

// Both kernels of a round, find_active and visit.
inline void visit(const Game& game, const Pair& pair, int side, int round) {
    for (u32 i = 0; i < pair.blocks.count; ++i)
        if (is_active(game, pair, side, i, round))
            at_slice<Decider<SoloGroup>>(game, pair, side, i, 0, pair.ranks.entries,
                                         [=](auto& at) { at.decide(round); });
}

inline void publish(const Pair& pair, int side, int round) {
    SoloGroup group;
    u32 unwon;
    for (u32 i = 0; i < pair.blocks.count; ++i) publish_block(group, pair, side, i, round, &unwon);
}

inline void note(const Game& game, const Pair& pair, int side, int round) {
    SoloGroup group;
    Tally tally{};
    for (u32 i = 0; i < pair.blocks.count * grains_of(pair); ++i)
        follow_grain(game, pair, side, i, tally, [=](auto& at) { at.note(round); });
    report(group, tally, pair, side, round);
}

inline std::vector<u32> find_sources(const Pair& pair, int side, int round, u32 how) {
    std::vector<u32> sources;
    for (u32 i = 0; i < pair.blocks.count * grains_of(pair); ++i)
        if (is_source(pair, side, i, round, how)) sources.push_back(i);
    return sources;
}

inline void follow(const Game& game, const Pair& pair, int side, int round, u32 how, const std::vector<u32>& sources) {
    SoloGroup group;
    Tally tally{};
    for (const u32 i : sources) follow_grain(game, pair, side, i, tally, [=](auto& at) { at.follow(round, how); });
    report(group, tally, pair, side, round);
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
    for (u32 i = 0; i < pair.blocks.count; ++i)
        visit_block<Visitor<SoloGroup>>(game, pair, side, i, [](auto& at) { at.restore_wins(); });
}

inline void narrow(const u16* entries, u64 count, const u8* numbers, u8* narrow) {
    for (u64 i = 0; i < count; ++i) narrow[i] = numbers[entries[i]];
}

inline void widen(const u8* narrow, u64 count, const u16* values, u16* entries) {
    for (u64 i = 0; i < count; ++i) entries[i] = values[narrow[i]];
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
