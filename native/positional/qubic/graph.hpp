// The graph of positions that need an answer, and the search for a set of answers that leaves none open.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "positional/qubic/answers.hpp"

namespace inarow::qubic {

using NodeId = std::uint32_t;

// A move of X's, and where its remaining positions begin among the children.
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
    float cost;              // how many answers it takes from here on, itself included, where none are shared; a guess
                             // until it is solved
    std::int32_t most = -1;  // actions with no more children than this are known
    std::int32_t best = -1;  // the action that the cost is of
    std::uint32_t effort = 0;  // how often the search has passed through
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

    // The children of an action.
    const NodeId* begin(const Action& action) const { return children_.data() + action.first; }
    const NodeId* end(const Action& action) const { return begin(action) + action.count; }
    bool all_solved(const Action& action) const {
        return std::all_of(begin(action), end(action), [this](NodeId child) { return nodes_[child].solved; });
    }

    NodeId node(const Position& canonical);
    // Finds the actions with few children; when called again, those with more.
    void expand(NodeId id);
    // Best first, until the node is solved, would cost more than the bound, or so many expansions are over. The
    // callback is called after each one.
    bool solve(NodeId root, float bound, std::uint64_t expansions, const std::function<void()>& tick);

    // Forgets where the search was stuck. If hopeful, what is not known costs as little as it possibly could from now
    // on: that finds the cheapest solution, but soon gets stuck where there is none within the bound.
    void reprice(bool hopeful);

    void save(const std::function<void(const void*, std::size_t)>& write) const;
    void load(const std::function<void(void*, std::size_t)>& read);

  private:
    float price(int level) const;
    static int next_most(const Node& node);
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
    bool hopeful_ = false;
};

}  // namespace inarow::qubic
