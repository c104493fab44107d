// Quixo on a GPU. native/quixo/gpu_work.hpp has what a group of threads does to a slice of a block, gpu_pieces.hpp what
// it does to a piece of a plane; the kernels here distribute the slices and the pieces.

#include "gpu_forced.hpp"
#include "gpu_pieces.hpp"
#include "gpu_reach.hpp"
#include "gpu_survey.hpp"
#include "gpu_work.hpp"

using namespace inarow::quixo::gpu;

namespace {

constexpr u32 block_threads = 256;

// The threads of a warp, or those of a whole thread block, which is faster for blocks of many entries.
template <u32 threads>
struct ThreadGroup {
    static constexpr u32 slice = 32 * threads, groups = block_threads / threads;

    template <class Work>
    __device__ void each(u32 count, Work work) {
        together();  // no thread still reads what this phase writes
        for (u32 i = threadIdx.x % threads; i < count; i += threads) work(i);
        together();
    }
    template <class Value, class Work>
    __device__ void scan(const Value* values, u32 count, Work work) {
        constexpr int batch = 8;
        together();
        for (u32 i = threadIdx.x % threads; i < count; i += threads * batch) {
            u32 value[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) value[k] = values[min(i + threads * k, count - 1)];
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if (i + threads * k < count) work(i + threads * k, value[k]);
        }
        together();
    }
    template <class Value, class Wanted, class Place, class Work>
    __device__ void look(const Value* values, u32 count, Wanted wanted, Place place, Work work) {
        constexpr int batch = 4;
        together();
        for (u32 i = threadIdx.x % threads; i < count; i += threads * batch) {
            bool is_wanted[batch], any = false;
            u32 at[batch], value[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) any |= is_wanted[k] = i + threads * k < count && wanted(i + threads * k);
            if (!any) continue;
#pragma unroll
            for (int k = 0; k < batch; ++k) at[k] = place(min(i + threads * k, count - 1));
#pragma unroll
            for (int k = 0; k < batch; ++k) value[k] = values[is_wanted[k] ? at[k] : 0];
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if (is_wanted[k]) work(i + threads * k, value[k]);
        }
        together();
    }
    // One addition for all threads of the warp that are here together.
    __device__ u32 count(u32* counter) {
        const u32 here = __activemask(), before = here & below(threadIdx.x % 32);
        u32 first = 0;
        if (!before) first = atomicAdd(counter, bits_of(here));
        return __shfl_sync(here, first, lowest_of(here)) + bits_of(before);
    }
    __device__ u32 add(u32* place, u32 value) { return atomicAdd(place, value); }
    __device__ u64 add(u64* place, u64 value) { return atomicAdd(place, value); }
    // Most calls change nothing: a load is cheaper than an atomic operation.
    __device__ void raise(u32* place, u32 value) {
        if (*static_cast<volatile u32*>(place) < value) atomicMax(place, value);
    }
    __device__ void set_bits(u32* place, u32 bits) {
        if ((*static_cast<volatile u32*>(place) & bits) != bits) atomicOr(place, bits);
    }

    // The next of `count` pieces of work, taken when the last one is done: some take far longer than others.
    __device__ bool next(u32* dealt, u32 count, u32& piece) {
        __shared__ u32 next[groups];
        u32* const mine = &next[threadIdx.x / threads];
        together();
        if (threadIdx.x % threads == 0) *mine = atomicAdd(dealt, 1);
        together();
        piece = *mine;
        return piece < count;
    }

