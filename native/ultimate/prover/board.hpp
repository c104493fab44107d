// The prover's board of Ultimate Tic-Tac-Toe: a field that is won stays playable until it is full.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace inarow::ultimate::prover {

// Fields and spots are numbered alike; bit s of a mask is spot s:
//
//     0 1 2
//     3 4 5
//     6 7 8
using Mask = std::uint16_t;

inline constexpr Mask kFull = 0x1ff;
inline constexpr int kAnywhere = 9;  // as the active field: the choice is free
inline constexpr int kMoves = 81;    // a move is a number: 9 * field + spot

inline constexpr std::array<std::array<int, 3>, 8> kLines{
    {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}};

inline constexpr std::array<Mask, 8> kLineMasks = [] {
    std::array<Mask, 8> masks{};
    for (int l = 0; l < 8; ++l)
        for (int spot : kLines[l]) masks[l] |= static_cast<Mask>(1 << spot);
    return masks;
}();

inline constexpr std::array<bool, 512> kHasLine = [] {
    std::array<bool, 512> has{};
    for (int mask = 0; mask < 512; ++mask)
        for (Mask line : kLineMasks) has[mask] = has[mask] || (mask & line) == line;
    return has;
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
                if (mask >> spot & 1) images[s][mask] |= static_cast<Mask>(1 << kSymmetries[s][spot]);
    return images;
}();

inline int image(int move, int symmetry) {
    return 9 * kSymmetries[symmetry][move / 9] + kSymmetries[symmetry][move % 9];
}

enum class Owner : std::uint8_t { Nobody, X, O };

// Left uninitialised, as a search makes many of them.
struct Board {
    std::array<Mask, 9> x, o;
    std::array<Owner, 9> owner;  // of each field: the side that won it first
    std::uint8_t active;
    std::uint8_t ply;  // moves played

    static Board start() { return {.x = {}, .o = {}, .owner = {}, .active = kAnywhere, .ply = 0}; }

    bool x_to_move() const { return ply % 2 == 0; }
    Mask taken(int field) const { return x[field] | o[field]; }

    void play(int move) {
        const int field = move / 9, spot = move % 9;
        Mask& marks = x_to_move() ? x[field] : o[field];
        marks |= static_cast<Mask>(1 << spot);
        if (owner[field] == Owner::Nobody && kHasLine[marks]) owner[field] = x_to_move() ? Owner::X : Owner::O;
        active = static_cast<std::uint8_t>(taken(spot) == kFull ? kAnywhere : spot);
        ++ply;
    }

    // Calls visit(move) for each legal move, until it returns true.
    template <class Visit>
    void each_move(Visit visit) const {
        const int first = active == kAnywhere ? 0 : active, last = active == kAnywhere ? 8 : active;
        for (int field = first; field <= last; ++field)
            for (int spot = 0; spot < 9; ++spot)
                if (!(taken(field) >> spot & 1) && visit(9 * field + spot)) return;
    }

    bool has_won(Owner side) const {
        Mask fields = 0;
        for (int field = 0; field < 9; ++field) fields |= static_cast<Mask>((owner[field] == side) << field);
        return kHasLine[fields];
    }

    Board image(int symmetry) const {
        Board to = *this;
        for (int field = 0; field < 9; ++field) {
            const int at = kSymmetries[symmetry][field];
            to.x[at] = kMaskImages[symmetry][x[field]];
            to.o[at] = kMaskImages[symmetry][o[field]];
            to.owner[at] = owner[field];
        }
        if (active != kAnywhere) to.active = static_cast<std::uint8_t>(kSymmetries[symmetry][active]);
        return to;
    }
};

}  // namespace inarow::ultimate::prover
