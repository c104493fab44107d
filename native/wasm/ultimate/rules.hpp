// Games of Ultimate Tic-Tac-Toe, and their notation.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ultimate/players/board.hpp"
#include "wasm/module.hpp"
#include "wasm/text.hpp"

namespace inarow::wasm {

using ultimate::players::kAnywhere;
using ultimate::players::kFull;
using ultimate::players::kLines;
using ultimate::players::kTables;

inline std::string move_text(int move) {
    return {static_cast<char>('0' + move / 9), static_cast<char>('0' + move % 9)};
}

// A board, and the moves that led there.
struct Game {
    ultimate::players::Board board;
    std::vector<int> moves;

    explicit Game(bool closed = false) { board.closed = closed; }

    int ply() const { return static_cast<int>(moves.size()); }
    char turn() const { return board.turn ? 'o' : 'x'; }
    int x(int field) const { return board.marks[0][field]; }
    int o(int field) const { return board.marks[1][field]; }
    int taken(int field) const { return x(field) | o(field); }
    char mark(int field, int spot) const { return x(field) >> spot & 1 ? 'x' : o(field) >> spot & 1 ? 'o' : '.'; }
    // ' ' if neither side has.
    char field_winner(int field) const {
        return board.won[0] >> field & 1 ? 'x' : board.won[1] >> field & 1 ? 'o' : ' ';
    }
    char winner() const { return kTables.has_line[board.won[0]] ? 'x' : kTables.has_line[board.won[1]] ? 'o' : ' '; }
    bool is_over() const { return winner() != ' ' || board.no_room(); }
    int active_fields() const { return is_over() ? 0 : board.playable_fields(); }

    std::vector<int> legal_moves() const {
        std::vector<int> found;
        for (int field = 0; field < 9; ++field)
            for (int spot = 0; spot < 9; ++spot)
                if (active_fields() >> field & 1 && !(taken(field) >> spot & 1)) found.push_back(9 * field + spot);
        return found;
    }

    std::string text() const {
        std::string words;
        for (const int move : moves) words += (words.empty() ? "" : " ") + move_text(move);
        return words.empty() ? "start" : words;
    }

    std::string status() const {
        const char won = winner();
        if (is_over()) return won == ' ' ? "drawn" : std::string(1, won) + " has won";
        const std::string where =
            board.active == kAnywhere ? "anywhere" : "in field " + std::to_string(int{board.active});
        return std::string(1, turn()) + " to move " + where;
    }

    // Why a move cannot be played; empty if it can.
    std::string why_illegal(int move) const {
        const int field = move / 9, spot = move % 9;
        if (is_over()) return "the game is over, " + status();
        if (board.active != kAnywhere && board.active != field)
            return "must be in field " + std::to_string(int{board.active}) + ", where " + move_text(moves.back()) +
                   " sends";
        if (const char mark = this->mark(field, spot); mark != '.')
            return "spot " + std::to_string(spot) + " of field " + std::to_string(field) + " already has an " + mark;
        if (board.shut >> field & 1)
            return "field " + std::to_string(field) + " is closed, " + field_winner(field) + " has won it";
        return "";
    }

    void play(int move) {
        board.play(move);
        moves.push_back(move);
    }

    Game before() const {
        Game game(board.closed);
        for (std::size_t i = 0; i + 1 < moves.size(); ++i) game.play(moves[i]);
        return game;
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
    const std::u32string text = code_points(utf8);
    const auto is_space = [](char32_t c) { return c == U' ' || (c >= U'\t' && c <= U'\r'); };
    std::u32string word;
    std::size_t first = 0, last = text.size();
    while (first < last && is_space(text[first])) ++first;
    while (last > first && is_space(text[last - 1])) --last;
    for (std::size_t i = first; i < last; ++i) word += lower(text[i]);
    Game game(closed);
    if (word != U"start")
        for (std::size_t place = 0; place < text.size();) {
            if (is_space(text[place]) || text[place] == U',') {
                ++place;
                continue;
            }
            std::size_t end = place;
            while (end < text.size() && !is_space(text[end]) && text[end] != U',') ++end;
            const auto move = parse_move(std::u32string_view(text).substr(place, end - place));
            const std::string ply = "ply " + std::to_string(game.ply() + 1);
            if (const Refused* refused = std::get_if<Refused>(&move))
                return Refused{ply + ": " + refused->what, static_cast<int>(place) + refused->at};
            const int number = std::get<int>(move);
            if (const std::string why = game.why_illegal(number); !why.empty())
                return Refused{ply + ", move " + move_text(number) + ": " + why, static_cast<int>(place)};
            game.play(number);
            place = end;
        }
    // One way to write a game, and one address for it.
    std::string spaced(utf8);
    for (char& c : spaced)
        if (c == ',') c = ' ';
    if (spaced != game.text()) return Refused{"moves are apart by one comma or space each; none at all is 'start'"};
    return game;
}

}  // namespace inarow::wasm
