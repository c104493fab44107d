// The checker of Quixo tables for a GPU: one thread re-derives one entry after another. A CPU can run it too, for the
// tests (native/verify/quixo/gpu_on_cpu.hpp). nvrtc compiles it, so nothing is included.
//
// Like the rest of the checker it is written from docs/tablebase-format.md and shares no code with the solver.
//
// Entries have two bytes: p is Loss in p plies, 32767 a Draw, 65535 - p Win in p. The files do not have the plies of
// wins: those entries begin as `top`, and `win_value` derives them from the losses after them.

namespace inarow::verify::quixo::gpu {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int max_cells = 26, max_moves = 74, max_lines = 104;
constexpr u32 draw = 32767, top = 65535;
constexpr u32 not_an_entry = 32768;  // a code that means nothing, or a win that no loss follows
constexpr u32 no_value = 65536;      // no legal move, or more plies than an entry can hold

// The rules and the board, filled in by the host.
struct Game {
    u32 cells, moves, lines, symmetries;
    u32 end_of_mine, end_of_theirs, end_of_both;  // finished games, by whose lines there are, for the side to move
    u32 line[max_lines];
    u32 row[max_moves];                        // the cells of a move's path without the one whose tile is taken
    int step[max_moves];                       // from the end of the path toward the hole, in bits
    u32 taken[max_moves];                      // as a mask
    u32 pushed[max_moves];                     // likewise
    u32 choose[max_cells + 2][max_cells + 2];  // [n][k]
    u32 image[8][4][256];                      // [symmetry][which byte][byte]
};

// A pair {a, b}, and planes of the pairs above it.
struct Pair {
    int a, b;
    u32 ranks;          // entries of a block
    u32 ranks_larger;   // of a block of {a + 1, b}
    u32 ranks_smaller;  // and of {a, b + 1}
    u32 has_plies;
    u64 blocks;
    const u32* masks;    // the canonical A of every block
    const u32* forms;    // of every mask: its block << 3 | a symmetry that maps it to the block's A
    u16* entries[2];     // the planes; of a = b the first only
    const u16* larger;   // plane 1 of {a + 1, b}, or null on a full board
    const u16* smaller;  // plane 0 of {a, b + 1}, or null on a full board and if a = b
};

__device__ inline u32 lowest(u32 mask) { return mask & (0u - mask); }

__device__ inline u32 image(const Game& game, u32 symmetry, u32 mask) {
    const auto& bytes = game.image[symmetry];
    return bytes[0][mask & 255] | bytes[1][mask >> 8 & 255] | bytes[2][mask >> 16 & 255] | bytes[3][mask >> 24];
}

// The marks of one side after a move; the cell where the tile is pushed in is clear.
__device__ inline u32 slide(const Game& game, u32 move, u32 marks) {
    const u32 row = game.row[move];
    const int step = game.step[move];
    const u32 moving = marks & row;
    const u32 moved = step > 0 ? moving << step : moving >> -step;
    return (marks & ~(row | game.taken[move])) | moved;
}

// The place of B in a block: with p the number of its nth cell among those that A leaves free, the sum of choose[p][n].
__device__ inline u32 rank_of(const Game& game, u32 larger, u32 smaller) {
    u32 rank = 0;
    for (int nth = 1; smaller; ++nth, smaller &= smaller - 1) {
        const u32 below = lowest(smaller) - 1;
        rank += game.choose[__popc(below & ~larger)][nth];
    }
    return rank;
}

__device__ inline u32 unrank(const Game& game, u32 larger, int b, u32 rank) {
    u32 smaller = 0;
    int local = static_cast<int>(game.cells) - __popc(larger);
    for (int cell = static_cast<int>(game.cells) - 1; b > 0; --cell) {
        if (larger >> cell & 1) continue;
        --local;
        if (game.choose[local][b] > rank) continue;
        rank -= game.choose[local][b--];
        smaller |= 1u << cell;
    }
    return smaller;
}

__device__ inline bool has_line(const Game& game, u32 marks) {
    for (u32 i = 0; i < game.lines; ++i)
        if ((marks & game.line[i]) == game.line[i]) return true;
    return false;
}

// What a position is worth to its mover if the game is over, otherwise no_value.
__device__ inline u32 value_of_end(const Game& game, u32 mover, u32 other) {
    const bool mine = has_line(game, mover), theirs = has_line(game, other);
    if (!mine && !theirs) return no_value;
    return mine && theirs ? game.end_of_both : mine ? game.end_of_mine : game.end_of_theirs;
}

// The entry of the position in which the larger side has these marks and the smaller those.
__device__ inline u32 entry_at(const Game& game, const Pair& pair, const u16* plane, u32 ranks, u32 larger,
                               u32 smaller) {
    const u32 form = pair.forms[larger], symmetry = form & 7;
    const u32 rank = rank_of(game, image(game, symmetry, larger), image(game, symmetry, smaller));
    return plane[static_cast<u64>(form >> 3) * ranks + rank];
}

// The least entry among the children, that is, the best for the side that moves there; no_value if there is none.
__device__ inline u32 least_child(const Game& game, const Pair& pair, int plane, u32 larger, u32 smaller) {
    const u32 mover = plane ? smaller : larger, other = plane ? larger : smaller;
    u32 least = no_value;
    for (u32 move = 0; move < game.moves; ++move) {
        if (other & game.taken[move]) continue;
        const u32 mover_after = slide(game, move, mover) | game.pushed[move], other_after = slide(game, move, other);
        u32 child;
        if (mover & game.taken[move]) {
            // The same numbers of marks. With as many on both sides, A is always the side to move.
            if (plane || pair.a == pair.b)
                child = entry_at(game, pair, pair.entries[0], pair.ranks, other_after, mover_after);
            else
                child = entry_at(game, pair, pair.entries[1], pair.ranks, mover_after, other_after);
        } else if (plane) {
            child = entry_at(game, pair, pair.smaller, pair.ranks_smaller, other_after, mover_after);
        } else {
            child = entry_at(game, pair, pair.larger, pair.ranks_larger, mover_after, other_after);
        }
        if (child < least) least = child;
    }
    return least;
}

// What a position is worth if its least child is this.
__device__ inline u32 value_above(u32 child, bool has_plies) {
    if (child == no_value || child == draw) return child;
    if (!has_plies) return child < draw ? top : 0;
    const u32 value = child < draw ? top - 1 - child : top + 1 - child;
    return value == draw || value == not_an_entry ? no_value : value;
}

// A win that is stored without its plies, with them.
__device__ inline u32 win_value(const Game& game, const Pair& pair, int plane, u64 block, u32 rank) {
    const u32 larger = pair.masks[block], smaller = unrank(game, larger, pair.b, rank);
    if (has_line(game, larger) || has_line(game, smaller)) return top;
    const u32 least = least_child(game, pair, plane, larger, smaller);
    return least < draw ? top - 1 - least : not_an_entry;
}

// What the rules and the entries of its children make of a position.
__device__ inline u32 expected_value(const Game& game, const Pair& pair, int plane, u64 block, u32 rank) {
    const u32 larger = pair.masks[block], smaller = unrank(game, larger, pair.b, rank);
    const u32 end = plane ? value_of_end(game, smaller, larger) : value_of_end(game, larger, smaller);
    if (end != no_value) return end;
    return value_above(least_child(game, pair, plane, larger, smaller), pair.has_plies != 0);
}

// The entry of an outcome of two bits, the lowest of `byte`; a loss takes its plies from `plies`.
__device__ inline u32 entry_of(u32 byte, u32 width, const u8*& plies) {
    const u32 outcome = byte & 3;
    if (outcome == 1) return draw;
    if (outcome > 1) return outcome == 2 ? top : not_an_entry;
    if (width == 0) return 0;
    u32 entry = *plies++;
    if (width == 2) entry |= static_cast<u32>(*plies++) << 8;
    return entry;
}

// Groups take runs of entries off a counter: blocks differ in how much of them is decided.
__device__ inline u64 next_run(u64* counter, u64 run) {
    __shared__ u64 first;
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(counter, run);
    __syncthreads();
    return first;
}

template <class Visit>
__device__ inline void each_entry(const Pair& pair, u64* counter, Visit visit) {
    const u64 entries = pair.blocks * pair.ranks, run = blockDim.x * 8ull;
    for (u64 first = next_run(counter, run); first < entries; first = next_run(counter, run)) {
        const u64 last = first + run < entries ? first + run : entries;
        for (u64 i = first + threadIdx.x; i < last; i += blockDim.x)
            visit(i / pair.ranks, static_cast<u32>(i % pair.ranks), i);
    }
}

__device__ inline void copy_game(const Game* from, Game& to) {
    const u32* source = reinterpret_cast<const u32*>(from);
    u32* target = reinterpret_cast<u32*>(&to);
    for (u32 i = threadIdx.x; i < sizeof(Game) / 4; i += blockDim.x) target[i] = source[i];
    __syncthreads();
}

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
    __shared__ Game game;
    copy_game(game_, game);
    const Pair pair = *pair_;
    u16* entries = pair_->entries[plane];
    each_entry(pair, counter, [&](u64 block, u32 rank, u64 i) {
        if (entries[i] == top) entries[i] = static_cast<u16>(win_value(game, pair, plane, block, rank));
    });
}