  private:
    static __device__ void together() {
        if constexpr (threads == 32)
            __syncwarp();
        else
            __syncthreads();
    }
};
using Warp = ThreadGroup<32>;
using ThreadBlock = ThreadGroup<block_threads>;

__device__ u32 first_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u32 all_threads() { return gridDim.x * blockDim.x; }

// Into shared memory: it is read too often, and in too random an order, for the cache.
__device__ void copy_game(const Game& game, Game& here) {
    for (u32 i = threadIdx.x; i < sizeof(Game) / 4; i += blockDim.x)
        reinterpret_cast<u32*>(&here)[i] = reinterpret_cast<const u32*>(&game)[i];
    __syncthreads();
}

// Distributes the slices, of `size` entries, of `count` blocks: of those listed, or of all if there is no list.
template <class Worker, class Group, class Work>
__device__ void deal(Group group, const Game& game, const Pair& pair, int side, const u32* list, u32 count, u32 size,
                     u32* dealt, Work work) {
    __shared__ typename Worker::Shared shared[Group::groups];
    const u32 slices = (pair.ranks.entries + size - 1) / size;
    for (u32 i = 0; group.next(dealt, count * slices, i);) {
        const Slice at(game, pair, side, list ? list[i / slices] : i / slices, i % slices, size);
        Worker worker(group, shared[threadIdx.x * Group::groups / block_threads], game, pair, at);
        work(worker);
    }
}
template <class Group, class Work>
__device__ void visit_slices(const Game& game, const Pair& pair, int side, const u32* list, u32 count, u32* dealt,
                             Work work) {
    deal<Visitor<Group>>(Group(), game, pair, side, list, count, Group::slice, dealt, work);
}

// Distributes grains: those listed, or all if there is no list.
template <class Work>
__device__ void follow_grains(const Game& game, const Pair& pair, int side, const u32* list, u32 count, u32* dealt,
                              Work work) {
    __shared__ typename Follower<Warp>::Shared shared[Warp::groups];
    Warp warp;
    const u32 grains = grains_of(pair);
    for (u32 i = 0; warp.next(dealt, count, i);) {
        const u32 which = list ? list[i] : i;
        const Slice at(game, pair, side, which / grains, which % grains, grain);
        Follower<Warp> worker(warp, shared[threadIdx.x / 32], game, pair, at);
        work(worker);
    }
}

// Distributes the pieces of so many entries: calls work(piece, number).
template <class Work>
__device__ void each_piece(u32 entries, Work work) {
    __shared__ Piece<ThreadBlock>::Shared shared;
    ThreadBlock group;
    for (u32 i = blockIdx.x; i < pieces_of(entries); i += gridDim.x) {
        Piece<ThreadBlock> piece(group, shared, i, entries);
        work(piece, i);
    }
}

}  // namespace

extern "C" __global__ void find_canonical(const Game* game, u32 masks, u32* found) {
    for (u32 mask = first_thread(); mask < masks; mask += all_threads()) found[mask] = canonical(*game, mask);
}

extern "C" __global__ void find_lines(const Game* game, const u32* masks, u32 count, u8* lined, u8* fixed) {
    for (u32 i = first_thread(); i < count; i += all_threads()) {
        lined[i] = has_line(*game, masks[i]);
        fixed[i] = fixing(*game, masks[i]);
    }
}

extern "C" __global__ void find_steps(const Game* game, const u32* masks, u32 count, const u32* where, u32* same,
                                      u32* larger) {
    for (u32 i = first_thread(); i < count * game->moves; i += all_threads())
        fill_step(*game, masks, where, i, same, larger);
}

#define INAROW_VISITS(Group, suffix)                                                                            \
    extern "C" __global__ void seed##suffix(const Game* game, const Pair* pair, int side, u32* dealt) {         \
        visit_slices<Group>(*game, *pair, side, nullptr, static_cast<u32>(pair->blocks.count), dealt,           \
                            [](auto& at) { at.seed(); });                                                       \
    }                                                                                                           \
    extern "C" __global__ void mirror##suffix(const Game* game, const Pair* pair, u32* dealt) {                 \
        visit_slices<Group>(*game, *pair, 1, nullptr, static_cast<u32>(pair->blocks.count), dealt,              \
                            [](auto& at) { at.mirror(); });                                                     \
    }                                                                                                           \
    extern "C" __global__ void visit##suffix(const Game* game, const Pair* pair, int side, int round,           \
                                             const u32* active, const u32* count, u32* dealt) {                 \
        visit_slices<Group>(*game, *pair, side, active, *count, dealt, [=](auto& at) { at.visit(round); });     \
    }                                                                                                           \
    extern "C" __global__ void survey##suffix(const Game* game, const Pair* pair, int side, const u8* orbits,   \
                                              u64* counts, u64* positions, u32* listed, u32 room, u32* dealt) { \
        deal<Surveyor<Group>>(Group(), *game, *pair, side, nullptr, static_cast<u32>(pair->blocks.count),       \
                              Group::slice, dealt,                                                              \
                              [=](auto& at) { at.look(orbits, Survey{counts, positions, listed, room}); });     \
    }                                                                                                           \
    extern "C" __global__ void restore_wins##suffix(const Game* game, const Pair* pair, int side, u32* dealt) { \
        visit_slices<Group>(*game, *pair, side, nullptr, static_cast<u32>(pair->blocks.count), dealt,           \
                            [](auto& at) { at.restore_wins(); });                                               \
    }
