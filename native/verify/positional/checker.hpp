// Checks a strategy dictionary: rolls out every game that X, who moves first and plays by the dictionary, can come
// into.
//
// Takes lines as masks and symmetries as permutations, and shares no code with what searches for strategies, so that a
// mistake made there is not made here again. It is meant to be trusted by reading.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inarow::verify {

inline constexpr int kMaxBoard = 128;  // cells

// Cell c is bit c % 64 of word c / 64. Positions in arrays are the words of X's cells, then those of O's; boards of up
// to 64 cells leave the second words out.
using Words = std::array<std::uint64_t, 2>;

constexpr int word_count(int cells) { return cells <= 64 ? 1 : 2; }

struct Positional {
    int cells;
    std::vector<Words> lines;
    bool maker_breaker;  // O wins by a mark in every line, not by lines of its own
    // A group of permutations that take lines to lines: cell c goes to symmetry[c].
    std::vector<std::vector<std::uint8_t>> symmetries;
};

// Positions with X to move and X's answers.
struct Answers {
    std::size_t count;
    const std::uint64_t* positions;
    const std::uint8_t* moves;
};

// The rule that gives X's move. A plain player has the dictionary only. An assisted one goes through them in this
// order: completes a line if it can; blocks the cell where O would; looks into the dictionary; makes the first move of
// a forced win by threats. Failed: no rule gives a move, or O has won, or the board fills up without a line.
enum class Rule : std::uint8_t { Win, Block, Dictionary, Forced, Failed };
inline constexpr int kRules = 5;

// Why a position is a failure: nothing gives a move; O threatens two cells and X can block one; O has won; the board is
// full, or will be with X's move, and nobody has won.
enum class Failure : std::uint8_t { Unanswered, TwoThreats, Lost, Drawn };

struct Options {
    bool assisted;
    bool proof_only;             // a forced win is won, and not rolled out
    int threads;                 // the result is the same for any number
    std::uint64_t memory_limit;  // bytes, roughly; std::bad_alloc beyond
    unsigned kept;               // bit r: hand out the positions that Rule r decides
    std::function<void(std::uint64_t positions, int plies)> progress;  // called now and then; may throw to stop
};

struct Counterexample {
    std::vector<int> moves;  // a game from the empty board, X's and O's by turns; the last one is O's
    Failure failure;
};

struct RollOut {
    std::array<std::uint64_t, kRules> positions{};  // reached, up to symmetry, by the rule that decides them
    std::optional<Counterexample> counterexample;   // one of the fewest plies
    std::vector<std::uint8_t> used;                 // for each answer, whether X played by it
    // Answers (first) that differ from an earlier one (second) to the same position, beyond what its symmetry allows.
    std::vector<std::pair<std::size_t, std::size_t>> conflicts;
    int longest_game = 0;     // plies of the longest game that X wins, with forced wins played to their end
    int longest_threats = 0;  // of the forced wins as found: the most moves of X's that threaten, the last one with two
    int words = 0;            // of a mask in kept_positions
    std::vector<std::uint64_t> kept_positions;
    std::vector<std::uint8_t> kept_moves;
};

// The first answer that is not one for a board of this many cells, and what is wrong with it.
std::optional<std::pair<std::size_t, std::string>> fault(int cells, const Answers& answers);

// Positions that symmetries take to each other are one position. Where several answers are for the same position, the
// first counts. O's replies are all empty cells; a failure ends a game, and the other games are rolled out all the
// same. std::invalid_argument if the game, a symmetry or an answer is not sound.
RollOut roll_out(const Positional& game, const Answers& answers, const Options& options);

// For each position the first move of a forced win by threats for X, who is to move, and the number of threats in it:
// each move of X's leaves a line that lacks one cell, where O must reply, until one leaves two such cells. Nothing if
// there is none. X must not be able to complete a line at once, nor O.
std::vector<std::optional<std::pair<int, int>>> forced_wins(const Positional& game, std::size_t count,
                                                            const std::uint64_t* positions);

}  // namespace inarow::verify
