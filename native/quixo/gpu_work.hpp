// What a group of threads does to a slice of a block: a warp or a thread block of a GPU, or one thread of a CPU. nvrtc
// compiles it too, so it includes nothing.
//
// The work is written in phases. In each phase it is distributed among the threads of the group, and the phase ends
// when all of it is done:
//
//   group.each(n, f)                       f(i) for i = 0 … n-1
//   group.scan(values, n, f)               f(i, values[i])
//   group.look(values, n, which, wanted, at, f)   f(j, values[at(j)]) for each j = which(i) that is wanted(j)
//   group.mark(values, n, bits, f)         bit i of `bits` is f(i, values[i])
//   group.share(&dealt, n, f)              f(member, k, i): each i is the work of member k, a warp of the group
//   member.each_bit(begin, end, word, list, f)   f(i) for each bit i that is set in words word(begin) … word(end-1)
//   group.count(&counter)                  in a phase: adds one, and returns the counter as it was
//
// `scan`, `look` and `mark` keep many loads in flight: memory is what this work waits for.
//
// Entries have two bytes. A decided one is as on disk: Loss in p is p, Win in p is 65535 - p. Until it is decided, an
// entry holds its seed, the least entry among its children with a new mark, moved to the middle of the range. There it
// reads as neither lost nor won, and no second array is needed. Once nothing but the other children can keep an entry
// from being lost, the first of them that does takes the place of the seed: the entry is looked at again when that
// child is won.
//
//          0 … 16383   Loss in so many plies
//      16384 … 32766   undecided: a child with a new mark is lost in (entry - 16384)
//              32767   undecided: the best child with a new mark is a draw; in the end: Draw
//      32768 … 49023   undecided: all children with a new mark are won, the longest in (49023 - entry)
//      49024 … 49151   undecided: move (entry - 49024) refutes that it is lost; moves before it lead to wins
//      49152 … 65535   Win in (65535 - entry)
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define INAROW_DEVICE __device__
#else
#define INAROW_DEVICE
#endif

