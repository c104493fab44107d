// The graph of positions that need an answer, and the search for a set of answers that covers all that are reachable.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "positional/qubic/judge.hpp"

namespace inarow::qubic {

using NodeId = std::uint32_t;

// A move of X, and the range of its remaining positions among the children.
struct Action {
    std::uint8_t move;
    std::uint32_t count;
    std::uint32_t first;
};

// A canonical position with X to move, nothing to complete or to block, and no forced win.
struct Node {
    Position position;
    std::vector<Action> actions;
    std::vector<NodeId> parents;
    // How many answers the game takes from here on, itself included, if none are shared; an estimate until solved.
    float cost;
    std::int32_t known_up_to = -1;  // actions with at most this many children are known
    std::int32_t best = -1;         // the action that gives the cost
    std::uint32_t visits = 0;       // how often the search has passed through
    bool solved = false;

    int level() const { return std::popcount(position.x); }
};

class Graph {
  public:
    static constexpr int kAll = std::numeric_limits<std::int32_t>::max();

    explicit Graph(int table_bits) : judge_(table_bits) {}

    const Node& operator[](NodeId id) const { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }
    std::uint64_t expansions() const { return expansions_; }
    std::uint64_t threat_nodes() const { return judge_.threat_nodes(); }
    std::uint64_t bytes() const;

    // Until the next expansion.
    std::span<const NodeId> children(const Action& action) const {
        return {children_.data() + action.first, action.count};
    }
    bool all_solved(const Action& action) const {
        return std::ranges::all_of(children(action), [this](NodeId child) { return nodes_[child].solved; });
    }

    NodeId node(const Position& canonical);
    // Finds the actions with few children; called again, those with more.
    void expand(NodeId id);
    // Searches best first until the node is solved, would cost more than the bound, or has had so many expansions.
    // Calls `tick` after each expansion.
    bool solve(NodeId root, float bound, std::uint64_t expansions, const std::function<void()>& tick);

    // Forgets all visits, and sets the costs of unsolved nodes anew. Optimistic costs are lower bounds: they lead to
    // the cheapest solution, but the search soon gets stuck if there is none within the bound.
    void reset_costs(bool optimistic);

    std::string save() const;
    void load(std::string_view data);  // std::invalid_argument if `save` did not write it

  private:
    template <class Self, class Number, class List>
    static void each_part(Self& graph, const Number& number, const List& list);
    float price(int level) const;
    static int next_limit(const Node& node);
    float price_of_rest(const Node& node) const;
    Action action_of(NodeId id, int move);
    bool update(NodeId id);
    void propagate(NodeId id);

    Judge judge_;
    std::vector<Node> nodes_;
    std::vector<NodeId> children_;
    struct Hash {
        std::size_t operator()(const Position& position) const { return position.hash(); }
    };
    std::unordered_map<Position, NodeId, Hash> ids_;
    std::uint64_t expansions_ = 0;
    bool optimistic_ = false;
};

}  // namespace inarow::qubic
