// A strategy of X written out: an answer to every position that games can reach.
#include <algorithm>
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

Position canonical(const Board<Wide>& board, const Position& at) {
    Position least = at;
    for (const Permutation<Wide>& to : board.symmetries) {
        const Wide x = to(at.x);
        if (x > least.x) continue;
        const Wide o = to(at.o);
        if (x < least.x || o < least.o) least = {x, o, 0};
    }
    return least;
}

struct Open {
    Position at;
    Wide moves;  // winning ones
    int left;    // how many moves the win takes, this one included
};

// The move that answers the most positions, the lowest of equally good ones.
Wide most_answering(const std::vector<Open>& open, Wide moves) {
    Wide best = 0;
    std::ptrdiff_t most = 0;
    for (; moves != 0; moves = without_lowest(moves)) {
        const Wide move = lowest_bit(moves);
        const auto answered =
            std::count_if(open.begin(), open.end(), [move](const Open& o) { return (o.moves & move) != 0; });
        if (answered > most) {
            most = answered;
            best = move;
        }
    }
    return best;
}

}  // namespace

std::vector<Answer> strategy(const Game& game, WinSearch& search, int moves, int first) {
    const Board<Wide> rules(game);
    std::unordered_set<Position, Hash> known;
    std::vector<Answer> answers{{{}, {}, first}};
    std::vector<std::pair<Position, int>> waiting{{{bit<Wide>(first), 0, 0}, moves - 1}};  // with O to move
    while (!waiting.empty()) {
        const auto [at, left] = waiting.back();
        waiting.pop_back();
        const auto is_complete = [x = at.x](Wide line) { return (line & ~x) == 0; };
        if (std::any_of(rules.lines.begin(), rules.lines.end(), is_complete)) continue;
        const Wide replies = board<Wide>(game.cells) & ~(at.x | at.o);
        std::vector<Open> open;
        for (Wide rest = replies; rest != 0; rest = without_lowest(rest)) {
            const Position next{at.x, at.o | lowest_bit(rest), 0};
            if (!known.insert(canonical(rules, next)).second) continue;
            const Words x = to_words(next.x), o = to_words(next.o);
            const WinResult win = left > 0 ? search.solve(x, o, left) : WinResult{};
            require(win.wins, "X does not win with this move in so many moves");
            open.push_back({next, from_words<Wide>(search.winning_moves(x, o, win.moves)), win.moves});
        }
        while (!open.empty()) {
            const Wide best = most_answering(open, replies);
            for (const Open& o : open) {
                if ((o.moves & best) == 0) continue;
                answers.push_back({to_words(o.at.x), to_words(o.at.o), lowest(best)});
                waiting.emplace_back(Position{o.at.x | best, o.at.o, 0}, o.left - 1);
            }
            std::erase_if(open, [best](const Open& o) { return (o.moves & best) != 0; });
        }
    }
    return answers;
}

}  // namespace inarow::positional
