#include "positional/qubic/graph.hpp"

#include <cstring>
#include <numeric>
#include <stdexcept>

namespace inarow::qubic {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// Estimates of a position's cost before it is searched, by the number of X's.
constexpr float kPrice[] = {5000, 350, 12, 1.15f};
constexpr int kLastPriced = 3;

}  // namespace

float Graph::price(int level) const { return optimistic_ ? 1 : kPrice[std::min(level, kLastPriced)]; }

// With few marks there are no threats, and nearly all replies remain; later, one move in ten leaves nothing.
int Graph::next_limit(const Node& node) {
    if (node.level() < 2) return kAll;
    if (node.level() == 2) return node.known_up_to < 0 ? 25 : kAll;
    return node.known_up_to < 0 ? 0 : node.known_up_to == 0 ? 3 : node.known_up_to == 3 ? 12 : kAll;
}

float Graph::price_of_rest(const Node& node) const {
    if (node.known_up_to == kAll) return kInfinite;
    if (optimistic_) return static_cast<float>(node.known_up_to) + 2;
    if (node.level() == 2) return 60;
    return node.known_up_to == 0 ? 5 : node.known_up_to == 3 ? 12 : 40;
}

std::uint64_t Graph::bytes() const {
    // For each position a node and a bucket of the map, and the average size of its two lists.
    return nodes_.size() * (sizeof(Node) + 48) + 3 * children_.capacity() * sizeof(NodeId);
}

NodeId Graph::node(const Position& canonical) {
    const auto [found, is_new] = ids_.try_emplace(canonical, static_cast<NodeId>(nodes_.size()));
    if (is_new) {
        Node node;
        node.position = canonical;
        node.cost = price(node.level());
        nodes_.push_back(std::move(node));
    }
    return found->second;
}

// The move has just been judged.
Action Graph::action_of(NodeId id, int move) {
    Action action{static_cast<std::uint8_t>(move), 0, static_cast<std::uint32_t>(children_.size())};
    for (const Position& position : judge_.remaining()) {
        const NodeId child = node(position);
        children_.push_back(child);
        auto& parents = nodes_[child].parents;
        if (std::find(parents.begin(), parents.end(), id) == parents.end()) parents.push_back(id);
        ++action.count;
    }
    return action;
}

void Graph::expand(NodeId id) {
    ++expansions_;
    const Position position = nodes_[id].position;
    const Board board(position);
    const int most = next_limit(nodes_[id]);
    std::vector<Action> actions;
    std::vector<Position> seen;  // after the move, O to move
    for (Cells rest = board.empty(); rest != 0; rest &= rest - 1) {
        const int move = lowest(rest);
        const Position after = canonical({position.x | bit(move), position.o});
        if (std::find(seen.begin(), seen.end(), after) != seen.end()) continue;
        seen.push_back(after);
        if (judge_.judge(board, move, static_cast<std::size_t>(most)) == Judgement::Holds)
            actions.push_back(action_of(id, move));
    }
    Node& node = nodes_[id];
    node.actions = std::move(actions);
    // An action without children cannot be improved on.
    node.known_up_to = most == 0 && !node.actions.empty() ? kAll : most;
    propagate(id);
}

// Computes a node's cost from its children; returns whether anything changed.
bool Graph::update(NodeId id) {
    Node& node = nodes_[id];
    float guess = price_of_rest(node);
    float sure = kInfinite;
    std::int32_t guessed = -1;
    std::int32_t settled = -1;
    for (std::size_t i = 0; i < node.actions.size(); ++i) {
        float cost = 1;
        bool solved = true;
        for (const NodeId child : children(node.actions[i])) {
            cost += nodes_[child].cost;
            solved &= nodes_[child].solved;
        }
        if (solved && cost < sure) {
            sure = cost;
            settled = static_cast<std::int32_t>(i);
        }
        if (cost < guess) {
            guess = cost;
            guessed = static_cast<std::int32_t>(i);
        }
    }
    // Nodes that were visited often become more expensive, which leads the search away from where it is stuck.
    if (node.level() >= 2) guess *= 1 + static_cast<float>(node.visits) / (node.level() == 2 ? 200 : 30);
    const bool solved = settled >= 0;
    const float cost = solved ? sure : guess;
    const bool changed = cost != node.cost || solved != node.solved;
    node.cost = cost;
    node.solved = solved;
    node.best = solved ? settled : guessed;
    return changed;
}

