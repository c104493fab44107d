// The board of Ultimate Tic-Tac-Toe, open or closed; moves change it in place.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace inarow::ultimate {

// Fields and spots are numbered alike; bit s of a mask is spot s:
//
//     0 1 2
//     3 4 5
//     6 7 8
using Mask = std::uint16_t;

inline constexpr Mask kFull = 0777;
inline constexpr int kAnywhere = 9;  // as the active field: the choice is free
inline constexpr int kMoves = 81;    // a move is a number: 9 * field + spot

inline constexpr std::array<std::array<int, 3>, 8> kLines{
    {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}};
inline constexpr std::array<Mask, 8> kLineMasks{0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

inline int count(Mask mask) { return std::popcount(mask); }

inline constexpr std::array<bool, 512> kHasLine = [] {
    std::array<bool, 512> has{};
    for (int mask = 0; mask < 512; ++mask)
        for (const Mask line : kLineMasks) has[mask] |= (mask & line) == line;
    return has;
}();

// The spots that would complete a line of a mask.
inline constexpr std::array<Mask, 512> kCompleting = [] {
    std::array<Mask, 512> completing{};
    for (int mask = 0; mask < 512; ++mask)
        for (const Mask line : kLineMasks)
            if (std::has_single_bit<unsigned>(line & ~mask)) completing[mask] |= line & ~mask;
    return completing;
}();

// The eight symmetries map field f to kSymmetries[s][f], and spots in the same way. The first is the identity.
inline constexpr std::array<std::array<int, 9>, 8> kSymmetries = [] {
    std::array<std::array<int, 9>, 8> to{};
    for (int s = 0; s < 8; ++s)
        for (int spot = 0; spot < 9; ++spot) {
            int row = spot / 3, column = spot % 3;
            if (s & 4) std::swap(row, column);
            if (s & 1) row = 2 - row;
            if (s & 2) column = 2 - column;
            to[s][spot] = 3 * row + column;
        }
    return to;
}();

inline constexpr std::array<std::array<Mask, 512>, 8> kMaskImages = [] {
    std::array<std::array<Mask, 512>, 8> images{};
    for (int s = 0; s < 8; ++s)
        for (int mask = 0; mask < 512; ++mask)
            for (int spot = 0; spot < 9; ++spot)
                if (mask >> spot & 1) images[s][mask] |= 1 << kSymmetries[s][spot];
    return images;
}();

inline int image(int move, int symmetry) {
    return 9 * kSymmetries[symmetry][move / 9] + kSymmetries[symmetry][move % 9];
}

// A list of moves, in ascending order unless it is sorted otherwise.
struct Moves {
    std::array<std::uint8_t, kMoves> all;
    int size = 0;

    void add(int move) { all[size++] = static_cast<std::uint8_t>(move); }
    std::uint8_t operator[](int nth) const { return all[nth]; }
    auto begin() { return all.begin(); }
    auto end() { return all.begin() + size; }
    auto begin() const { return all.begin(); }
    auto end() const { return all.begin() + size; }
};

enum class Owner : std::uint8_t { Nobody, X, O };

// Left uninitialised, as a search makes many of them. Side 0 is X.
struct Board {
    std::array<std::array<Mask, 9>, 2> marks;  // [side][field]
    std::array<Mask, 2> won;                   // [side]: the fields that it won first
    Mask shut;                                 // the fields that cannot be played in
    std::uint8_t active, ply;                  // ply: the moves played
    bool closed;                               // the variant: a field that is won is shut

    static Board start(bool closed = false) {
        return {.marks = {}, .won = {}, .shut = 0, .active = kAnywhere, .ply = 0, .closed = closed};
    }
    bool operator==(const Board&) const = default;

    int turn() const { return ply & 1; }
    bool x_to_move() const { return turn() == 0; }
    Mask taken(int field) const { return marks[0][field] | marks[1][field]; }
    Mask free(int field) const { return kFull & ~taken(field); }
    bool decided(int field) const { return (won[0] | won[1]) >> field & 1; }
    Owner owner(int field) const {
        return won[0] >> field & 1 ? Owner::X : won[1] >> field & 1 ? Owner::O : Owner::Nobody;
    }

    bool has_won(int side) const { return kHasLine[won[side]]; }
    bool last_has_won() const { return has_won(turn() ^ 1); }
    bool no_room() const { return shut == kFull; }
    bool is_over() const { return has_won(0) || has_won(1) || no_room(); }

    // Those that may be played in, in a game that is not over.
    Mask playable_fields() const { return active == kAnywhere ? kFull & ~shut : 1 << active; }
    bool can_play(int move) const {
        return !is_over() && playable_fields() >> move / 9 & 1 && free(move / 9) >> move % 9 & 1;
    }
    // The game must not be over.
    Moves moves() const {
        Moves found;
        for (unsigned fields = playable_fields(); fields; fields &= fields - 1) {
            const int field = std::countr_zero(fields);
            for (unsigned spots = free(field); spots; spots &= spots - 1)
                found.add(9 * field + std::countr_zero(spots));
        }
        return found;
    }

    void play(int move) {
        const int field = move / 9, spot = move % 9, side = turn();
        Mask& mine = marks[side][field];
        mine |= 1 << spot;
        const bool wins = kHasLine[mine] && !decided(field);
        won[side] |= wins << field;
        if (!free(field) || (wins && closed)) shut |= 1 << field;
        active = static_cast<std::uint8_t>(shut >> spot & 1 ? kAnywhere : spot);
        ++ply;
    }
    Board after(int move) const {
        Board board = *this;
        board.play(move);
        return board;
    }

    Board image(int symmetry) const {
        Board to = *this;
        for (int side = 0; side < 2; ++side) {
            for (int field = 0; field < 9; ++field)
                to.marks[side][kSymmetries[symmetry][field]] = kMaskImages[symmetry][marks[side][field]];
            to.won[side] = kMaskImages[symmetry][won[side]];
        }
        to.shut = kMaskImages[symmetry][shut];
        if (active != kAnywhere) to.active = static_cast<std::uint8_t>(kSymmetries[symmetry][active]);
        return to;
    }
};

}  // namespace inarow::ultimate
