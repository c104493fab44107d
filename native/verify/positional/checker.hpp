// Checks a strategy dictionary: rolls out every game that X, who moves first and plays by the dictionary, can get into.
//
// Takes lines as masks and symmetries as permutations, and shares no code with the search for strategies, so that no
// mistake there can recur here. It is meant to be trusted after reading it.
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

// Cell c is bit c % 64 of word c / 64. In arrays, a position is the words of X's cells followed by those of O's; boards
// of up to 64 cells have one word each.
using Words = std::array<std::uint64_t, 2>;

constexpr int word_count(int cells) { return cells <= 64 ? 1 : 2; }

struct GameData {
    int cells;
    std::vector<Words> lines;
    bool maker_breaker;  // O wins by a mark in every line, not by lines of its own
    // A group of permutations that map lines to lines: cell c goes to symmetry[c].
    std::vector<std::vector<std::uint8_t>> symmetries;
};

// Positions with X to move and X's answers.
struct Answers {
    std::size_t count;
    const std::uint64_t* positions;
    const std::uint8_t* moves;
};

// The rule that gives X's move. A plain player only has the dictionary. An assisted player applies them in this order:
// complete a line; block the cell where O would; look the position up; make the first move of a forced win by threats.
// Failed: no rule gives a move, or O has won, or the board fills up without a line.
enum class Rule : std::uint8_t { Win, Block, Dictionary, Forced, Failed };
inline constexpr int kRules = 5;

// Why a position is a failure: no rule gives a move; O threatens two cells and X can block only one; O has won; the
// board is full, or will be after X's move, and nobody has won.
enum class Failure : std::uint8_t { Unanswered, TwoThreats, Lost, Drawn };

struct Options {
    bool assisted;
    bool proof_only;             // a forced win counts as won, and is not rolled out
    int threads;                 // do not affect the result
    std::uint64_t memory_limit;  // bytes, roughly; std::bad_alloc beyond
    unsigned kept;               // bit r: return the positions that Rule r decides
    std::function<void(std::uint64_t positions, int plies)>
        progress;  // called every few thousand positions; may throw to stop
};

struct Counterexample {
    std::vector<int> moves;  // a game from the empty board, alternating; the last one is O's
    Failure failure;
};

struct RollOut {
    std::array<std::uint64_t, kRules> positions{};  // reached, up to symmetry, by the rule that decides them
    std::optional<Counterexample> counterexample;   // one with the fewest plies
    std::vector<std::uint8_t> used;                 // for each answer, whether X played by it
    // Answers (first) that differ from an earlier one (second) to the same position, beyond what its symmetry allows.
    std::vector<std::pair<std::size_t, std::size_t>> conflicts;
    int longest_game = 0;     // plies of the longest game that X wins, with forced wins played to their end
    int longest_threats = 0;  // the most threatening moves of X in a forced win as found, the last with two threats
    int words = 0;            // of a mask in kept_positions
    std::vector<std::uint64_t> kept_positions;
    std::vector<std::uint8_t> kept_moves;
};

// The first answer that is not valid on a board of this many cells, and what is wrong with it.
std::optional<std::pair<std::size_t, std::string>> fault(int cells, const Answers& answers);

// Positions are equal up to symmetry. Of several answers to a position, the first counts. O replies with every empty
// cell. A failure ends its game; all other games are still rolled out. std::invalid_argument if the game, a symmetry or
// an answer is invalid.
RollOut roll_out(const GameData& game, const Answers& answers, const Options& options);

// For each position, the first move of a forced win by threats of X, who is to move, and the number of threats in it:
// each move of X leaves a line that lacks one cell, where O must reply, until one leaves two such cells. Empty if there
// is none. Neither side may be able to complete a line at once.
std::vector<std::optional<std::pair<int, int>>> forced_wins(const GameData& game, std::size_t count,
                                                            const std::uint64_t* positions);

}  // namespace inarow::verify
