#include "positional/win_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "positional/position_table.hpp"

namespace inarow::positional {
namespace {

constexpr int kNone = -1;
constexpr std::uint64_t kReportEvery = 1 << 14;  // nodes
constexpr int kQuick = 2;                        // moves to look for a win in first, if any number is allowed

template <class Mask>
class Search final : public WinSearch {
  public:
    Search(const Game& game, std::uint64_t memory_limit)
        : board_(game), maker_breaker_(game.maker_breaker), table_(memory_limit) {}

    WinResult solve(const Words& x, const Words& o, int moves) override {
        set_up(workspace(0), x, o, moves);
        const Win win = shortest(0, moves);
        return {static_cast<bool>(win), win.moves, win.move, to_words(win.zone)};
    }

    Words winning_moves(const Words& x, const Words& o, int moves) override {
        set_up(workspace(0), x, o, moves);
        Mask candidates = board<Mask>(board_.cells) & ~from_words<Mask>(x) & ~from_words<Mask>(o);
        Mask at_once = 0;
        for (const Live& line : workspace(0).x)
            if (count(line.lacking) == 1) at_once |= line.lacking;
        if (moves == 1) return to_words(at_once);
        const Mask must = threats_of_o(0);
        if (must != 0) candidates &= without_lowest(must) == 0 ? must : 0;
        Mask winning = at_once;
        for (candidates &= ~at_once; candidates != 0; candidates = without_lowest(candidates)) {
            const int move = lowest(candidates);
            if (after(0, moves, move)) winning |= bit<Mask>(move);
        }
        return to_words(winning);
    }

    Statistics statistics() const override { return {nodes_, table_.kept(), table_.dropped()}; }

  private:
    // A line that a side can still complete.
    struct Live {
        Mask lacking;  // its cells that are empty
        Mask marked;   // its cells that the side has marked
    };

    struct Win {
        int moves = 0;  // 0: none
        int move = kNone;
        Mask zone = 0;
        // Maker-maker: how many free moves O has before X makes its last threats, and the cells where O's replies are
        // forced.
        int free = 0;
        Mask forced = 0;
        explicit operator bool() const { return moves != 0; }
    };

    using Lives = std::vector<Live>;

    // The live lines of both sides at one ply of the search, and buffers for what is computed from them.
    struct Workspace {
        Lives x;
        Lives o;
        std::array<float, kMaxCells> weight;
        std::vector<int> order;
        std::vector<Mask> open;
    };

    void set_up(Workspace& workspace, const Words& x_words, const Words& o_words, int moves) const {
        const Mask x = from_words<Mask>(x_words);
        const Mask o = from_words<Mask>(o_words);
        require((x & o) == 0 && ((x | o) & ~board<Mask>(board_.cells)) == 0, "the marks are not those of a position");
        require(moves > 0 && moves <= kUnlimited, "moves: there must be at least one");
        workspace.x.clear();
        workspace.o.clear();
        for (const Mask line : board_.lines) {
            require((line & ~x) != 0 && (maker_breaker_ || (line & ~o) != 0), "the game is over");
            if ((line & o) == 0) workspace.x.push_back({line & ~x, line & x});
            if (!maker_breaker_ && (line & x) == 0) workspace.o.push_back({line & ~o, line & o});
        }
    }

    // A win in as few moves as possible: its zone is small, and few moves are searched quickly.
    Win shortest(int depth, int moves) {
        const int last = moves == kUnlimited ? kQuick : moves;
        for (int limit = std::min(last, 2); limit <= last; ++limit)
            if (const Win win = search(depth, limit)) return win;
        return moves == kUnlimited ? search(depth, kUnlimited) : Win{};
    }

    // X is to move; the lines of the position are in the workspace of this depth.
    Win search(int depth, int moves) {
        if (++nodes_ % kReportEvery == 0 && report) report();
        Workspace& here = workspace(depth);
        Mask once = 0;  // in a line that lacks two cells
        double weight = 0;
        for (const Live& line : here.x) {
            const int size = count(line.lacking);
            if (size == 1) return {1, lowest(line.lacking), line.lacking, -1, 0};
            if (size > moves) continue;
            weight += std::ldexp(1.0, -size);
        }
        if (moves < 2 || weight < 0.5) return {};
        const Mask must = threats_of_o(depth);
        if (without_lowest(must) != 0) return {};
        std::array<Mask, kMaxCells> partner;
        for (const Live& line : here.x) {
            if (count(line.lacking) != 2) continue;
            const Mask first = lowest_bit(line.lacking);
            for (const Mask cell : {first, line.lacking ^ first}) {
                const Mask other = line.lacking ^ cell;
                const int at = lowest(cell);
                if ((once & cell) == 0)
                    partner[at] = other;
                else if (partner[at] != other && (must == 0 || must == cell))
                    return {2, at, cell | other | partner[at], 0, 0};
                once |= cell;
            }
        }
        if (moves < 3) return {};
        return expand(depth, moves, must);
    }

