// A strategy of X written out: an answer to every position that games can reach.
#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "positional/position_table.hpp"
#include "positional/win_search.hpp"

namespace inarow::positional {
namespace {

using Position = Key<Wide>;  // with no cell given as empty: x and o say it

struct Hash {
    std::size_t operator()(const Position& at) const { return at.hash(); }
};

class Strategy {
  public:
    Strategy(const Game& game, WinSearch& search) : search_(search), board_(board<Wide>(game.cells)) {
        for (const Words& line : game.lines) lines_.push_back(from_words<Wide>(line));
        for (const auto& to : game.symmetries) symmetries_.emplace_back(to);
    }

    std::vector<Answer> find(int moves, int first) {
        answer({0, 0, 0}, first);
        std::vector<std::pair<Position, int>> waiting{{{bit<Wide>(first), 0, 0}, moves - 1}};
        while (!waiting.empty()) {
            const auto [at, left] = waiting.back();
            waiting.pop_back();
            if (!complete(at.x)) reply(at, left, waiting);
        }
        return std::move(answers_);
    }

  private:
    struct Open {
        Position at;
        Wide moves;  // winning ones
        int left;    // how many moves the win takes, this one included
    };

    // Answers all replies of O to a position after X's move.
    void reply(const Position& at, int left, std::vector<std::pair<Position, int>>& waiting) {
        std::vector<Open> open;
        for (Wide empty = board_ & ~(at.x | at.o); empty != 0; empty = without_lowest(empty)) {
            const Position next{at.x, at.o | lowest_bit(empty), 0};
            if (!known_.insert(canonical(next)).second) continue;
            const WinResult win = left > 0 ? search_.solve(to_words(next.x), to_words(next.o), left) : WinResult{};
            if (!win.wins) throw std::invalid_argument("X does not win with this move in so many moves");
            const Words moves = search_.winning_moves(to_words(next.x), to_words(next.o), win.moves);
            open.push_back({next, from_words<Wide>(moves), win.moves});
        }
        while (!open.empty()) {
            Wide best = 0;
            std::size_t most = 0;
            for (Wide empty = board_ & ~(at.x | at.o); empty != 0; empty = without_lowest(empty)) {
                const Wide move = lowest_bit(empty);
                const auto answered = static_cast<std::size_t>(
                    std::count_if(open.begin(), open.end(), [&](const Open& o) { return (o.moves & move) != 0; }));
                if (answered > most) {
                    most = answered;
                    best = move;
                }
            }
            for (const Open& o : open) {
                if ((o.moves & best) == 0) continue;
                answer(o.at, lowest(best));
                waiting.emplace_back(Position{o.at.x | best, o.at.o, 0}, o.left - 1);
            }
            std::erase_if(open, [best](const Open& o) { return (o.moves & best) != 0; });
        }
    }

    void answer(const Position& at, int move) { answers_.push_back({to_words(at.x), to_words(at.o), move}); }

    bool complete(Wide x) const {
        return std::any_of(lines_.begin(), lines_.end(), [x](Wide line) { return (line & ~x) == 0; });
    }

    Position canonical(const Position& at) const {
        Position least = at;
        for (const Permutation<Wide>& to : symmetries_) {
            const Wide x = to(at.x);
            if (x > least.x) continue;
            const Wide o = to(at.o);
            if (x < least.x || o < least.o) least = {x, o, 0};
        }
        return least;
    }

    WinSearch& search_;
    Wide board_;
    std::vector<Wide> lines_;
    std::vector<Permutation<Wide>> symmetries_;
    std::unordered_set<Position, Hash> known_;
    std::vector<Answer> answers_;
};

}  // namespace

std::vector<Answer> strategy(const Game& game, WinSearch& search, int moves, int first) {
    return Strategy(game, search).find(moves, first);
}

}  // namespace inarow::positional
