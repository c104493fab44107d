// Quixo on a GPU. native/quixo/gpu_work.hpp has what a group of threads does to a slice of a block, gpu_pieces.hpp what
// it does to a piece of a plane; the kernels here distribute the slices and the pieces. A CPU runs them too, with
// groups of one thread (native/quixo/gpu_on_cpu.hpp).

#include "gpu_pieces.hpp"
#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

#ifndef INAROW_KERNEL
#define INAROW_KERNEL extern "C" __global__
// Has a processor hold five thread blocks at a time, of kernels that wait for memory.
#define INAROW_RESIDENT __launch_bounds__(block_threads, 5)

namespace {

constexpr u32 block_threads = 256, warp_threads = 32;
constexpr u32 counted_near = 1024;  // values below so many plies are counted in shared memory first

// The threads of a warp, or those of a whole thread block, which is faster for blocks of many entries.
template <u32 threads>
struct ThreadGroup {
    static constexpr u32 slice = 32 * threads, groups = block_threads / threads, members = threads / 32;
    static constexpr u32 block_words = members == 1 ? small_block / 32 : max_block_words;

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
    template <class Value, class Which, class Wanted, class Place, class Work>
    __device__ void look(const Value* values, u32 count, Which which, Wanted wanted, Place place, Work work) {
        constexpr int batch = 4;
        together();
        for (u32 i = threadIdx.x % threads; i < count; i += threads * batch) {
            bool is_wanted[batch], any = false;
            decltype(which(0)) item[batch];
            u32 value[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) item[k] = which(min(i + threads * k, count - 1));
#pragma unroll
            for (int k = 0; k < batch; ++k) any |= is_wanted[k] = i + threads * k < count && wanted(item[k]);
            if (!any) continue;
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const auto at = place(item[k]);
                value[k] = values[is_wanted[k] ? at : 0];
            }
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if (is_wanted[k]) work(item[k], value[k]);
        }
        together();
    }
    template <class Value, class Test>
    __device__ void mark(const Value* values, u32 count, u32* bits, Test test) {
        constexpr int batch = 8;
        const u32 lane = threadIdx.x % 32;
        together();
        for (u32 first = threadIdx.x % threads - lane; first < count; first += threads * batch) {
            u32 value[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) value[k] = values[min(first + threads * k + lane, count - 1)];
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const u32 i = first + threads * k + lane;
                const u32 word = __ballot_sync(~0u, i < count && test(i, value[k]));
                if (lane == 0 && i < count) bits[i / 32] = word;
            }
        }
        together();
    }
    template <class Work>
    __device__ void share(u32* dealt, u32 count, Work work) {
        if constexpr (members == 1) {
            for (u32 i = 0; i < count; ++i) work(*this, 0, i);
        } else {
            each(1, [&](u32) { *dealt = 0; });
            ThreadGroup<32> member;
            for (;;) {
                u32 i = threadIdx.x % 32 == 0 ? atomicAdd(dealt, 1) : 0;
                i = __shfl_sync(~0u, i, 0);
                if (i >= count) break;
                work(member, threadIdx.x % threads / 32, i);
            }
            together();
        }
    }
    // Collects the bits that are set in a list, so that no thread waits for one with more of them.
    template <class Word, class Work>
    __device__ void each_bit(u32 begin, u32 end, Word word, u16* list, Work work) {
        static_assert(members == 1);
        const u32 lane = threadIdx.x % 32;
        u32 listed = 0, next = begin + lane < end ? word(begin + lane) : 0;
        for (u32 first = begin; first < end; first += 32) {
            const u32 i = first + lane;
            u32 bits = next;
            next = i + 32 < end ? word(i + 32) : 0;  // on its way while these are collected
            if (__any_sync(~0u, bits)) {
                u32 place = listed + bits_of(bits);
                for (u32 step = 1; step < 32; step *= 2) {
                    const u32 before = __shfl_up_sync(~0u, place - listed, step);
                    if (lane >= step) place += before;
                }
                listed = __shfl_sync(~0u, place, 31);
                place -= bits_of(bits);
                for (; bits; bits &= bits - 1) list[place++] = static_cast<u16>(i * 32 + lowest_of(bits));
            }
            if (listed <= bits_at_once - 1024 && first + 32 < end) continue;
            together();
            for (u32 k = lane; k < listed; k += 32) work(list[k]);
            together();
            listed = 0;
        }
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
    // Unless another thread has written there in the meantime.
    __device__ void replace(u16* place, u32 old, u32 value) {
        if (old != value) atomicCAS(place, static_cast<u16>(old), static_cast<u16>(value));
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
using Warp = ThreadGroup<warp_threads>;
using ThreadBlock = ThreadGroup<block_threads>;

}  // namespace
#endif

namespace {

__device__ u32 first_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u32 all_threads() { return gridDim.x * blockDim.x; }

// Into shared memory: it is read too often, and in too random an order, for the cache.
__device__ void copy_game(const Game& game, Game& here) {
    for (u32 i = threadIdx.x; i < sizeof(Game) / 4; i += blockDim.x)
        reinterpret_cast<u32*>(&here)[i] = reinterpret_cast<const u32*>(&game)[i];
    __syncthreads();
}

// The pair in shared memory, with those of its tables of ranks that `choose` chooses, for words of so many bits: like
// the game, they are read too often for the cache. Where there is no room for the tables, they stay where they are.
template <class Choose>
__device__ const Pair& bring_near(const Pair& pair, int bits, Choose choose) {
    constexpr u32 room = 512;
    __shared__ Pair here;
    __shared__ u32 low[room], high[room];
    for (u32 i = threadIdx.x; i < sizeof(Pair) / 4; i += blockDim.x)
        reinterpret_cast<u32*>(&here)[i] = reinterpret_cast<const u32*>(&pair)[i];
    __syncthreads();
    const Ranks far = choose(here);
    __syncthreads();
    if (!far.low || far.low_bits > 9 || bits - far.low_bits > 9) return here;
    for (u32 i = threadIdx.x; i < room; i += blockDim.x) {
        if (i >> far.low_bits == 0) low[i] = far.low[i];
        if (i >> (bits - far.low_bits) == 0) high[i] = far.high[i];
    }
    if (threadIdx.x == 0) {
        choose(here).low = low;
        choose(here).high = high;
    }
    __syncthreads();
    return here;
}
__device__ int free_cells(const Game& game, const Pair& pair) { return game.cells - bits_of(pair.blocks.masks[0]); }

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
template <class Worker, class Group, class Work>
__device__ void all_slices(Group group, const Game& game, const Pair& pair, int side, u32* dealt, Work work) {
    const u32 blocks = static_cast<u32>(pair.blocks.count);
    deal<Worker>(group, game, pair, side, nullptr, blocks, Group::slice, dealt, work);
}

// Distributes grains: those listed, or all if there is no list.
template <class Work>
__device__ void follow_grains(const Game& game, const Pair& pair, int side, int round, const u32* list, u32 count,
                              u32* dealt, Work work) {
    __shared__ typename Follower<Warp>::Shared shared[Warp::groups];
    __shared__ Tally tally;
    Warp warp;
    if (threadIdx.x == 0) tally = {};
    __syncthreads();
    const u32 grains = grains_of(pair);
    for (u32 i = 0; warp.next(dealt, count, i);) {
        const u32 which = list ? list[i] : i;
        const Slice at(game, pair, side, which / grains, which % grains, grain);
        Follower<Warp> worker(warp, shared[threadIdx.x / warp_threads], game, pair, at, tally);
        work(worker);
    }
    __syncthreads();
    if (threadIdx.x == 0) report(warp, tally, pair, side, round);
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

INAROW_KERNEL void find_canonical(const Game* game, u32 masks, u32* found) {
    for (u32 mask = first_thread(); mask < masks; mask += all_threads()) found[mask] = canonical(*game, mask);
}

INAROW_KERNEL void find_lines(const Game* game, const u32* masks, u32 count, u8* lined, u8* fixed) {
    for (u32 i = first_thread(); i < count; i += all_threads()) {
        lined[i] = has_line(*game, masks[i]);
        fixed[i] = fixing(*game, masks[i]);
    }
}

INAROW_KERNEL void find_steps(const Game* game, const u32* masks, u32 count, const u32* where, u32* same, u32* larger) {
    for (u32 i = first_thread(); i < count * game->moves; i += all_threads())
        fill_step(*game, masks, where, i, same, larger);
}

#define INAROW_VISITS(Group, suffix)                                                                            \
    INAROW_KERNEL void INAROW_RESIDENT seed##suffix(const Game* game, const Pair* pair, int side, u32* dealt) { \
        const Pair& here = bring_near(*pair, free_cells(*game, *pair) - (side == 0),                            \
                                      [=](Pair& near) -> Ranks& { return near.more_ranks[side]; });             \
        all_slices<Visitor<Group>>(Group(), *game, here, side, dealt, [](auto& at) { at.seed(); });             \
    }                                                                                                           \
    INAROW_KERNEL void mirror##suffix(const Game* game, const Pair* pair, u32* dealt) {                         \
        all_slices<Visitor<Group>>(Group(), *game, *pair, 1, dealt, [](auto& at) { at.mirror(); });             \
    }                                                                                                           \
    INAROW_KERNEL void INAROW_RESIDENT visit##suffix(const Game* game, const Pair* pair, int side, int round,   \
                                                     const u32* active, const u32* count, u32* dealt) {         \
        const Pair& here =                                                                                      \
            bring_near(*pair, free_cells(*game, *pair), [](Pair& near) -> Ranks& { return near.ranks; });       \
        deal<Decider<Group>>(Group(), *game, here, side, active, *count, here.ranks.entries, dealt,             \
                             [=](auto& at) { at.decide(round); });                                              \
    }                                                                                                           \
    INAROW_KERNEL void restore_wins##suffix(const Game* game, const Pair* pair, int side, u32* dealt) {         \
        all_slices<Visitor<Group>>(Group(), *game, *pair, side, dealt, [](auto& at) { at.restore_wins(); });    \
    }