void Graph::propagate(NodeId id) {
    std::vector<std::vector<NodeId>> waiting(nodes_[id].level() + 1);
    waiting.back().push_back(id);
    for (; !waiting.empty(); waiting.pop_back()) {
        std::vector<NodeId> level = std::move(waiting.back());
        std::sort(level.begin(), level.end());
        level.erase(std::unique(level.begin(), level.end()), level.end());
        for (const NodeId each : level)
            if (update(each))
                for (const NodeId parent : nodes_[each].parents) waiting[nodes_[parent].level()].push_back(parent);
    }
}

bool Graph::solve(NodeId root, float bound, std::uint64_t expansions, const std::function<void()>& tick) {
    for (; !nodes_[root].solved; --expansions) {
        if (expansions == 0 || nodes_[root].cost > bound) return false;
        NodeId at = root;
        while (nodes_[at].best >= 0) {
            ++nodes_[at].visits;
            const NodeId* hardest = nullptr;
            for (const NodeId& child : children(nodes_[at].actions[nodes_[at].best]))
                if (!nodes_[child].solved && (hardest == nullptr || nodes_[child].cost > nodes_[*hardest].cost))
                    hardest = &child;
            at = *hardest;
        }
        if (nodes_[at].known_up_to == kAll) return false;  // there is no move at all
        expand(at);
        tick();
    }
    return true;
}

void Graph::reset_costs(bool optimistic) {
    optimistic_ = optimistic;
    std::vector<NodeId> ids(nodes_.size());
    std::iota(ids.begin(), ids.end(), NodeId{0});
    std::stable_sort(ids.begin(), ids.end(),
                     [this](NodeId a, NodeId b) { return nodes_[a].level() > nodes_[b].level(); });
    for (const NodeId id : ids) {
        Node& node = nodes_[id];
        node.visits = 0;
        if (node.known_up_to < 0)
            node.cost = price(node.level());
        else
            update(id);
    }
}

// --- Checkpoints ---

// Passes all numbers of a checkpoint to `number`, and its vectors to `list`: whole, or only their size.
template <class Self, class Number, class List>
void Graph::each_part(Self& graph, const Number& number, const List& list) {
    number(graph.expansions_);
    number(graph.optimistic_);
    list(graph.children_, true);
    list(graph.nodes_, false);
    for (auto& node : graph.nodes_) {
        number(node.position.x);
        number(node.position.o);
        number(node.known_up_to);
        number(node.visits);
        number(node.cost);
        number(node.best);
        number(node.solved);
        list(node.actions, false);
        for (auto& action : node.actions) {
            number(action.move);
            number(action.first);
            number(action.count);
        }
        list(node.parents, true);
    }
}

std::string Graph::save() const {
    std::string data;
    const auto number = [&data]<class T>(const T& value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof(T));
        data.append(reinterpret_cast<const char*>(&word), sizeof word);
    };
    each_part(*this, number, [&](const auto& items, bool whole) {
        number(items.size());
        if (whole) data.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof items[0]);
    });
    return data;
}

void Graph::load(std::string_view data) {
    const auto read = [&data](void* to, std::size_t size) {
        if (size > data.size()) throw std::invalid_argument("the graph is truncated");
        if (size != 0) std::memcpy(to, data.data(), size);
        data.remove_prefix(size);
    };
    const auto number = [&read]<class T>(T& value) {
        std::uint64_t word;
        read(&word, sizeof word);
        std::memcpy(&value, &word, sizeof(T));
    };
    each_part(*this, number, [&](auto& items, bool whole) {
        std::uint64_t size;
        number(size);
        if (size > data.size()) throw std::invalid_argument("the graph is truncated");  // before memory is asked for
        items.resize(size);
        if (whole) read(items.data(), size * sizeof items[0]);
    });
    if (!data.empty()) throw std::invalid_argument("there is data after the graph");
    ids_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) ids_.emplace(nodes_[i].position, static_cast<NodeId>(i));
}

}  // namespace inarow::qubic