INAROW_VISITS(Warp, _by_warps)
INAROW_VISITS(ThreadBlock, _by_blocks)

extern "C" __global__ void find_active(const Game* game, const Pair* pair, int side, int round, u32* active,
                                       u32* count) {
    for (u32 i = first_thread(); i < pair->blocks.count; i += all_threads())
        if (is_active(*game, *pair, side, i, round)) active[atomicAdd(count, 1)] = i;
}

extern "C" __global__ void note(const Game* game, const Pair* pair, int side, int round, u32* dealt) {
    follow_grains(*game, *pair, side, nullptr, static_cast<u32>(pair->blocks.count) * grains_of(*pair), dealt,
                  [=](auto& at) { at.note(round); });
}

extern "C" __global__ void find_sources(const Pair* pair, int side, int round, u32* sources, u32* count) {
    const u32 grains = static_cast<u32>(pair->blocks.count) * grains_of(*pair);
    for (u32 i = first_thread(); i < grains; i += all_threads())
        if (is_source(*pair, side, i, round)) sources[atomicAdd(count, 1)] = i;
}

extern "C" __global__ void follow(const Game* game, const Pair* pair, int side, int round, const u32* sources,
                                  const u32* count, u32* dealt) {
    __shared__ Game here;
    copy_game(*game, here);
    follow_grains(here, *pair, side, sources, *count, dealt, [=](auto& at) { at.follow(round); });
}

// What is still undecided is drawn. Counts the entries of a plane by value, each as often as its block has images.
extern "C" __global__ void finish(const Pair* pair, int side, const u8* orbits, u64* histogram) {
    constexpr u32 near = 1024;  // values below so many plies are counted in shared memory first
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

extern "C" __global__ void pack_outcomes(const u16* entries, u32 count, u8* packed, u32* lost) {
    each_piece(count, [=](auto& piece, u32 i) { piece.pack(entries, packed, lost + i); });
}

extern "C" __global__ void gather_plies(const u16* entries, u32 count, const u32* begins, u8* plies, u32 width) {
    each_piece(count, [=](auto& piece, u32 i) { piece.gather(entries, begins[i], Plies{plies, width}); });
}

extern "C" __global__ void restore_entries(const u8* packed, u32 count, const u32* begins, u8* plies, u32 width,
                                           u16* entries) {
    each_piece(count, [=](auto& piece, u32 i) { piece.restore(packed, begins[i], Plies{plies, width}, entries); });
}

// A byte for each entry: the number of its value among those that the plane has. And the values again.
extern "C" __global__ void narrow(const u16* entries, u64 count, const u8* numbers, u8* narrow) {
    for (u64 i = first_thread(); i < count; i += all_threads()) narrow[i] = numbers[entries[i]];
}

extern "C" __global__ void widen(const u8* narrow, u64 count, const u16* values, u16* entries) {
    for (u64 i = first_thread(); i < count; i += all_threads()) entries[i] = values[narrow[i]];
}

extern "C" __global__ void reach(const Game* game, const Reach* reach, u64 words) {
    __shared__ Game here;
    copy_game(*game, here);
    for (u64 i = first_thread(); i < words; i += all_threads()) reach_word(here, *reach, i);
}

// The bits of a plane, each as often as its block has images.
extern "C" __global__ void count_bits(const u32* bits, u64 words, u32 stride, const u8* orbits, u64* total) {
    u64 sum = 0;
    for (u64 i = first_thread(); i < words; i += all_threads()) sum += u64{orbits[i / stride]} * bits_of(bits[i]);
    if (sum) atomicAdd(total, sum);
}

extern "C" __global__ void force(const Game* game, const Pair* pair, const Forced* forced, int side, int first,
                                 u64 entries) {
    __shared__ Game here;
    copy_game(*game, here);
    for (u64 i = first_thread(); i < entries; i += all_threads()) force_entry(here, *pair, *forced, side, first, i);
}

// The bytes of a plane by their value, each as often as its block has images.
extern "C" __global__ void count_bytes(const u8* bytes, u64 count, u32 of_block, const u8* orbits, u64* histogram) {
    __shared__ u64 found[256];
    found[threadIdx.x] = 0;
    __syncthreads();
    for (u64 i = first_thread(); i < count; i += all_threads())
        if (bytes[i]) atomicAdd(&found[bytes[i]], u64{orbits[i / of_block]});
    __syncthreads();
    if (found[threadIdx.x]) atomicAdd(&histogram[threadIdx.x], found[threadIdx.x]);
}
