// What is done to a slice of a block, on boards up to 5x5, by a team: the 32 threads of a warp on a GPU, or one thread
// of a CPU. nvrtc compiles it as well, so nothing is included.
//
// It is written in phases: team.each(n, f) calls f(0) … f(n-1), shared out among the team, and returns when all are
// done.
//
// Entries have two bytes. A decided one is as on disk: Loss in p is p, Win in p is 65535 - p. Until it is decided, an
// entry holds its seed, the least entry among its children with a new mark, moved to the middle of the range; so it is
// neither lost nor won to whoever looks at it, and no second array is needed.
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

namespace inarow::quixo::blocks {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int max_cells = 25, max_moves = 44, max_lines = 48;
constexpr u32 slice_size = 1024;
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

struct Game {
    u32 cells, moves, lines, double_line_wins;
    u32 line[max_lines];
    u8 taken[max_moves];
    u8 image[max_moves][max_cells];  // where a move takes a cell
    u8 symmetry[8][max_cells];       // where a symmetry takes a cell
};

INAROW_DEVICE inline u32 mapped(const u8* to, u32 mask) {
    u32 image = 0;
    for (; mask; mask &= mask - 1) image |= 1u << to[lowest_of(mask)];
    return image;
}
INAROW_DEVICE inline bool has_line(const Game& game, u32 mask) {
    for (u32 i = 0; i < game.lines; ++i)
        if ((mask & game.line[i]) == game.line[i]) return true;
    return false;
}
// The smallest image of a mask, and a symmetry that takes it there, as image << 3 | symmetry.
INAROW_DEVICE inline u32 canonical(const Game& game, u32 mask) {
    u32 best = ~0u;
    for (u32 g = 0; g < 8; ++g) {
        const u32 image = mapped(game.symmetry[g], mask) << 3 | g;
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
    const u8* lined;  // A has a line
    u64 count;
};

struct Pair {
    Blocks blocks, grown;      // of a and of a + 1 marks
    const u32* where;          // for every mask its block << 3 | symmetry that takes it there
    const u32 *same, *larger;  // [block][move]: where A goes, and where it goes with the taken tile, likewise
    const u32* words;          // the local words of a block, in the order of its entries
    Ranks ranks;               // of this pair
    Ranks more_ranks[2];       // of the pairs that a new mark leads to: {a+1, b} and {a, b+1}
    const u16* more[2];        // plane 1 of {a+1, b} and plane 0 of {a, b+1}, or null
    u16* entries[2];           // the two planes
    u32* news[2];              // for each block, what the last two rounds decided
    u32* open[2];              // for each block, whether entries are undecided
    u32* due[2];  // for each block, the rounds (modulo 64) in which a win (2 words) or a loss (2) falls due
    u32* totals;  // [0] the last round that decided something, [1] the last in which a seed falls due
};

static_assert(sizeof(Game) == 16 + 192 + 44 + 1100 + 200 && sizeof(Pair) == 240, "callers lay them out by the byte");

constexpr u32 new_wins = 1, new_losses = 2;
INAROW_DEVICE inline u32 in_round(u32 news, int round) { return news << (round & 1) * 2; }

struct Shared {
    u32 dest[32];         // the local bit, as a mask, that each local bit goes to; 0 if it is dropped
    u32 line[max_lines];  // local words of the lines on free cells
    u32 lines, listed, alive, news, left, latest, due[4];
    u8 cell[32];  // the cells of local bits
    u8 state[slice_size];
    u16 list[slice_size];
};

// Where a block goes by a move: its A as it is, and with the taken tile.
INAROW_DEVICE inline void fill_step(const Game& game, const u32* masks, const u32* where, u32 step, u32* same,
                                    u32* larger) {
    const u32 move = step % game.moves, mask = masks[step / game.moves];
    same[step] = where[mapped(game.image[move], mask)];
    larger[step] = where[mapped(game.image[move], mask | 1u << game.taken[move])];
}

// A team at work on entries first … last-1 of a block.
template <class Team>
class Slice {
  public:
    INAROW_DEVICE Slice(Team& team, Shared& shared, const Game& game, const Pair& pair, int side, u32 block, u32 slice)
        : team_(team),
          shared_(shared),
          game_(game),
          pair_(pair),
          side_(side),
          block_(block),
          first_(slice * slice_size),
          count_(pair.ranks.entries - first_ < slice_size ? pair.ranks.entries - first_ : slice_size),
          larger_(pair.blocks.masks[block]),
          free_(below(game.cells) & ~larger_),
          entries_(pair.entries[side] + static_cast<u64>(block) * pair.ranks.entries + first_),
          words_(pair.words + first_) {
        team_.each(game.cells, [&](int cell) {
            if (free_ >> cell & 1) shared_.cell[bits_of(free_ & below(cell))] = static_cast<u8>(cell);
        });
    }

    // Lines and seeds.
    INAROW_DEVICE void seed() {
        team_.each(1, [&](int) { shared_.lines = 0; });
        team_.each(game_.lines, [&](int i) {
            if (!(game_.line[i] & larger_)) shared_.line[team_.add(&shared_.lines, 1)] = extract(game_.line[i], free_);
        });
        const bool lined = pair_.blocks.lined[block_];
        team_.each(count_, [&](int i) {
            u32 entry = no_seed;
            const bool smaller_lined = has_local_line(words_[i]);
            if (lined || smaller_lined) {
                const bool mover = side_ == 0 ? lined : smaller_lined, both = lined && smaller_lined;
                entry = (both ? !game_.double_line_wins : mover) ? win(0) : 0;
            }
            entries_[i] = static_cast<u16>(entry);
        });
        const u16* more = pair_.more[side_];
        const Ranks& ranks = pair_.more_ranks[side_];
        const u32* steps = (side_ == 0 ? pair_.larger : pair_.same) + static_cast<u64>(block_) * game_.moves;
        const u32* masks = (side_ == 0 ? pair_.grown : pair_.blocks).masks;
        for (u32 move = 0; !lined && more && move < game_.moves; ++move) {
            if (larger_ >> game_.taken[move] & 1) continue;
            const u32 taken = local_bit(game_.taken[move]);
            // The larger side's tile leaves the cells that are free for the other; the smaller side's is new among
            // them.
            find_images(move, steps[move] & 7, masks[steps[move] >> 3], side_ == 0 ? taken : 0);
            const u16* children = more + static_cast<u64>(steps[move] >> 3) * ranks.entries;
            team_.each(count_, [&](int i) {
                const u32 entry = entries_[i], word = words_[i];
                if (!is_undecided(entry) || word & taken) return;
                const u32 seed = as_seed(children[rank(ranks, image(side_ == 0 ? word : word | taken))]);
                if (seed < entry) entries_[i] = static_cast<u16>(seed);
            });
        }
        note_seeds();
    }

    // With as many marks on both sides, plane 1 says what plane 0 says with the marks exchanged.
    INAROW_DEVICE void mirror() {
        team_.each(count_, [&](int i) {
            const u32 place = pair_.where[deposit(words_[i], free_)], block = place >> 3;
            const u32 free_there = below(game_.cells) & ~pair_.blocks.masks[block];
            const u32 word = extract(mapped(game_.symmetry[place & 7], larger_), free_there);
            entries_[i] = pair_.entries[0][static_cast<u64>(block) * pair_.ranks.entries + rank(pair_.ranks, word)];
        });
        note_seeds();
    }

    // Decides what a round decides.
    INAROW_DEVICE void visit(int round) {
        const u32* due = pair_.due[side_] + block_ * 4ull + (round >> 5 & 1);
        const bool due_wins = due[0] >> (round & 31) & 1;
        bool may_lose = due[2] >> (round & 31) & 1;
        const u32* steps = pair_.same + static_cast<u64>(block_) * game_.moves;
        u64 with_losses = 0;
        for (u32 move = 0; move < game_.moves; ++move) {
            if (!is_step(move)) continue;
            const u32 news = pair_.news[1 - side_][steps[move] >> 3];
            if (news & in_round(new_losses, round - 1)) with_losses |= 1ull << move;
            if (news & in_round(new_wins, round - 1)) may_lose = true;
        }
        const u32 lost_before = round - 1, won_before = win(round - 1);
        team_.each(1, [&](int) { shared_.listed = shared_.alive = shared_.news = shared_.left = 0; });
        team_.each(count_, [&](int i) {
            const u32 entry = entries_[i];
            if (!is_undecided(entry)) return;
            const bool won = due_wins && entry == lost_before + undecided_from;
            const bool candidate = !won && may_lose && entry >= won_before - undecided_from;
            const u32 place = team_.add(&shared_.listed, 1);
            shared_.list[place] = static_cast<u16>(i);
            shared_.state[place] = won ? is_won : candidate ? may_be_lost : neither;
            if (candidate) team_.add(&shared_.alive, 1);
        });
        const u32 listed = shared_.listed;
        for (u32 move = 0; listed && move < game_.moves; ++move) {
            if (!is_step(move)) continue;
            const bool look_for_losses = with_losses >> move & 1;
            if (!look_for_losses && !shared_.alive) continue;
            find_images(move, steps[move] & 7, pair_.blocks.masks[steps[move] >> 3], 0);
            const u16* children = pair_.entries[1 - side_] + static_cast<u64>(steps[move] >> 3) * pair_.ranks.entries;
            // A's own tile can be taken whatever B has; B's only where B has it.
            const u32 taken = side_ == 0 ? 0 : local_bit(game_.taken[move]);
            team_.each(listed, [&](int k) {
                const u8 state = shared_.state[k];
                if (state == is_won || (state == neither && !look_for_losses)) return;
                const u32 word = words_[shared_.list[k]];
                if ((word & taken) != taken) return;
                const u32 child = children[rank(pair_.ranks, image(word))];
                const bool won = look_for_losses && child == lost_before;
                if (!won && (state == neither || child >= won_before)) return;
                shared_.state[k] = won ? is_won : neither;
                if (state == may_be_lost) team_.add(&shared_.alive, ~0u);
            });
        }
        team_.each(listed, [&](int k) {
            const u8 state = shared_.state[k];
            if (state == neither) {
                shared_.left = 1;
                return;
            }
            entries_[shared_.list[k]] = static_cast<u16>(state == is_won ? win(round) : round);
            team_.set_bits(&shared_.news, in_round(state == is_won ? new_wins : new_losses, round));
        });
        team_.each(1, [&](int) {
            if (shared_.left) team_.set_bits(&pair_.open[side_][block_], 1);
            if (!shared_.news) return;
            team_.set_bits(&pair_.news[side_][block_], shared_.news);
            team_.raise(&pair_.totals[0], round);
        });
    }

  private:
    static constexpr u8 may_be_lost = 0, is_won = 1, neither = 2;

    // The bits of `mask` at the places set in `places`, moved together, and the inverse.
    INAROW_DEVICE static u32 extract(u32 mask, u32 places) {
        u32 word = 0;
        for (mask &= places; mask; mask &= mask - 1) word |= 1u << bits_of(places & below(lowest_of(mask)));
        return word;
    }
    INAROW_DEVICE static u32 deposit(u32 word, u32 places) {
        u32 mask = 0;
        for (; word; word >>= 1, places &= places - 1)
            if (word & 1) mask |= places & -places;
        return mask;
    }

    INAROW_DEVICE u32 local_bit(int cell) const { return 1u << bits_of(free_ & below(cell)); }
    // Inside a pair the larger side takes its own tiles, the smaller side others.
    INAROW_DEVICE bool is_step(u32 move) const { return (larger_ >> game_.taken[move] & 1) == (side_ == 0); }

    INAROW_DEVICE bool has_local_line(u32 word) const {
        for (u32 i = 0; i < shared_.lines; ++i)
            if ((word & shared_.line[i]) == shared_.line[i]) return true;
        return false;
    }

    // Finds out where a move and then a symmetry take the bits of local words, in the block with A = `larger_there`.
    INAROW_DEVICE void find_images(u32 move, u32 symmetry, u32 larger_there, u32 dropped) {
        const u32 free_there = below(game_.cells) & ~larger_there;
        team_.each(bits_of(free_), [&](int j) {
            const int there = game_.symmetry[symmetry][game_.image[move][shared_.cell[j]]];
            shared_.dest[j] = dropped >> j & 1 ? 0 : 1u << bits_of(free_there & below(there));
        });
    }
    INAROW_DEVICE u32 image(u32 word) const {
        u32 result = 0;
        for (; word; word &= word - 1) result |= shared_.dest[lowest_of(word)];
        return result;
    }

    // Sums up what the seeds are, once they are written.
    INAROW_DEVICE void note_seeds() {
        team_.each(1, [&](int) {
            shared_.left = shared_.news = shared_.latest = 0;
            for (int i = 0; i < 4; ++i) shared_.due[i] = 0;
        });
        team_.each(count_, [&](int i) {
            const u32 entry = entries_[i];
            if (!is_undecided(entry)) {
                team_.set_bits(&shared_.news, in_round(entry >= won_from ? new_wins : new_losses, 0));
                return;
            }
            shared_.left = 1;
            if (entry == draw) return;
            const bool wins = entry < draw;
            const u32 due = wins ? entry - undecided_from + 1 : won_from - entry;
            team_.set_bits(&shared_.due[(wins ? 0 : 2) + (due >> 5 & 1)], 1u << (due & 31));
            team_.raise(&shared_.latest, due);
        });
        team_.each(1, [&](int) {
            if (shared_.news) team_.set_bits(&pair_.news[side_][block_], shared_.news);
            if (shared_.left) team_.set_bits(&pair_.open[side_][block_], 1);
            for (int i = 0; i < 4; ++i)
                if (shared_.due[i]) team_.set_bits(&pair_.due[side_][block_ * 4ull + i], shared_.due[i]);
            team_.raise(&pair_.totals[1], shared_.latest);
        });
    }

    Team& team_;
    Shared& shared_;
    const Game& game_;
    const Pair& pair_;
    const int side_;
    const u32 block_, first_, count_, larger_, free_;
    u16* const entries_;
    const u32* const words_;
};

// Whether a block has anything to do in a round. Clears what it told about the round before last, and takes it for
// finished until a slice finds something left.
INAROW_DEVICE inline bool is_active(const Game& game, const Pair& pair, int side, u32 block, int round) {
    u32& news = pair.news[side][block];
    news &= ~in_round(new_wins | new_losses, round);
    if (!pair.open[side][block]) return false;
    const u32* due = pair.due[side] + block * 4ull + (round >> 5 & 1);
    bool active = (due[0] | due[2]) >> (round & 31) & 1;
    const u32 larger = pair.blocks.masks[block], wanted = in_round(new_wins | new_losses, round - 1);
    for (u32 move = 0; move < game.moves && !active; ++move)
        active = (larger >> game.taken[move] & 1) == (side == 0) &&
                 pair.news[1 - side][pair.same[static_cast<u64>(block) * game.moves + move] >> 3] & wanted;
    if (active) pair.open[side][block] = 0;
    return active;
}

}  // namespace inarow::quixo::blocks
