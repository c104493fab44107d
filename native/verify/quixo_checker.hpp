// Checks the entries of a Quixo tablebase one by one against the rules of the game.
//
// Written from docs/tablebase-format.md and nothing else, and sharing no code with what solves and stores tables, so
// that a mistake made there is not made here again. It is meant to be trusted by reading: plain comes before fast.
#pragma once

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

// The entries of a pair in the order of its file; `data` is null where there is no such pair.
struct Entries {
    const void* data = nullptr;
    int width = 1;  // bytes

    std::uint32_t operator[](std::uint64_t index) const {
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
Result check(const Rules& rules, int a, int b, const Entries& pair, const Entries& larger, const Entries& smaller,
             std::uint64_t first, std::uint64_t last, int threads);

}  // namespace inarow::verify
