// The players' board of Ultimate Tic-Tac-Toe, open or closed; moves change it in place.
//
// Fields and spots are numbered 0 to 8 from the upper left; a move is 9 * field + spot.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace inarow::ultimate::players {

inline constexpr int kFull = 0777;
inline constexpr int kAnywhere = 9;  // as the active field
inline constexpr std::array<int, 8> kLines{0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

// For each mask of nine: does it hold a line, and which spots would complete one?
struct LineTables {
    std::array<bool, 512> has_line{};
    std::array<std::uint16_t, 512> completing{};
    constexpr LineTables() {
        for (int mask = 0; mask < 512; ++mask)
            for (const int line : kLines) {
                has_line[mask] |= (mask & line) == line;
                const int missing = line & ~mask;
                if (std::popcount(static_cast<unsigned>(missing)) == 1)
                    completing[mask] |= static_cast<std::uint16_t>(missing);
            }
    }
};
inline constexpr LineTables kTables{};

struct Board {
    std::array<std::array<std::uint16_t, 9>, 2> marks{};  // [side][field]
    std::array<std::uint16_t, 2> won{};                   // [side]: mask of fields
    std::uint16_t shut = 0;                               // mask of the fields that cannot be played in
    std::uint8_t active = kAnywhere;
    std::uint8_t turn = 0;  // 0 is X
    bool closed = false;    // the variant: a field that is won is shut

    int free(int field) const { return kFull & ~(marks[0][field] | marks[1][field]); }
    int playable_fields() const { return active == kAnywhere ? kFull & ~shut : 1 << active; }
    bool decided(int field) const { return (won[0] | won[1]) >> field & 1; }

    bool last_has_won() const { return kTables.has_line[won[turn ^ 1]]; }
    bool no_room() const { return shut == kFull; }

    void play(int move) {
        const int field = move / 9, spot = move % 9;
        std::uint16_t& mine = marks[turn][field];
        mine = static_cast<std::uint16_t>(mine | 1 << spot);
        const bool wins = kTables.has_line[mine] && !decided(field);
        if (wins) won[turn] = static_cast<std::uint16_t>(won[turn] | 1 << field);
        if (!free(field) || (wins && closed)) shut = static_cast<std::uint16_t>(shut | 1 << field);
        active = static_cast<std::uint8_t>(shut >> spot & 1 ? kAnywhere : spot);
        turn ^= 1;
    }

    // Writes the moves, in order, and returns how many there are; the game must not be over.
    int moves(std::array<std::uint8_t, 81>& into) const {
        int count = 0;
        for (unsigned fields = static_cast<unsigned>(playable_fields()); fields; fields &= fields - 1) {
            const int field = std::countr_zero(fields);
            for (unsigned spots = static_cast<unsigned>(free(field)); spots; spots &= spots - 1)
                into[static_cast<std::size_t>(count++)] =
                    static_cast<std::uint8_t>(9 * field + std::countr_zero(spots));
        }
        return count;
    }
};

}  // namespace inarow::ultimate::players
