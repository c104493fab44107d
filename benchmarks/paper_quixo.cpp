// A yardstick: Quixo solved on one thread with the data structures and the algorithms of
//
//   S. Tanaka, F. Bonnet, S. Tixeuil, Y. Tamura, "Quixo Is Solved", 2020 (arXiv:2007.15895),
//
// written from the description in the article. It exists to be measured against, so it holds the
// article's ideas and no others: one 64-bit word per state, moves by shift and mask, tables of pop()
// and ord() and their inverse, the index of equation 1, classes C(x, o) with X always to move,
// backward induction over pairs of classes, parent links, and the WinOrDraw outcome. States that are
// rotations or reflections of each other are solved separately, as in the article.
//
// Where the text leaves a choice, or where it cannot be followed to the letter:
//
//   * Algorithm 3 gives Win to all parents of a Loss state. A state that has a line already has no
//     children, so it is nobody's parent; the shift formulas do not know that. An O line can be
//     broken by the very move that would complete an X line, so without the test in mark_win() some
//     terminal losses would turn into wins, and the totals of the 4x4 board would be wrong.
//   * Algorithms 2 and 5 let x run to ceil(n/2), which for odd n solves the middle pair of classes twice.
//     Here x stops at floor(n/2).
//   * Steps follow the corrected Algorithm 6, in which a Loss state takes one more than the *maximum*
//     of its children and i starts at 1 (authors' Japanese version). Inside backward induction it cannot
//     end where the text ends it; solve_steps() says why. The same version remarks that the two
//     speed-ups can be added, but not how; solve_steps_parents() says how.
//   * The article writes finished classes to disk. Here they stay in memory, so that no time goes to
//     files; the memory printed is thus that of the whole table of results.
//
// Build: c++ -O3 -march=native -std=c++20 benchmarks/paper_quixo.cpp -o paper_quixo
//        (-DBYTE_PER_OUTCOME: a byte for each outcome instead of the article's two bits)
// Use:   paper_quixo SIZE MODE                   with SIZE 2, 3 or 4, and MODE one of
//
//   outcomes        Algorithm 5: outcomes only, with the speed-ups of section 4.2
//   steps           Algorithm 2 with Algorithm 6 inside: outcomes and steps, as printed
//   steps-parents   Algorithm 6 with the speed-ups of section 4.2
//
// Prints one line of JSON. The CPU time covers making the tables and solving, not counting the results.

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace {

using State = std::uint64_t;  // X locations << 32 | O locations

// Deleting from O the digits where X stands, and putting them back. The article does not say how it
// deletes them; most of the time goes here if the processor has no instruction for it.
inline std::uint32_t squeeze(std::uint32_t bits, std::uint32_t mask) {
#ifdef __BMI2__
    return _pext_u32(bits, mask);
#else
    std::uint32_t out = 0;
    for (std::uint32_t bit = 1; mask != 0; bit <<= 1, mask &= mask - 1)
        if (bits & mask & -mask) out |= bit;
    return out;
#endif
}

inline std::uint32_t spread(std::uint32_t bits, std::uint32_t mask) {
#ifdef __BMI2__
    return _pdep_u32(bits, mask);
#else
    std::uint32_t out = 0;
    for (; bits != 0; bits >>= 1, mask &= mask - 1)
        if (bits & 1) out |= mask & -mask;
    return out;
#endif
}

inline State swap_players(State s) { return s << 32 | s >> 32; }

constexpr State both(std::uint32_t tiles) { return State{tiles} << 32 | tiles; }
constexpr State x_at(int tile) { return State{1} << (32 + tile); }
constexpr State o_at(int tile) { return State{1} << tile; }

enum Outcome : std::uint8_t { Draw = 0, Win = 1, Loss = 2, WinOrDraw = 3 };

// The outcomes of one class, two bits each as in the article. With BYTE_PER_OUTCOME they take a byte each:
// about a sixth less time on the 4x4 board, for four times the memory.
class OutcomeArray {
#ifdef BYTE_PER_OUTCOME
  public:
    void assign(std::size_t count) { bytes_.assign(count, 0); }
    Outcome get(std::size_t i) const { return static_cast<Outcome>(bytes_[i]); }
    void set(std::size_t i, Outcome v) { bytes_[i] = v; }

  private:
#else
  public:
    void assign(std::size_t count) { bytes_.assign((count + 3) / 4, 0); }
    Outcome get(std::size_t i) const { return static_cast<Outcome>(bytes_[i >> 2] >> shift(i) & 3); }
    void set(std::size_t i, Outcome v) {
        std::uint8_t& b = bytes_[i >> 2];
        b = static_cast<std::uint8_t>((b & ~(3 << shift(i))) | v << shift(i));
    }

  private:
    static int shift(std::size_t i) { return static_cast<int>(i & 3) * 2; }
#endif
    std::vector<std::uint8_t> bytes_;
};

// Outcome and step of one state in a byte: the outcome in the top two bits, the step in the other six.
// In this order of the outcomes "a Win in at most k" and "a Loss in k" are one comparison each, and giving
// Win to a parent that is not a Loss is one minimum.
namespace packed {
constexpr std::uint8_t win = 0x00, draw = 0x40, win_or_draw = 0x80, loss = 0xC0;
constexpr int max_step = 0x3F;
inline int step(std::uint8_t v) { return v & 0x3F; }
inline bool is_win(std::uint8_t v) { return v < draw; }
inline bool is_loss(std::uint8_t v) { return v >= loss; }
}  // namespace packed

struct Report {
    std::uint64_t win = 0, loss = 0, draw = 0;
    std::vector<std::array<std::uint64_t, 2>> by_plies;  // [step] -> {win, loss}
    const char* start = "draw";
    int start_plies = -1;
};

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <int N>
class Solver {
  public:
    static constexpr int tiles = N * N;

    Solver() {
        make_tables();
        make_lines();
        make_moves();
    }

    void solve_outcomes();
    void solve_steps();
    void solve_steps_parents();
    Report report_outcomes() const;
    Report report_steps() const;

  private:
    // One way to take the tile `from` and push it in at `into`. `shift` is how far a bit travels toward
    // the hole, positive for <<. B covers the tiles from `into` to `from`.
    struct Move {
        State B;
        State C;     // the X that enters
        State back;  // the X that was taken, for the way back to a parent
        int shift;
    };
    struct Tile {
        State x, o;
        // A tile is taken in at most 3 ways, but a corner is entered from all of its row and column.
        std::array<Move, std::max(3, 2 * (N - 1))> moves;
        int count = 0;
    };

    static State shifted(State s, int by) { return by > 0 ? s << by : s >> -by; }
    static State play(State s, const Move& m) { return (shifted(s & m.B, m.shift) & m.B) | (s & ~m.B) | m.C; }
    // The state before the move, with an empty tile at the place it was taken from.
    static State undo(State s, const Move& m) { return (shifted(s & m.B, -m.shift) & m.B) | (s & ~m.B); }

    std::size_t class_of(int x, int o) const { return static_cast<std::size_t>(x * (tiles + 1) + o); }
    std::size_t class_size(int x, int o) const { return std::size_t{binomial_[tiles][x]} * binomial_[tiles - x][o]; }
    // Equation 1. `inner` is the number of ways to place the Os once the Xs are placed.
    std::size_t index(State s, std::size_t inner) const {
        const auto xs = static_cast<std::uint32_t>(s >> 32);
        return ord_[xs] * inner + ord_[squeeze(static_cast<std::uint32_t>(s), ~xs)];
    }

    // Calls f(state, index) for all of C(x, o), in the order of the indices. `state` is a function, so
    // that a state whose outcome is of no interest need not be put together.
    template <class F>
    void for_all_states(int x, int o, F&& f) const {
        std::size_t i = 0;
        for (const State xs : inverse_[x]) {
            const auto free = static_cast<std::uint32_t>(all_tiles & ~xs);
            for (std::size_t k = 0; k < binomial_[tiles - x][o]; ++k, ++i) {
                f([&] { return xs << 32 | spread(static_cast<std::uint32_t>(inverse_[o][k]), free); }, i);
            }
        }
    }

    // Children that keep the number of marks: X takes one of its own tiles. f returns false to stop.
    template <class F>
    bool all_children_same(State s, F&& f) const {
        for (const Tile& t : taken_) {
            if (!(s & t.x)) continue;
            for (int k = 0; k < t.count; ++k)
                if (!f(swap_players(play(s, t.moves[k])))) return false;
        }
        return true;
    }
    // Children with one mark more: X takes an empty tile. f returns false to stop.
    template <class F>
    bool all_children_more(State s, F&& f) const {
        for (const Tile& t : taken_) {
            if (s & (t.x | t.o)) continue;
            for (int k = 0; k < t.count; ++k)
                if (!f(swap_players(play(s, t.moves[k])))) return false;
        }
        return true;
    }
    // Parents with the same number of marks, and with one mark less. Some of them may be terminal.
    template <class F>
    void for_parents_same(State s, F&& f) const {
        const State before = swap_players(s);
        for (const Tile& t : entered_) {
            if (!(before & t.x)) continue;
            for (int k = 0; k < t.count; ++k) f(undo(before, t.moves[k]) | t.moves[k].back);
        }
    }
    template <class F>
    void for_parents_less(State s, F&& f) const {
        const State before = swap_players(s);
        for (const Tile& t : entered_) {
            if (!(before & t.x)) continue;
            for (int k = 0; k < t.count; ++k) f(undo(before, t.moves[k]));
        }
    }

    bool x_line(State s) const { return has_line(static_cast<std::uint32_t>(s >> 32)); }
    bool o_line(State s) const { return has_line(static_cast<std::uint32_t>(s)); }
    bool has_line(std::uint32_t marks) const {
        for (const std::uint32_t line : lines_)
            if ((marks & line) == line) return true;
        return false;
    }

    void make_tables();
    void make_lines();
    void make_moves();

    // Outcomes: Algorithms 3, 4 and 5.
    static void mark_win(OutcomeArray& a, std::size_t i) {
        if (a.get(i) != Loss) a.set(i, Win);
    }
    void terminal_outcomes(int x, int o);
    void inherit_outcomes(int x, int o);
    bool sweep_outcomes(int x, int o);

    // Steps: Algorithms 2 and 6.
    static std::uint8_t loss_in(int step) {
        if (step >= packed::max_step) throw std::overflow_error("steps do not fit in six bits");
        return static_cast<std::uint8_t>(packed::loss | step);
    }
    void start_steps(int x, int o);
    bool sweep_steps(int x, int o, int i);

    // Steps: Algorithm 6 with the speed-ups of Algorithms 3, 4 and 5.
    void mark_win(std::vector<std::uint8_t>& a, std::size_t i, int step) {
        if (packed::is_loss(a[i])) return;
        a[i] = std::min(a[i], static_cast<std::uint8_t>(packed::win | step));
        largest_win_ = std::max(largest_win_, step);
    }
    void start_steps_parents(int x, int o);
    void inherit_steps_parents(int x, int o);
    bool sweep_steps_parents(int x, int o, int settled);

    static constexpr State all_tiles = (State{1} << tiles) - 1;

    std::array<std::array<std::uint32_t, tiles + 1>, tiles + 1> binomial_{};
    std::vector<std::uint32_t> pop_, ord_;
    std::array<std::vector<State>, tiles + 1> inverse_;  // [pop][ord] -> mask
    std::array<std::uint32_t, 2 * N + 2> lines_{};
    std::vector<Tile> taken_;    // moves grouped by the tile taken
    std::vector<Tile> entered_;  // moves grouped by the place of entry
    std::vector<OutcomeArray> outcomes_;
    std::vector<std::vector<std::uint8_t>> steps_;
    int largest_win_ = 0;  // over the pair of classes being solved
};

template <int N>
void Solver<N>::make_tables() {
    for (int n = 0; n <= tiles; ++n) {
        binomial_[n][0] = 1;
        for (int k = 1; k <= n; ++k) binomial_[n][k] = binomial_[n - 1][k - 1] + (k < n ? binomial_[n - 1][k] : 0);
    }
    pop_.resize(std::size_t{1} << tiles);
    ord_.resize(std::size_t{1} << tiles);
    for (int k = 0; k <= tiles; ++k) inverse_[k].reserve(binomial_[tiles][k]);
    for (std::uint32_t y = 0; y <= all_tiles; ++y) {
        pop_[y] = y == 0 ? 0 : pop_[y >> 1] + (y & 1);
        std::vector<State>& same = inverse_[pop_[y]];
        ord_[y] = static_cast<std::uint32_t>(same.size());
        same.push_back(y);
    }
}

template <int N>
void Solver<N>::make_lines() {
    int count = 0;
    std::uint32_t down = 0, up = 0;
    for (int i = 0; i < N; ++i) {
        std::uint32_t row = 0, column = 0;
        for (int j = 0; j < N; ++j) {
            row |= std::uint32_t{1} << (i * N + j);
            column |= std::uint32_t{1} << (j * N + i);
        }
        lines_[count++] = row;
        lines_[count++] = column;
        down |= std::uint32_t{1} << (i * N + i);
        up |= std::uint32_t{1} << (i * N + N - 1 - i);
    }
    lines_[count++] = down;
    lines_[count] = up;
}

template <int N>
void Solver<N>::make_moves() {
    taken_.clear();
    std::array<int, tiles> slot{};
    for (int tile = 0; tile < tiles; ++tile) {
        const int row = tile / N, column = tile % N;
        if (row != 0 && row != N - 1 && column != 0 && column != N - 1) continue;
        slot[tile] = static_cast<int>(taken_.size());
        taken_.push_back(Tile{x_at(tile), o_at(tile), {}, 0});
    }
    entered_ = taken_;
    for (Tile& t : taken_) {
        int from = 0;
        while (o_at(from) != t.o) ++from;
        const int row = from / N, column = from % N;
        const std::array<int, 4> ends = {row * N, row * N + N - 1, column, (N - 1) * N + column};
        for (int e = 0; e < 4; ++e) {
            const int into = ends[e];
            if (into == from) continue;
            const int stride = e < 2 ? 1 : N;
            const int toward = from > into ? stride : -stride;
            std::uint32_t segment = 0;
            for (int tile = into; tile != from + toward; tile += toward) segment |= std::uint32_t{1} << tile;
            const Move m{both(segment), x_at(into), x_at(from), toward};
            t.moves[t.count++] = m;
            Tile& entry = entered_[slot[into]];
            entry.moves[entry.count++] = m;
        }
    }
}

// ---------------------------------------------------------------------------------------- outcomes

// Algorithm 3. A parent met before its own turn may get Win here and be overwritten at its turn if it
// is terminal; one met after its turn is guarded by mark_win(). Either way terminal states keep their
// own outcome, in a single pass.
template <int N>
void Solver<N>::terminal_outcomes(int x, int o) {
    OutcomeArray& mine = outcomes_[class_of(x, o)];
    OutcomeArray& theirs = outcomes_[class_of(o, x)];
    const std::size_t inner = binomial_[tiles - o][x];
    for_all_states(x, o, [&](auto state, std::size_t i) {
        const State s = state();
        if (x_line(s)) {
            mine.set(i, Win);
        } else if (o_line(s)) {
            mine.set(i, Loss);
            for_parents_same(s, [&](State p) { mark_win(theirs, index(p, inner)); });
        }
    });
}

// Algorithm 4: C(x, o) from C(o, x + 1).
template <int N>
void Solver<N>::inherit_outcomes(int x, int o) {
    OutcomeArray& mine = outcomes_[class_of(x, o)];
    const OutcomeArray& solved = outcomes_[class_of(o, x + 1)];
    const std::size_t inner = binomial_[tiles - x][o];
    for_all_states(o, x + 1, [&](auto state, std::size_t i) {
        const Outcome v = solved.get(i);
        if (v == Loss) {
            for_parents_less(state(), [&](State p) { mark_win(mine, index(p, inner)); });
        } else if (v == Draw) {
            for_parents_less(state(), [&](State p) {
                const std::size_t j = index(p, inner);
                if (mine.get(j) == Draw) mine.set(j, WinOrDraw);
            });
        }
    });
}

// Lines 12 to 16 of Algorithm 5, for one of the two classes.
template <int N>
bool Solver<N>::sweep_outcomes(int x, int o) {
    OutcomeArray& mine = outcomes_[class_of(x, o)];
    OutcomeArray& theirs = outcomes_[class_of(o, x)];
    const std::size_t inner = binomial_[tiles - o][x];
    bool updated = false;
    for_all_states(x, o, [&](auto state, std::size_t i) {
        if (mine.get(i) != Draw) return;
        const State s = state();
        if (!all_children_same(s, [&](State c) { return theirs.get(index(c, inner)) == Win; })) return;
        mine.set(i, Loss);
        updated = true;
        for_parents_same(s, [&](State p) { mark_win(theirs, index(p, inner)); });
    });
    return updated;
}

// Algorithm 5.
template <int N>
void Solver<N>::solve_outcomes() {
    outcomes_.resize((tiles + 1) * (tiles + 1));
    for (int n = tiles; n >= 0; --n) {
        for (int x = 0; x <= n / 2; ++x) {
            const int o = n - x;
            const bool twins = x == o;
            outcomes_[class_of(x, o)].assign(class_size(x, o));
            if (!twins) outcomes_[class_of(o, x)].assign(class_size(o, x));
            terminal_outcomes(x, o);
            if (!twins) terminal_outcomes(o, x);
            if (n < tiles) {
                inherit_outcomes(x, o);
                if (!twins) inherit_outcomes(o, x);
            }
            for (bool updated = true; updated;) {
                updated = sweep_outcomes(x, o);
                if (!twins && sweep_outcomes(o, x)) updated = true;
            }
            for (const std::size_t c : {class_of(x, o), class_of(o, x)}) {
                for (std::size_t i = 0; i < class_size(x, o); ++i)
                    if (outcomes_[c].get(i) == WinOrDraw) outcomes_[c].set(i, Draw);
                if (twins) break;
            }
        }
    }
}

// ------------------------------------------------------------------------------------------- steps

// Lines 1 to 9 of Algorithm 6.
template <int N>
void Solver<N>::start_steps(int x, int o) {
    std::vector<std::uint8_t>& mine = steps_[class_of(x, o)];
    mine.resize(class_size(x, o));
    for_all_states(x, o, [&](auto state, std::size_t k) {
        const State s = state();
        mine[k] = x_line(s) ? packed::win : o_line(s) ? packed::loss : packed::draw;
    });
}

// Lines 12 to 18 of Algorithm 6, for one of the two classes. Returns false when there is nothing left to
// wait for: no update, and no state with a Loss child that is still a Draw.
template <int N>
bool Solver<N>::sweep_steps(int x, int o, int i) {
    std::vector<std::uint8_t>& mine = steps_[class_of(x, o)];
    const std::vector<std::uint8_t>& theirs = steps_[class_of(o, x)];
    const std::size_t inner = binomial_[tiles - o][x];
    // A full board has no children with one mark more; `solved` is then any class.
    const bool full = x + o == tiles;
    const std::vector<std::uint8_t>& solved = steps_[full ? class_of(o, x) : class_of(o, x + 1)];
    const std::size_t inner_more = full ? 0 : binomial_[tiles - o][x + 1];

    const std::uint8_t quickest = loss_in(i - 1);
    bool unfinished = false;
    for_all_states(x, o, [&](auto state, std::size_t k) {
        if (mine[k] != packed::draw) return;
        const State s = state();
        std::uint8_t longest = 0;  // the largest byte of a child: its step if all of them are wins
        const auto look = [&](std::uint8_t child) {
            longest = std::max(longest, child);
            return child != quickest;
        };
        if (!all_children_same(s, [&](State c) { return look(theirs[index(c, inner)]); }) ||
            !all_children_more(s, [&](State c) { return look(solved[index(c, inner_more)]); })) {
            mine[k] = static_cast<std::uint8_t>(packed::win | i);
            unfinished = true;
        } else if (packed::is_win(longest)) {
            mine[k] = loss_in(longest + 1);
            unfinished = true;
        } else if (packed::is_loss(longest)) {
            unfinished = true;
        }
    });
    return unfinished;
}

// Algorithm 2 with Algorithm 6 inside. Every Draw state looks at all its children in every sweep, those in
// solved classes like the others.
//
// It departs from the text in the end of the loop. The text stops after a sweep without an update, but a
// Loss can be known long before its turn as "step i - 1": at once in a solved class, or in the pair
// itself, where a Loss takes its step from children in a solved class, or from a Win of the same sweep.
// In between there may be sweeps that update nothing; to stop at one would make the start of even the
// 2x2 board a Draw. So the loop also goes on while some Draw state has a Loss child. When it ends, no Draw
// state has one and none has Win children only, hence no further sweep would change anything.
//
// The steps are exact, for after sweep i all wins and losses in at most i steps are known: a Win in i steps
// has a Loss child in i - 1, and the children of a Loss in i steps are wins in at most i - 1, all known
// after sweep i - 1. A Win is thus never given while a quicker Loss child is unknown, and a Loss, given
// when all children are wins with exact steps, is exact whatever i is.
template <int N>
void Solver<N>::solve_steps() {
    steps_.resize((tiles + 1) * (tiles + 1));
    for (int n = tiles; n >= 0; --n) {
        for (int x = 0; x <= n / 2; ++x) {
            const int o = n - x;
            const bool twins = x == o;
            start_steps(x, o);
            if (!twins) start_steps(o, x);
            bool unfinished = true;
            for (int i = 1; unfinished; ++i) {
                unfinished = sweep_steps(x, o, i);
                if (!twins && sweep_steps(o, x, i)) unfinished = true;
            }
        }
    }
}

// ------------------------------------------------------------------------- steps with the speed-ups

template <int N>
void Solver<N>::start_steps_parents(int x, int o) {
    std::vector<std::uint8_t>& mine = steps_[class_of(x, o)];
    std::vector<std::uint8_t>& theirs = steps_[class_of(o, x)];
    const std::size_t inner = binomial_[tiles - o][x];
    for_all_states(x, o, [&](auto state, std::size_t i) {
        const State s = state();
        if (x_line(s)) {
            mine[i] = packed::win;
        } else if (o_line(s)) {
            mine[i] = packed::loss;
            for_parents_same(s, [&](State p) { mark_win(theirs, index(p, inner), 1); });
        }
    });
}

template <int N>
void Solver<N>::inherit_steps_parents(int x, int o) {
    std::vector<std::uint8_t>& mine = steps_[class_of(x, o)];
    const std::vector<std::uint8_t>& solved = steps_[class_of(o, x + 1)];
    const std::size_t inner = binomial_[tiles - x][o];
    for_all_states(o, x + 1, [&](auto state, std::size_t i) {
        const std::uint8_t v = solved[i];
        if (packed::is_loss(v)) {
            const int step = packed::step(v) + 1;
            for_parents_less(state(), [&](State p) { mark_win(mine, index(p, inner), step); });
        } else if (!packed::is_win(v)) {
            for_parents_less(state(), [&](State p) {
                const std::size_t j = index(p, inner);
                if (mine[j] == packed::draw) mine[j] = packed::win_or_draw;
            });
        }
    });
}

// Finds the losses all of whose children in the pair are wins in at most `settled` steps.
template <int N>
bool Solver<N>::sweep_steps_parents(int x, int o, int settled) {
    std::vector<std::uint8_t>& mine = steps_[class_of(x, o)];
    std::vector<std::uint8_t>& theirs = steps_[class_of(o, x)];
    const std::size_t inner = binomial_[tiles - o][x];
    bool updated = false;
    for_all_states(x, o, [&](auto state, std::size_t i) {
        if (mine[i] != packed::draw) return;
        const State s = state();
        int longest = 0;
        const bool lost = all_children_same(s, [&](State c) {
            const int v = theirs[index(c, inner)];
            longest = std::max(longest, v);  // a win: the byte is its step
            return v <= settled;
        });
        if (!lost) return;
        // The children with one mark more are all wins, or the state would not be a plain Draw; their
        // steps are final, and may well exceed `settled`.
        if (x + o < tiles) {
            const std::vector<std::uint8_t>& solved = steps_[class_of(o, x + 1)];
            const std::size_t inner_more = binomial_[tiles - o][x + 1];
            all_children_more(s, [&](State c) {
                longest = std::max(longest, static_cast<int>(solved[index(c, inner_more)]));
                return true;
            });
        }
        const int step = longest + 1;
        mine[i] = loss_in(step);
        updated = true;
        for_parents_same(s, [&](State p) { mark_win(theirs, index(p, inner), step + 1); });
    });
    return updated;
}

// Algorithm 6 inside backward induction, with parent links and WinOrDraw.
//
// A Win is written as soon as a Loss child is known, one step above it, and lowered if a quicker Loss
// child turns up. So a Win may not be final when it is written: the Loss children of a solved class are
// all known at once, long ones before the short ones of the pair. It is final once all losses quicker
// than it are known, and only a final Win may make its parents Loss. Hence `settled`: wins in at most
// that many steps are final. A sweep finds all losses in at most settled + 1 steps and, by the parent
// links, all wins in at most settled + 2, so `settled` grows by two. At the outset it is 1, since
// terminal losses have marked their parents.
//
// A sweep without an update does not end the work while there are wins that have yet to become final.
template <int N>
void Solver<N>::solve_steps_parents() {
    steps_.resize((tiles + 1) * (tiles + 1));
    for (int n = tiles; n >= 0; --n) {
        for (int x = 0; x <= n / 2; ++x) {
            const int o = n - x;
            const bool twins = x == o;
            largest_win_ = 0;
            steps_[class_of(x, o)].assign(class_size(x, o), packed::draw);
            if (!twins) steps_[class_of(o, x)].assign(class_size(o, x), packed::draw);
            start_steps_parents(x, o);
            if (!twins) start_steps_parents(o, x);
            if (n < tiles) {
                inherit_steps_parents(x, o);
                if (!twins) inherit_steps_parents(o, x);
            }
            bool updated = true;
            for (int settled = 1; updated || settled - 2 < largest_win_; settled += 2) {
                updated = sweep_steps_parents(x, o, std::min(settled, packed::max_step));
                if (!twins && sweep_steps_parents(o, x, std::min(settled, packed::max_step))) updated = true;
            }
            for (const std::size_t c : {class_of(x, o), class_of(o, x)})
                for (std::uint8_t& v : steps_[c])
                    if (v == packed::win_or_draw) v = packed::draw;
        }
    }
}

// ----------------------------------------------------------------------------------------- results

template <int N>
Report Solver<N>::report_outcomes() const {
    Report r;
    for (int x = 0; x <= tiles; ++x) {
        for (int o = 0; x + o <= tiles; ++o) {
            const OutcomeArray& a = outcomes_[class_of(x, o)];
            for (std::size_t i = 0; i < class_size(x, o); ++i)
                ++(a.get(i) == Win ? r.win : a.get(i) == Loss ? r.loss : r.draw);
        }
    }
    const Outcome start = outcomes_[class_of(0, 0)].get(0);
    r.start = start == Win ? "win" : start == Loss ? "loss" : "draw";
    return r;
}

template <int N>
Report Solver<N>::report_steps() const {
    Report r;
    r.by_plies.resize(packed::max_step + 1);
    for (const std::vector<std::uint8_t>& a : steps_) {
        for (const std::uint8_t v : a) {
            if (packed::is_win(v)) {
                ++r.win;
                ++r.by_plies[packed::step(v)][0];
            } else if (packed::is_loss(v)) {
                ++r.loss;
                ++r.by_plies[packed::step(v)][1];
            } else {
                ++r.draw;
            }
        }
    }
    while (!r.by_plies.empty() && r.by_plies.back()[0] + r.by_plies.back()[1] == 0) r.by_plies.pop_back();
    const std::uint8_t start = steps_[class_of(0, 0)][0];
    if (packed::is_win(start) || packed::is_loss(start)) {
        r.start = packed::is_win(start) ? "win" : "loss";
        r.start_plies = packed::step(start);
    }
    return r;
}

template <int N>
void run(const std::string& mode) {
    const bool with_steps = mode != "outcomes";
    const double begin = cpu_seconds();
    Solver<N> solver;
    if (mode == "outcomes")
        solver.solve_outcomes();
    else if (mode == "steps")
        solver.solve_steps();
    else
        solver.solve_steps_parents();
    const double seconds = cpu_seconds() - begin;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);

    const Report r = with_steps ? solver.report_steps() : solver.report_outcomes();
    std::printf("{\"size\": %d, \"mode\": \"%s\", \"win\": %llu, \"loss\": %llu, \"draw\": %llu", N, mode.c_str(),
                static_cast<unsigned long long>(r.win), static_cast<unsigned long long>(r.loss),
                static_cast<unsigned long long>(r.draw));
    if (with_steps) {
        std::printf(", \"by_plies\": [");
        for (std::size_t k = 0; k < r.by_plies.size(); ++k)
            std::printf("%s[%zu, %llu, %llu]", k == 0 ? "" : ", ", k, static_cast<unsigned long long>(r.by_plies[k][0]),
                        static_cast<unsigned long long>(r.by_plies[k][1]));
        std::printf("]");
    }
    std::printf(", \"start\": \"%s\"", r.start);
    if (r.start_plies >= 0)
        std::printf(", \"start_plies\": %d", r.start_plies);
    else
        std::printf(", \"start_plies\": null");
    std::printf(", \"cpu_seconds\": %.3f, \"peak_kib\": %ld}\n", seconds, usage.ru_maxrss);
}

int usage(const char* program) {
    std::fprintf(stderr, "usage: %s SIZE outcomes|steps|steps-parents   (SIZE is 2, 3 or 4)\n", program);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return usage(argv[0]);
    const std::string mode = argv[2];
    if (mode != "outcomes" && mode != "steps" && mode != "steps-parents") return usage(argv[0]);
    switch (std::atoi(argv[1])) {
        case 2:
            run<2>(mode);
            return 0;
        case 3:
            run<3>(mode);
            return 0;
        case 4:
            run<4>(mode);
            return 0;
        default:
            return usage(argv[0]);
    }
}
