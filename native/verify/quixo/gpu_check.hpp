// The checker of Quixo tables for a GPU: one thread re-derives one entry after another. A CPU can run it too, for the
// tests (gpu_on_cpu.hpp). nvrtc compiles it, so nothing is included.
//
// Like the rest of the checker it is written from docs/tablebase-format.md and shares no code with the solver.
//
// Entries have two bytes: p is Loss in p plies, 32767 a Draw, 65535 - p Win in p. The compact form does not store the
// plies of wins: those entries begin as `top`, and `win_value` derives them from the losses after them, which are
// stored.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define INAROW_GPU __device__
#else
#define INAROW_GPU
#endif

namespace inarow::verify::quixo::gpu {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int max_cells = 25, max_moves = 68, max_lines = 72;
constexpr u32 draw = 32767, top = 65535;
constexpr u32 not_an_entry = 32768;  // a code that means nothing, or a win that no loss follows
constexpr u32 no_value = 65536;      // no legal move, or more plies than an entry can hold

// The rules and the board, filled in by the host.
struct Game {
    u32 cells, moves, lines, symmetries, double_line_wins;
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

INAROW_GPU inline int count(u32 mask) {
#if defined(__CUDA_ARCH__)
    return __popc(mask);
#else
    return __builtin_popcount(mask);
#endif
}
INAROW_GPU inline u32 lowest(u32 mask) { return mask & (0u - mask); }

INAROW_GPU inline u32 image(const Game& game, u32 symmetry, u32 mask) {
    const auto& bytes = game.image[symmetry];
    return bytes[0][mask & 255] | bytes[1][mask >> 8 & 255] | bytes[2][mask >> 16 & 255] | bytes[3][mask >> 24];
}

// The marks of one side after a move; the cell where the tile is pushed in is clear.
INAROW_GPU inline u32 slide(const Game& game, u32 move, u32 marks) {
    const u32 row = game.row[move];
    const int step = game.step[move];
    const u32 moving = marks & row;
    const u32 moved = step > 0 ? moving << step : moving >> -step;
    return (marks & ~(row | game.taken[move])) | moved;
}

// The place of B in a block: with p the number of its nth cell among those that A leaves free, the sum of choose[p][n].
INAROW_GPU inline u32 rank_of(const Game& game, u32 larger, u32 smaller) {
    u32 rank = 0;
    for (int nth = 1; smaller; ++nth, smaller &= smaller - 1) {
        const u32 below = lowest(smaller) - 1;
        rank += game.choose[count(below & ~larger)][nth];
    }
    return rank;
}

INAROW_GPU inline u32 unrank(const Game& game, u32 larger, int b, u32 rank) {
    u32 smaller = 0;
    int local = static_cast<int>(game.cells) - count(larger);
    for (int cell = static_cast<int>(game.cells) - 1; b > 0; --cell) {
        if (larger >> cell & 1) continue;
        --local;
        if (game.choose[local][b] > rank) continue;
        rank -= game.choose[local][b--];
        smaller |= 1u << cell;
    }
    return smaller;
}

INAROW_GPU inline bool has_line(const Game& game, u32 marks) {
    for (u32 i = 0; i < game.lines; ++i)
        if ((marks & game.line[i]) == game.line[i]) return true;
    return false;
}

// What a position is worth to its mover if the game is over, otherwise no_value.
INAROW_GPU inline u32 value_of_end(const Game& game, u32 mover, u32 other) {
    const bool mine = has_line(game, mover), theirs = has_line(game, other);
    if (!mine && !theirs) return no_value;
    const bool wins = mine && theirs ? !game.double_line_wins : mine;
    return wins ? top : 0;
}

// The entry of the position in which the larger side has these marks and the smaller those.
INAROW_GPU inline u32 entry_at(const Game& game, const Pair& pair, const u16* plane, u32 ranks, u32 larger,
                               u32 smaller) {
    const u32 form = pair.forms[larger], symmetry = form & 7;
    const u32 rank = rank_of(game, image(game, symmetry, larger), image(game, symmetry, smaller));
    return plane[static_cast<u64>(form >> 3) * ranks + rank];
}

// The least entry among the children, that is, the best for the side that moves there; no_value if there is none.
INAROW_GPU inline u32 least_child(const Game& game, const Pair& pair, int plane, u32 larger, u32 smaller) {
    const u32 mover = plane ? smaller : larger, other = plane ? larger : smaller;
    u32 least = no_value;
    for (u32 move = 0; move < game.moves; ++move) {
        if (other & game.taken[move]) continue;
        const u32 mover_after = slide(game, move, mover) | game.pushed[move], other_after = slide(game, move, other);
        u32 child;
        if (mover & game.taken[move]) {
            // The same numbers of marks. With as many on both sides, A is always the side to move.
            if (pair.a == pair.b)
                child = entry_at(game, pair, pair.entries[0], pair.ranks, other_after, mover_after);
            else if (plane)
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
INAROW_GPU inline u32 value_above(u32 child, bool has_plies) {
    if (child == no_value || child == draw) return child;
    if (!has_plies) return child < draw ? top : 0;
    const u32 value = child < draw ? top - 1 - child : top + 1 - child;
    return value == draw || value == not_an_entry ? no_value : value;
}

// A win that is stored without its plies, with them.
INAROW_GPU inline u32 win_value(const Game& game, const Pair& pair, int plane, u64 block, u32 rank) {
    const u32 larger = pair.masks[block], smaller = unrank(game, larger, pair.b, rank);
    if (has_line(game, larger) || has_line(game, smaller)) return top;
    const u32 least = least_child(game, pair, plane, larger, smaller);
    return least < draw ? top - 1 - least : not_an_entry;
}

// What the rules and the entries of its children make of a position.
INAROW_GPU inline u32 expected_value(const Game& game, const Pair& pair, int plane, u64 block, u32 rank) {
    const u32 larger = pair.masks[block], smaller = unrank(game, larger, pair.b, rank);
    const u32 end = plane ? value_of_end(game, smaller, larger) : value_of_end(game, larger, smaller);
    if (end != no_value) return end;
    return value_above(least_child(game, pair, plane, larger, smaller), pair.has_plies != 0);
}

// Whether an entry is what it should be. Where the plies of wins were derived, only those remain to be looked at for
// which there is no loss, or in which the game is over.
INAROW_GPU inline bool is_right(const Game& game, const Pair& pair, int plane, u64 block, u32 rank, bool wins_derived) {
    const u16* entries = plane ? pair.entries[1] : pair.entries[0];
    const u32 stored = entries[block * pair.ranks + rank];
    if (wins_derived && stored > not_an_entry && stored < top) return true;
    return expected_value(game, pair, plane, block, rank) == stored;
}

// The entry of an outcome of two bits, the lowest of `byte`; a loss takes its plies from `plies`.
INAROW_GPU inline u32 entry_of(u32 byte, u32 width, const u8*& plies) {
    const u32 outcome = byte & 3;
    if (outcome == 1) return draw;
    if (outcome > 1) return outcome == 2 ? top : not_an_entry;
    if (width == 0) return 0;
    u32 entry = *plies++;
    if (width == 2) entry |= static_cast<u32>(*plies++) << 8;
    return entry;
}

}  // namespace inarow::verify::quixo::gpu
