#include "positional/qubic/choice.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

namespace inarow::qubic {
namespace {

// One character for each cell: x, o or a point.
Position parse(std::string_view text) {
    Position position{0, 0};
    for (int cell = 0; cell < kCells; ++cell) {
        if (text[cell] == 'x') position.x |= bit(cell);
        if (text[cell] == 'o') position.o |= bit(cell);
    }
    return position;
}

constexpr NodeId kNoNode = ~NodeId{0};

// The nodes that games reach by the choice, if nothing follows the node `cut`.
void reach(const Graph& graph, const Choice& choice, NodeId id, NodeId cut, std::set<NodeId>& found) {
    if (!found.insert(id).second || id == cut) return;
    for (const NodeId child : graph.children(choice.taken(id))) reach(graph, choice, child, cut, found);
}

void check_size(const Graph& graph, const Choice& choice, NodeId root) {
    std::set<NodeId> reached;
    reach(graph, choice, root, kNoNode, reached);
    CHECK(choice.size() == reached.size());
    for (NodeId id = 0; id < graph.size(); ++id) REQUIRE(choice.has(id) == reached.contains(id));
    for (const NodeId id : reached) REQUIRE(graph.all_solved(choice.taken(id)));
    CHECK_FALSE(choice.has(static_cast<NodeId>(graph.size())));
}

TEST_CASE("a choice counts the nodes that games reach by it, whatever it changes to") {
    Graph graph(12);  // its root has several answers to choose from, some better than others
    const NodeId root = graph.node(parse("......x........xxo.....................o....................o..."));
    REQUIRE(graph.solve(root, 1e6F, 400, [] {}));
    graph.expand(root);
    const std::vector<Action> actions = graph[root].actions;
    for (const Action& action : actions)
        for (std::uint32_t i = 0; i < action.count; ++i) graph.solve(graph.children(action)[i], 1e6F, 30, [] {});
    Choice choice(graph, root, 1);
    check_size(graph, choice, root);
    const std::size_t cheapest = choice.size();

    // The answers that leave the most to be answered.
    std::vector<std::pair<NodeId, int>> moves;
    for (NodeId id = 0; id < graph.size(); ++id) {
        if (!graph[id].solved || graph[id].actions[graph[id].best].count == 0) continue;
        const Action* most = nullptr;
        for (const Action& action : graph[id].actions)
            if (graph.all_solved(action) && (most == nullptr || action.count > most->count)) most = &action;
        moves.emplace_back(id, most->move);
    }
    choice.start(moves);
    check_size(graph, choice, root);
    for (const auto& [id, move] : moves) CHECK(choice.taken(id).move == move);
    const std::size_t before = choice.size();
    CHECK(before > cheapest);

    choice.anneal(20'000, 2, 0.1);
    check_size(graph, choice, root);
    const std::size_t annealed = choice.size();
    CHECK(annealed < before);
    choice.anneal_around(5, 3, 2'000, 2, 0.1);
    check_size(graph, choice, root);
    CHECK(choice.size() <= annealed);

    // A node is worth what only it needs.
    for (NodeId id = 0; id < graph.size(); ++id) {
        if (!choice.has(id)) continue;
        std::set<NodeId> without;
        reach(graph, choice, root, id, without);
        CHECK(choice.worth(id) == choice.size() - without.size());
        check_size(graph, choice, root);
    }
}

}  // namespace
}  // namespace inarow::qubic