namespace inarow::quixo::gpu {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int max_cells = 25, max_moves = 68, max_lines = 100;  // as in board.hpp
constexpr u32 max_block_words = 1024;                           // bits for the entries of a block: at most 18 over 7
constexpr u32 small_block = 1024;                               // entries of the largest block that a warp takes
constexpr u32 bits_at_once = 1280;                              // room of a list: 256 bits, and those of 32 words
constexpr u32 grain = 512;                                      // entries of a block that are followed together
constexpr u32 undecided_from = 16384, draw = 32767, won_from = 49152, top = 65535;
constexpr u32 refuted_from = won_from - 128;
constexpr u32 no_seed = refuted_from - 1;  // of an entry without children that have a new mark
constexpr u32 max_plies = no_seed - draw - 1;
static_assert(max_moves <= won_from - refuted_from);

INAROW_DEVICE inline u32 win(u32 plies) { return top - plies; }
INAROW_DEVICE inline bool is_undecided(u32 entry) { return entry >= undecided_from && entry < won_from; }
INAROW_DEVICE inline u32 as_seed(u32 solved) {
    return solved < undecided_from ? solved + undecided_from : solved >= won_from ? solved - (top - no_seed) : draw;
}
// The least undecided entry that, as far as its children with a new mark go, may be lost in a round.
INAROW_DEVICE inline u32 may_lose_from(int round) { return no_seed + 1 - round; }

INAROW_DEVICE inline int bits_of(u32 mask) {
#if defined(__CUDA_ARCH__)
    return __popc(mask);
#else
    return __builtin_popcount(mask);
#endif
}
INAROW_DEVICE inline int lowest_of(u32 mask) {
#if defined(__CUDA_ARCH__)
    return __ffs(mask) - 1;
#else
    return __builtin_ctz(mask);
#endif
}
INAROW_DEVICE inline u32 below(int bit) { return (1u << bit) - 1; }

// The rules and the board; gpu_game.hpp fills it.
struct Game {
    u32 cells, moves, lines, symmetries;
    u32 end[4];  // the entry of a finished game, by whether the side to move (1) and the other side (2) have a line
    u32 line[max_lines];
    u32 segment[max_moves];                    // the cells whose tiles a move shifts
    u32 choose[max_cells + 1][max_cells + 1];  // [k][n]: the number of ways to choose k of n
    u32 turned[8][4][128];                     // [symmetry][which seven bits][bits]: where a symmetry takes them
    signed char shift[max_moves];              // how far a move shifts them, toward higher bits if positive
    u8 taken[max_moves], pushed[max_moves];
    u8 image[max_moves][max_cells];  // where a move takes a cell
    u8 symmetry[8][max_cells];       // where a symmetry takes a cell
    u8 turned_move[8][max_moves];    // and what it makes of a move
};

INAROW_DEVICE inline u32 shifted(u32 mask, int by) { return by > 0 ? mask << by : mask >> -by; }
// A mask after a move, and the mask before it.
INAROW_DEVICE inline u32 moved(const Game& game, u32 move, u32 mask) {
    const u32 segment = game.segment[move], taken = game.taken[move];
    return (mask & ~(segment | 1u << taken)) | shifted(mask & segment, game.shift[move]) |
           (mask >> taken & 1) << game.pushed[move];
}
INAROW_DEVICE inline u32 unmoved(const Game& game, u32 move, u32 mask) {
    const u32 segment = game.segment[move], pushed = game.pushed[move];
    return (mask & ~(segment | 1u << game.taken[move])) | (shifted(mask, -game.shift[move]) & segment) |
           (mask >> pushed & 1) << game.taken[move];
}
INAROW_DEVICE inline u32 turned(const Game& game, u32 symmetry, u32 mask) {
    const auto& images = game.turned[symmetry];
    return images[0][mask & 127] | images[1][mask >> 7 & 127] | images[2][mask >> 14 & 127] | images[3][mask >> 21];
}
// The colexicographic rank of a mask among those with as many bits at some places.
INAROW_DEVICE inline u32 rank_among(const Game& game, u32 mask, u32 places) {
    const u32 bits = static_cast<u32>(bits_of(mask));
    u32 rank = 0;
    for (u32 k = 1; k <= bits; ++k, mask &= mask - 1) rank += game.choose[k][bits_of(places & ~mask & (mask - 1))];
    return rank;
}
INAROW_DEVICE inline bool has_line(const Game& game, u32 mask) {
    for (u32 i = 0; i < game.lines; ++i)
        if ((mask & game.line[i]) == game.line[i]) return true;
    return false;
}
// The smallest image of a mask and a symmetry that takes the mask there, as image << 3 | symmetry.
INAROW_DEVICE inline u32 canonical(const Game& game, u32 mask) {
    u32 best = ~0u;
    for (u32 g = 0; g < game.symmetries; ++g) {
        const u32 image = turned(game, g, mask) << 3 | g;
        if (image < best) best = image;
    }
    return best;
}

// Colexicographic ranks of words with a fixed number of bits: a look-up for the low part and one for the high, added.
struct Ranks {
    const u32 *low, *high;
    u32 low_bits, entries;
};
INAROW_DEVICE inline u32 rank(const Ranks& ranks, u32 word) {
    return ranks.low[word & below(ranks.low_bits)] + ranks.high[word >> ranks.low_bits];
}

// The blocks with some number of marks on the larger side.
struct Blocks {
    const u32* masks;
    const u8* lined;   // A has a line
    const u8* fixing;  // for each block, the symmetries that leave A as it is, as a mask
    u64 count;
};

struct Pair {
    Blocks blocks, grown;      // of a and of a + 1 marks
    const u32* where;          // for every mask its block << 3 | the symmetry that takes it there
    const u32 *same, *larger;  // [block][move]: likewise where A goes, and where it goes with the taken tile
    const u32* words;          // the local words of a block, in the order of its entries
    const u16* without;        // for each bit of them, the numbers of those without it
    Ranks ranks;               // of this pair
    Ranks more_ranks[2];       // of the pairs that a new mark leads to: {a+1, b} and {a, b+1}
    const u16* more[2];        // plane 1 of {a+1, b} and plane 0 of {a, b+1}, or null
    u16* entries[2];           // the two planes
    u32* news[2];              // for each block, whether the last two rounds decided wins or losses
    u32* open[2];              // for each block, whether entries are undecided
    u32* due[2];               // for each block, the rounds (modulo 256) in which a seed falls due
    u32* grain_news[2];        // like news and due, for each grain of entries; and whether entries there may be lost
    u32* grain_due[2];
    u32* lost[2];   // a bit for each entry, whole words for each block: whether the last round decided that it is lost
    u32* won[2];    // likewise: whether it is won
    u32* unwon[2];  // for each block, how many entries are not won
    u32* totals;    // [0] the last round that decided something, [1] the last in which a seed falls due
    u64* decided;   // how many entries the visits have decided
    u64* followed;  // how many entries of each side were won since visits ended, and of how many it was checked again
                    // whether they are lost
};

static_assert(sizeof(Pair) == 360, "solver/engines/gpu_pairs.py lays it out by the byte");

INAROW_DEVICE inline u32 words_of(const Pair& pair) { return (pair.ranks.entries + 31) / 32; }
INAROW_DEVICE inline u32 grains_of(const Pair& pair) { return (pair.ranks.entries + grain - 1) / grain; }

constexpr u32 due_words = 8;
// The round in which a seed falls due, or 0 if it never does, or did before.
INAROW_DEVICE inline u32 due_round(u32 seed) {
    if (seed == draw || seed >= refuted_from) return 0;
    return seed < draw ? seed - undecided_from + 1 : refuted_from - seed;
}
INAROW_DEVICE inline bool is_due(const u32* due, u32 which, int round) {
    return due[static_cast<u64>(which) * due_words + (round >> 5) % due_words] >> (round & 31) & 1;
}

constexpr u32 new_wins = 1, new_losses = 2, may_be_lost = 16;
INAROW_DEVICE inline u32 in_round(u32 news, int round) { return news << (round & 1) * 2; }

// The symmetries that leave a mask as it is.
INAROW_DEVICE inline u8 fixing(const Game& game, u32 mask) {
    u8 found = 0;
    for (u32 g = 0; g < game.symmetries; ++g)
        if (turned(game, g, mask) == mask) found |= static_cast<u8>(1u << g);
    return found;
}

// Where a move takes a block: its A as it is, and with the taken tile.
INAROW_DEVICE inline void fill_step(const Game& game, const u32* masks, const u32* where, u32 step, u32* same,
                                    u32* larger) {
    const u32 move = step % game.moves, mask = masks[step / game.moves];
    same[step] = where[moved(game, move, mask)];
    larger[step] = where[moved(game, move, mask | 1u << game.taken[move])];
}

// The bits of `mask` at the places set in `places`, moved together, and the inverse.
INAROW_DEVICE inline u32 extract(u32 mask, u32 places) {
    u32 word = 0;
    for (mask &= places; mask; mask &= mask - 1) word |= 1u << bits_of(places & below(lowest_of(mask)));
    return word;
}
INAROW_DEVICE inline u32 deposit(u32 word, u32 places) {
    u32 mask = 0;
    for (; word; word >>= 1, places &= places - 1)
        if (word & 1) mask |= places & -places;
    return mask;
}

// Where the bits of words go, six at a time: a table for each six, so that every thread looks into a bank of its own.
struct Images {
    static constexpr int at_once = 6, parts = (max_cells + at_once - 1) / at_once;
    u32 dest[parts * at_once];  // the bit that each bit goes to, as a mask; 0 if it is dropped
    u32 image[parts][1 << at_once];

