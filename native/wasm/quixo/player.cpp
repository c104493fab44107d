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
    if (kind_ == Kind::level && !prober_.solved()) return see(prober_.decided_within(position, plies_seen()), random);
    const Probe probe = prober_.probe(position);
    if (probe.moves.empty()) return std::nullopt;
    if (kind_ == Kind::level) return see(probe.moves, random);
    if (kind_ == Kind::trap && probe.result.outcome == Outcome::loss) return set_trap(probe, random);
    if (random.below(100) < static_cast<std::size_t>(mistakes_)) return probe.moves[random.below(probe.moves.size())];
    const Outcome value = probe.result.outcome;
    if ((value == Outcome::win || value == Outcome::loss) && probe.result.plies < 0)
        return value == Outcome::win ? make_progress(probe, random) : resist(probe, random);
    const auto best = probe.best();
    if (best[0]->result.outcome == Outcome::draw) return most_losing_replies(probe, random);
    if (!is_known(best[0]->result)) return *best[0];
    return one_of(best, random);
}

MoveProbe Player::see(const std::vector<MoveProbe>& moves, Random& random) {
    const int plies = plies_seen();
    std::vector<const MoveProbe*> wins, losses, open;
    for (const MoveProbe& move : moves) {
        const bool seen = is_known(move.result) && move.result.plies >= 0 && move.result.plies <= plies;
        const bool won = seen && move.result.outcome == Outcome::win;
        (won ? wins : seen && move.result.outcome == Outcome::loss ? losses : open).push_back(&move);
    }
    if (wins.empty() && !open.empty()) return any(open, random);
    const auto& decided = wins.empty() ? losses : wins;
    std::vector<std::int64_t> order;
    for (const MoveProbe* move : decided) order.push_back(wins.empty() ? -move->result.plies : move->result.plies);
    return any(lowest(decided, order), random);
}

MoveProbe Player::set_trap(const Probe& probe, Random& random) {
    if (!prober_.knows_everything() && probe.result.plies < 0) return resist(probe, random);
    std::vector<const MoveProbe*> moves;
    std::vector<std::int64_t> ways;
    for (const MoveProbe& move : probe.moves) {
        moves.push_back(&move);
        ways.push_back(winning_replies(move.position));
    }
    return *lowest(moves, ways)[0];  // of equals the one that loses last is first
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
    for (const MoveProbe* move : longest) ways.push_back(winning_replies(move->position));
    return any(lowest(longest, ways), random);
}

std::int64_t Player::winning_replies(const Position& position) {
    std::int64_t winning = 0;
    for (const quixo::Move* reply : prober_.legal_moves(position))
        winning += prober_.stored(position.after(*reply)).result.outcome == Outcome::loss;
    return winning;
}

std::string Player::describe() const {
    if (kind_ == Kind::level) {
        const int plies = plies_seen();
        return "Level " + std::to_string(level_) + ": sees what is decided within " + std::to_string(plies) +
               (plies == 1 ? " ply" : " plies") + ", and plays any move beyond that.";
    }
    if (kind_ == Kind::weaker) return "Makes " + std::to_string(mistakes_) + "% of its moves at random.";
    if (prober_.knows_everything())
        return std::string("Plays perfectly: takes the fastest win and ") +
               (kind_ == Kind::trap ? "hopes for mistakes where it is losing" : "the slowest loss") +
               ", and sets traps in a draw.";
    const std::string sources = prober_.has_book() ? "the book and a search" : "a search";
    return "Plays by " + sources + " of " + std::to_string(Prober::plies) +
           " plies and more, up to 2 seconds a move. " + "That is not perfect.";
}

}  // namespace inarow::wasm
