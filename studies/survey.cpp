// Looks at every move of every position of a solved game: see survey.py, which sends the values.
//
//     survey ROWS COLUMNS LINE WINS MOST FEWEST < VALUES
//
// VALUES has a byte for each position with MOST marks down to FEWEST, in the order of docs/tablebase-format.md: 1 for a
// win of the side to move, 0 for a draw and -1 for a loss. Boards with MOST marks that are not full are looked at only
// from those with fewer.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "quixo/layout.hpp"

using namespace inarow::quixo;
using Byte = std::uint8_t;
using Word = std::uint64_t;

// What becomes of a position: lost, won, or drawn, with so many moves that keep the draw. If there is a single one: how
// many plies each side in turn has a single one, plus `single`.
constexpr Byte lost = 0, won = 1, drawn = 127, single = 128, open = 254, endless = 255;

enum Count {
    unfinished,
    loss_to_draw,  // by passing
    loss_to_win,
    draw_to_win,
    with_choice,  // won or drawn, with blank tiles and own marks to take
    only_blanks,  // of these: nothing but taking a blank tile keeps the value
    only_own,
    blank_moves,
    blank_kept,
    own_moves,
    own_kept,
    draws,
    draw_moves,
    draw_kept,
    draw_single,
    returning,  // draws to which the other side can return after every move that keeps the draw
    replies,    // to moves that keep a draw
    losing,
    counts,
};
constexpr const char* names[counts] = {"unfinished",  "loss_to_draw", "loss_to_win", "draw_to_win", "with_choice",
                                       "only_blanks", "only_own",     "blank_moves", "blank_kept",  "own_moves",
                                       "own_kept",    "drawn",        "moves",       "kept",        "single",
                                       "returning",   "replies",      "losing"};
using Counts = std::array<Word, counts>;

struct Position {
    Mask mover, other;
};

class Survey {
  public:
    Survey(const Rules& rules, int most, int fewest) : board_(rules), layout_(board_), most_(most), fewest_(fewest) {
        lined_.resize(std::size_t{board_.full()} + 1);
        for (Mask mask = 0; mask <= board_.full(); ++mask) lined_[mask] = board_.has_line(mask);
        for (const Move& move : board_.moves())
            for (Mask& mask : takes_)
                if (!(mask >> move.taken & 1)) {
                    mask |= Mask{1} << move.taken;
                    break;
                }
    }

    void run() {
        for (int marks = most_; marks >= fewest_; --marks) {
            for (int a = (marks + 1) / 2; a <= marks; ++a) {
                read(a, marks - a);
                if (a != marks - a) read(marks - a, a);
            }
            // Values first, as positions with as many marks lead to each other.
            for (int a = (marks + 1) / 2; a <= marks; ++a)
                if (marks < most_ || marks == board_.cells()) look(a, marks - a);
            for (int x = 0; marks < board_.cells() && x <= marks + 1; ++x) planes_[x][marks + 1 - x] = {};
        }
    }

    void print() {
        std::printf("{\"classes\": [");
        for (int marks = fewest_, first = 1; marks <= most_; ++marks)
            for (int x = 0; x <= marks; ++x, first = 0) {
                std::printf("%s{\"x\": %d, \"o\": %d", first ? "" : ", ", x, marks - x);
                for (int k = 0; k < counts; ++k)
                    std::printf(", \"%s\": %llu", names[k], static_cast<unsigned long long>(counts_[x][marks - x][k]));
                std::printf("}");
            }
        std::printf("], \"by_plies\": [");
        for (int plies = 1; plies <= longest_; ++plies)
            std::printf("%s%llu", plies > 1 ? ", " : "", static_cast<unsigned long long>(by_plies_[plies]));
        std::printf("], \"endless\": %llu", static_cast<unsigned long long>(by_plies_[endless - single]));
        print_words("better_words", better_);
        print_words("returning_words", returning_);
        print_words("longest_words", longest_words_);
        print_words("endless_words", endless_words_);
        std::printf(", \"returning_up_to_symmetry\": %llu}\n", static_cast<unsigned long long>(returning_count_));
    }

  private:
    static void print_words(const char* name, std::vector<Word>& words) {
        std::sort(words.begin(), words.end());
        std::printf(", \"%s\": [", name);
        for (std::size_t i = 0; i < words.size(); ++i)
            std::printf("%s%llu", i ? ", " : "", static_cast<unsigned long long>(words[i]));
        std::printf("]");
    }

    void read(int x, int o) {
        auto& plane = planes_[x][o];
        plane.resize(layout_.plane_entries(std::max(x, o), std::min(x, o)));
        if (std::fread(plane.data(), 1, plane.size(), stdin) != plane.size()) {
            std::fprintf(stderr, "survey: the values end early\n");
            std::exit(1);
        }
        for (Byte& value : plane) value = value == 0 ? drawn : value == 1 ? won : lost;
    }