    // The tables for so many bits; there are always three, which is what most blocks need.
    INAROW_DEVICE static int used(int bits) { return bits <= 3 * at_once ? 3 : (bits + at_once - 1) / at_once; }
};
// Fills the tables when it is known where each of so many bits goes.
template <class Group>
INAROW_DEVICE inline void fill_images(Group& group, Images& images, int bits) {
    group.each(Images::used(bits) << Images::at_once, [&](u32 i) {
        const u32 part = i >> Images::at_once;
        u32 image = 0;
        for (int j = 0; j < Images::at_once; ++j)
            if (i >> j & 1) image |= images.dest[part * Images::at_once + j];
        images.image[part][i & below(Images::at_once)] = image;
    });
}
INAROW_DEVICE inline u32 image_of(const Images& images, u32 word) {
    const u32 low = below(Images::at_once);
    u32 result = images.image[0][word & low] | images.image[1][word >> Images::at_once & low] |
                 images.image[2][word >> 2 * Images::at_once & low];
    for (u32 part = 3; word >> part * Images::at_once; ++part)
        result |= images.image[part][word >> part * Images::at_once & low];
    return result;
}

// A run of entries of a block.
struct Slice {
    INAROW_DEVICE Slice(const Game& game, const Pair& pair, int side, u32 block, u32 slice, u32 size)
        : side(side),
          block(block),
          first(slice * size),
          count(pair.ranks.entries - first < size ? pair.ranks.entries - first : size),
          larger(pair.blocks.masks[block]),
          free(below(game.cells) & ~larger),
          entries(pair.entries[side] + static_cast<u64>(block) * pair.ranks.entries + first),
          words(pair.words + first) {}

    const int side;
    const u32 block, first, count, larger, free;
    u16* const entries;
    const u32* const words;
};

// Finds the cells of the bits of local words.
template <class Group>
INAROW_DEVICE inline void find_cells(Group& group, const Game& game, u32 free, u8* cells) {
    group.each(game.cells, [=](int cell) {
        if (free >> cell & 1) cells[bits_of(free & below(cell))] = static_cast<u8>(cell);
    });
}

// Looks at the children of all entries of a slice: gives entries their seeds, and wins their plies.
template <class Group>
class Visitor {
  public:
    struct Shared {
        Images images;        // where a move takes local words
        u32 line[max_lines];  // local words of the lines on free cells
        u32 lines;
        u16 list[Group::slice];                // seeds, or the fewest plies found
        u16 begin[max_cells], end[max_cells];  // of each bit, where in Pair::without the entries of the slice are
        u8 cell[32];                           // the cells of local bits
        u32 news, left, latest, due[due_words];
    };

    INAROW_DEVICE Visitor(Group& group, Shared& shared, const Game& game, const Pair& pair, const Slice& at)
        : group_(group), shared_(shared), game_(game), pair_(pair), at_(at) {
        find_cells(group_, game, at.free, shared_.cell);
        group_.each(bits_of(at.free), [&](int bit) {
            shared_.begin[bit] = static_cast<u16>(without_below(bit, at.first));
            shared_.end[bit] = static_cast<u16>(without_below(bit, at.first + at.count));
        });
    }

    // Gives wins their plies: one more than the fewest of a lost child, or 0 if the game is over. Losses and draws are
    // complete. A win without a lost child cannot be one: totals[0] says so.
    INAROW_DEVICE void restore_wins() {
        constexpr u32 is_no_win = top, is_over = top - 1;
        find_local_lines();
        const bool lined = pair_.blocks.lined[at_.block];
        u16* const fewest = shared_.list;
        group_.scan(at_.entries, at_.count, [&](int i, u32 entry) {
            const u32 state = entry <= draw ? is_no_win : lined || has_local_line(at_.words[i]) ? is_over : draw;
            fewest[i] = static_cast<u16>(state);
        });
        const auto wanted = [&](int i) { return fewest[i] <= draw; };
        const auto lower = [&](int i, u32 child) {
            if (child < fewest[i]) fewest[i] = static_cast<u16>(child);
        };
        if (!lined) {
            look_at_new_marks(wanted, lower);
            look_at_steps(wanted, lower);
        }
        group_.each(at_.count, [&](int i) {
            const u32 found = fewest[i];
            if (found == is_no_win) return;
            if (found == draw) group_.raise(&pair_.totals[0], 1);
            at_.entries[i] = static_cast<u16>(found == is_over ? win(0) : win(found + 1));
        });
    }

    // Lines and seeds.
    INAROW_DEVICE void seed() {
        find_local_lines();
        const int side = at_.side;
        const bool lined = pair_.blocks.lined[at_.block];
        u16* const seeds = shared_.list;
        group_.scan(at_.words, at_.count, [&](int i, u32 word) {
            u32 entry = no_seed;
            const bool smaller_lined = has_local_line(word);
            if (lined || smaller_lined)
                entry = game_.end[side == 0 ? lined | smaller_lined << 1 : smaller_lined | lined << 1];
            seeds[i] = static_cast<u16>(entry);
        });
        if (!lined)
            // No child is less than one that is lost at once.
            look_at_new_marks([&](int i) { return is_undecided(seeds[i]) && seeds[i] != as_seed(0); },
                              [&](int i, u32 child) {
                                  const u32 seed = as_seed(child);
                                  if (seed < seeds[i]) seeds[i] = static_cast<u16>(seed);
                              });
        group_.each(at_.count, [&](int i) { at_.entries[i] = seeds[i]; });
        note_seeds(seeds);
    }

    // If both sides have the same number of marks, plane 1 is plane 0 with the marks exchanged.
    INAROW_DEVICE void mirror() {
        u16* const seeds = shared_.list;
        group_.each(at_.count, [&](int i) {
            const u32 place = pair_.where[deposit(at_.words[i], at_.free)], block = place >> 3;
            const u32 free_there = below(game_.cells) & ~pair_.blocks.masks[block];
            const u32 word = extract(turned(game_, place & 7, at_.larger), free_there);
            seeds[i] = pair_.entries[0][static_cast<u64>(block) * pair_.ranks.entries + rank(pair_.ranks, word)];
            at_.entries[i] = seeds[i];
        });
        note_seeds(seeds);
    }

