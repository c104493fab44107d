// What the parts of the Python module inarow._native.quixo share.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/arrays.hpp"
#include "quixo/planes.hpp"
#include "quixo/prober.hpp"

// Ends work on other threads than the one that gets Ctrl-C.
struct Stop {
    std::atomic<bool> asked{false};
};

// A search, prober or player of a board of any size. Positions are two masks: of the side to move, and of the other.
template <template <class> class Of>
struct OfAnySize {
    std::unique_ptr<Of<inarow::quixo::Mask>> small;
    std::unique_ptr<Of<inarow::quixo::WideMask>> wide;

    template <class Work>
    auto with(Work work) const {
        return small ? work(*small) : work(*wide);
    }
};

template <class Mask>
auto word_of_masks(std::uint64_t mover, std::uint64_t other) {
    return inarow::quixo::Names<Mask>::word(static_cast<Mask>(mover), static_cast<Mask>(other));
}

// Entries or plies of one or two bytes.
using AnyEntries = std::variant<inarow::bindings::ReadOnly<std::uint16_t>, inarow::bindings::ReadOnly<std::uint8_t>>;

inline inarow::quixo::StoredPair stored(const AnyEntries& array, std::size_t expected, const char* what) {
    return std::visit(
        [&](const auto& its) {
            inarow::bindings::require_length(its.size(), expected, what);
            return inarow::quixo::StoredPair{its.data(), static_cast<int>(sizeof *its.data())};
        },
        array);
}

// A plane as Python has it: its outcomes, packed, and the plies of its entries.
using PyPlane = std::tuple<inarow::bindings::ReadOnly<std::uint8_t>, std::optional<AnyEntries>>;

inline inarow::quixo::StoredPlane stored_plane(const PyPlane& plane, std::size_t entries, bool plies = true) {
    const auto& [outcomes, its] = plane;
    inarow::bindings::require_length(outcomes.size(), inarow::quixo::packed::bytes(entries), "outcomes");
    if (its.has_value() != plies) throw std::invalid_argument("planes need plies, or none");
    return {outcomes.data(), plies ? stored(*its, entries, "plies") : inarow::quixo::StoredPair{}};
}

// Value, plies and origin of a position.
using PyKnown = std::tuple<int, int, int>;
// Of a move: its number, what is known, losing replies and all.
using PyMove = std::tuple<int, PyKnown, int, int>;
using PyContradiction = std::tuple<PyKnown, PyKnown, int>;
struct LaterMoves {
    std::function<std::vector<PyMove>()> made;
};
// What is known, the plies searched, a contradiction, the moves.
using PyProbe = std::tuple<PyKnown, int, std::optional<PyContradiction>, LaterMoves>;

inline PyKnown to_python(const inarow::quixo::Known& known) {
    return {static_cast<int>(known.result.outcome), known.result.plies, static_cast<int>(known.origin)};
}
template <class Mask>
PyMove to_python(const inarow::quixo::BasicProbedMove<Mask>& move) {
    return {move.number, to_python(move.known), move.losing_replies, move.replies};
}
// The moves are made when they are asked for: that takes longer than to look their values up.
template <class Mask>
PyProbe to_python(inarow::quixo::BasicProbe<Mask> probe) {
    std::optional<PyContradiction> contradiction;
    if (const auto& its = probe.contradiction)
        contradiction = {to_python(its->first), to_python(its->second), its->move};
    auto moves = [found = std::move(probe.moves)] {
        std::vector<PyMove> made;
        for (const auto& move : found) made.push_back(to_python(move));
        return made;
    };
    return {to_python(probe.known), probe.searched, contradiction, LaterMoves{std::move(moves)}};
}

void bind_table(nanobind::module_& m);
void bind_prober(nanobind::module_& m);
