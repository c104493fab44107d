// Games of Ultimate Tic-Tac-Toe, and their notation.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ultimate/board.hpp"
#include "wasm/module.hpp"
#include "wasm/text.hpp"

namespace inarow::wasm {

using ultimate::Board;
using ultimate::kAnywhere;

inline std::string move_text(int move) { return std::to_string(move / 9) + std::to_string(move % 9); }

inline char winner_of(const Board& board) { return board.has_won(0) ? 'x' : board.has_won(1) ? 'o' : ' '; }
// ' ' if neither side has won the field.
inline char field_winner(const Board& board, int field) { return " xo"[static_cast<int>(board.owner(field))]; }
inline char mark_at(const Board& board, int field, int spot) {
    return board.marks[0][field] >> spot & 1 ? 'x' : board.marks[1][field] >> spot & 1 ? 'o' : '.';
}

// A board, and the moves that led there.
struct Game {
    Board board;
    std::vector<int> moves;

    explicit Game(bool closed) : board(Board::start(closed)) {}

    std::string text() const {
        std::string words;
        for (const int move : moves) words += (words.empty() ? "" : " ") + move_text(move);
        return words.empty() ? "start" : words;
    }

    // Why a move cannot be played; empty if it can.
    std::string why_illegal(int move) const {
        const int field = move / 9, spot = move % 9, active = board.active;
        const char won = winner_of(board), mark = mark_at(board, field, spot);
        if (board.is_over())
            return std::string("the game is over, ") + (won == ' ' ? "drawn" : std::string(1, won) + " has won");
        if (active != kAnywhere && active != field)
            return "must be in field " + std::to_string(active) + ", where " + move_text(moves.back()) + " sends";
        if (mark != '.')
            return "spot " + std::to_string(spot) + " of field " + std::to_string(field) + " already has an " + mark;
        if (board.shut >> field & 1)
            return "field " + std::to_string(field) + " is closed, " + field_winner(board, field) + " has won it";
        return "";
    }

    void play(int move) {
        board.play(move);
        moves.push_back(move);
    }

    // The board before the last move.
    Board before() const {
        Board earlier = Board::start(board.closed);
        for (std::size_t i = 0; i + 1 < moves.size(); ++i) earlier.play(moves[i]);
        return earlier;
    }
};

// The move of two digits, its field and its spot.
inline std::variant<int, Refused> parse_move(std::u32string_view text) {
    for (int place = 0; place < 2 && place < static_cast<int>(text.size()); ++place)
        if (text[place] < U'0' || text[place] > U'8')
            return Refused{
                std::string("no ") + (place == 0 ? "field " : "spot ") + quoted(text[place]) + "; must be 0 to 8",
                place};
    if (text.size() != 2)
        return Refused{"a move is two digits, its field and its spot, as in 40",
                       static_cast<int>(std::min<std::size_t>(text.size(), 2))};
    return static_cast<int>(9 * (text[0] - U'0') + (text[1] - U'0'));
}

// The game of a text like "44 40 04" or "44,40,04", or of "start".
inline std::variant<Game, Refused> parse_game(std::string_view utf8, bool closed) {
    const std::u32string text = code_points(utf8), spaces = U" \t\n\v\f\r", gaps = spaces + U',';
    const auto none = std::u32string::npos;
    std::u32string word;
    for (std::size_t i = text.find_first_not_of(spaces); i != none && i <= text.find_last_not_of(spaces); ++i)
        word += lower(text[i]);
    Game game(closed);
    for (std::size_t place = word == U"start" ? none : text.find_first_not_of(gaps); place != none;) {
        const std::size_t end = std::min(text.find_first_of(gaps, place), text.size());
        const auto move = parse_move(std::u32string_view(text).substr(place, end - place));
        const std::string ply = "ply " + std::to_string(game.moves.size() + 1);
        if (const Refused* refused = std::get_if<Refused>(&move))
            return Refused{ply + ": " + refused->what, static_cast<int>(place) + refused->at};
        const int number = std::get<int>(move);
        if (const std::string why = game.why_illegal(number); !why.empty())
            return Refused{ply + ", move " + move_text(number) + ": " + why, static_cast<int>(place)};
        game.play(number);
        place = text.find_first_not_of(gaps, end);
    }
    // One way to write a game, and one address for it.
    std::string spaced(utf8);
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
    if (spaced != game.text()) return Refused{"moves are apart by one comma or space each; none at all is 'start'"};
    return game;
}

}  // namespace inarow::wasm