  private:
    // Records which seeds there are.
    INAROW_DEVICE void note_seeds(const u16* seeds) {
        // Where A has a line, all is decided: draws too.
        const bool lined = pair_.blocks.lined[at_.block];
        group_.each(1, [&](int) {
            shared_.left = shared_.news = shared_.latest = 0;
            for (u32 i = 0; i < due_words; ++i) shared_.due[i] = 0;
        });
        group_.each(at_.count, [&](int i) {
            const u32 entry = seeds[i];
            if (lined && entry == draw) return;
            if (!is_undecided(entry)) {
                group_.set_bits(&shared_.news, in_round(entry >= won_from ? new_wins : new_losses, 0));
                return;
            }
            shared_.left = 1;
            const u32 due = due_round(entry);
            if (!due) return;
            group_.set_bits(&shared_.due[(due >> 5) % due_words], 1u << (due & 31));
            group_.raise(&shared_.latest, due);
        });
        group_.each(1, [&](int) {
            if (shared_.news) group_.set_bits(&pair_.news[at_.side][at_.block], shared_.news);
            if (shared_.left) group_.set_bits(&pair_.open[at_.side][at_.block], 1);
            for (u32 i = 0; i < due_words; ++i)
                if (shared_.due[i]) group_.set_bits(&pair_.due[at_.side][at_.block * due_words + i], shared_.due[i]);
            group_.raise(&pair_.totals[1], shared_.latest);
        });
    }

    INAROW_DEVICE void find_local_lines() {
        group_.each(1, [&](int) { shared_.lines = 0; });
        group_.each(game_.lines, [&](int i) {
            if (!(game_.line[i] & at_.larger))
                shared_.line[group_.count(&shared_.lines)] = extract(game_.line[i], at_.free);
        });
    }

    // Calls work(i, child) for all children with a new mark of the entries that are wanted.
    template <class Wanted, class Work>
    INAROW_DEVICE void look_at_new_marks(Wanted wanted, Work work) {
        const int side = at_.side;
        const u16* more = pair_.more[side];
        const Ranks& ranks = pair_.more_ranks[side];
        const u32* steps = (side == 0 ? pair_.larger : pair_.same) + static_cast<u64>(at_.block) * game_.moves;
        const u32* masks = (side == 0 ? pair_.grown : pair_.blocks).masks;
        for (u32 move = 0; more && move < game_.moves; ++move) {
            if (at_.larger >> game_.taken[move] & 1) continue;
            const int bit = bits_of(at_.free & below(game_.taken[move]));
            const u32 taken = 1u << bit;
            // A new mark of the larger side leaves the cells of local words; one of the smaller side is added to them.
            find_images(move, steps[move] & 7, masks[steps[move] >> 3], side == 0 ? taken : 0);
            const u16* without = without_bit(bit) + shared_.begin[bit];
            group_.look(
                more + static_cast<u64>(steps[move] >> 3) * ranks.entries, shared_.end[bit] - shared_.begin[bit],
                [&](int i) { return without[i] - at_.first; }, wanted,
                [&](u32 i) { return rank(ranks, image(side == 0 ? at_.words[i] : at_.words[i] | taken)); }, work);
        }
    }

    // Likewise for the children inside the pair.
    template <class Wanted, class Work>
    INAROW_DEVICE void look_at_steps(Wanted wanted, Work work) {
        const u32* steps = pair_.same + static_cast<u64>(at_.block) * game_.moves;
        for (u32 move = 0; move < game_.moves; ++move) {
            if (!is_step(move)) continue;
            find_images(move, steps[move] & 7, pair_.blocks.masks[steps[move] >> 3], 0);
            const u32 taken = at_.side == 0 ? 0 : local_bit(game_.taken[move]);
            group_.look(
                pair_.entries[1 - at_.side] + static_cast<u64>(steps[move] >> 3) * pair_.ranks.entries, at_.count,
                [](u32 i) { return i; }, [&](u32 i) { return wanted(i) && (at_.words[i] & taken) == taken; },
                [&](u32 i) { return rank(pair_.ranks, image(at_.words[i])); }, work);
        }
    }

    INAROW_DEVICE u32 local_bit(int cell) const { return 1u << bits_of(at_.free & below(cell)); }
    // The numbers of the words without a bit, of which there are the same for every bit; and how many are below one.
    INAROW_DEVICE u32 words_without() const {
        const u32 bits = bits_of(at_.free);
        return pair_.ranks.entries * (bits - bits_of(pair_.words[0])) / bits;
    }
    INAROW_DEVICE const u16* without_bit(int bit) const { return pair_.without + bit * words_without(); }
    INAROW_DEVICE u32 without_below(int bit, u32 number) const {
        const u16* const numbers = without_bit(bit);
        u32 first = 0, end = words_without();
        while (first < end) {
            const u32 middle = (first + end) / 2;
            if (numbers[middle] < number)
                first = middle + 1;
            else
                end = middle;
        }
        return first;
    }
    // Whether a move stays inside the pair: the larger side takes its own tiles, the smaller side others.
    INAROW_DEVICE bool is_step(u32 move) const { return (at_.larger >> game_.taken[move] & 1) == (at_.side == 0); }

    INAROW_DEVICE bool has_local_line(u32 word) const {
        for (u32 i = 0; i < shared_.lines; ++i)
            if ((word & shared_.line[i]) == shared_.line[i]) return true;
        return false;
    }

    // Computes where a move and then a symmetry take the bits of local words, in the block with A = `larger_there`.
    INAROW_DEVICE void find_images(u32 move, u32 symmetry, u32 larger_there, u32 dropped) {
        const u32 free_there = below(game_.cells) & ~larger_there;
        const int bits = bits_of(at_.free);
        group_.each(Images::used(bits) * Images::at_once, [&](int j) {
            const bool kept = j < bits && !(dropped >> j & 1);
            const int there = kept ? game_.symmetry[symmetry][game_.image[move][shared_.cell[j]]] : 0;
            shared_.images.dest[j] = kept ? 1u << bits_of(free_there & below(there)) : 0;
        });
        fill_images(group_, shared_.images, bits);
    }
    INAROW_DEVICE u32 image(u32 word) const { return image_of(shared_.images, word); }

