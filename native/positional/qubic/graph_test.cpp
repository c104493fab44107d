#include "positional/qubic/graph.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "positional/qubic/test_positions.hpp"

namespace inarow::qubic {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes saved(const Graph& graph) {
    Bytes bytes;
    graph.save([&](const void* data, std::size_t size) {
        const auto* from = static_cast<const unsigned char*>(data);
        bytes.insert(bytes.end(), from, from + size);
    });
    return bytes;
}

// Sixteen answers are enough from here, some of them after one another.
const Position kRoot = parse(".....x....ox.o..x.......o.......................................");

bool solve(Graph& graph, NodeId root) {
    return graph.solve(root, 1e6F, 400, [] {});
}

TEST_CASE("the root has two moves up to symmetry") {
    Graph graph(12);
    const NodeId root = graph.node({0, 0});
    CHECK(graph.node({0, 0}) == root);
    CHECK(graph[root].known_up_to == -1);
    CHECK(graph[root].actions.empty());
    graph.expand(root);
    CHECK(graph.expansions() == 1);
    REQUIRE(graph[root].actions.size() == 2);
    CHECK(std::multiset<std::uint32_t>{graph[root].actions[0].count, graph[root].actions[1].count} ==
          std::multiset<std::uint32_t>{12, 23});
    CHECK(graph.size() == 1 + 12 + 23);
    CHECK_FALSE(graph[root].solved);
    for (const Action& action : graph[root].actions)
        for (const NodeId* child = graph.begin(action); child != graph.end(action); ++child) {
            CHECK(graph[*child].parents == std::vector<NodeId>{root});
            CHECK(graph[*child].level() == 1);
        }
}

TEST_CASE("a solved node has an action all of whose children are solved") {
    Graph graph(12);
    const NodeId root = graph.node(kRoot);
    int ticks = 0;
    REQUIRE(graph.solve(root, 1e6F, 400, [&] { ++ticks; }));
    CHECK(graph[root].solved);
    CHECK(ticks > 0);
    CHECK(graph.expansions() == static_cast<std::uint64_t>(ticks));
    int solved = 0;
    for (NodeId id = 0; id < graph.size(); ++id) {
        const Node& node = graph[id];
        bool has = false;
        for (const Action& action : node.actions) has |= graph.all_solved(action);
        CHECK(node.solved == has);
        if (!node.solved) continue;
        ++solved;
        const Action& best = node.actions[node.best];
        CHECK(graph.all_solved(best));
        float cost = 1;
        for (const NodeId* child = graph.begin(best); child != graph.end(best); ++child) cost += graph[*child].cost;
        CHECK(node.cost == cost);
    }
    CHECK(solved > 1);
}

TEST_CASE("a search stops at its bound and after its expansions") {
    Graph graph(12);
    const NodeId root = graph.node(kRoot);
    CHECK_FALSE(graph.solve(root, 1e6F, 3, [] {}));
    CHECK(graph.expansions() == 3);
    CHECK_FALSE(graph.solve(root, 1, 400, [] {}));
    CHECK(graph.expansions() == 3);
    struct Stop {};
    CHECK_THROWS_AS(graph.solve(root, 1e6F, 400, [] { throw Stop{}; }), Stop);
    CHECK(solve(graph, root));
}

TEST_CASE("a graph that was saved resumes where it was") {
    Graph graph(12);
    const NodeId root = graph.node(kRoot);
    CHECK_FALSE(graph.solve(root, 1e6F, 20, [] {}));
    Graph again(12);
    const Bytes bytes = saved(graph);
    std::size_t at = 0;
    again.load([&](void* to, std::size_t size) {
        REQUIRE(at + size <= bytes.size());
        if (size != 0) std::memcpy(to, bytes.data() + at, size);
        at += size;
    });
    CHECK(at == bytes.size());
    CHECK(saved(again) == bytes);
    CHECK(again.node(kRoot) == root);
    CHECK(solve(graph, root));
    CHECK(solve(again, root));
    CHECK(saved(again) == saved(graph));
}

TEST_CASE("resetting costs forgets visits, not what is solved") {
    Graph graph(12);
    const NodeId root = graph.node(kRoot);
    REQUIRE(solve(graph, root));
    const float cost = graph[root].cost;
    for (const bool optimistic : {true, false}) {
        graph.reset_costs(optimistic);
        CHECK(graph[root].solved);
        CHECK(graph[root].cost == cost);
        for (NodeId id = 0; id < graph.size(); ++id) CHECK(graph[id].visits == 0);
    }
}

}  // namespace
}  // namespace inarow::qubic
