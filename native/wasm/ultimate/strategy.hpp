// The strategies of the paper. They are those of inarow/ultimate/strategy.py, which explains them.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "wasm/ultimate/rules.hpp"

namespace inarow::wasm {

constexpr int most_plies = 43;  // of a game that X plays by Xavier's strategy

struct Explanation {
    int move;
    const char* phase;
    std::string why;
};

// The reason why a strategy has no move.
using OffStrategy = std::string;

inline OffStrategy off_side(const Game& game, char side) {
    if (game.is_over()) return "the game is over, " + game.status();
    if (game.turn() != side)
        return std::string("the strategy is ") + (side == 'x' ? "X" : "O") + "'s, but " + game.status();
    return "";
}

constexpr int centre = 1 << 4, no_home = -1;

// The field without an X in its centre once the centre field is full; none in the opening.
inline int home_of(const Game& game) {
    if (game.taken(4) != kFull) return no_home;
    for (int field = 0; field < 9; ++field)
        if (!(game.x(field) & centre)) return field;
    return no_home;
}

// X's marks, when all of O's moves are answered.
inline std::array<int, 9> answers(const Game& game, int home) {
    std::array<int, 9> x{};
    x[4] = centre;
    if (home == no_home) {
        for (int field = 0; field < 9; ++field)
            if (game.o(4) >> field & 1) x[field] = centre;
        return x;
    }
    const int far = 8 - home;
    x[home] = 1 << home;
    for (int field = 0; field < 9; ++field) {
        if (field == home || field == 4) continue;
        // How often O has sent X to the field; spot 4 of home gave him a free choice, and he chose far.
        const int sent = field == far ? (game.o(home) >> 4 & 1) + (game.o(home) >> far & 1)
                                      : (game.o(home) >> field & 1) + (game.o(far) >> field & 1);
        x[field] = centre | (sent >= 1 ? 1 << home : 0) | (sent == 2 ? 1 << far : 0);
    }
    return x;
}

inline Explanation explained(const Game& game, int move, int home) {
    const int field = move / 9, spot = move % 9, far = 8 - home;
    const auto text = [](int number) { return std::to_string(number); };
    if (home == no_home)
        return {move, "opening",
                game.ply() == 0 ? "The centre of the board: O must play in field 4."
                                : "The centre of field " + text(field) + ": O must play in field 4 again."};
    if (field == home)
        return {move, "middlegame",
                "Field " + text(home) + " is the only one without an X: spot " + text(home) +
                    " keeps O there. X will make lines of the spots " + text(std::min(home, far)) + ", 4 and " +
                    text(std::max(home, far)) + "."};
    if (field == far) {
        const std::string choice =
            game.board.active == kAnywhere ? "O gave a free choice" : "O sent to field " + text(far);
        return {move, "middlegame",
                spot == home ? choice + ": two in a row in field " + text(far) + "; O stays at " + text(home) + "."
                             : choice + ": this wins field " + text(far) + ", and O must play in it."};
    }
    const std::string two = "Two in a row in field " + text(field);
    if (game.field_winner(far) == ' ')
        return {move, "middlegame", two + ", and O must play in field " + text(home) + " again."};
    if (spot == home) return {move, "endgame", two + "; O must play in field " + text(home) + "."};
    Game after = game;
    after.play(move);
    const std::string end = after.winner() == 'x' ? ", and the game" : "; O must play in field " + text(far);
    return {move, "endgame", "This wins field " + text(field) + end + "."};
}

// The move of the first player's winning strategy, and why it is played.
inline std::variant<Explanation, OffStrategy> explain(const Game& game) {
    if (OffStrategy off = off_side(game, 'x'); !off.empty()) return off;
    const int home = home_of(game);
    const std::array<int, 9> x = answers(game, home);
    std::vector<int> lacking;
    bool followed = true;
    for (int field = 0; field < 9; ++field) {
        followed = followed && !(game.x(field) & ~x[field]);
        for (int spot = 0; spot < 9; ++spot)
            if (x[field] >> spot & 1 && game.mark(field, spot) == '.') lacking.push_back(9 * field + spot);
    }
    if (lacking.size() != 1 || !followed) return OffStrategy("X has not followed Xavier's strategy");
    if (!game.why_illegal(lacking[0]).empty()) return OffStrategy("not a game in which X followed Xavier's strategy");
    return explained(game, lacking[0], home);
}

// The moves that LBS, the second player's resistance, allows; in a game that is not over, with O to move.
inline std::vector<int> lbs_choices(const Game& game) {
    int without_x = 0;
    for (int field = 0; field < 9; ++field) without_x |= game.x(field) ? 0 : 1 << field;
    std::vector<int> found;
    for (int field = 0; field < 9; ++field) {
        if (!(game.active_fields() >> field & 1)) continue;
        // If no spot is taken, X is sent back; otherwise to a field where he has no mark; if none is in reach,
        // anywhere.
        const int free = kFull & ~game.taken(field);
        const int spots = !game.taken(field) ? 1 << field : free & without_x ? free & without_x : free;
        for (int spot = 0; spot < 9; ++spot)
            if (spots >> spot & 1) found.push_back(9 * field + spot);
    }
    return found;
}

}  // namespace inarow::wasm
