// What a group of threads does to a slice of a block: a warp or a thread block of a GPU, or one thread of a CPU. nvrtc
// compiles it too, so it includes nothing.
//
// The work is written in phases. In each phase it is distributed among the threads of the group, and the phase ends
// when all of it is done:
//
//   group.each(n, f)                       f(i) for i = 0 … n-1
//   group.scan(values, n, f)               f(i, values[i])
//   group.look(values, n, wanted, at, f)   f(i, values[at(i)]) where wanted(i); at(i) must be valid for every i
//   group.count(&counter)                  in a phase: adds one, and returns the counter as it was
//
// `scan` and `look` keep many loads in flight: memory is what this work waits for.
//
// Entries have two bytes. A decided one is as on disk: Loss in p is p, Win in p is 65535 - p. Until it is decided, an
// entry holds its seed, the least entry among its children with a new mark, moved to the middle of the range. There it
// reads as neither lost nor won, and no second array is needed.
//
//          0 … 16383   Loss in so many plies
//      16384 … 32766   undecided: a child with a new mark is lost in (entry - 16384)
//              32767   undecided: the best child with a new mark is a draw; in the end: Draw
//      32768 … 49151   undecided: all children with a new mark are won, the longest in (49151 - entry)
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

constexpr int max_cells = 25, max_moves = 68, max_lines = 72;  // as in board.hpp
constexpr u32 grain = 512;                                     // entries of a block that are followed together
constexpr u32 undecided_from = 16384, draw = 32767, won_from = 49152, top = 65535;
constexpr u32 no_seed = won_from - 1;  // of an entry without children that have a new mark

INAROW_DEVICE inline u32 win(u32 plies) { return top - plies; }
INAROW_DEVICE inline bool is_undecided(u32 entry) { return entry >= undecided_from && entry < won_from; }
INAROW_DEVICE inline u32 as_seed(u32 solved) {
    return solved < undecided_from ? solved + undecided_from : solved >= won_from ? solved - undecided_from : draw;
}

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
    u32 cells, moves, lines, symmetries, double_line_wins;
    u32 line[max_lines];
    u32 segment[max_moves];                    // the cells whose tiles a move shifts
    u32 choose[max_cells + 1][max_cells + 1];  // [k][n]: the number of ways to choose k of n
    u32 turned[8][4][128];                     // [symmetry][which seven bits][bits]: where a symmetry takes them
    signed char shift[max_moves];              // how far a move shifts them, toward higher bits if positive
    u8 taken[max_moves], pushed[max_moves];
    u8 image[max_moves][max_cells];  // where a move takes a cell
    u8 symmetry[8][max_cells];       // where a symmetry takes a cell
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
    u32 rank = 0;
    for (u32 k = 1; mask; mask &= mask - 1, ++k) rank += game.choose[k][bits_of(places & below(lowest_of(mask)))];
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
    Ranks ranks;               // of this pair
    Ranks more_ranks[2];       // of the pairs that a new mark leads to: {a+1, b} and {a, b+1}
    const u16* more[2];        // plane 1 of {a+1, b} and plane 0 of {a, b+1}, or null
    u16* entries[2];           // the two planes
    u32* news[2];              // for each block, whether the last two rounds decided wins or losses
    u32* open[2];              // for each block, whether entries are undecided
    u32* due[2];               // for each block, the rounds (modulo 256) in which a seed falls due
    u32* grain_news[2];        // like news and due, for each grain of entries
    u32* grain_due[2];
    u32* totals;   // [0] the last round that decided something, [1] the last in which a seed falls due
    u64* decided;  // how many entries the visits have decided
};

static_assert(sizeof(Pair) == 296, "solver/engines/gpu_pairs.py lays it out by the byte");

INAROW_DEVICE inline u32 grains_of(const Pair& pair) { return (pair.ranks.entries + grain - 1) / grain; }

constexpr u32 due_words = 8;
// The round in which a seed falls due.
INAROW_DEVICE inline u32 due_round(u32 seed) { return seed < draw ? seed - undecided_from + 1 : won_from - seed; }
INAROW_DEVICE inline bool is_due(const u32* due, u32 which, int round) {
    return due[static_cast<u64>(which) * due_words + (round >> 5) % due_words] >> (round & 31) & 1;
}

constexpr u32 new_wins = 1, new_losses = 2;
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

// A set of moves.
class MoveSet {
  public:
    INAROW_DEVICE void add(u32 move) { (move < 64 ? low_ : high_) |= 1ull << (move & 63); }
    INAROW_DEVICE bool has(u32 move) const { return (move < 64 ? low_ : high_) >> (move & 63) & 1; }
    INAROW_DEVICE bool empty() const { return !(low_ | high_); }

