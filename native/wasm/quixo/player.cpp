#include "wasm/quixo/player.hpp"

#include <algorithm>

namespace inarow::wasm {

namespace {

constexpr std::uint64_t brief = 64;  // a part of a proof's nodes: for each of many moves
constexpr std::size_t alike = 3;     // of equally good moves that are sorted by how they look, so many are good enough

// Those of the moves with the lowest count.
std::vector<const MoveProbe*> lowest(const std::vector<const MoveProbe*>& moves,
                                     const std::vector<std::int64_t>& counts) {
    const std::int64_t least = *std::min_element(counts.begin(), counts.end());
    std::vector<const MoveProbe*> found;
    for (std::size_t i = 0; i < moves.size(); ++i)
        if (counts[i] == least) found.push_back(moves[i]);
    return found;
}

const MoveProbe& any(const std::vector<const MoveProbe*>& moves, Random& random) {
    return *moves[random.below(moves.size())];
}

}  // namespace

std::optional<MoveProbe> Player::choose(const Position& position, Random& random) {
    const Probe probe = prober_.probe(position);
    if (probe.moves.empty()) return std::nullopt;
    if (random.below(100) < static_cast<std::size_t>(mistakes_)) return probe.moves[random.below(probe.moves.size())];
    const Outcome value = probe.result.outcome;
    if ((value == Outcome::win || value == Outcome::loss) && probe.result.plies < 0)
        return value == Outcome::win ? make_progress(probe, random) : resist(probe, random);
    const auto best = probe.best();
    if (best[0]->result.outcome == Outcome::draw) return most_losing_replies(probe, random);
    if (!is_known(best[0]->result)) return *best[0];
    return one_of(best, random);
}

MoveProbe Player::most_losing_replies(const Probe& probe, Random& random) {
    Probe counted = probe;
    prober_.count_replies(counted);
    auto best = counted.best();
    if (std::any_of(best.begin(), best.end(), [](const auto* move) { return move->losing_replies < 0; })) {
        if (best.size() > alike) best.resize(alike);
        return one_of(best, random);
    }
    std::vector<std::int64_t> others;
    for (const MoveProbe* move : best) others.push_back(-move->losing_replies);
    return one_of(lowest(best, others), random);
}

MoveProbe Player::make_progress(const Probe& probe, Random& random) {
    std::vector<const MoveProbe*> winning, adding;
    for (const MoveProbe& move : probe.moves) {
        if (move.result.outcome != Outcome::win) continue;
        winning.push_back(&move);
        if (move.position.marks() > probe.position.marks()) adding.push_back(&move);
    }
    search_.prove(probe.position.word(), Outcome::win, Prober::nodes, Prober::seconds);
    const MoveProbe* shortest = nullptr;
    int plies = quixo::Search::never + 1;
    for (const MoveProbe* move : winning)
        if (const Result proven = search_.proven(move->position.word()); is_known(proven) && proven.plies < plies) {
            shortest = move;
            plies = proven.plies;
        }
    if (shortest) return *shortest;
    const auto& candidates = adding.empty() ? winning : adding;
    std::vector<std::int64_t> left;
    for (const MoveProbe* move : candidates) left.push_back(search_.left_to_prove(move->position.word()));
    return any(lowest(candidates, left), random);
}

MoveProbe Player::resist(const Probe& probe, Random& random) {
    std::vector<const MoveProbe*> longest;
    for (const MoveProbe& move : probe.moves)
        if (move.result.plies < 0) longest.push_back(&move);
    if (longest.empty()) longest = probe.best();
    if (longest.size() == 1) return *longest[0];
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    // A win that is hard to prove is hard to find.
    std::vector<const MoveProbe*> open;
    for (const MoveProbe* move : longest) {
        const double left = Prober::seconds - std::chrono::duration<double>(Clock::now() - begun).count();
        const auto nodes = Prober::nodes / brief;
        if (!is_known(search_.prove(move->position.word(), Outcome::win, nodes, std::max(0.0, left))))
            open.push_back(move);
    }
    if (!open.empty()) longest = open;
    std::vector<std::int64_t> ways;
    for (const MoveProbe* move : longest) {
        std::int64_t winning = 0;
        for (const quixo::Move* reply : prober_.legal_moves(move->position))
            winning += prober_.stored(move->position.after(*reply)).result.outcome == Outcome::loss;
        ways.push_back(winning);
    }
    return any(lowest(longest, ways), random);
}

std::string Player::describe(bool weaker) const {
    if (weaker) return "Makes " + std::to_string(mistakes_) + "% of its moves at random.";
    if (prober_.knows_everything())
        return "Plays perfectly: takes the fastest win and the slowest loss, and sets traps in a draw.";
    const std::string sources = prober_.has_book() ? "the book and a search" : "a search";
    return "Plays by " + sources + " of " + std::to_string(Prober::plies) +
           " plies and more, up to 2 seconds a move. " + "That is not perfect.";
}

}  // namespace inarow::wasm