    Group& group_;
    Shared& shared_;
    const Game& game_;
    const Pair& pair_;
    const Slice at_;
};

// The first move of the mover's own tiles, from one on, to a position that was not won before a round; or the number of
// moves, if there is none.
INAROW_DEVICE inline u32 find_escape(const Game& game, const Pair& pair, int side, u32 block, u32 smaller, u32 first,
                                     int round) {
    const u32 won_before = win(round - 1), larger = pair.blocks.masks[block], own = side == 0 ? larger : smaller;
    const u32* steps = pair.same + static_cast<u64>(block) * game.moves;
    for (u32 move = first;; ++move) {
        while (move < game.moves && !(own >> game.taken[move] & 1)) ++move;
        if (move == game.moves) return move;
        const u32 to = steps[move] >> 3, symmetry = steps[move] & 7;
        const u32 larger_there = turned(game, symmetry, moved(game, move, larger));
        const u32 smaller_there = turned(game, symmetry, moved(game, move, smaller));
        const u32 rank = rank_among(game, smaller_there, below(game.cells) & ~larger_there);
        if (pair.entries[1 - side][static_cast<u64>(to) * pair.ranks.entries + rank] < won_before) return move;
    }
}

// Decides what a round decides in a block. It begins with the children that decide something, those lost in the round
// before and those that are not won: a move takes all of them in one block to entries of this one, which are marked.
template <class Group>
class Decider {
  public:
    struct Way {
        Images images;
        u16 list[bits_at_once];
    };
    struct Shared {
        Way way[Group::members];
        u32 marked[Group::block_words];   // entries that a child decides
        u32 open[Group::block_words];     // entries that may be lost
        u32 unwon[max_moves];             // after each of the steps to entries that are not won, how many there are
        u32 near[(max_moves + 31) / 32];  // moves to blocks with new wins
        u32 steps, losing, near_any, alive, refuted, dealt, news, left, decided;
        u8 step[max_moves], with_losses[max_moves];
        u8 cell[32];  // the cells of local bits
    };

    INAROW_DEVICE Decider(Group& group, Shared& shared, const Game& game, const Pair& pair, const Slice& at)
        : group_(group),
          shared_(shared),
          game_(game),
          pair_(pair),
          at_(at),
          places_(pair.same + static_cast<u64>(at.block) * game.moves) {}

    INAROW_DEVICE void decide(int round) {
        look_around(round);
        mark_nothing();
        group_.share(&shared_.dealt, shared_.losing, [&](auto& member, u32 k, u32 i) {
            spread(member, shared_.way[k], shared_.with_losses[i], pair_.lost[1 - at_.side], 0);
        });
        find_won(round);
        find_lost(round);
        group_.each(1, [&](int) {
            if (shared_.left) group_.set_bits(&pair_.open[at_.side][at_.block], 1);
            if (!shared_.news) return;
            group_.set_bits(&pair_.news[at_.side][at_.block], shared_.news);
            group_.raise(&pair_.totals[0], round);
            group_.add(pair_.decided, static_cast<u64>(shared_.decided));
        });
    }

  private:
    static constexpr u32 moves_at_once = 8;
    // To look at the children of an entry takes as long as to take so many entries to this block.
    static constexpr u32 dear = 16;

    // Which moves stay inside the pair, and what the round before decided after them.
    INAROW_DEVICE void look_around(int round) {
        group_.each(1, [&](int) {
            shared_.steps = shared_.losing = shared_.near_any = shared_.refuted = 0;
            shared_.news = shared_.left = shared_.decided = 0;
            for (u32& near : shared_.near) near = 0;
        });
        find_cells(group_, game_, at_.free, shared_.cell);
        group_.each(game_.moves, [&](int move) {
            // The larger side takes its own tiles, the smaller side others.
            if ((at_.larger >> game_.taken[move] & 1) != (at_.side == 0)) return;
            const u32 there = places_[move] >> 3, news = pair_.news[1 - at_.side][there];
            if (const u32 unwon = pair_.unwon[1 - at_.side][there]) {
                const u32 step = group_.count(&shared_.steps);
                shared_.step[step] = static_cast<u8>(move);
                shared_.unwon[step] = unwon;
            }
            if (news & in_round(new_losses, round - 1))
                shared_.with_losses[group_.count(&shared_.losing)] = static_cast<u8>(move);
            if (news & in_round(new_wins, round - 1)) {
                group_.set_bits(&shared_.near[move / 32], 1u << (move & 31));
                shared_.near_any = 1;
            }
        });
    }

    INAROW_DEVICE void mark_nothing() {
        group_.each(words_of(pair_), [&](int i) { shared_.marked[i] = 0; });
    }

    // Decides wins, and finds what may be lost.
    INAROW_DEVICE void find_won(int round) {
        const bool due = is_due(pair_.due[at_.side], at_.block, round), may_lose = due || shared_.near_any;
        const u32 lost_before = round - 1;
        group_.mark(at_.entries, at_.count, shared_.open, [&](int i, u32 entry) {
            if (!is_undecided(entry)) return false;
            if (shared_.marked[i / 32] >> (i & 31) & 1 || (due && entry == lost_before + undecided_from)) {
                at_.entries[i] = static_cast<u16>(win(round));
                note(new_wins, 1, round);
                return false;
            }
            const u32 refuted_by = entry - refuted_from;
            const bool open = may_lose && entry >= may_lose_from(round) &&
                              (entry < refuted_from || shared_.near[refuted_by / 32] >> (refuted_by & 31) & 1);
            if (!open) shared_.left = 1;
            if (open && entry >= refuted_from) shared_.refuted = 1;
            return open;
        });
    }