  private:
    u64 low_ = 0, high_ = 0;
};

// Seeds and visits a slice: every undecided entry reads its children.
template <class Group>
class Visitor {
  public:
    struct Shared {
        u32 images[2][256];   // where the low and the next bits of a local word go
        u32 dest[32];         // the local bit that each local bit goes to, as a mask; 0 if it is dropped
        u32 line[max_lines];  // local words of the lines on free cells
        u32 lines, listed, alive, news, left, decided, latest, due[due_words];
        u16 list[Group::slice];  // entries to visit, or seeds
        u8 state[Group::slice];
        u8 cell[32];  // the cells of local bits
    };

    INAROW_DEVICE Visitor(Group& group, Shared& shared, const Game& game, const Pair& pair, const Slice& at)
        : group_(group),
          shared_(shared),
          game_(game),
          pair_(pair),
          at_(at),
          half_((bits_of(at.free) + 1) / 2 < 8 ? (bits_of(at.free) + 1) / 2 : 8) {
        group_.each(game.cells, [&](int cell) {
            if (at.free >> cell & 1) shared_.cell[bits_of(at.free & below(cell))] = static_cast<u8>(cell);
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
            if (lined || smaller_lined) {
                const bool mover = side == 0 ? lined : smaller_lined, both = lined && smaller_lined;
                entry = (both ? !game_.double_line_wins : mover) ? win(0) : 0;
            }
            seeds[i] = static_cast<u16>(entry);
        });
        if (!lined)
            look_at_new_marks([&](int i) { return is_undecided(seeds[i]); },
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

    // Decides what a round decides.
    INAROW_DEVICE void visit(int round) {
        const bool due = is_due(pair_.due[at_.side], at_.block, round);
        bool may_lose = due;
        const u32* steps = pair_.same + static_cast<u64>(at_.block) * game_.moves;
        MoveSet with_losses;
        for (u32 move = 0; move < game_.moves; ++move) {
            if (!is_step(move)) continue;
            const u32 news = pair_.news[1 - at_.side][steps[move] >> 3];
            if (news & in_round(new_losses, round - 1)) with_losses.add(move);
            if (news & in_round(new_wins, round - 1)) may_lose = true;
        }
        const u32 lost_before = round - 1, won_before = win(round - 1);
        group_.each(1,
                    [&](int) { shared_.listed = shared_.alive = shared_.news = shared_.left = shared_.decided = 0; });
        group_.scan(at_.entries, at_.count, [&](int i, u32 entry) {
            if (!is_undecided(entry)) return;
            const bool won = due && entry == lost_before + undecided_from;
            const bool candidate = !won && may_lose && entry >= won_before - undecided_from;
            if (!won && !candidate && with_losses.empty()) {
                shared_.left = 1;
                return;
            }
            const u32 place = group_.count(&shared_.listed);
            shared_.list[place] = static_cast<u16>(i);
            shared_.state[place] = won ? is_won : candidate ? may_be_lost : neither;
            if (candidate) group_.add(&shared_.alive, 1);
        });
        const u32 listed = shared_.listed;
        for (u32 move = 0; listed && move < game_.moves; ++move) {
            if (!is_step(move)) continue;
            const bool look_for_losses = with_losses.has(move);
            if (!look_for_losses && !shared_.alive) continue;
            find_images(move, steps[move] & 7, pair_.blocks.masks[steps[move] >> 3], 0);
            // A's own tile can be taken whatever B has; B's only where B has it.
            const u32 taken = at_.side == 0 ? 0 : local_bit(game_.taken[move]);
            group_.look(
                pair_.entries[1 - at_.side] + static_cast<u64>(steps[move] >> 3) * pair_.ranks.entries, listed,
                [&](int k) {
                    const u8 state = shared_.state[k];
                    if (state == is_won || (state == neither && !look_for_losses)) return false;
                    return (at_.words[shared_.list[k]] & taken) == taken;
                },
                [&](int k) { return rank(pair_.ranks, image(at_.words[shared_.list[k]])); },
                [&](int k, u32 child) {
                    const u8 state = shared_.state[k];
                    const bool won = look_for_losses && child == lost_before;
                    if (!won && (state == neither || child >= won_before)) return;
                    shared_.state[k] = won ? is_won : neither;
                    if (state == may_be_lost) group_.add(&shared_.alive, ~0u);
                });
        }
        group_.each(listed, [&](int k) {
            const u8 state = shared_.state[k];
            if (state == neither) {
                shared_.left = 1;
                return;
            }
            at_.entries[shared_.list[k]] = static_cast<u16>(state == is_won ? win(round) : round);
            group_.add(&shared_.decided, 1);
            group_.set_bits(&shared_.news, in_round(state == is_won ? new_wins : new_losses, round));
        });
        group_.each(1, [&](int) {
            if (shared_.left) group_.set_bits(&pair_.open[at_.side][at_.block], 1);
            if (!shared_.news) return;
            group_.set_bits(&pair_.news[at_.side][at_.block], shared_.news);
            group_.raise(&pair_.totals[0], round);
            group_.add(pair_.decided, static_cast<u64>(shared_.decided));
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

  protected:
    static constexpr u8 may_be_lost = 0, is_won = 1, neither = 2;

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
            const u32 taken = local_bit(game_.taken[move]);
            // A new mark of the larger side leaves the cells of local words; one of the smaller side is added to them.
            find_images(move, steps[move] & 7, masks[steps[move] >> 3], side == 0 ? taken : 0);
            group_.look(
                more + static_cast<u64>(steps[move] >> 3) * ranks.entries, at_.count,
                [&](int i) { return wanted(i) && !(at_.words[i] & taken); },
                [&](int i) { return rank(ranks, image(side == 0 ? at_.words[i] : at_.words[i] | taken)); }, work);
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
                [&](int i) { return wanted(i) && (at_.words[i] & taken) == taken; },
                [&](int i) { return rank(pair_.ranks, image(at_.words[i])); }, work);
        }
    }

    INAROW_DEVICE u32 local_bit(int cell) const { return 1u << bits_of(at_.free & below(cell)); }
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
        group_.each(bits, [&](int j) {
            const int there = game_.symmetry[symmetry][game_.image[move][shared_.cell[j]]];
            shared_.dest[j] = dropped >> j & 1 ? 0 : 1u << bits_of(free_there & below(there));
        });
        group_.each(2, [&](int half) { shared_.images[half][0] = 0; });
        for (int j = 0; j < half_; ++j)
            group_.each(2u << j, [&](int i) {
                const u32 word = i >> 1, half = i & 1, bit = half * half_ + j;
                if (static_cast<int>(bit) < bits)
                    shared_.images[half][1u << j | word] = shared_.images[half][word] | shared_.dest[bit];
            });
    }
    INAROW_DEVICE u32 image(u32 word) const {
        const u32 low = below(half_);
        u32 result = shared_.images[0][word & low] | shared_.images[1][word >> half_ & low];
        for (word &= ~below(2 * half_); word; word &= word - 1) result |= shared_.dest[lowest_of(word)];
        return result;
    }

    // Records which seeds there are.
    INAROW_DEVICE void note_seeds(const u16* seeds) {
        group_.each(1, [&](int) {
            shared_.left = shared_.news = shared_.latest = 0;
            for (u32 i = 0; i < due_words; ++i) shared_.due[i] = 0;
        });
        group_.each(at_.count, [&](int i) {
            const u32 entry = seeds[i];
            if (!is_undecided(entry)) {
                group_.set_bits(&shared_.news, in_round(entry >= won_from ? new_wins : new_losses, 0));
                return;
            }
            shared_.left = 1;
            if (entry == draw) return;
            const u32 due = due_round(entry);
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

    Group& group_;
    Shared& shared_;
    const Game& game_;
    const Pair& pair_;
    const Slice at_;
    const int half_;  // the number of bits of a local word whose images share a table
};

// Decides what follows, in a round, from what the round before decided in a slice: entries of the other plane from
// which moves lead there. Less work than visiting every block if few entries were decided.
template <class Group>
class Follower {
  public:
    struct Shared {
        u32 found[grain];       // B, and is_loss
        u32 origin[max_moves];  // for each move that may have led here, where A was, as in Pair::where
        u32 listed, ways;
        u8 way[max_moves];  // these moves
    };

    INAROW_DEVICE Follower(Group& group, Shared& shared, const Game& game, const Pair& pair, const Slice& at)
        : group_(group), shared_(shared), game_(game), pair_(pair), at_(at) {}

    // Records what a round decided here, and when seeds fall due after it.
    INAROW_DEVICE void note(int round) {
        group_.each(due_words + 1, [&](int i) { shared_.found[i] = 0; });
        group_.scan(at_.entries, at_.count, [&](int, u32 entry) {
            if (entry == static_cast<u32>(round) || entry == win(round)) shared_.found[due_words] = 1u << (round & 1);
            if (!is_undecided(entry) || entry == draw) return;
            const int due = due_round(entry);
            if (due > round) group_.set_bits(&shared_.found[(due >> 5) % due_words], 1u << (due & 31));
        });
        const u64 grain = this_grain();
        group_.each(due_words, [&](int i) { pair_.grain_due[at_.side][grain * due_words + i] = shared_.found[i]; });
        group_.each(1, [&](int) { pair_.grain_news[at_.side][grain] = shared_.found[due_words]; });
    }

    // Also decides what falls due here.
    INAROW_DEVICE void follow(int round) {
        const bool due = is_due(pair_.grain_due[at_.side], this_grain(), round);
        const u32 lost_before = round - 1, won_before = win(round - 1);
        group_.each(1, [&](int) { shared_.listed = shared_.ways = 0; });
        group_.scan(at_.entries, at_.count, [&](int i, u32 entry) {
            if (entry == lost_before || entry == won_before) {
                const u32 mark = entry == lost_before ? is_loss : 0;
                shared_.found[group_.count(&shared_.listed)] = deposit(at_.words[i], at_.free) | mark;
            } else if (due && entry == lost_before + undecided_from) {
                decide(at_.side, at_.block, at_.first + i, win(round), round);
            } else if (due && entry == won_before - undecided_from &&
                       !escapes(at_.side, at_.larger, deposit(at_.words[i], at_.free), round)) {
                decide(at_.side, at_.block, at_.first + i, round, round);
            }
        });
        if (!shared_.listed) return;
        // The other side moved last, and pushed in a tile of its own. Where A was does not depend on B.
        const int mover = 1 - at_.side;
        group_.each(game_.moves, [&](int move) {
            if ((at_.larger >> game_.pushed[move] & 1) != (mover == 0)) return;
            const u32 way = group_.count(&shared_.ways);
            shared_.way[way] = static_cast<u8>(move);
            shared_.origin[way] = pair_.where[unmoved(game_, move, at_.larger)];
        });
        const u32 ways = shared_.ways;
        group_.each(shared_.listed * ways, [&](int k) {
            const u32 found = shared_.found[k / ways], way = k % ways, move = shared_.way[way];
            if (mover == 1 && !(found >> game_.pushed[move] & 1)) return;
            const u32 block = shared_.origin[way] >> 3, larger = pair_.blocks.masks[block];
            const u32 free = below(game_.cells) & ~larger;
            const u32 smaller = turned(game_, shared_.origin[way] & 7, unmoved(game_, move, found & ~is_loss));
            const u32 entry = entry_at(mover, block, rank_among(game_, smaller, free));
            if (!is_undecided(entry)) return;
            const bool won = found & is_loss;
            if (!won && (entry < won_before - undecided_from || escapes(mover, larger, smaller, round))) return;
            // A block with a symmetric A also holds the images of a position.
            for (u32 fixing = pair_.blocks.fixing[block]; fixing; fixing &= fixing - 1) {
                const u32 image = turned(game_, lowest_of(fixing), smaller);
                decide(mover, block, rank_among(game_, image, free), won ? win(round) : round, round);
            }
        });
    }

  private:
    static constexpr u32 is_loss = 1u << 31;

    INAROW_DEVICE u32 this_grain() const { return at_.block * grains_of(pair_) + at_.first / grain; }
    INAROW_DEVICE u32 entry_at(int side, u32 block, u32 place) const {
        return pair_.entries[side][static_cast<u64>(block) * pair_.ranks.entries + place];
    }
    INAROW_DEVICE void decide(int side, u32 block, u32 place, u32 value, int round) {
        pair_.entries[side][static_cast<u64>(block) * pair_.ranks.entries + place] = static_cast<u16>(value);
        group_.set_bits(&pair_.grain_news[side][block * grains_of(pair_) + place / grain], 1u << (round & 1));
        group_.raise(&pair_.totals[0], round);
    }

    // Whether a move of the mover's own tiles leads to a position that was not won before this round.
    INAROW_DEVICE bool escapes(int mover, u32 larger, u32 smaller, int round) const {
        const u32 won_before = win(round - 1), own = mover == 0 ? larger : smaller;
        for (u32 move = 0; move < game_.moves; ++move) {
            if (!(own >> game_.taken[move] & 1)) continue;
            const u32 place = pair_.where[moved(game_, move, larger)], block = place >> 3;
            const u32 there = turned(game_, place & 7, moved(game_, move, smaller));
            const u32 rank = rank_among(game_, there, below(game_.cells) & ~pair_.blocks.masks[block]);
            if (entry_at(1 - mover, block, rank) < won_before) return true;
        }
        return false;
    }

    Group& group_;
    Shared& shared_;
    const Game& game_;
    const Pair& pair_;
    const Slice at_;
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

// Whether a grain has to be followed in a round; clears its news likewise.
INAROW_DEVICE inline bool is_source(const Pair& pair, int side, u32 grain, int round) {
    u32& news = pair.grain_news[side][grain];
    news &= ~(1u << (round & 1));
    return news || is_due(pair.grain_due[side], grain, round);
}

}  // namespace inarow::quixo::gpu
