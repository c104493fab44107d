// The search for a win in Qubic as the Python module inarow._native.qubic.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "positional/qubic/choice.hpp"
#include "positional/qubic/graph.hpp"

namespace nb = nanobind;
using namespace inarow::qubic;

namespace {

using Answer = std::tuple<Cells, Cells, int>;

void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

NodeId checked(const Graph& graph, NodeId id) {
    if (id >= graph.size()) throw std::invalid_argument("no such node");
    return id;
}

NodeId node_of(Graph& graph, Cells x, Cells o) {
    const auto require = [](bool condition, const char* message) {
        if (!condition) throw std::invalid_argument(message);
    };
    require((x & o) == 0, "a cell has both marks");
    for (const Cells line : kGeometry.line) require((line & ~x) != 0 && (line & ~o) != 0, "a line is complete");
    require(std::popcount(x) == std::popcount(o), "X is not to move");
    const Board board({x, o});
    require(board.x_threats() == 0 && board.o_threats() == 0, "a line can be completed at once");
    return graph.node(canonical({x, o}));
}

std::vector<std::tuple<int, std::vector<NodeId>>> actions_of(const Graph& graph, NodeId id) {
    std::vector<std::tuple<int, std::vector<NodeId>>> result;
    for (const Action& action : graph[checked(graph, id)].actions) {
        const auto children = graph.children(action);
        result.emplace_back(action.move, std::vector<NodeId>(children.begin(), children.end()));
    }
    return result;
}

// The dictionary of a choice, with the chosen moves, or with every move after which only its positions remain.
std::vector<Answer> answers(const Graph& graph, const Choice& choice, bool all_moves) {
    std::vector<Answer> result;
    for (NodeId id = 0; id < graph.size(); ++id) {
        if (!choice.has(id)) continue;
        const auto& [x, o] = graph[id].position;
        const Action& chosen = choice.taken(id);
        result.emplace_back(x, o, chosen.move);
        if (!all_moves) continue;
        for (const Action& action : graph[id].actions) {
            const auto known = [&](NodeId child) { return choice.has(child); };
            if (&action != &chosen && std::ranges::all_of(graph.children(action), known))
                result.emplace_back(x, o, action.move);
        }
    }
    return result;
}

}  // namespace

NB_MODULE(qubic, m) {
    m.doc() = "The search for a win in Qubic";
    nb::class_<Graph>(m, "Graph")
        .def(nb::init<int>(), nb::arg("table_bits"))
        .def("node", &node_of, nb::arg("x"), nb::arg("o"))
        .def("position",
             [](const Graph& g, NodeId id) {
                 const Position& position = g[checked(g, id)].position;
                 return std::pair{position.x, position.o};
             })
        .def("solved", [](const Graph& g, NodeId id) { return g[checked(g, id)].solved; })
        .def("known_up_to", [](const Graph& g, NodeId id) { return g[checked(g, id)].known_up_to; })
        .def("cost", [](const Graph& g, NodeId id) { return g[checked(g, id)].cost; })
        .def("actions", &actions_of, nb::arg("id"))
        .def(
            "expand", [](Graph& g, NodeId id) { g.expand(checked(g, id)); }, nb::arg("id"))
        .def(
            "solve",
            [](Graph& g, NodeId id, float bound, std::uint64_t expansions) {
                checked(g, id);
                nb::gil_scoped_release release;
                return g.solve(id, bound, expansions, check_signals);
            },
            nb::arg("id"), nb::arg("bound"), nb::arg("expansions"))
        .def("reset_costs", &Graph::reset_costs, nb::arg("optimistic"))
        .def("__len__", &Graph::size)
        .def_prop_ro("expansions", &Graph::expansions)
        .def_prop_ro("threat_nodes", &Graph::threat_nodes)
        .def_prop_ro("memory", &Graph::bytes)
        .def("save",
             [](const Graph& g) {
                 const std::string data = g.save();
                 return nb::bytes(data.data(), data.size());
             })
        .def("load", [](Graph& g, const nb::bytes& data) { g.load({data.c_str(), data.size()}); }, nb::arg("data"));
    nb::class_<Choice>(m, "Choice")
        .def(nb::init<const Graph&, NodeId, std::uint64_t>(), nb::arg("graph"), nb::arg("root"), nb::arg("seed"),
             nb::keep_alive<1, 2>())
        .def("start", &Choice::start, nb::arg("moves"))
        .def("anneal", &Choice::anneal, nb::arg("steps"), nb::arg("hot"), nb::arg("cold"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("anneal_around", &Choice::anneal_around, nb::arg("level"), nb::arg("changes"), nb::arg("steps"),
             nb::arg("hot"), nb::arg("cold"), nb::call_guard<nb::gil_scoped_release>())
        .def("__len__", &Choice::size)
        .def(
            "used",
            [](Choice& c, const Graph& g) {
                std::vector<std::tuple<NodeId, int, std::size_t>> result;
                for (NodeId id = 0; id < g.size(); ++id)
                    if (c.has(id)) result.emplace_back(id, c.taken(id).move, c.worth(id));
                return result;
            },
            nb::arg("graph"))
        .def(
            "answers", [](const Choice& c, const Graph& g, bool all) { return answers(g, c, all); }, nb::arg("graph"),
            nb::arg("all_moves"));
}
