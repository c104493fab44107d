// Ultimate Tic-Tac-Toe from its rules and nothing else: slow and plain, for unit tests to compare with.
#pragma once

#include <array>
#include <random>
#include <vector>

namespace inarow::testing {

constexpr int kRowsOfThree[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                    {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

// A move is 9 * field + spot.
struct PlainUltimate {
    bool closed = false;           // a field that is won is closed
    std::array<char, 81> marks{};  // 'x', 'o' or 0
    std::array<char, 9> owners{};  // the side that won a field first
    std::vector<int> played;

    template <class Marks>
    static bool has_row(const Marks& marks, int first, char side) {
        for (const auto& row : kRowsOfThree)
            if (marks[first + row[0]] == side && marks[first + row[1]] == side && marks[first + row[2]] == side)
                return true;
        return false;
    }

    char turn() const { return played.size() % 2 == 0 ? 'x' : 'o'; }
    char winner() const { return has_row(owners, 0, 'x') ? 'x' : has_row(owners, 0, 'o') ? 'o' : '\0'; }
    bool is_over() const { return winner() != 0 || moves().empty(); }

    bool is_playable(int field) const {
        if (closed && owners[field]) return false;
        for (int spot = 0; spot < 9; ++spot)
            if (!marks[9 * field + spot]) return true;
        return false;
    }

    std::vector<int> moves() const {
        std::vector<int> found;
        const int sent_to = played.empty() ? -1 : played.back() % 9;
        const bool anywhere = sent_to < 0 || !is_playable(sent_to);
        for (int move = 0; move < 81; ++move)
            if (!marks[move] && is_playable(move / 9) && (anywhere || move / 9 == sent_to)) found.push_back(move);
        return found;
    }

    void play(int move) {
        const char side = turn();
        marks[move] = side;
        if (!owners[move / 9] && has_row(marks, move / 9 * 9, side)) owners[move / 9] = side;
        played.push_back(move);
    }

    PlainUltimate after(int move) const {
        PlainUltimate game = *this;
        game.play(move);
        return game;
    }

    // Whether X can force a win by the ply.
    bool x_wins_by(int plies) const {
        if (winner()) return winner() == 'x';
        if (static_cast<int>(played.size()) >= plies) return false;
        const bool x_moves = turn() == 'x';
        const std::vector<int> all = moves();
        for (const int move : all)
            if (after(move).x_wins_by(plies) == x_moves) return x_moves;
        return !x_moves && !all.empty();
    }
};

// A random game, played until it is over.
inline std::vector<int> random_ultimate_game(std::mt19937& random, bool closed = false) {
    PlainUltimate game{.closed = closed};
    while (!game.is_over()) {
        const std::vector<int> moves = game.moves();
        game.play(moves[random() % moves.size()]);
    }
    return game.played;
}

// The position `back` plies before the end of a random game.
inline PlainUltimate late_ultimate_position(std::mt19937& random, int back, bool closed = false) {
    const std::vector<int> moves = random_ultimate_game(random, closed);
    PlainUltimate game{.closed = closed};
    for (std::size_t i = 0; i + back < moves.size(); ++i) game.play(moves[i]);
    return game;
}

}  // namespace inarow::testing