    Win expand(int depth, int moves, Mask must) {
        Workspace& here = workspace(depth);
        std::stable_sort(here.x.begin(), here.x.end(),
                         [](const Live& a, const Live& b) { return count(a.lacking) < count(b.lacking); });
        drop_longer(here.x, [](const Live& line) { return line.lacking; });
        double weight = 0;
        for (const Live& line : here.x)
            if (count(line.lacking) <= moves) weight += std::ldexp(1.0, -count(line.lacking));
        if (weight < 0.5) return {};
        const auto [key, symmetry] = key_of(here, moves);
        if (const Entry<Mask>* found = table_.find(key, moves)) {
            const Permutation<Mask>& back = board_.back[symmetry];
            if (found->moves == 0) return {};
            return {found->moves, lowest(back(bit<Mask>(found->move))), back(found->zone), found->free,
                    back(found->forced)};
        }

        if (pairs_up(here, moves)) {
            table_.insert({.key = key, .limit = static_cast<std::uint8_t>(moves)});
            return {};
        }
        here.weight.fill(0);
        Mask candidates = 0;
        for (const Live& line : here.x) {
            const int size = count(line.lacking);
            if (size > moves) continue;
            // With a line that lacks two cells, X can force O's reply.
            const float weight = std::ldexp(1.0F, size == 2 ? 2 : -2 * size);
            for (Mask rest = line.lacking; rest != 0; rest = without_lowest(rest)) here.weight[lowest(rest)] += weight;
            candidates |= line.lacking;
        }
        // A move that only blocks may win too: it can prevent a threat with which O would gain the time it needs.
        for (const Live& line : here.o)
            if (count(line.lacking) < moves) candidates |= line.lacking;
        if (must != 0) candidates = must;  // even where it makes no line of X's
        here.order.clear();
        for (; candidates != 0; candidates = without_lowest(candidates)) here.order.push_back(lowest(candidates));
        std::stable_sort(here.order.begin(), here.order.end(),
                         [&here](int a, int b) { return here.weight[a] > here.weight[b]; });

        Win win;
        for (std::size_t i = 0; i < here.order.size() && !win; ++i) win = after(depth, moves, here.order[i]);
        Entry<Mask> entry{.key = key, .limit = static_cast<std::uint8_t>(moves)};
        if (win) {
            const Permutation<Mask>& to = board_.symmetries[symmetry];
            entry.zone = to(win.zone);
            entry.forced = to(win.forced);
            entry.free = static_cast<std::int8_t>(win.free);
            entry.moves = static_cast<std::uint8_t>(win.moves);
            entry.move = static_cast<std::uint8_t>(lowest(to(bit<Mask>(win.move))));
        }
        table_.insert(entry);
        return win;
    }