INAROW_VISITS(Warp, _by_warps)
INAROW_VISITS(ThreadBlock, _by_blocks)

INAROW_KERNEL void find_active(const Game* game, const Pair* pair, int side, int round, u32* active, u32* count) {
    for (u32 i = first_thread(); i < pair->blocks.count; i += all_threads())
        if (is_active(*game, *pair, side, i, round)) active[atomicAdd(count, 1)] = i;
}

INAROW_KERNEL void publish(const Pair* pair, int side, int round) {
    __shared__ u32 unwon[Warp::groups];
    Warp warp;
    for (u32 i = first_thread() / warp_threads; i < pair->blocks.count; i += all_threads() / warp_threads)
        publish_block(warp, *pair, side, i, round, &unwon[threadIdx.x / warp_threads]);
}

INAROW_KERNEL void note(const Game* game, const Pair* pair, int side, int round, u32* dealt) {
    follow_grains(*game, *pair, side, round, nullptr, static_cast<u32>(pair->blocks.count) * grains_of(*pair), dealt,
                  [=](auto& at) { at.note(round); });
}

INAROW_KERNEL void find_sources(const Pair* pair, int side, int round, u32 how, u32* sources, u32* count) {
    Warp warp;
    const u32 grains = static_cast<u32>(pair->blocks.count) * grains_of(*pair);
    for (u32 i = first_thread(); i < grains; i += all_threads())
        if (is_source(*pair, side, i, round, how)) sources[warp.count(count)] = i;
}

