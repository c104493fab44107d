// What solving large games elsewhere left: the values of whole classes, and the outcomes of a few positions.
#pragma once

#include <map>

#include "source.hpp"

namespace inarow::quixo {

class Results : public Source {
  public:
    // Of classes, by the marks of both sides, whose games all have one value unless they are over; and of positions, by
    // their canonical words.
    Results(const Board& board, std::map<std::pair<int, int>, Outcome> classes, std::map<std::uint64_t, Result> kept)
        : Source(Origin::results, -1, -1, board.cells()),
          board_(board),
          classes_(std::move(classes)),
          kept_(std::move(kept)) {}

    bool look_up(std::span<const std::uint64_t> words, std::span<Result> results) override {
        std::ranges::transform(words, results.begin(), [&](std::uint64_t word) { return known(word); });
        return true;
    }

  private:
    Result known(std::uint64_t word) const {
        if (const auto found = kept_.find(canonical_word(board_, word)); found != kept_.end()) return found->second;
        const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
        const auto found = classes_.find({std::popcount(mover), std::popcount(other)});
        const bool over = board_.ended(mover, other) != Outcome::missing;
        return {over || found == classes_.end() ? Outcome::missing : found->second, -1};
    }

    Board board_;
    std::map<std::pair<int, int>, Outcome> classes_;
    std::map<std::uint64_t, Result> kept_;
};

}  // namespace inarow::quixo
