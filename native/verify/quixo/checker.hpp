// Checks the entries of a Quixo tablebase one by one against the rules of the game.
//
// Written from docs/tablebase-format.md and nothing else, and sharing no code with what solves and stores tables, so
// that a mistake made there is not made here again. It is meant to be trusted by reading: plain comes before fast.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace inarow::verify {

using Mask = std::uint32_t;

struct Rules {
    int size;               // 2 to 5
    int line;               // 2 to size
    bool double_line_wins;  // a move that completes lines of both marks wins; under the official rule it loses
};

// Values are told as entries of two bytes, whatever the width of the file: p is Loss in p plies, 65535 - p is Win in p.
inline constexpr std::uint32_t kDraw = 32767;
inline constexpr std::uint32_t kNotAnEntry = 32768;  // would be Win in 32767: more plies than entries can tell
inline constexpr std::uint32_t kNoValue = 65536;     // no legal move, or more plies than entries can tell

// The entries of a pair in the order of its file; `data` is null where there is no such pair. Outcomes of the compact
// form, at two bits an entry, have width 0: each plane is packed on its own, and a Loss is told as one in 0 plies, a
// Win as one in 0 plies.
struct Entries {
    const void* data = nullptr;
    int width = 1;             // bytes
    std::uint64_t of_plane{};  // how many entries a plane has

    std::uint32_t at(bool plane, std::uint64_t index) const {
        if (width == 0) {
            const auto* bytes = static_cast<const std::uint8_t*>(data) + (plane ? (of_plane + 3) / 4 : 0);
            constexpr std::uint32_t told[4] = {0, kDraw, 65535, kNotAnEntry};
            return told[bytes[index / 4] >> index % 4 * 2 & 3];
        }
        if (plane) index += of_plane;
        if (width == 2) return static_cast<const std::uint16_t*>(data)[index];
        const std::uint32_t byte = static_cast<const std::uint8_t*>(data)[index];
        if (byte < 127) return byte;
        if (byte > 128) return 65280 + byte;  // 65535 - (255 - byte)
        return byte == 127 ? kDraw : kNotAnEntry;
    }
};

struct Counterexample {
    int plane;
    std::uint64_t block;
    std::uint64_t rank;
    Mask larger;  // A of the format, and B
    Mask smaller;
    std::uint32_t stored;
    std::uint32_t expected;  // what the rules and the entries of the children make of it
};

struct Result {
    std::uint64_t checked;  // up to and with the counterexample
    std::optional<Counterexample> counterexample;
};

// The number of entries of the pair {a, b}, in both planes if it has two.
std::uint64_t entry_count(int size, int a, int b);

// For each block of a pair with this a, the number of masks that are its A or an image of it.
const std::vector<std::uint8_t>& orbits(int size, int a);

// How many positions some blocks of a plane stand for, symmetric ones one by one, that are lost, drawn and won.
std::array<std::uint64_t, 3> count_outcomes(int size, int a, int b, const Entries& pair, bool plane,
                                            std::uint64_t first_block, std::uint64_t last_block);

// Where a position is stored, and which is stored somewhere. `index` counts the entries of its plane.
struct Place {
    int a, b;
    bool plane;
    std::uint64_t index;
};
struct Position {
    Mask mover, other;
};
Place place_of(int size, const Position& position);
Position position_at(int size, const Place& place);

// What a position is worth to its mover if the game is over: 65535 or 0; otherwise kNoValue.
std::uint32_t value_of_end(const Rules& rules, const Position& position);

// All positions after a move; the game must not be over.
std::vector<Position> successors(int size, const Position& position);

// Checks entries `first` up to but not including `last`, numbered through both planes, and returns the first one in
// that order which is wrong. `larger` is the pair {a + 1, b} and `smaller`, unless a = b, the pair {a, b + 1}; there
// are none when the board is full. std::invalid_argument if numbers are out of range or a pair is missing.
//
// A position with a line must hold what the rules say. Any other must be a Win in p plies exactly when some child is a
// Loss and the fewest plies of those are p - 1, a Loss in p exactly when all children are Wins and the most plies of
// those are p - 1, and otherwise a Draw. A position without a legal move would be an error.
//
// A table where every entry passes is the true one. By induction on p, the positions stored as decided in p plies are
// exactly those that truly are: for p = 0 they are those with a line, as no child makes a 0; for p > 0 it rests only on
// which children are decided in fewer plies, and how, and there the table is right already. So no position is stored as
// decided that is not, or with other plies, and none that is decided is stored as a Draw: the rest are Draws, truly and
// in the table.
//
// Of outcomes without plies, a Win must have a Loss as a child, all children of a Loss must be Wins, and a Draw must
// have a Draw as a child and no Loss. In a table where all pass, every Draw is true: by induction on p, what is decided
// in p plies is stored as it is. But Wins and Losses could be false where they rest on each other in a circle; as many
// Draws as there truly are rule that out.
Result check(const Rules& rules, int a, int b, const Entries& pair, const Entries& larger, const Entries& smaller,
             std::uint64_t first, std::uint64_t last, int threads);

// Gives the Wins among entries of two bytes, from `first` up to but not including `last`, their plies: one more than
// the fewest of the Losses after them, 0 if the game is over, and kNotAnEntry if there is no Loss. Of `pair`, `larger`
// and `smaller` only Losses matter.
void derive_wins(const Rules& rules, int a, int b, std::uint16_t* pair, const Entries& larger, const Entries& smaller,
                 std::uint64_t first, std::uint64_t last, int threads);

}  // namespace inarow::verify
