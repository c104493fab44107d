// Looks positions up in everything at hand: a game that is solved here, a table elsewhere, the book, results and a
// search.
//
// The answers are those of inarow/quixo/prober.py, which explains them.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quixo/search.hpp"
#include "wasm/module.hpp"
#include "wasm/quixo/book.hpp"
#include "wasm/quixo/notation.hpp"
#include "wasm/quixo/remote_table.hpp"
#include "wasm/quixo/results.hpp"
#include "wasm/quixo/solved.hpp"

namespace inarow::wasm {

using quixo::Outcome;
using quixo::Result;

enum class Source { table, book, search, results };
inline const char* name_of(Source source) {
    constexpr const char* names[] = {"table", "book", "search", "results"};
    return names[static_cast<int>(source)];
}

inline bool is_known(const Result& result) { return result.outcome != Outcome::missing; }
// Whether everything is known.
inline bool is_complete(const Result& result) {
    return result.outcome == Outcome::draw || (is_known(result) && result.plies >= 0);
}
inline Outcome opposite(Outcome outcome) {
    return outcome == Outcome::win ? Outcome::loss : outcome == Outcome::loss ? Outcome::win : outcome;
}

// A position that no source knows has been searched last.
struct Known {
    Result result{Outcome::missing, -1};
    Source source = Source::search;
};

struct MoveProbe {
    const quixo::Move* move;
    Result result;  // for the side that makes the move, plies from the position before it
    Position position;
    Source source;
    int losing_replies = -1, replies = -1;
};

struct Probe {
    Position position;
    Result result;
    std::vector<MoveProbe> moves;  // best first
    Source source = Source::table;
    std::string reason;

    // How many moves, at the beginning, are as good as the first one.
    std::vector<const MoveProbe*> best() const {
        std::vector<const MoveProbe*> found;
        for (const MoveProbe& move : moves)
            if (move.result.outcome == moves[0].result.outcome && move.result.plies == moves[0].result.plies)
                found.push_back(&move);
        return found;
    }
};

class Prober {
  public:
    // How far a search goes: everything that is decided within so many plies, then proofs of longer wins.
    static constexpr int plies = 8;
    static constexpr std::uint64_t nodes = 1 << 20;
    static constexpr double seconds = 2.0;

    // Files may be needed before it knows everything that it could; then it has to be asked again.
    Prober(Rules rules, Files& files);

    const Board& board() const { return board_; }
    // Whether a table knows everything.
    bool knows_everything() const { return solved_ || table_; }
    // Null unless the game is small.
    const Solved* solved() const { return solved_.get(); }
    bool has_book() const { return book_ != nullptr; }
    bool has_results() const { return !results_.facts.empty(); }
    std::vector<quixo::Search::ClassFacts> facts() const { return results_.facts; }

    std::vector<const quixo::Move*> legal_moves(const Position& position) const;
    // What is known; nothing of it counts if files are needed.
    Probe probe(const Position& position);
    // Every move with what a search finds to be decided within so many plies.
    std::vector<MoveProbe> decided_within(const Position& position, int plies);
    // The number of losing replies to each move that keeps a draw, where that takes no search and few files.
    void count_replies(Probe& probe);
    // What is known without a search.
    Known stored(const Position& position);

    // Why an answer cannot be trusted, if there is a reason.
    const std::string& conflict() const { return conflict_; }

  private:
    struct Found {
        std::vector<Result> results;
        int plies;
    };

    // A probe by the table elsewhere; nothing while files are needed, and if they cannot be had.
    std::optional<Probe> by_table(const Position& position);
    Probe merged_sources(const Position& position);
    Found searched(const Position& position, const std::vector<Position>& children, const Result& here,
                   std::vector<Result> there);
    void prove(quixo::Search& search, const std::vector<Position>& children, std::vector<Result>& results,
               std::chrono::steady_clock::time_point deadline);
    Result of_results(const Position& position) const;
    Known merged(const Known& known, const Known& more);
    std::string reason(const Position& position, const Known& known, int searched) const;

    Board board_;
    Files& files_;
    std::vector<const quixo::Move*> moves_;  // by the cell taken, then by the cell pushed in
    std::unique_ptr<Solved> solved_;
    std::unique_ptr<RemoteTable> table_;
    std::unique_ptr<Book> book_;
    Results results_;
    std::map<std::uint64_t, Probe> kept_;  // answers that took a search, by word and side to move
    std::string conflict_;
};

}  // namespace inarow::wasm