    // Whether X wins with this move, which does not complete a line.
    Win after(int depth, int moves, int move) {
        const Mask cell = bit<Mask>(move);
        const int left = moves == kUnlimited ? kUnlimited : moves - 1;
        Workspace& here = workspace(depth);
        Workspace& moved = workspace(depth + 1);
        Workspace& replied = workspace(depth + 2);
        moved.x.clear();
        moved.o.clear();
        Mask threat = 0;
        double weight = 0;
        std::array<double, kMaxCells> cell_weight;
        cell_weight.fill(0);
        for (const Live& line : here.x) {
            const bool through = (line.lacking & cell) != 0;
            const Live next{line.lacking & ~cell, through ? line.marked | cell : line.marked};
            const int size = count(next.lacking);
            if (size > left) continue;
            if (size == 1) threat |= next.lacking;
            const double w = std::ldexp(1.0, -size);
            weight += w;
            for (Mask rest = next.lacking; rest != 0; rest = without_lowest(rest)) cell_weight[lowest(rest)] += w;
            moved.x.push_back(next);
        }
        for (const Live& line : here.o)
            if ((line.lacking & cell) == 0) moved.o.push_back(line);
        if (without_lowest(threat) != 0) return {2, move, cell | threat, 0, 0};
        if (left < 2) return {};

        const auto reply_with = [&](Mask reply) {
            replied.x.clear();
            replied.o.clear();
            for (const Live& line : moved.x)
                if ((line.lacking & reply) == 0) replied.x.push_back(line);
            for (const Live& line : moved.o) {
                const bool through = (line.lacking & reply) != 0;
                replied.o.push_back({line.lacking & ~reply, through ? line.marked | reply : line.marked});
            }
        };
        if (threat != 0) {
            reply_with(threat);
            Win win = shortest(depth + 2, left);
            if (!win) return {};
            return {win.moves + 1, move, win.zone | cell | threat, std::max(win.free, 0), win.forced | threat};
        }

        if (weight - *std::max_element(cell_weight.begin(), cell_weight.end()) < 0.5) return {};

        // Replies that may disturb a win: a mark in its zone, or in a line that O could then threaten to complete.
        const auto replies_of = [&](const Win& win) {
            Mask replies = win.zone;
            for (const Live& line : moved.o)
                if (count(line.lacking & ~win.forced) <= win.free + 2) replies |= line.lacking;
            return replies;
        };
        Win all{0, move, cell, 0, 0};
        Mask open = 0;  // replies that no win found so far answers
        for (const Live& line : moved.x) open |= line.lacking;
        for (const Live& line : moved.o) open |= line.lacking;
        while (open != 0) {
            int reply = lowest(open);
            for (Mask rest = without_lowest(open); rest != 0; rest = without_lowest(rest))
                if (cell_weight[lowest(rest)] > cell_weight[reply]) reply = lowest(rest);
            reply_with(bit<Mask>(reply));
            const Win win = shortest(depth + 2, left);
            if (!win) return {};
            open &= replies_of(win) & ~bit<Mask>(reply);
            all.moves = std::max(all.moves, win.moves + 1);
            all.zone |= win.zone;
            all.free = std::max(all.free, win.free + 1);
            all.forced |= win.forced;
        }
        return all;
    }

    // Whether a greedy choice finds pairs of cells with which O blocks every line; others might exist if it does not.
    bool pairs_up(Workspace& here, int moves) const {
        std::vector<Mask>& open = here.open;
        open.clear();
        for (const Live& line : here.x)
            if (count(line.lacking) <= moves) open.push_back(line.lacking);
        Mask used = 0;
        while (!open.empty()) {
            const Mask line = tightest(open, used);
            if (line == 0) return false;
            Mask best = 0;
            int most = -1;
            each_pair(line, open, [&](Mask pair, int held) {
                if (best != 0 && held <= most) return;
                most = held;
                best = pair;
            });
            used |= best;
            std::erase_if(open, [best](Mask line) { return (line & best) == best; });
        }
        return true;
    }

    Mask threats_of_o(int depth) const {
        Mask threats = 0;
        for (const Live& line : workspaces_[depth]->o)
            if (without_lowest(line.lacking) == 0) threats |= line.lacking;
        return threats;
    }

    std::pair<Key<Mask>, std::size_t> key_of(const Workspace& workspace, int moves) const {
        Key<Mask> key{0, 0, 0};
        for (const Live& line : workspace.x) {
            if (count(line.lacking) > moves) continue;
            key.x |= line.marked;
            key.empty |= line.lacking;
        }
        for (const Live& line : workspace.o) {
            if (count(line.lacking) >= moves) continue;  // O makes one move less before X's last
            key.o |= line.marked;
            key.empty |= line.lacking;
        }
        Key<Mask> least = key;
        std::size_t which = 0;
        for (std::size_t s = 0; s < board_.symmetries.size(); ++s) {
            const Mask empty = board_.symmetries[s](key.empty);
            if (s != 0 && empty > least.empty) continue;
            const Mask x = board_.symmetries[s](key.x);
            if (s != 0 && empty == least.empty && x > least.x) continue;
            const Mask o = board_.symmetries[s](key.o);
            if (s == 0 || empty < least.empty || x < least.x || o < least.o) {
                least = {x, o, empty};
                which = s;
            }
        }
        return {least, which};
    }

    Workspace& workspace(int depth) {
        while (workspaces_.size() <= static_cast<std::size_t>(depth))
            workspaces_.push_back(std::make_unique<Workspace>());
        return *workspaces_[depth];
    }

    Board<Mask> board_;
    bool maker_breaker_;
    PositionTable<Mask> table_;
    std::uint64_t nodes_ = 0;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace

std::unique_ptr<WinSearch> make_win_search(const Game& game, std::uint64_t memory_limit) {
    require(game.cells >= 1 && game.cells <= kMaxCells, "a board has 1 to 128 cells");
    if (game.cells <= 64) return std::make_unique<Search<std::uint64_t>>(game, memory_limit);
    return std::make_unique<Search<Wide>>(game, memory_limit);
}

}  // namespace inarow::positional
