// Players of Quixo, which choose moves by what a prober knows.
#pragma once

#include <algorithm>
#include <array>
#include <set>

#include "many.hpp"
#include "prober.hpp"

namespace inarow::quixo {

// `best` gives nothing away, as far as is known: it takes the fastest win, else the draw after which most replies lose,
// else the longest loss, and where nothing is known the move that looks best. Where a value is known but not its plies,
// it makes progress in a win and resists in a loss. `trap` gives no more away, but takes the loss after which the
// fewest replies win. `level` sees what is decided within some plies, and nothing beyond. `weaker` errs at random, and
// is `best` otherwise.
enum class Kind { best, trap, level, weaker };

// How many plies the player of each level sees; level 1 is the first.
inline constexpr std::array<int, 6> levels = {1, 2, 3, 4, 6, 8};

struct Strength {
    Kind kind = Kind::best;
    int level = static_cast<int>(levels.size());
    double mistakes = 0;                // the share of moves that are made at random
    std::optional<std::uint64_t> seed;  // without one, the first of equally good moves is taken
};

template <class Mask>
class BasicPlayer {
  public:
    using Prober = BasicProber<Mask>;
    using Search = BasicSearch<Mask>;
    using Word = typename Search::Word;
    using Probe = BasicProbe<Mask>;
    using ProbedMove = BasicProbedMove<Mask>;

    BasicPlayer(Prober& prober, Strength strength);

    // A move of a game that is not over, which avoids the positions in `before`; nothing if a source lacks parts of
    // files. With a seed the choice depends on it and on the position alone, unless plies are not known.
    std::optional<ProbedMove> choose(const Word& word, const std::set<Word>& before = {});

  private:
    using Moves = std::vector<ProbedMove>;

    Moves first_best(const Probe& probe) const { return {probe.moves.begin(), probe.moves.begin() + probe.best()}; }
    const ProbedMove& any(const Moves& moves) { return moves[random_.below(moves.size())]; }
    const ProbedMove& one_of(const Moves& equals) { return equals[strength_.seed ? random_.below(equals.size()) : 0]; }
    ProbedMove see(const Moves& moves);
    std::optional<ProbedMove> set_trap(const Probe& probe);
    std::optional<ProbedMove> most_losing_replies(Probe probe);
    std::optional<ProbedMove> make_progress(const Probe& probe, const std::set<Word>& before);
    std::optional<ProbedMove> resist(const Probe& probe);
    Moves fastest_proven(Search& search, const Word& word, const Moves& winning);
    std::optional<Moves> fewest_winning_replies(const Moves& moves);

    Prober& prober_;
    Strength strength_;
    UniformNumbers random_;
    std::unique_ptr<Search> search_;  // keeps the proofs of wins, which are followed to their end
    bool lacking_ = false;            // parts of files, for the search below
    std::unique_ptr<Search> new_marks_;
};

using Player = BasicPlayer<Mask>;

}  // namespace inarow::quixo
