#include "ultimate/strategy.hpp"

#include <algorithm>
#include <optional>

namespace inarow::ultimate {
namespace {

constexpr Mask kCentre = 1 << 4;

// The field without an X in its centre once the centre field is full; none in the opening.
std::optional<int> home_of(const Board& board) {
    if (!board.free(4))
        for (int field = 0; field < 9; ++field)
            if (!(board.marks[0][field] & kCentre)) return field;
    return std::nullopt;
}

// X's marks, when all of O's moves are answered.
std::array<Mask, 9> answers(const std::array<Mask, 9>& o, std::optional<int> home_field) {
    std::array<Mask, 9> x{};
    x[4] = kCentre;
    if (!home_field) {
        for (int field = 0; field < 9; ++field)
            if (o[4] >> field & 1) x[field] = kCentre;
        return x;
    }
    const int home = *home_field, far = 8 - home;
    x[home] = 1 << home;
    for (int field = 0; field < 9; ++field) {
        if (field == home || field == 4) continue;
        // How often O has sent X to the field; spot 4 of home gave him a free choice, and he chose far.
        const int sent =
            field == far ? (o[home] >> 4 & 1) + (o[home] >> far & 1) : (o[home] >> field & 1) + (o[far] >> field & 1);
        x[field] = kCentre | (sent >= 1 ? 1 << home : 0) | (sent == 2 ? 1 << far : 0);
    }
    return x;
}

Explanation opening(const Board& board, int move) {
    if (board.ply == 0) return {move, "opening", "The centre of the board: O must play in field 4."};
    return {move, "opening", "The centre of field " + std::to_string(move / 9) + ": O must play in field 4 again."};
}

Explanation explained(const Board& board, int move, int home) {
    const int field = move / 9, spot = move % 9, far = 8 - home;
    const std::string at_home = std::to_string(home), at_far = std::to_string(far);
    if (field == home)
        return {move, "middlegame",
                "Field " + at_home + " is the only one without an X: spot " + at_home +
                    " keeps O there. X will make lines of the spots " + std::min(at_home, at_far) + ", 4 and " +
                    std::max(at_home, at_far) + "."};
    if (field == far) {
        const std::string choice = board.active == kAnywhere ? "O gave a free choice" : "O sent to field " + at_far;
        return {move, "middlegame",
                spot == home ? choice + ": two in a row in field " + at_far + "; O stays at " + at_home + "."
                             : choice + ": this wins field " + at_far + ", and O must play in it."};
    }
    const std::string two = "Two in a row in field " + std::to_string(field);
    if (!board.decided(far)) return {move, "middlegame", two + ", and O must play in field " + at_home + " again."};
    if (spot == home) return {move, "endgame", two + "; O must play in field " + at_home + "."};
    const std::string end = board.after(move).has_won(0) ? ", and the game" : "; O must play in field " + at_far;
    return {move, "endgame", "This wins field " + std::to_string(field) + end + "."};
}

}  // namespace

std::variant<Explanation, OffStrategy> explain(const Board& board) {
    const std::optional<int> home = home_of(board);
    const std::array<Mask, 9> x = answers(board.marks[1], home);
    Moves lacking;
    bool followed = true;
    for (int field = 0; field < 9; ++field) {
        followed &= !(board.marks[0][field] & ~x[field]);
        for (unsigned spots = x[field] & board.free(field); spots; spots &= spots - 1)
            lacking.add(9 * field + std::countr_zero(spots));
    }
    if (lacking.size != 1 || !followed) return "X has not followed Xavier's strategy";
    if (!board.can_play(lacking[0])) return "not a game in which X followed Xavier's strategy";
    return home ? explained(board, lacking[0], *home) : opening(board, lacking[0]);
}

Moves lbs_choices(const Board& board) {
    Mask without_x = 0;
    for (int field = 0; field < 9; ++field) without_x |= (board.marks[0][field] == 0) << field;
    Moves found;
    for (unsigned fields = board.playable_fields(); fields; fields &= fields - 1) {
        const int field = std::countr_zero(fields);
        // If no spot is taken, X is sent back; otherwise to a field where he has no mark; if none is in reach,
        // anywhere.
        const Mask free = board.free(field);
        unsigned spots = free == kFull ? 1U << field : free & without_x ? free & without_x : free;
        for (; spots; spots &= spots - 1) found.add(9 * field + std::countr_zero(spots));
    }
    return found;
}

}  // namespace inarow::ultimate
