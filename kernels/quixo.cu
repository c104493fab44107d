// Quixo on a GPU. What a warp does to a slice of a block is in native/quixo/block_work.hpp; here the slices are dealt
// out.

#include "block_work.hpp"

using namespace inarow::quixo::blocks;

namespace {

constexpr int warps_per_group = 8;

struct Warp {
    template <class Work>
    __device__ void each(u32 count, Work work) {
        __syncwarp();  // nobody still reads what this phase writes
        for (u32 i = threadIdx.x % 32; i < count; i += 32) work(i);
        __syncwarp();
    }
    __device__ u32 add(u32* place, u32 value) { return atomicAdd(place, value); }
    // Most calls have nothing to change: a look is cheaper than an atomic operation.
    __device__ void raise(u32* place, u32 value) {
        if (*static_cast<volatile u32*>(place) < value) atomicMax(place, value);
    }
    __device__ void set_bits(u32* place, u32 bits) {
        if ((*static_cast<volatile u32*>(place) & bits) != bits) atomicOr(place, bits);
    }

    // The next of `count` pieces of work: some take far longer than others.
    __device__ bool next(u32* dealt, u32 count, u32& piece) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) piece = atomicAdd(dealt, 1);
        piece = __shfl_sync(~0u, piece, 0);
        return piece < count;
    }
};

__device__ u32 slices_of(const Pair& pair) { return (pair.ranks.entries + slice_size - 1) / slice_size; }
__device__ u32 first_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u32 all_threads() { return gridDim.x * blockDim.x; }

}  // namespace

extern "C" __global__ void find_canonical(const Game* game, u32 masks, u32* found) {
    for (u32 mask = first_thread(); mask < masks; mask += all_threads()) found[mask] = canonical(*game, mask);
}

extern "C" __global__ void find_lines(const Game* game, const u32* masks, u32 count, u8* lined) {
    for (u32 i = first_thread(); i < count; i += all_threads()) lined[i] = has_line(*game, masks[i]);
}

extern "C" __global__ void find_steps(const Game* game, const u32* masks, u32 count, const u32* where, u32* same,
                                      u32* larger) {
    for (u32 i = first_thread(); i < count * game->moves; i += all_threads())
        fill_step(*game, masks, where, i, same, larger);
}

extern "C" __global__ void seed(const Game* game, const Pair* pair, int side, u32* dealt) {
    __shared__ Shared shared[warps_per_group];
    Warp warp;
    const u32 slices = slices_of(*pair), count = static_cast<u32>(pair->blocks.count) * slices;
    for (u32 i = 0; warp.next(dealt, count, i);)
        Slice<Warp>(warp, shared[threadIdx.x / 32], *game, *pair, side, i / slices, i % slices).seed();
}

extern "C" __global__ void mirror(const Game* game, const Pair* pair, u32* dealt) {
    __shared__ Shared shared[warps_per_group];
    Warp warp;
    const u32 slices = slices_of(*pair), count = static_cast<u32>(pair->blocks.count) * slices;
    for (u32 i = 0; warp.next(dealt, count, i);)
        Slice<Warp>(warp, shared[threadIdx.x / 32], *game, *pair, 1, i / slices, i % slices).mirror();
}

extern "C" __global__ void find_active(const Game* game, const Pair* pair, int side, int round, u32* active,
                                       u32* count) {
    for (u32 i = first_thread(); i < pair->blocks.count; i += all_threads())
        if (is_active(*game, *pair, side, i, round)) active[atomicAdd(count, 1)] = i;
}

extern "C" __global__ void visit(const Game* game, const Pair* pair, int side, int round, const u32* active,
                                 const u32* count, u32* dealt) {
    __shared__ Shared shared[warps_per_group];
    Warp warp;
    const u32 slices = slices_of(*pair), pieces = *count * slices;
    for (u32 i = 0; warp.next(dealt, pieces, i);)
        Slice<Warp>(warp, shared[threadIdx.x / 32], *game, *pair, side, active[i / slices], i % slices).visit(round);
}

// What is left undecided is drawn. Counts the entries of a plane by value, each as often as its block has images.
extern "C" __global__ void finish(const Pair* pair, int side, const u8* orbits, u64* histogram) {
    constexpr u32 near = 1024;  // values up to so many plies are counted in shared memory first
    __shared__ u32 lost[near], won[near], drawn;
    const u32 entries = pair->ranks.entries;
    for (u32 block = blockIdx.x; block < pair->blocks.count; block += gridDim.x) {
        for (u32 i = threadIdx.x; i < near; i += blockDim.x) lost[i] = won[i] = 0;
        if (threadIdx.x == 0) drawn = 0;
        __syncthreads();
        u16* of_block = pair->entries[side] + static_cast<u64>(block) * entries;
        const u64 weight = orbits[block];
        u32 draws = 0;
        for (u32 i = threadIdx.x; i < entries; i += blockDim.x) {
            const u32 entry = of_block[i];
            if (is_undecided(entry)) {
                of_block[i] = static_cast<u16>(draw);
                ++draws;
            } else if (entry < near) {
                atomicAdd(&lost[entry], 1);
            } else if (top - entry < near) {
                atomicAdd(&won[top - entry], 1);
            } else {
                atomicAdd(&histogram[entry], weight);
            }
        }
        if (draws) atomicAdd(&drawn, draws);
        __syncthreads();
        for (u32 i = threadIdx.x; i < near; i += blockDim.x) {
            if (lost[i]) atomicAdd(&histogram[i], lost[i] * weight);
            if (won[i]) atomicAdd(&histogram[top - i], won[i] * weight);
        }
        if (threadIdx.x == 0 && drawn) atomicAdd(&histogram[draw], drawn * weight);
        __syncthreads();
    }
}
