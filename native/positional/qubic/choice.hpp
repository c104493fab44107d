// Chooses among the answers found such that few positions are reachable, by annealing.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "positional/qubic/graph.hpp"

namespace inarow::qubic {

// One action for each solved node. The nodes reachable from the root by these actions form the dictionary. Each node
// counts the reachable nodes that lead to it, so that changing an action updates the dictionary at once.
class Choice {
  public:
    // The graph must not change during the lifetime of the choice.
    Choice(const Graph& graph, NodeId root, std::uint64_t seed)
        : graph_(graph),
          root_(root),
          random_(seed * 0x9E3779B97F4A7C15 + 1),
          options_(graph.size()),
          action_(graph.size(), -1),
          uses_(graph.size()),
          place_(graph.size(), kNowhere),
          is_open_(graph.size()) {
        if (!graph[root].solved) throw std::invalid_argument("there is nothing to choose from yet");
        for (NodeId id = 0; id < graph.size(); ++id) {
            const Node& node = graph[id];
            if (!node.solved) continue;
            action_[id] = node.best;
            if (node.actions[node.best].count == 0) continue;  // without children, no other is better
            for (std::size_t i = 0; i < node.actions.size(); ++i)
                if (graph.all_solved(node.actions[i])) options_[id].push_back(static_cast<std::int32_t>(i));
            if (options_[id].size() > 1) {
                is_open_[id] = true;
                open_.push_back(id);
            }
        }
        use(root_, false);
    }

    // Starts with these moves at these nodes, and with the cheapest ones at the others.
    void start(const std::vector<std::pair<NodeId, int>>& moves) {
        unuse(root_);
        for (const auto& [id, move] : moves)
            for (const std::int32_t option : options_[id])
                if (graph_[id].actions[option].move == move) action_[id] = option;
        use(root_, false);
    }

    // Tries random changes at falling temperatures, and ends with the best choice seen.
    void anneal(std::uint64_t steps, double hot, double cold) {
        if (active_.empty()) return;
        constexpr std::uint64_t kStages = 200;
        Saved best = saved();
        for (std::uint64_t stage = 0; stage < kStages; ++stage) {
            const double temperature = hot * std::pow(cold / hot, static_cast<double>(stage) / (kStages - 1));
            for (std::uint64_t i = 0; i < steps / kStages; ++i) {
                step(temperature);
                if (size_ < best.size) best = saved();
            }
        }
        if (size_ > best.size) restore(best);
    }

    // Changes several nodes with `level` X's at once, anneals, and keeps the result if it is no larger.
    void anneal_around(int level, int changes, std::uint64_t steps, double hot, double cold) {
        const Saved before = saved();
        for (int i = 0; i < changes; ++i) {
            std::vector<NodeId> nodes;
            for (const NodeId id : active_)
                if (graph_[id].level() == level) nodes.push_back(id);
            if (nodes.empty()) return;
            const NodeId id = nodes[below(nodes.size())];
            change(id, options_[id][below(options_[id].size())], true);
        }
        anneal(steps, hot, cold);
        if (size_ > before.size) restore(before);
    }

    std::size_t size() const { return size_; }
    bool has(NodeId id) const { return id < uses_.size() && uses_[id] != 0; }
    const Action& taken(NodeId id) const { return graph_[id].actions[action_[id]]; }

    // How many nodes become unreachable if this one gets an action without children.
    std::size_t worth(NodeId id) {
        const std::size_t before = size_;
        unuse_children(id);
        const std::size_t result = before - size_;
        use_children(id, false);
        return result;
    }

  private:
    static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

    struct Saved {
        std::size_t size;
        std::vector<std::int32_t> actions;  // of the open nodes
    };

    Saved saved() const {
        Saved result{size_, {}};
        result.actions.reserve(open_.size());
        for (const NodeId id : open_) result.actions.push_back(action_[id]);
        return result;
    }

    void restore(const Saved& saved) {
        unuse(root_);
        for (std::size_t i = 0; i < open_.size(); ++i) action_[open_[i]] = saved.actions[i];
        use(root_, false);
    }

    void use(NodeId id, bool choose) {
        if (uses_[id]++ != 0) return;
        ++size_;
        if (is_open_[id]) {
            if (choose) choose_cheapest(id);
            place_[id] = static_cast<std::uint32_t>(active_.size());
            active_.push_back(id);
        }
        use_children(id, choose);
    }

    void use_children(NodeId id, bool choose) {
        for (const NodeId child : graph_.children(taken(id))) use(child, choose);
    }

    void unuse(NodeId id) {
        if (--uses_[id] != 0) return;
        --size_;
        if (place_[id] != kNowhere) {
            place_[active_.back()] = place_[id];
            active_[place_[id]] = active_.back();
            active_.pop_back();
            place_[id] = kNowhere;
        }
        unuse_children(id);
    }

    void unuse_children(NodeId id) {
        for (const NodeId child : graph_.children(taken(id))) unuse(child);
    }

    void change(NodeId id, std::int32_t to, bool choose) {
        unuse_children(id);
        action_[id] = to;
        use_children(id, choose);
    }

    // The action whose new children have the lowest total cost; ties are broken at random.
    void choose_cheapest(NodeId id) {
        float least = std::numeric_limits<float>::infinity();
        std::size_t equal = 0;
        for (const std::int32_t option : options_[id]) {
            float added = 0;
            for (const NodeId child : graph_.children(graph_[id].actions[option]))
                if (uses_[child] == 0) added += graph_[child].cost;
            if (added > least) continue;
            equal = added < least ? 1 : equal + 1;
            least = added;
            if (below(equal) == 0) action_[id] = option;
        }
    }

    void step(double temperature) {
        const NodeId id = active_[below(active_.size())];
        if (graph_[id].level() < 2) return;  // changes too much at once
        const std::int32_t before = action_[id];
        const std::int32_t option = options_[id][below(options_[id].size())];
        if (option == before) return;
        const std::size_t size = size_;
        change(id, option, true);
        if (size_ <= size) return;
        const double chance = std::exp((static_cast<double>(size) - static_cast<double>(size_)) / temperature);
        if (static_cast<double>(next() >> 11) * 0x1p-53 >= chance) change(id, before, false);
    }

    std::uint64_t next() {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        return random_ ^= random_ << 17;
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>((next() >> 32) * bound >> 32); }

    const Graph& graph_;
    const NodeId root_;
    std::uint64_t random_;
    std::vector<std::vector<std::int32_t>> options_;  // of each node, the actions whose children are solved
    std::vector<NodeId> open_;                        // nodes with several options
    std::vector<std::int32_t> action_;
    std::vector<std::uint32_t> uses_;
    std::size_t size_ = 0;
    std::vector<NodeId> active_;        // open nodes in use
    std::vector<std::uint32_t> place_;  // of open nodes in use, their index in active_
    std::vector<bool> is_open_;
};

}  // namespace inarow::qubic
