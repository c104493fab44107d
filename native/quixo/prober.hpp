// Looks positions up in everything at hand, and searches what is missing.
//
// A position passes through the sources in their order until its value and plies are known. No source hides what
// another one knows, and two that contradict each other are found out.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>

#include "search.hpp"
#include "source.hpp"

namespace inarow::quixo {

inline bool is_known(const Result& result) { return result.outcome != Outcome::missing; }
// Whether everything is known: a draw has no plies.
inline bool is_complete(const Result& result) {
    return result.outcome == Outcome::draw || (is_known(result) && result.plies >= 0);
}
constexpr Outcome opposite(Outcome outcome) {
    return outcome == Outcome::win ? Outcome::loss : outcome == Outcome::loss ? Outcome::win : outcome;
}

// A position that no source knows has been searched last.
struct Known {
    Result result{Outcome::missing, -1};
    Origin origin = Origin::search;
};

template <class Mask>
struct BasicProbedMove {
    int number;                       // among all moves of the board, by the cell taken and then by the cell pushed in
    typename Names<Mask>::Word word;  // the position after it
    Known known;                      // for the side that makes the move; plies from the position before it
    int losing_replies = -1, replies = -1;
};

// Two sources that say different things of a position, or one whose value does not follow from its moves.
struct Contradiction {
    Known first, second;
    int move = -1;  // of the second, if it is what a move says
};

template <class Mask>
struct BasicProbe {
    typename Names<Mask>::Word word;
    Known known;
    std::vector<BasicProbedMove<Mask>> moves;  // best first
    int searched = -1;                         // plies to which all was searched, if it was
    std::optional<Contradiction> contradiction;

    // How many moves, at the beginning, are as good as the first one.
    std::size_t best() const;
};

// What a table says of a position and of its moves: nothing if it lacks parts of files, and a probe whose value is not
// known if it lacks one of these positions.
template <class Mask>
std::optional<BasicProbe<Mask>> probe_in(BasicSource<Mask>& table, const BasicBoard<Mask>& board,
                                         const std::vector<BasicMove<Mask>>& moves,
                                         const typename Names<Mask>::Word& word);

// How far a search goes: everything that is decided within so many plies, then proofs of longer wins.
struct SearchLimits {
    int plies = 8;
    std::uint64_t nodes = 1 << 20;
    double seconds = 2.0;
};

template <class Mask>
class BasicProber {
  public:
    using Board = BasicBoard<Mask>;
    using Move = BasicMove<Mask>;
    using Search = BasicSearch<Mask>;
    using Source = BasicSource<Mask>;
    using Word = typename Search::Word;
    using Probe = BasicProbe<Mask>;
    using ProbedMove = BasicProbedMove<Mask>;

    // Called now and then while searching: whether to end early, as if time was up. It may throw.
    using Poll = std::function<bool()>;

    // The sources in the order in which they are asked.
    BasicProber(
        Rules rules, std::vector<std::shared_ptr<Source>> sources, std::vector<typename Search::ClassFacts> facts,
        SearchLimits limits, Poll poll = [] { return false; });

    const Board& board() const { return board_; }
    const std::vector<Move>& moves() const { return moves_; }
    const SearchLimits& limits() const { return limits_; }
    bool knows_outcomes() const;
    // From now on a search takes up to so many seconds.
    void limit(double seconds) {
        if (seconds != limits_.seconds) kept_.clear();
        limits_.seconds = seconds;
    }
    // Ends searches that are running, and all later ones, as if their time was up.
    void stop() { stopped_ = true; }

    // What is known of a position and of its moves; nothing if a source lacks parts of files.
    std::optional<Probe> probe(const Word& word);
    // Counts the losing replies to each move that keeps a draw, where that is cheap. False if parts are lacking.
    bool count_replies(Probe& probe);
    // What is known without a search.
    std::optional<std::vector<Known>> stored(std::span<const Word> words) {
        std::optional<Contradiction> none;
        return stored(words, none);
    }
    // The outcomes alone, of many positions, from sources where that is cheap.
    bool outcomes(std::span<const Word> words, std::span<Outcome> outcomes);
    // Every move with what is decided within so many plies, and perhaps more.
    std::optional<std::vector<ProbedMove>> decided_within(const Word& word, int plies);

    std::unique_ptr<Search> search(bool by_class = true, typename Search::Oracle oracle = {}) const;

  private:
    Source* table_for(const Word& word) const;
    std::optional<Probe> by_all(const Word& word);
    std::optional<std::vector<Known>> stored(std::span<const Word> words, std::optional<Contradiction>& contradiction);
    int search_moves(const std::vector<Word>& children, const Result& here, std::vector<Result>& there) const;
    void prove(Search& search, const std::vector<Word>& children, std::vector<Result>& there, double seconds) const;

    Board board_;
    std::vector<Move> moves_;
    std::vector<std::shared_ptr<Source>> sources_;
    std::vector<typename Search::ClassFacts> facts_;
    SearchLimits limits_;
    Poll poll_;
    std::atomic<bool> stopped_{false};
    std::atomic_flag keeping_;    // held for moments; modules of pages have no mutex
    std::map<Word, Probe> kept_;  // answers that took a search
};

using ProbedMove = BasicProbedMove<Mask>;
using Probe = BasicProbe<Mask>;
using Prober = BasicProber<Mask>;

}  // namespace inarow::quixo