    // Decides losses: entries of which no child is not won.
    INAROW_DEVICE void find_lost(int round) {
        count_open();
        mark_nothing();
        for (u32 next = 0; shared_.alive; next += moves_at_once) {
            const u32 steps = shared_.steps;
            if (next >= steps) {
                group_.each(words_of(pair_), [&](int i) {
                    for (u32 lost = shared_.open[i]; lost; lost &= lost - 1)
                        at_.entries[i * 32 + lowest_of(lost)] = static_cast<u16>(round);
                    if (shared_.open[i]) note(new_losses, bits_of(shared_.open[i]), round);
                });
                return;
            }
            u32 rest = 0;
            for (u32 i = next; i < steps; ++i) rest += shared_.unwon[i];
            if (shared_.alive * dear < rest) {
                check_open(round);
                return;
            }
            group_.share(&shared_.dealt, steps - next < moves_at_once ? steps - next : moves_at_once,
                         [&](auto& member, u32 k, u32 i) {
                             const u32 move = shared_.step[next + i];
                             spread(member, shared_.way[k], move, pair_.won[1 - at_.side], ~0u);
                         });
            close_marked();
            count_open();
        }
    }

    INAROW_DEVICE void count_open() {
        group_.each(1, [&](int) { shared_.alive = 0; });
        group_.each(words_of(pair_), [&](int i) {
            if (shared_.open[i]) group_.add(&shared_.alive, static_cast<u32>(bits_of(shared_.open[i])));
        });
    }

    // What is marked is not lost. Which move refutes that is not known: what was known of it does not hold any more.
    INAROW_DEVICE void close_marked() {
        group_.each(words_of(pair_), [&](int i) {
            u32 closed = shared_.open[i] & shared_.marked[i];
            if (!closed) return;
            shared_.open[i] ^= closed;
            shared_.left = 1;
            for (; shared_.refuted && closed; closed &= closed - 1) {
                u16& entry = at_.entries[i * 32 + lowest_of(closed)];
                if (entry >= refuted_from) entry = static_cast<u16>(no_seed);
            }
        });
    }

    // Looks at the children of each entry that may be lost.
    INAROW_DEVICE void check_open(int round) {
        const u32 words = words_of(pair_);
        group_.share(&shared_.dealt, (words + 31) / 32, [&](auto& member, u32 k, u32 i) {
            const u32 first = i * 32, end = words - first < 32 ? words : first + 32;
            const auto open = [&](u32 j) { return shared_.open[j]; };
            member.each_bit(first, end, open, shared_.way[k].list, [&](u32 j) {
                u16& entry = at_.entries[j];
                const u32 from = entry < refuted_from ? 0 : entry - refuted_from;
                const u32 smaller = deposit(at_.words[j], at_.free);
                const u32 move = find_escape(game_, pair_, at_.side, at_.block, smaller, from, round);
                entry = static_cast<u16>(move == game_.moves ? round : refuted_from + move);
                if (move == game_.moves)
                    note(new_losses, 1, round);
                else
                    shared_.left = 1;
            });
        });
    }

    // Marks the entries from which a move leads to those of which `bits`, which may be flipped, has bits.
    template <class Member>
    INAROW_DEVICE void spread(Member& member, Way& way, u32 move, const u32* bits, u32 flipped) {
        const u32 there = places_[move] >> 3, symmetry = places_[move] & 7, words = words_of(pair_);
        const u32 free_there = below(game_.cells) & ~pair_.blocks.masks[there];
        const auto moved_to = [&](u32 cell) {
            return 1u << bits_of(free_there & below(game_.symmetry[symmetry][game_.image[move][cell]]));
        };
        member.each(bits_of(at_.free), [&](int j) { way.images.dest[lowest_of(moved_to(shared_.cell[j]))] = 1u << j; });
        fill_images(member, way.images, bits_of(at_.free));
        // A's own tile can be taken whatever B has; B's only where B has it.
        const u32 taken = at_.side == 0 ? 0 : moved_to(game_.taken[move]);
        bits += static_cast<u64>(there) * words;
        const auto word_at = [&](u32 i) {
            const u32 rest = pair_.ranks.entries - i * 32;
            return (bits[i] ^ flipped) & (rest < 32 ? below(static_cast<int>(rest)) : ~0u);
        };
        member.each_bit(0, words, word_at, way.list, [&](u32 i) {
            const u32 word = pair_.words[i];
            if ((word & taken) != taken) return;
            const u32 place = rank(pair_.ranks, image_of(way.images, word));
            member.set_bits(&shared_.marked[place / 32], 1u << (place & 31));
        });
    }

    INAROW_DEVICE void note(u32 news, u32 count, int round) {
        group_.set_bits(&shared_.news, in_round(news, round));
        group_.add(&shared_.decided, count);
    }

    Group& group_;
    Shared& shared_;
    const Game& game_;
    const Pair& pair_;
    const Slice at_;
    const u32* const places_;  // where each move takes A
};

// Tells other blocks what a round decided in one.
template <class Group>
INAROW_DEVICE inline void publish_block(Group& group, const Pair& pair, int side, u32 block, int round, u32* unwon) {
    const u32 news = pair.news[side][block], words = words_of(pair);
    const bool wins = round == 0 || news & in_round(new_wins, round);
    const u16* entries = pair.entries[side] + static_cast<u64>(block) * pair.ranks.entries;
    const u64 first = static_cast<u64>(block) * words;
    if (news & in_round(new_losses, round))
        group.mark(entries, pair.ranks.entries, pair.lost[side] + first,
                   [=](int, u32 entry) { return entry == static_cast<u32>(round); });
    if (!wins) return;
    u32* won = pair.won[side] + first;
    group.mark(entries, pair.ranks.entries, won, [=](int, u32 entry) { return entry >= won_from; });
    group.each(1, [&](int) { *unwon = pair.ranks.entries; });
    group.each(words, [&](int i) { group.add(unwon, static_cast<u32>(-bits_of(won[i]))); });
    group.each(1, [&](int) { pair.unwon[side][block] = *unwon; });
}

// How a side is followed in a round. The wins of one side are followed unless the other side is checked.
constexpr u32 follow_wins = 1;  // to the entries from which moves lead there
constexpr u32 check_all = 2;    // whether entries are lost, wherever they may be

// What a round did, for the host to choose how the next is followed.
struct Tally {
    u32 won[2], checked, decided;
};
template <class Group>
INAROW_DEVICE inline void report(Group& group, const Tally& tally, const Pair& pair, int side, int round) {
    for (u32 i = 0; i < 2; ++i)
        if (tally.won[i]) group.add(&pair.followed[i], static_cast<u64>(tally.won[i]));
    if (tally.checked) group.add(&pair.followed[2 + side], static_cast<u64>(tally.checked));
    if (tally.decided) group.raise(&pair.totals[0], static_cast<u32>(round));
}

// Decides what follows, in a round, from what the round before decided in a slice: entries of the other plane from
// which moves lead there. Less work than visiting every block if few entries were decided.
template <class Group>
class Follower {
  public:
    static constexpr u32 at_once = 256;
    // A move that may have led here, and where it came from: where A was does not depend on B.
    struct Way {
        u32 origin;  // as in Pair::where; and is_symmetric
        u32 free;    // the free cells of that block; and the move
    };
    struct Shared {
        u32 found[grain];  // B, and is_loss; from the end on, entries of this slice that are to be checked
        Way way[max_moves];
        u32 listed, ways, queued;
        u16 queue[at_once];  // the edges back to entries that are to be decided or checked
    };

