// Forced wins by threats. A threat is a line that needs one more cell, which is empty: the other side must mark that
// cell or lose. Threats force every reply, until a move makes two at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "positional/cells.hpp"

namespace inarow::positional {

// For positions of a game that is not over, in which X began.
template <class Mask>
class Threats {
  public:
    // Lines that come first are tried first.
    Threats(const std::vector<Mask>& lines, int cells, bool maker_breaker)
        : lines_(lines), through_(cells), board_(board<Mask>(cells)), maker_breaker_(maker_breaker) {
        for (const Mask line : lines)
            for (Mask rest = line; rest != 0; rest = without_lowest(rest)) through_[lowest(rest)].push_back(line);
    }

    // The cells where the side to move completes a line.
    Mask winning(Mask x, Mask o) const { return is_x_to_move(x, o) ? of_x(x, o) : of_o(x, o); }
    // The cells where the other side would.
    Mask blocking(Mask x, Mask o) const { return is_x_to_move(x, o) ? of_o(x, o) : of_x(x, o); }

    // A win of the side to move, to the cell that completes a line; empty if there is none.
    std::vector<int> forced_win(Mask x, Mask o) {
        if (const Mask at_once = winning(x, o); at_once != 0) return {lowest(at_once)};
        const Mask must = blocking(x, o);
        if (without_lowest(must) != 0 || (maker_breaker_ && !is_x_to_move(x, o))) return {};
        if (!is_x_to_move(x, o)) std::swap(x, o);
        failed_.clear();
        return find(x, o, must, pairs(lines_, x, o));
    }

    // The cells that look best: those that complete, block or force a line; else those after which the other side has
    // no forced win or its longest, and of these, the ones in the most valuable lines. A line that only one side can
    // still complete is worth 4 to the power of that side's marks in it.
    Mask promising(Mask x, Mask o) {
        if (const Mask wins = winning(x, o); wins != 0) return lowest_bit(wins);
        if (const Mask blocks = blocking(x, o); blocks != 0) return lowest_bit(blocks);
        if (const std::vector<int> forced = forced_win(x, o); !forced.empty()) return bit<Mask>(forced[0]);
        std::pair<std::size_t, double> most{0, 0};
        Mask best = 0;
        for (Mask rest = board_ & ~(x | o); rest != 0; rest = without_lowest(rest)) {
            const Mask cell = lowest_bit(rest);
            const std::size_t lost_in = (is_x_to_move(x, o) ? forced_win(x | cell, o) : forced_win(x, o | cell)).size();
            double worth = 0;
            for (const Mask line : through_[lowest(cell)])
                if ((line & x) == 0 || (line & o) == 0) worth += std::ldexp(1.0, 2 * count(line & (x | o)));
            const std::pair found{lost_in != 0 ? lost_in : kNever, worth};
            if (found < most) continue;
            best = found == most ? best | cell : cell;
            most = found;
        }
        return best;
    }

  private:
    using Lines = std::vector<Mask>;

    static constexpr std::size_t kNever = kMaxCells + 1;  // more than any forced win has

    static bool is_x_to_move(Mask x, Mask o) { return count(x) == count(o); }
    Mask of_x(Mask x, Mask o) const { return completing(lines_, x, o); }
    Mask of_o(Mask x, Mask o) const { return maker_breaker_ ? 0 : completing(lines_, o, x); }

    static Mask completing(const Lines& among, Mask mine, Mask theirs) {
        Mask cells = 0;
        for (const Mask line : among)
            if (const Mask needed = line & ~mine; without_lowest(needed) == 0 && (needed & theirs) == 0)
                cells |= needed;
        return cells;
    }

    // The two cells that lines still need: a move at one makes a threat at the other.
    static Lines pairs(const Lines& among, Mask mine, Mask theirs, Lines found = {}) {
        for (const Mask line : among) {
            const Mask needed = line & ~mine;
            if ((line & theirs) == 0 && count(needed) == 2 &&
                std::find(found.begin(), found.end(), needed) == found.end())
                found.push_back(needed);
        }
        return found;
    }

    // Depth first, where the side to move cannot complete a line at once. `must` is the cell where the other side
    // could, if any. Threats in another order reach the same position, so failures are kept.
    std::vector<int> find(Mask mine, Mask theirs, Mask must, const Lines& pairs) {
        Mask once = 0, twice = 0;
        for (const Mask pair : pairs) {
            twice |= once & pair;
            once |= pair;
        }
        if (must != 0) once &= must, twice &= must;
        if (once == 0) return {};
        if (twice != 0) {
            const Mask move = lowest_bit(twice);
            std::vector<int> cells{lowest(move)};
            for (const Mask pair : pairs)
                if ((pair & move) != 0 && cells.size() < 3) cells.push_back(lowest(pair ^ move));
            return cells;
        }
        if (failed_.contains({mine, theirs})) return {};
        // The newest first: the last move was made for their sake.
        for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair)
            for (Mask moves = *pair & once; moves != 0; moves = without_lowest(moves)) {
                const Mask move = lowest_bit(moves), reply = *pair ^ move;
                std::vector<int> rest = after(mine | move, theirs | reply, move, reply, pairs);
                if (rest.empty()) continue;
                rest.insert(rest.begin(), {lowest(move), lowest(reply)});
                return rest;
            }
        failed_.emplace(mine, theirs);
        return {};
    }

    // The rest of the win after a move that made one threat, and the reply to it.
    std::vector<int> after(Mask mine, Mask theirs, Mask move, Mask reply, const Lines& before) {
        // Earlier threats of the other side have all been answered: new ones contain the reply.
        const Mask must = maker_breaker_ ? 0 : completing(through_[lowest(reply)], theirs, mine);
        if (without_lowest(must) != 0) return {};
        Lines kept;
        for (const Mask pair : before)
            if ((pair & (move | reply)) == 0) kept.push_back(pair);
        return find(mine, theirs, must, pairs(through_[lowest(move)], mine, theirs, std::move(kept)));
    }

    Lines lines_;
    std::vector<Lines> through_;  // each cell
    Mask board_;
    bool maker_breaker_;
    std::set<std::pair<Mask, Mask>> failed_;
};

}  // namespace inarow::positional