INAROW_KERNEL void follow(const Game* game, const Pair* pair, int side, int round, u32 how, const u32* sources,
                          const u32* count, u32* dealt) {
    __shared__ Game here;
    copy_game(*game, here);
    follow_grains(here, *pair, side, round, sources, *count, dealt, [=](auto& at) { at.follow(round, how); });
}

// What is still undecided is drawn. Counts the entries of a plane by value, each as often as its block has images.
INAROW_KERNEL void finish(const Pair* pair, int side, const u8* orbits, u64* histogram) {
    __shared__ u32 lost[counted_near], won[counted_near], drawn;
    const u32 entries = pair->ranks.entries;
    for (u32 block = blockIdx.x; block < pair->blocks.count; block += gridDim.x) {
        for (u32 i = threadIdx.x; i < counted_near; i += blockDim.x) lost[i] = won[i] = 0;
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
            } else if (entry < counted_near) {
                atomicAdd(&lost[entry], 1);
            } else if (top - entry < counted_near) {
                atomicAdd(&won[top - entry], 1);
            } else {
                atomicAdd(&histogram[entry], weight);
            }
        }
        if (draws) atomicAdd(&drawn, draws);
        __syncthreads();
        for (u32 i = threadIdx.x; i < counted_near; i += blockDim.x) {
            if (lost[i]) atomicAdd(&histogram[i], lost[i] * weight);
            if (won[i]) atomicAdd(&histogram[top - i], won[i] * weight);
        }
        if (threadIdx.x == 0 && drawn) atomicAdd(&histogram[draw], drawn * weight);
        __syncthreads();
    }
}

INAROW_KERNEL void pack_outcomes(const u16* entries, u32 count, u8* packed, u32* lost) {
    each_piece(count, [=](auto& piece, u32 i) { piece.pack(entries, packed, lost + i); });
}

INAROW_KERNEL void gather_plies(const u16* entries, u32 count, const u32* begins, u8* plies, u32 width) {
    each_piece(count, [=](auto& piece, u32 i) { piece.gather(entries, begins[i], Plies{plies, width}); });
}

INAROW_KERNEL void restore_entries(const u8* packed, u32 count, const u32* begins, u8* plies, u32 width, u16* entries) {
    each_piece(count, [=](auto& piece, u32 i) { piece.restore(packed, begins[i], Plies{plies, width}, entries); });
}

// A byte for each entry: the number of its value among those that the plane has. And the values again.
INAROW_KERNEL void narrow(const u16* entries, u64 count, const u8* numbers, u8* narrow) {
    for (u64 i = first_thread(); i < count; i += all_threads()) narrow[i] = numbers[entries[i]];
}

INAROW_KERNEL void widen(const u8* narrow, u64 count, const u16* values, u16* entries) {
    for (u64 i = first_thread(); i < count; i += all_threads()) entries[i] = values[narrow[i]];
}

}  // namespace inarow::quixo::gpu