    // Calls visit(position, entry, count) for every entry of a class whose game is not over, on all processors.
    template <class Visit>
    void each(int x, int o, Visit visit) {
        const int a = std::max(x, o), b = std::min(x, o);
        const auto& blocks = layout_.blocks(a);
        const std::vector<Mask> local = words(board_.cells() - a, b);
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            const Mask larger = blocks[block];
            if (lined_[larger]) continue;
            Counts count{};
            for (std::size_t i = 0; i < local.size(); ++i) {
                const Mask smaller = deposit(local[i], board_.full() & ~larger);
                if (lined_[smaller]) continue;
                const Position at = x >= o ? Position{larger, smaller} : Position{smaller, larger};
                visit(at, block * local.size() + i, count);
            }
            const std::lock_guard lock(mutex_);
            for (int k = 0; k < counts; ++k)
                counts_[x][o][k] += count[k] * layout_.orbit(a, static_cast<std::uint32_t>(block));
        }
    }

    // Calls visit(child, blank) for each move until it says no.
    template <class Visit>
    void each_move(const Position& at, Visit visit) const {
        for (const Move& move : board_.moves()) {
            const Mask taken = Mask{1} << move.taken;
            if (at.other & taken) continue;
            if (!visit(Position{move.apply(at.other), move.apply(at.mover | taken)}, !(at.mover & taken))) return;
        }
    }

    Byte fate(const Position& at) const {
        const int x = std::popcount(at.mover), o = std::popcount(at.other);
        const std::size_t entry = x >= o ? layout_.entry(at.mover, at.other) : layout_.entry(at.other, at.mover);
        return __atomic_load_n(&planes_[x][o][entry], __ATOMIC_RELAXED);
    }
    static bool is_drawn(Byte fate) { return fate > won; }

    int moves(const Position& at) const {
        int count = 0;
        for (const Mask mask : takes_) count += std::popcount(mask & ~at.other);
        return count;
    }

    Word canonical(const Position& at) const {
        Word least = ~Word{0};
        for (int g = 0; g < board_.symmetries(); ++g)
            least = std::min(least, Word{board_.image(g, at.mover)} << 32 | board_.image(g, at.other));
        return least;
    }
    // Whether a position is the one that stands for its images in its block.
    bool is_first(const Position& at) const {
        const Mask larger = larger_of(at), smaller = at.mover ^ at.other ^ larger;
        for (int g = 1; g < board_.symmetries(); ++g)
            if (board_.image(g, larger) == larger && board_.image(g, smaller) < smaller) return false;
        return true;
    }
    static Mask larger_of(const Position& at) {
        return std::popcount(at.mover) >= std::popcount(at.other) ? at.mover : at.other;
    }

    void look(int a, int b) {
        std::vector<Byte> found[2];
        const int sides = a == b ? 1 : 2;
        for (int side = 0; side < sides; ++side) found[side] = look_at_moves(side ? b : a, side ? a : b);
        for (int side = 0; side < sides; ++side) planes_[side ? b : a][side ? a : b] = std::move(found[side]);
        for (int side = 0; side < sides; ++side) look_at_replies(side ? b : a, side ? a : b);
        for (bool changed = true; changed;) {
            changed = false;
            for (int side = 0; side < sides; ++side) changed |= follow(side ? b : a, side ? a : b);
        }
        for (int side = 0; side < sides; ++side) count_sequences(side ? b : a, side ? a : b);
    }

    // Passing, blank tiles, and the moves that keep a draw. Returns what becomes of the positions.
    std::vector<Byte> look_at_moves(int x, int o) {
        const std::vector<Byte>& plane = planes_[x][o];
        std::vector<Byte> found = plane;
        each(x, o, [&](const Position& at, std::size_t entry, Counts& count) {
            const Byte here = plane[entry];
            ++count[unfinished];
            if (here != won) {
                const Byte passed = fate({at.other, at.mover});  // for the other side
                if (passed == lost || (here == lost && is_drawn(passed))) {
                    ++count[here != lost ? draw_to_win : passed == lost ? loss_to_win : loss_to_draw];
                    if (is_first(at)) keep(better_, canonical(at));
                }
            }
            const Mask border = takes_[0];
            const bool choice = here != lost && at.mover & border && ~(at.mover | at.other) & border;
            if (!choice && !is_drawn(here)) return;
            int moves[2] = {}, kept[2] = {};
            each_move(at, [&](const Position& child, bool blank) {
                ++moves[blank];
                kept[blank] += here == won ? fate(child) == lost : is_drawn(fate(child));
                return true;
            });
            if (choice) {
                ++count[with_choice];
                count[only_blanks] += !kept[0], count[only_own] += !kept[1];
                count[blank_moves] += moves[1], count[blank_kept] += kept[1];
                count[own_moves] += moves[0], count[own_kept] += kept[0];
            }
            if (is_drawn(here)) {
                const int all = kept[0] + kept[1];
                ++count[draws];
                count[draw_moves] += moves[0] + moves[1], count[draw_kept] += all, count[draw_single] += all == 1;
                found[entry] = all == 1 ? open : static_cast<Byte>(all);
            }
        });
        return found;
    }

    // Replies to moves that keep a draw, and whether the other side can always return.
    void look_at_replies(int x, int o) {
        std::vector<Word> first;
        each(x, o, [&](const Position& at, std::size_t entry, Counts& count) {
            if (!is_drawn(planes_[x][o][entry])) return;
            bool returns = true;
            each_move(at, [&](const Position& child, bool blank) {
                const Byte after = fate(child);
                if (!is_drawn(after)) return true;
                count[replies] += moves(child);
                count[losing] += moves(child) - (after < single ? after : 1);
                returns = returns && !blank && leads_to(child, canonical(at));  // a mark never leaves the board
                return true;
            });
            count[returning] += returns;
            if (returns && is_first(at)) keep(first, canonical(at));
        });
        returning_count_ += first.size();
        keep_fewest(returning_, first);
    }

    bool leads_to(const Position& at, Word wanted) const {
        bool found = false;
        each_move(at, [&](const Position& child, bool blank) {
            found = !blank && canonical(child) == wanted;
            return !found;
        });
        return found;
    }

    // Of open sequences those whose next position is known.
    bool follow(int x, int o) {
        bool changed = false;
        each(x, o, [&](const Position& at, std::size_t entry, Counts&) {
            Byte& here = planes_[x][o][entry];
            if (here != open) return;
            each_move(at, [&](const Position& child, bool) {
                const Byte after = fate(child);
                if (!is_drawn(after)) return true;
                if (after == open) return false;
                const Byte now = after < single ? single + 1 : after == endless ? endless : after + 1;
                if (now == open) std::abort();  // more plies than a byte has room for
                __atomic_store_n(&here, now, __ATOMIC_RELAXED);
                __atomic_store_n(&changed, true, __ATOMIC_RELAXED);
                return false;
            });
        });
        return changed;
    }

    // What is still open never ends.
    void count_sequences(int x, int o) {
        auto& plane = planes_[x][o];
        int longest = longest_;
        each(x, o, [&](const Position& at, std::size_t entry, Counts&) {
            Byte& here = plane[entry];
            if (here < single) return;
            if (here == open) here = endless;
            const Mask larger = larger_of(at);
            const Word images = layout_.orbit(std::popcount(larger), layout_.canonical(larger).block);
            __atomic_fetch_add(&by_plies_[here - single], images, __ATOMIC_RELAXED);
        });
        for (int plies = 1; plies < open - single; ++plies)
            if (by_plies_[plies]) longest = plies;
        if (longest > longest_) longest_words_.clear();
        longest_ = longest;
        each(x, o, [&](const Position& at, std::size_t entry, Counts&) {
            if (plane[entry] == single + longest && is_first(at)) keep(longest_words_, canonical(at));
            if (plane[entry] == endless && is_first(at)) keep(endless_words_, canonical(at));
        });
    }

    void keep(std::vector<Word>& words, Word word) {
        const std::lock_guard lock(mutex_);
        words.push_back(word);
    }
    // Layers come with fewer and fewer marks: of the last that has any, the first in order.
    static void keep_fewest(std::vector<Word>& kept, std::vector<Word>& found) {
        if (found.empty()) return;
        if (!kept.empty() && std::popcount(kept[0]) > std::popcount(found[0])) kept.clear();
        kept.insert(kept.end(), found.begin(), found.end());
        std::sort(kept.begin(), kept.end());
        if (kept.size() > 24) kept.resize(24);
    }

    Board board_;
    Layout layout_;
    int most_, fewest_;
    std::vector<Byte> lined_;
    std::array<Mask, 4> takes_{};  // the cells with at least one move, with at least two, and so on
    std::array<std::array<std::vector<Byte>, max_cells + 1>, max_cells + 1> planes_;  // by marks of the mover
    std::array<std::array<Counts, max_cells + 1>, max_cells + 1> counts_{};
    std::array<Word, 128> by_plies_{};
    int longest_ = 0;
    Word returning_count_ = 0;
    std::vector<Word> better_, returning_, longest_words_, endless_words_;
    std::mutex mutex_;
};

int main(int argc, char** argv) {
    if (argc != 7) return std::fprintf(stderr, "survey ROWS COLUMNS LINE WINS MOST FEWEST < VALUES\n"), 2;
    const auto number = [&](int i) { return std::atoi(argv[i]); };
    Survey survey(rules_in_a_row(number(1), number(2), number(3), number(4) != 0), number(5), number(6));
    survey.run();
    survey.print();
}
