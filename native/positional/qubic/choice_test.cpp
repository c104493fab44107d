#include "positional/qubic/choice.hpp"

#include <doctest/doctest.h>

#include <set>

#include "positional/qubic/test_positions.hpp"

namespace inarow::qubic {
namespace {

// A solved graph whose root has several answers to choose from, some better than others.
struct Solved {
    Graph graph{12};
    NodeId root = graph.node(parse("......x........xxo.....................o....................o..."));

    Solved() {
        REQUIRE(graph.solve(root, 1e6F, 400, [] {}));
        graph.expand(root);
        const std::vector<Action> actions = graph[root].actions;
        for (const Action& action : actions)
            for (std::uint32_t i = 0; i < action.count; ++i) graph.solve(graph.begin(action)[i], 1e6F, 30, [] {});
    }
};

const Solved& solved() {
    static const Solved once;
    return once;
}

void reach(const Graph& graph, const Choice& choice, NodeId id, std::set<NodeId>& found) {
    if (!found.insert(id).second) return;
    const Action& action = choice.taken(id);
    for (const NodeId* child = graph.begin(action); child != graph.end(action); ++child)
        reach(graph, choice, *child, found);
}

// The choice counts exactly the nodes that games reach by it.
void check_size(const Graph& graph, const Choice& choice, NodeId root) {
    std::set<NodeId> reached;
    reach(graph, choice, root, reached);
    CHECK(choice.size() == reached.size());
    for (NodeId id = 0; id < graph.size(); ++id) REQUIRE(choice.has(id) == reached.contains(id));
    for (const NodeId id : reached) REQUIRE(graph.all_solved(choice.taken(id)));
    CHECK_FALSE(choice.has(static_cast<NodeId>(graph.size())));
}

TEST_CASE("a choice counts the nodes that games reach by it, whatever it changes to") {
    const Graph& graph = solved().graph;
    const NodeId root = solved().root;
    Choice choice(graph, root, 1);
    check_size(graph, choice, root);
    const std::size_t cheapest = choice.size();
    CHECK(choice.worth(root) == cheapest - 1);
    check_size(graph, choice, root);

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
}

TEST_CASE("there is no choice before the root is solved") {
    Graph graph(12);
    const NodeId root = graph.node({0, 0});
    CHECK_THROWS_AS(Choice(graph, root, 1), std::invalid_argument);
}

}  // namespace
}  // namespace inarow::qubic
