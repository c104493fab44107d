// Kernels of the checker. A group of threads takes one block of the table after the other: its threads share A, so they
// all look into the same blocks.
#include "gpu_check.hpp"

using namespace inarow::verify::quixo::gpu;

namespace {

// Groups take runs of entries off a counter: blocks differ in how much of them is decided.
__device__ u64 next_run(u64* counter, u64 run) {
    __shared__ u64 first;
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(counter, run);
    __syncthreads();
    return first;
}

template <class Visit>
__device__ void each_entry(const Pair& pair, u64* counter, Visit visit) {
    const u64 entries = pair.blocks * pair.ranks, run = blockDim.x * 8ull;
    for (u64 first = next_run(counter, run); first < entries; first = next_run(counter, run)) {
        const u64 last = first + run < entries ? first + run : entries;
        for (u64 i = first + threadIdx.x; i < last; i += blockDim.x)
            visit(i / pair.ranks, static_cast<u32>(i % pair.ranks), i);
    }
}

__device__ void copy_game(const Game* from, Game& to) {
    const u32* source = reinterpret_cast<const u32*>(from);
    u32* target = reinterpret_cast<u32*>(&to);
    for (u32 i = threadIdx.x; i < sizeof(Game) / 4; i += blockDim.x) target[i] = source[i];
    __syncthreads();
}

}  // namespace

extern "C" {

// Outcomes of two bits become entries, one piece a group; `offsets` says where the plies of its losses begin.
__global__ void decode(const u8* outcomes, const u8* plies, const u64* offsets, u32 width, u32 piece, u64 count,
                       u16* entries) {
    __shared__ u32 losses[1024 + 1];
    const u64 pieces = (count + piece - 1) / piece;
    const u32 each = piece / blockDim.x;  // entries of a thread: whole bytes
    for (u64 number = blockIdx.x; number < pieces; number += gridDim.x) {
        const u64 begin = number * piece, end = begin + piece < count ? begin + piece : count;
        const u64 mine = begin + static_cast<u64>(threadIdx.x) * each, stop = mine + each < end ? mine + each : end;
        u32 found = 0;
        for (u64 i = mine; i < stop; ++i) found += (outcomes[i / 4] >> (i % 4 * 2) & 3) == 0;
        losses[threadIdx.x + 1] = found;
        __syncthreads();
        if (threadIdx.x == 0) {
            losses[0] = 0;
            for (u32 i = 1; i <= blockDim.x; ++i) losses[i] += losses[i - 1];
        }
        __syncthreads();
        const u8* next = plies + offsets[number] + static_cast<u64>(losses[threadIdx.x]) * width;
        for (u64 i = mine; i < stop; ++i)
            entries[i] = static_cast<u16>(entry_of(outcomes[i / 4] >> (i % 4 * 2), width, next));
        __syncthreads();
    }
}

// Derives the plies of wins. Others read these entries meanwhile, but only losses matter to them.
__global__ void derive_wins(const Game* game_, const Pair* pair_, int plane, u64* counter) {
    extern __shared__ u32 shared[];
    Game& game = *reinterpret_cast<Game*>(shared);
    copy_game(game_, game);
    const Pair pair = *pair_;
    u16* entries = plane ? pair.entries[1] : pair.entries[0];
    each_entry(pair, counter, [&](u64 block, u32 rank, u64 i) {
        if (entries[i] == top) entries[i] = static_cast<u16>(win_value(game, pair, plane, block, rank));
    });
}

// Finds the first entry that is not what it should be.
__global__ void check(const Game* game_, const Pair* pair_, int plane, int wins_derived, u64* counter, u64* wrong) {
    extern __shared__ u32 shared[];
    Game& game = *reinterpret_cast<Game*>(shared);
    copy_game(game_, game);
    const Pair pair = *pair_;
    each_entry(pair, counter, [&](u64 block, u32 rank, u64 i) {
        if (!is_right(game, pair, plane, block, rank, wins_derived != 0)) atomicMin(wrong, i);
    });
}

// What is expected of one entry.
__global__ void explain(const Game* game, const Pair* pair, int plane, u64 index, u32* expected) {
    *expected = expected_value(*game, *pair, plane, index / pair->ranks, static_cast<u32>(index % pair->ranks));
}

// Counts entries of each value, by how many positions a block stands for: `histogram` has a row for each of 1, 2, 4, 8.
__global__ void count_values(const Pair* pair_, int plane, const u8* orbits, u64* counter, u64* histogram) {
    constexpr u32 few = 256;  // plies: entries with fewer are counted in shared memory
    __shared__ u32 near[4][2 * few + 1];
    for (u32 i = threadIdx.x; i < 4 * (2 * few + 1); i += blockDim.x) (&near[0][0])[i] = 0;
    __syncthreads();
    const Pair pair = *pair_;
    const u16* entries = plane ? pair.entries[1] : pair.entries[0];
    each_entry(pair, counter, [&](u64 block, u32, u64 i) {
        const u32 orbit = orbits[block], row = orbit == 1 ? 0 : orbit == 2 ? 1 : orbit == 4 ? 2 : 3;
        const u32 entry = entries[i];
        if (entry < few)
            atomicAdd(&near[row][entry], 1u);
        else if (entry == draw)
            atomicAdd(&near[row][2 * few], 1u);
        else if (entry > top - few)
            atomicAdd(&near[row][few + (top - entry)], 1u);
        else
            atomicAdd(&histogram[row * 65536ull + entry], 1ull);
    });
    __syncthreads();
    for (u32 i = threadIdx.x; i < 4 * (2 * few + 1); i += blockDim.x) {
        const u32 row = i / (2 * few + 1), which = i % (2 * few + 1);
        const u32 entry = which == 2 * few ? draw : which < few ? which : top - (which - few);
        if (near[row][which]) atomicAdd(&histogram[row * 65536ull + entry], static_cast<u64>(near[row][which]));
    }
}

}  // extern "C"
