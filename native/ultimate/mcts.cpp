#include <algorithm>
#include <chrono>
#include <cmath>

#include "random.hpp"
#include "ultimate/players.hpp"

namespace inarow::ultimate {
namespace {

constexpr double kExploration = 0.5;
constexpr std::uint32_t kExpandAt = 4;  // visits of a leaf before it gets children
constexpr int kPollEvery = 1024;        // playouts

// The index of the nth set bit.
int nth_bit(unsigned mask, int nth) {
    for (; nth > 0; --nth) mask &= mask - 1;
    return std::countr_zero(mask);
}

enum class Proven : std::int8_t { Loss = -1, Open = 0, Win = 1, Draw = 2 };  // for the side that moved to the node

struct Node {
    std::uint32_t parent = 0;
    std::uint32_t first_child = 0;  // 0 for a leaf: the root is not a child
    std::uint32_t visits = 0;
    std::uint32_t score = 0;  // half points for the side that moved to the node
    std::uint8_t children = 0;
    std::uint8_t move = 0;
    Proven proven = Proven::Open;
};

class Tree {
  public:
    Tree(const Board& root, const MctsOptions& options)
        : root_(root),
          random_(options.seed),
          most_nodes_(std::max<std::uint64_t>(options.memory / sizeof(Node), 1000)) {
        nodes_.reserve(most_nodes_);  // so that it never moves; untouched pages take no memory
        nodes_.emplace_back();
        expand(0, root_);
    }

    bool decided() const { return nodes_[0].proven != Proven::Open; }

    void playout() {
        Board board = root_;
        std::uint32_t at = 0;
        while (nodes_[at].first_child && nodes_[at].proven == Proven::Open) {
            at = select(at);
            board.play(nodes_[at].move);
        }
        // The first visit of a leaf finds out whether the game is over there.
        if (nodes_[at].proven == Proven::Open && nodes_[at].visits >= kExpandAt &&
            nodes_.size() + kMoves <= most_nodes_) {
            expand(at, board);
            at = select(at);
            board.play(nodes_[at].move);
        }
        if (nodes_[at].proven == Proven::Open && (board.last_has_won() || board.no_room())) {
            nodes_[at].proven = board.last_has_won() ? Proven::Win : Proven::Draw;
            prove_parents(at);
        }
        // In half points for the side that moved to the node.
        const Proven proven = nodes_[at].proven;
        std::uint32_t result = proven == Proven::Open  ? rollout(board, board.turn() ^ 1)
                               : proven == Proven::Win ? 2
                                                       : proven == Proven::Draw;
        for (;; at = nodes_[at].parent, result = 2 - result) {
            ++nodes_[at].visits;
            nodes_[at].score += result;
            if (!at) break;
        }
    }

    std::vector<MctsMove> moves() const {
        std::vector<MctsMove> found;
        const Node& root = nodes_[0];
        for (std::uint32_t c = root.first_child; c < root.first_child + root.children; ++c) {
            const Node& child = nodes_[c];
            const bool won = child.proven == Proven::Win, lost = child.proven == Proven::Loss;
            const double open = child.visits && child.proven == Proven::Open ? points(child) : 0.5;
            found.push_back({child.move, child.visits, won ? 1 : lost ? 0 : open, won - lost});
        }
        std::stable_sort(found.begin(), found.end(), [](const MctsMove& a, const MctsMove& b) {
            return a.proven != b.proven ? a.proven > b.proven : a.visits > b.visits;
        });
        return found;
    }

  private:
    static double points(const Node& node) { return node.score / (2.0 * node.visits); }

    void expand(std::uint32_t at, const Board& board) {
        const Moves moves = board.moves();
        nodes_[at].first_child = static_cast<std::uint32_t>(nodes_.size());
        nodes_[at].children = static_cast<std::uint8_t>(moves.size);
        for (const std::uint8_t move : moves) nodes_.push_back({.parent = at, .move = move});
    }

    std::uint32_t select(std::uint32_t at) {
        const Node& node = nodes_[at];
        const double log_visits = std::log(static_cast<double>(node.visits) + 1);
        std::uint32_t best = node.first_child;
        double best_value = -1;
        // Begin with a random child, so that equals are chosen equally often.
        const auto offset = static_cast<std::uint32_t>(random_.below(node.children));
        for (std::uint32_t i = 0; i < node.children; ++i) {
            const std::uint32_t c = node.first_child + (i + offset) % node.children;
            const Node& child = nodes_[c];
            double value;
            if (child.proven == Proven::Win) return c;
            if (child.proven == Proven::Loss)
                value = -0.5;  // only if there is nothing else
            else if (!child.visits)
                value = 1e9;
            else
                value = points(child) + kExploration * std::sqrt(log_visits / child.visits);
            if (value > best_value) best_value = value, best = c;
        }
        return best;
    }

    // Backs a proven value up: one winning reply proves the parent lost, and only losing replies prove it won.
    void prove_parents(std::uint32_t at) {
        while (at) {
            const std::uint32_t above = nodes_[at].parent;
            Node& parent = nodes_[above];
            Proven of_replies = Proven::Loss;  // the best of them, for the side to move
            for (std::uint32_t c = parent.first_child; c < parent.first_child + parent.children; ++c) {
                const Proven reply = nodes_[c].proven;
                if (reply == Proven::Win) {
                    of_replies = Proven::Win;
                    break;
                }
                if (reply == Proven::Open) of_replies = Proven::Open;
                if (reply == Proven::Draw && of_replies != Proven::Open) of_replies = Proven::Draw;
            }
            if (of_replies == Proven::Open) return;
            parent.proven = of_replies == Proven::Win    ? Proven::Loss
                            : of_replies == Proven::Loss ? Proven::Win
                                                         : Proven::Draw;
            at = above;
        }
    }

    // Plays to the end of the game, winning a field where possible; half points for `side`.
    std::uint32_t rollout(Board& board, int side) {
        while (true) {
            const Mask fields = board.playable_fields();
            const int field = nth_bit(fields, fields & (fields - 1) ? random_.below(count(fields)) : 0);
            Mask spots = board.free(field);
            if (!board.decided(field))
                if (const Mask winning = kCompleting[board.marks[board.turn()][field]] & spots) spots = winning;
            board.play(9 * field + nth_bit(spots, random_.below(count(spots))));
            if (board.last_has_won()) return (board.turn() ^ 1) == side ? 2 : 0;
            if (board.no_room()) return 1;
        }
    }

    Board root_;
    Random random_;
    std::uint64_t most_nodes_;
    std::vector<Node> nodes_;
};

}  // namespace

MctsResult mcts(const Board& board, const MctsOptions& options) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    Tree tree(board, options);
    std::uint64_t done = 0;
    while (!tree.decided() && (!options.playouts || done < options.playouts)) {
        if (done && done % kPollEvery == 0) {
            if (options.poll) options.poll();
            const std::chrono::duration<double> passed = Clock::now() - began;
            if (options.seconds > 0 && passed.count() >= options.seconds) break;
        }
        tree.playout();
        ++done;
    }
    return {tree.moves(), done};
}

}  // namespace inarow::ultimate
