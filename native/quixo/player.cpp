#include "player.hpp"

#include <chrono>

namespace inarow::quixo {

namespace {

constexpr std::uint64_t brief = 64;  // a part of a proof's nodes: for each of many moves
constexpr std::size_t alike = 3;     // of equally good moves that are sorted by how they look, so many are good enough

// Those of the moves with the lowest count.
template <class Move, class Count>
std::vector<Move> lowest(const std::vector<Move>& moves, Count count) {
    std::vector<std::int64_t> counts;
    for (const Move& move : moves) counts.push_back(count(move));
    const std::int64_t least = *std::ranges::min_element(counts);
    std::vector<Move> found;
    for (std::size_t i = 0; i < moves.size(); ++i)
        if (counts[i] == least) found.push_back(moves[i]);
    return found;
}

}  // namespace

template <class Mask>
BasicPlayer<Mask>::BasicPlayer(Prober& prober, Strength strength)
    : prober_(prober), strength_(strength), random_(0), search_(prober.search(false)) {
    if (strength_.kind != Kind::weaker) strength_.mistakes = 0;
    new_marks_ = prober.search(true, [this](std::span<const Word> words, std::span<Outcome> outcomes) {
        lacking_ |= !prober_.outcomes(words, outcomes);
    });
}

template <class Mask>
auto BasicPlayer<Mask>::choose(const Word& word, const std::set<Word>& before) -> std::optional<ProbedMove> {
    lacking_ = false;
    const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    random_ = UniformNumbers(strength_.seed.value_or(now) ^ Names<Mask>::hash(word));
    if (strength_.kind == Kind::level) {
        const auto moves = prober_.decided_within(word, levels[strength_.level - 1]);
        return moves && !moves->empty() ? std::optional(see(*moves)) : std::nullopt;
    }
    auto probe = prober_.probe(word);
    if (!probe || probe->moves.empty()) return std::nullopt;
    const Result& here = probe->known.result;
    if (strength_.kind == Kind::trap && here.outcome == Outcome::loss) return set_trap(*probe);
    constexpr std::uint64_t chances = 1 << 20;
    if (static_cast<double>(random_.below(chances)) < strength_.mistakes * chances) return any(probe->moves);
    if (here.outcome == Outcome::win && here.plies < 0) return make_progress(*probe, before);
    if (here.outcome == Outcome::loss && here.plies < 0) return resist(*probe);
    const Result& best = probe->moves[0].known.result;
    if (best.outcome == Outcome::draw) return most_losing_replies(std::move(*probe));
    if (!is_known(best)) return probe->moves[0];
    return one_of(first_best(*probe));
}

template <class Mask>
auto BasicPlayer<Mask>::see(const Moves& moves) -> ProbedMove {
    Moves wins, losses, open;
    for (const ProbedMove& move : moves) {
        const Result& its = move.known.result;
        const bool seen = is_known(its) && its.plies >= 0 && its.plies <= levels[strength_.level - 1];
        (seen && its.outcome == Outcome::win    ? wins
         : seen && its.outcome == Outcome::loss ? losses
                                                : open)
            .push_back(move);
    }
    if (!wins.empty()) return any(lowest(wins, [](const auto& move) { return move.known.result.plies; }));
    if (!open.empty()) return any(open);
    return any(lowest(losses, [](const auto& move) { return -move.known.result.plies; }));
}

template <class Mask>
auto BasicPlayer<Mask>::set_trap(const Probe& probe) -> std::optional<ProbedMove> {
    if (!prober_.knows_outcomes() && probe.known.result.plies < 0) return resist(probe);
    const auto fewest = fewest_winning_replies(probe.moves);
    return fewest ? std::optional(fewest->front()) : std::nullopt;  // of equals the one that loses last is first
}

template <class Mask>
auto BasicPlayer<Mask>::most_losing_replies(Probe probe) -> std::optional<ProbedMove> {
    if (!prober_.count_replies(probe)) return std::nullopt;
    Moves best = first_best(probe);
    if (std::ranges::any_of(best, [](const auto& move) { return move.losing_replies < 0; })) {
        if (best.size() > alike) best.resize(alike);
        return one_of(best);
    }
    return one_of(lowest(best, [](const auto& move) { return -move.losing_replies; }));
}

// A winning move that ends the game some day. To follow a proof, whose bound of plies falls with every move, always
// does. Without one, a move that adds a mark cannot be repeated for ever, nor can moves that force a new mark; then the
// move that is closest to a proof is made, but not to a position that was there before. Equals are chosen at random, so
// that every win is found with probability 1, whatever the reply.
template <class Mask>
auto BasicPlayer<Mask>::make_progress(const Probe& probe, const std::set<Word>& before) -> std::optional<ProbedMove> {
    Moves winning, fresh, adding;
    for (const ProbedMove& move : probe.moves) {
        // Winning moves come first; where none is known, those that may win.
        if (move.known.result.outcome != probe.moves[0].known.result.outcome) break;
        winning.push_back(move);
        if (!before.contains(move.word)) fresh.push_back(move);
    }
    if (const Moves proven = fastest_proven(*search_, probe.word, winning); !proven.empty()) return any(proven);
    if (fresh.empty()) fresh = winning;
    for (const ProbedMove& move : fresh)
        if (marks_of<Mask>(move.word) > marks_of<Mask>(probe.word)) adding.push_back(move);
    const auto closest = [&](Search& search, const Moves& moves) {
        return any(lowest(moves, [&](const ProbedMove& move) { return search.left_to_prove(move.word); }));
    };
    if (!adding.empty()) return closest(*search_, adding);
    const Moves forcing = fastest_proven(*new_marks_, probe.word, winning);
    if (lacking_) return std::nullopt;
    return forcing.empty() ? closest(*new_marks_, fresh) : any(forcing);
}

// The moves that a search proves to win within the fewest plies; none if it proves none.
template <class Mask>
auto BasicPlayer<Mask>::fastest_proven(Search& search, const Word& word, const Moves& winning) -> Moves {
    constexpr int never = 1 << 30;
    search.prove(word, Outcome::win, prober_.limits().nodes, prober_.limits().seconds);
    const auto bound = [&](const ProbedMove& move) {
        if (move.known.result.plies >= 0) return move.known.result.plies - 1;
        const Result proven = search.proven(move.word);
        return proven.outcome == Outcome::loss ? proven.plies : never;
    };
    const Moves fastest = lowest(winning, bound);
    return bound(fastest[0]) < never ? fastest : Moves();
}

// A losing move after which the winner has the fewest ways to win, and no short one.
template <class Mask>
auto BasicPlayer<Mask>::resist(const Probe& probe) -> std::optional<ProbedMove> {
    Moves longest, open;
    for (const ProbedMove& move : probe.moves)
        if (move.known.result.plies < 0) longest.push_back(move);
    if (longest.empty()) longest = first_best(probe);
    if (longest.size() == 1) return longest[0];
    // A win that is hard to prove is hard to find.
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    const SearchLimits& limits = prober_.limits();
    for (const ProbedMove& move : longest) {
        const double left = limits.seconds - std::chrono::duration<double>(Clock::now() - begun).count();
        const Result proven = search_->prove(move.word, Outcome::win, limits.nodes / brief, std::max(0.0, left));
        if (!is_known(proven)) open.push_back(move);
    }
    const auto fewest = fewest_winning_replies(open.empty() ? longest : open);
    return fewest ? std::optional(any(*fewest)) : std::nullopt;
}

// Those of the moves to which the fewest replies win.
template <class Mask>
auto BasicPlayer<Mask>::fewest_winning_replies(const Moves& moves) -> std::optional<Moves> {
    bool known = true;
    Moves fewest = lowest(moves, [&](const ProbedMove& move) -> std::int64_t {
        std::vector<Word> after;
        each_numbered_move(prober_.board(), prober_.moves(), move.word,
                           [&](int, const Word& word) { after.push_back(word); });
        std::vector<Outcome> outcomes(after.size());
        known &= prober_.outcomes(after, outcomes);
        return std::ranges::count(outcomes, Outcome::loss);
    });
    return known ? std::optional(std::move(fewest)) : std::nullopt;
}

template class BasicPlayer<Mask>;
#ifndef __wasm__  // pages show boards that can be solved
template class BasicPlayer<WideMask>;
#endif

}  // namespace inarow::quixo
