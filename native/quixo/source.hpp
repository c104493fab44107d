// What a prober looks positions up in: a table, a book, or results that were kept.
#pragma once

#include <span>
#include <vector>

#include "many.hpp"
#include "result.hpp"

namespace inarow::quixo {

enum class Origin { table, book, search, results };

template <class Mask>
class BasicSource {
  public:
    using Word = typename Names<Mask>::Word;

    // Everything is known up to so many marks, -1 for nothing; `many_marks` is where looking up many is cheap.
    BasicSource(Origin its_origin, int outcome_marks, int plies_marks, int many_marks)
        : origin(its_origin), outcome_marks(outcome_marks), plies_marks(plies_marks), many_marks(many_marks) {}
    virtual ~BasicSource() = default;

    // What is known of positions: `missing` where nothing is, and no plies where they are not known. False if parts of
    // files are lacking: then the results count for nothing, and the question is asked again once they are there.
    virtual bool look_up(std::span<const Word> words, std::span<Result> results) = 0;

    // The same of a position and of those after its moves. Plies of moves that are no better than others may be left
    // out where they cost much.
    virtual bool look_up_with_moves(std::span<const Word> words, std::span<Result> results) {
        return look_up(words, results);
    }

    const Origin origin;
    const int outcome_marks, plies_marks, many_marks;
};

using Source = BasicSource<Mask>;  // only of boards that can be solved

}  // namespace inarow::quixo