    INAROW_DEVICE Follower(Group& group, Shared& shared, const Game& game, const Pair& pair, const Slice& at,
                           Tally& tally)
        : group_(group), shared_(shared), game_(game), pair_(pair), at_(at), tally_(tally) {}

    // Records what a round decided here, when seeds fall due after it, and whether entries may be lost before.
    INAROW_DEVICE void note(int round) {
        group_.each(due_words + 1, [&](int i) { shared_.found[i] = 0; });
        u32& news = shared_.found[due_words];
        group_.scan(at_.entries, at_.count, [&](int, u32 entry) {
            if (entry == static_cast<u32>(round)) group_.set_bits(&news, in_round(new_losses, round));
            if (entry == win(round)) {
                group_.set_bits(&news, in_round(new_wins, round));
                group_.count(&tally_.won[at_.side]);
            }
            if (!is_undecided(entry)) return;
            const int due = due_round(entry);
            if (due > round) group_.set_bits(&shared_.found[(due >> 5) % due_words], 1u << (due & 31));
            if (entry < may_lose_from(round)) return;
            group_.set_bits(&news, may_be_lost);
            group_.count(&tally_.checked);
        });
        const u64 grain = this_grain();
        group_.each(due_words, [&](int i) { pair_.grain_due[at_.side][grain * due_words + i] = shared_.found[i]; });
        group_.each(1, [&](int) { pair_.grain_news[at_.side][grain] = news; });
    }

    // Also decides what falls due here.
    INAROW_DEVICE void follow(int round, u32 how) {
        find(round, how);
        group_.each(shared_.queued, [&](int k) {
            const u32 i = shared_.found[grain - 1 - k], entry = at_.entries[i];
            const Place at{at_.side, at_.block, at_.first + i, deposit(at_.words[i], at_.free)};
            if (is_undecided(entry)) check(at, entry, round);  // not if it was decided with an image of it
        });
        const u32 listed = shared_.listed;
        if (!listed) return;
        group_.each(listed, [&](int k) {
            const u32 found = shared_.found[k];
            shared_.found[k] = deposit(at_.words[found & ~is_loss], at_.free) | (found & is_loss);
        });
        find_ways();
        const u32 edges = listed * shared_.ways;
        const u32 inverse = (1u << 31) / listed + 1;  // exact for so few edges, and faster than to divide
        // Few edges lead to something to do, which takes long: they are collected first, so that no thread waits.
        for (u32 first = 0; first < edges; first += at_once) {
            const auto edge_at = [&](u32 k) {
                const u32 way = static_cast<u32>(u64{first + k} * inverse >> 31);
                return Edge{k, way, shared_.found[first + k - way * listed]};
            };
            group_.each(1, [&](int) { shared_.queued = 0; });
            group_.look(
                pair_.entries[1 - at_.side], edges - first < at_once ? edges - first : at_once, edge_at,
                [&](const Edge& edge) { return is_possible(edge); },
                [&](const Edge& edge) {
                    const Place from = origin(edge);
                    return static_cast<u64>(from.block) * pair_.ranks.entries + from.rank;
                },
                [&](const Edge& edge, u32 entry) {
                    if (is_to_do(edge, entry, round))
                        shared_.queue[group_.count(&shared_.queued)] = static_cast<u16>(edge.number);
                });
            group_.each(shared_.queued, [&](int k) {
                const Edge edge = edge_at(shared_.queue[k]);
                const Place from = origin(edge);
                const u32 entry = entry_at(from);
                if (!is_undecided(entry)) return;
                if (edge.found & is_loss)
                    decide(from, win(round), round);
                else
                    check(from, entry, round);
            });
        }
    }

  private:
    static constexpr u32 is_loss = 1u << 31, is_symmetric = 1u << 31;
    static constexpr int move_from = 25;  // the first bit of the move in Way::free
    static_assert(max_cells <= move_from && max_moves <= 1 << (32 - move_from));

    // An entry, and B there.
    struct Place {
        int side;
        u32 block, rank, smaller;
    };
    // One of the ways to something that was found.
    struct Edge {
        u32 number, way, found;
    };

    INAROW_DEVICE const Way& way_of(const Edge& edge) const { return shared_.way[edge.way]; }
    INAROW_DEVICE u32 move_of(const Edge& edge) const { return way_of(edge).free >> move_from; }
    INAROW_DEVICE u32 symmetry_of(const Edge& edge) const { return way_of(edge).origin & 7; }
    INAROW_DEVICE u32 this_grain() const { return at_.block * grains_of(pair_) + at_.first / grain; }
    INAROW_DEVICE u16& entry_at(const Place& at) const {
        return pair_.entries[at.side][static_cast<u64>(at.block) * pair_.ranks.entries + at.rank];
    }
    INAROW_DEVICE void tell(const Place& at, u32 news) const {
        group_.set_bits(&pair_.grain_news[at.side][at.block * grains_of(pair_) + at.rank / grain], news);
    }