// Finds the first entry that is not what it should be: its number << 17 | what is expected of it. Wins were given the
// plies that losses after them make; of those only the ones in which the game is over remain to be looked at.
__global__ void check(const Game* game_, const Pair* pair_, int plane, u64* counter, u64* wrong) {
    __shared__ Game game;
    copy_game(game_, game);
    const Pair pair = *pair_;
    const u16* entries = pair_->entries[plane];
    each_entry(pair, counter, [&](u64 block, u32 rank, u64 i) {
        const u32 stored = entries[i];
        if (pair.has_plies && stored > not_an_entry && stored < top) return;
        const u32 expected = expected_value(game, pair, plane, block, rank);
        if (expected != stored) atomicMin(wrong, i << 17 | expected);
    });
}

// Counts entries of each value, by how many positions a block stands for: `histogram` has a row for each of 1, 2, 4, 8.
__global__ void count_values(const Pair* pair_, int plane, const u8* orbits, u64* counter, u64* histogram) {
    constexpr u32 few = 256;  // plies: entries with fewer are counted in shared memory
    __shared__ u32 counts[4][2 * few + 1];
    for (u32 i = threadIdx.x; i < 4 * (2 * few + 1); i += blockDim.x) (&counts[0][0])[i] = 0;
    __syncthreads();
    const Pair pair = *pair_;
    const u16* entries = pair_->entries[plane];
    each_entry(pair, counter, [&](u64 block, u32, u64 i) {
        const u32 orbit = orbits[block], row = orbit == 1 ? 0 : orbit == 2 ? 1 : orbit == 4 ? 2 : 3;
        const u32 entry = entries[i];
        if (entry < few)
            atomicAdd(&counts[row][entry], 1u);
        else if (entry == draw)
            atomicAdd(&counts[row][2 * few], 1u);
        else if (entry > top - few)
            atomicAdd(&counts[row][few + (top - entry)], 1u);
        else
            atomicAdd(&histogram[row * 65536ull + entry], 1ull);
    });
    __syncthreads();
    for (u32 i = threadIdx.x; i < 4 * (2 * few + 1); i += blockDim.x) {
        const u32 row = i / (2 * few + 1), which = i % (2 * few + 1);
        const u32 entry = which == 2 * few ? draw : which < few ? which : top - (which - few);
        if (counts[row][which]) atomicAdd(&histogram[row * 65536ull + entry], static_cast<u64>(counts[row][which]));
    }
}

}  // extern "C"

}  // namespace inarow::verify::quixo::gpu
