// Searches for a forced win or loss within a few plies, where there is no table.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "board.hpp"
#include "result.hpp"

namespace inarow::quixo {

// What it finds is exact: depths are tried in ascending order, so the first one at which a win or a loss is proven is
// the number of plies of best play.
class Search {
  public:
    Search(Rules rules, std::function<void()> poll) : board_(rules), poll_(std::move(poll)), known_(table_size) {}

    // The outcome for the side to move, or `missing` if neither side wins within `plies`.
    Result find(std::uint64_t word, int plies) {
        const Node node{static_cast<Mask>(word >> 32), static_cast<Mask>(word)};
        if (const auto over = ended(node)) return {*over, 0};
        for (int depth = 1; depth <= plies; ++depth) {
            if (wins(node, depth)) return {Outcome::win, depth};
            if (loses(node, depth)) return {Outcome::loss, depth};
        }
        return {Outcome::missing, -1};
    }

  private:
    struct Node {
        Mask mover, other;

        bool operator==(const Node&) const = default;
    };

    // What is known of a position: it is won within `won` plies, but not within `open`.
    struct Known {
        Node node{~Mask{0}, ~Mask{0}};
        int open = 0, won = never;
        std::uint8_t best = 0;
    };

    static constexpr int never = 1 << 20;
    static constexpr std::size_t table_size = std::size_t{1} << 18;
    static constexpr int nodes_between_polls = 1 << 14;

    std::optional<Outcome> ended(const Node& node) const {
        const bool mine = board_.has_line(node.mover), theirs = board_.has_line(node.other);
        if (mine && theirs) return board_.rules().double_line_wins ? Outcome::loss : Outcome::win;
        if (mine || theirs) return mine ? Outcome::win : Outcome::loss;
        return std::nullopt;
    }

    Node after(const Node& node, const Move& move) const {
        return {move.apply(node.other), move.apply(node.mover | Mask{1} << move.taken)};
    }

    // Whether the side to move, in a game that is not over, can force a win within so many plies.
    bool wins(const Node& node, int plies) {
        if (plies < 1) return false;
        if (++nodes_ % nodes_between_polls == 0) poll_();
        Known& known = known_[place(node)];
        if (known.node == node) {
            if (plies >= known.won) return true;
            if (plies <= known.open) return false;
        } else {
            known = {node, 0, never, 0};
        }
        const auto& moves = board_.moves();
        const std::size_t first = known.best;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            // The move that won here before is tried first.
            const std::size_t which = i == 0 ? first : i <= first ? i - 1 : i;
            if (node.other >> moves[which].taken & 1) continue;
            const Node child = after(node, moves[which]);
            const auto over = ended(child);
            if (over ? *over == Outcome::loss : plies > 1 && loses(child, plies - 1)) {
                // Another position may have taken the place in the meantime.
                Known& at = known_[place(node)];
                if (!(at.node == node)) at = {node, 0, never, 0};
                at.won = plies;
                at.best = static_cast<std::uint8_t>(which);
                return true;
            }
        }
        Known& at = known_[place(node)];
        if (!(at.node == node)) at = {node, 0, never, 0};
        at.open = std::max(at.open, plies);
        return false;
    }

    // Whether every move of the side to move, in a game that is not over, lets the other win within plies - 1.
    bool loses(const Node& node, int plies) {
        for (const Move& move : board_.moves()) {
            if (node.other >> move.taken & 1) continue;
            const Node child = after(node, move);
            const auto over = ended(child);
            if (over ? *over != Outcome::win : !wins(child, plies - 1)) return false;
        }
        return true;
    }

    static std::size_t place(const Node& node) {
        const std::uint64_t key = (std::uint64_t{node.mover} << 32 | node.other) * 0x9e3779b97f4a7c15u;
        return key >> 46;
    }

    Board board_;
    std::function<void()> poll_;
    std::vector<Known> known_;
    std::uint64_t nodes_ = 0;
};

}  // namespace inarow::quixo
