#include <set>

#include "wasm/qubic/rules.hpp"

namespace inarow::wasm {

namespace {

// Depth-first search with a table of failures: threats in another order reach the same position.
class ThreatSearch {
  public:
    using Pairs = std::vector<Cells>;

    // The two cells that lines still need: a move at one makes a threat at the other.
    static Pairs pairs(const std::vector<Cells>& among, Cells mine, Cells theirs) {
        Pairs found;
        for (const Cells line : among) {
            const Cells needed = line & ~mine;
            if ((line & theirs) || std::popcount(needed) != 2) continue;
            if (std::find(found.begin(), found.end(), needed) == found.end()) found.push_back(needed);
        }
        return found;
    }

    // The cells of a win where the side to move cannot complete a line at once. `must` is the cell where the other side
    // could, if any.
    std::vector<int> find(Cells mine, Cells theirs, Cells must, const Pairs& pairs) {
        Cells once = 0, twice = 0;
        for (const Cells pair : pairs) {
            twice |= once & pair;
            once |= pair;
        }
        if (must) once &= must, twice &= must;
        if (!once) return {};
        if (twice) {
            const Cells move = twice & -twice;
            std::vector<int> cells{qubic::lowest(move)};
            for (const Cells pair : pairs)
                if ((pair & move) && cells.size() < 3) cells.push_back(qubic::lowest(pair ^ move));
            return cells;
        }
        if (failed_.contains({mine, theirs})) return {};
        // The newest first: the last move was made for their sake.
        for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair)
            for (Cells moves = *pair & once; moves; moves &= moves - 1) {
                const Cells move = moves & -moves, reply = *pair ^ move;
                std::vector<int> rest = after(mine | move, theirs | reply, move, reply, pairs);
                if (rest.empty()) continue;
                rest.insert(rest.begin(), {qubic::lowest(move), qubic::lowest(reply)});
                return rest;
            }
        failed_.insert({mine, theirs});
        return {};
    }

  private:
    // The rest of the win after a move that made one threat, and the reply to it.
    std::vector<int> after(Cells mine, Cells theirs, Cells move, Cells reply, const Pairs& pairs) {
        // Earlier threats of the other side have all been answered: new ones contain the reply.
        const Cells must = threats(lines().through[qubic::lowest(reply)], theirs, mine);
        if (several(must)) return {};
        Pairs kept;
        for (const Cells pair : pairs)
            if (!(pair & (move | reply))) kept.push_back(pair);
        for (const Cells pair : ThreatSearch::pairs(lines().through[qubic::lowest(move)], mine, theirs))
            if (std::find(kept.begin(), kept.end(), pair) == kept.end()) kept.push_back(pair);
        return find(mine, theirs, must, kept);
    }

    std::set<std::pair<Cells, Cells>> failed_;
};

}  // namespace

std::vector<int> forced_win(const QubicPosition& position) {
    if (position.is_over()) return {};
    if (const Cells at_once = winning_cells(position)) return {qubic::lowest(at_once)};
    const Cells must = blocking_cells(position);
    if (several(must)) return {};
    const Cells mine = position.mine(), theirs = position.theirs();
    ThreatSearch search;
    return search.find(mine, theirs, must, ThreatSearch::pairs(lines().all, mine, theirs));
}

Cells promising_cells(const QubicPosition& position) {
    constexpr std::size_t never = kCells + 1;  // more than any forced win has
    if (const Cells wins = winning_cells(position)) return wins & -wins;
    if (const Cells blocks = blocking_cells(position)) return blocks & -blocks;
    if (const std::vector<int> forced = forced_win(position); !forced.empty()) return bit(forced[0]);
    const Cells mine = position.mine(), theirs = position.theirs();
    std::pair<std::size_t, std::uint64_t> most{0, 0};
    Cells best = 0;
    for (const int cell : cells_of(~(mine | theirs))) {
        const std::size_t lost_in = forced_win(position.after(cell)).size();
        std::uint64_t worth = 0;
        for (const Cells line : lines().through[cell])
            if (!(line & mine) || !(line & theirs))
                worth += std::uint64_t{1} << 2 * std::popcount(line & (mine | theirs));
        const std::pair found{lost_in ? lost_in : never, worth};
        if (found < most) continue;
        best = found == most ? best | bit(cell) : bit(cell);
        most = found;
    }
    return best;
}

}  // namespace inarow::wasm