    // Finds what the round before decided here, and what is to be checked; decides the wins that fall due.
    INAROW_DEVICE void find(int round, u32 how) {
        const bool due = is_due(pair_.grain_due[at_.side], this_grain(), round);
        const u32 lost_before = round - 1, won_before = how & follow_wins ? win(round - 1) : lost_before;
        const u32 due_win = due ? lost_before + undecided_from : lost_before, due_loss = may_lose_from(round);
        const u32 to_check = how & check_all ? won_from - due_loss : due ? 1 : 0;  // so many values from due_loss on
        group_.each(1, [&](int) { shared_.listed = shared_.queued = 0; });
        group_.scan(at_.entries, at_.count, [&](int i, u32 entry) {
            if (entry == lost_before || entry == won_before) {
                shared_.found[group_.count(&shared_.listed)] = i | (entry == lost_before ? is_loss : 0);
            } else if (entry == due_win) {
                decide_one({at_.side, at_.block, at_.first + i, 0}, win(round), round);
            } else if (entry - due_loss < to_check) {
                shared_.found[grain - 1 - group_.count(&shared_.queued)] = i;
            }
        });
        if (how & check_all) group_.each(1, [&](int) { group_.add(&tally_.checked, shared_.queued); });
    }

    // The other side moved last, and pushed in a tile of its own.
    INAROW_DEVICE void find_ways() {
        const int mover = 1 - at_.side;
        group_.each(1, [&](int) { shared_.ways = 0; });
        group_.each(game_.moves, [&](int move) {
            if ((at_.larger >> game_.pushed[move] & 1) != (mover == 0)) return;
            const u32 before = unmoved(game_, move, at_.larger), origin = pair_.where[before];
            if (pair_.blocks.lined[origin >> 3]) return;  // the game was over
            const u32 free = below(game_.cells) & ~turned(game_, origin & 7, before);
            shared_.way[group_.count(&shared_.ways)] = {
                origin | (pair_.blocks.fixing[origin >> 3] == 1 ? 0 : is_symmetric), free | static_cast<u32>(move)
                                                                                                << move_from};
        });
    }
    INAROW_DEVICE bool is_possible(const Edge& edge) const {
        return at_.side == 1 || edge.found >> game_.pushed[move_of(edge)] & 1;
    }
    INAROW_DEVICE Place origin(const Edge& edge) const {
        const u32 before = unmoved(game_, move_of(edge), edge.found & ~is_loss);
        const u32 block = (way_of(edge).origin & ~is_symmetric) >> 3,
                  smaller = turned(game_, symmetry_of(edge), before);
        return {1 - at_.side, block, rank_among(game_, smaller, way_of(edge).free & below(move_from)), smaller};
    }
    // Whether an entry is won now that a child is lost, or may be lost now that one is won.
    INAROW_DEVICE bool is_to_do(const Edge& edge, u32 entry, int round) const {
        if (!is_undecided(entry)) return false;
        if (edge.found & is_loss) return true;
        if (entry < may_lose_from(round)) return false;
        // A block with a symmetric A also holds images of the position, each refuted by an image of the move.
        return entry < refuted_from || way_of(edge).origin & is_symmetric ||
               entry == refuted_from + game_.turned_move[symmetry_of(edge)][move_of(edge)];
    }
    // Decides an entry that is lost; if not, keeps the move that refutes it, unless the entry was won meanwhile.
    INAROW_DEVICE void check(const Place& at, u32 entry, int round) {
        const u32 first = entry < refuted_from ? 0 : entry - refuted_from;
        const u32 move = find_escape(game_, pair_, at.side, at.block, at.smaller, first, round);
        if (move == game_.moves) {
            decide(at, round, round);
        } else {
            group_.replace(&entry_at(at), entry, refuted_from + move);
            tell(at, may_be_lost);
        }
    }

    INAROW_DEVICE void decide_one(const Place& at, u32 value, int round) {
        const bool won = value >= won_from;
        entry_at(at) = static_cast<u16>(value);
        tell(at, in_round(won ? new_wins : new_losses, round));
        if (won) group_.count(&tally_.won[at.side]);
        tally_.decided = 1;
    }
    // A block with a symmetric A also holds the images of a position.
    INAROW_DEVICE void decide(const Place& at, u32 value, int round) {
        u32 fixing = pair_.blocks.fixing[at.block];
        if (fixing == 1) return decide_one(at, value, round);
        const u32 free = below(game_.cells) & ~pair_.blocks.masks[at.block];
        for (; fixing; fixing &= fixing - 1) {
            const u32 image = turned(game_, lowest_of(fixing), at.smaller);
            decide_one({at.side, at.block, rank_among(game_, image, free), image}, value, round);
        }
    }

    Group& group_;
    Shared& shared_;
    const Game& game_;
    const Pair& pair_;
    const Slice at_;
    Tally& tally_;
};

// Whether a block has to be visited in a round. Clears its news of the round before last, and marks it as finished
// until a slice finds undecided entries.
INAROW_DEVICE inline bool is_active(const Game& game, const Pair& pair, int side, u32 block, int round) {
    u32& news = pair.news[side][block];
    news &= ~in_round(new_wins | new_losses, round);
    if (!pair.open[side][block]) return false;
    bool active = is_due(pair.due[side], block, round);
    const u32 larger = pair.blocks.masks[block], wanted = in_round(new_wins | new_losses, round - 1);
    for (u32 move = 0; move < game.moves && !active; ++move)
        active = (larger >> game.taken[move] & 1) == (side == 0) &&
                 pair.news[1 - side][pair.same[static_cast<u64>(block) * game.moves + move] >> 3] & wanted;
    if (active) pair.open[side][block] = 0;
    return active;
}

// Whether a grain has to be looked at in a round; clears its news likewise.
INAROW_DEVICE inline bool is_source(const Pair& pair, int side, u32 grain, int round, u32 how) {
    u32& news = pair.grain_news[side][grain];
    news &= ~in_round(new_wins | new_losses, round);
    const u32 decided = new_losses | (how & follow_wins ? new_wins : 0);
    const u32 wanted = in_round(decided, round - 1) | (how & check_all ? may_be_lost : 0);
    return news & wanted || is_due(pair.grain_due[side], grain, round);
}

}  // namespace inarow::quixo::gpu
