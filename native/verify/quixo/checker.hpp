// Checks the entries of a Quixo tablebase one by one against the rules of the game.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "verify/quixo/board.hpp"
#include "verify/quixo/layout.hpp"

namespace inarow::verify::quixo {

// The entries of a pair in the order of its file; `data` is null where there is no such pair. Outcomes of the compact
// form, at two bits an entry, have width 0: each plane is packed on its own, and all plies read as 0.
struct Entries {
    const void* data = nullptr;
    int width = 1;             // bytes
    std::uint64_t of_plane{};  // how many entries a plane has

    std::uint32_t at(bool plane, std::uint64_t index) const {
        if (width == 0) {
            const auto* bytes = static_cast<const std::uint8_t*>(data) + (plane ? (of_plane + 3) / 4 : 0);
            constexpr std::uint32_t values[4] = {kLost, kDraw, kWon, kNotAnEntry};
            return values[bytes[index / 4] >> index % 4 * 2 & 3];
        }
        if (plane) index += of_plane;
        if (width == 2) return static_cast<const std::uint16_t*>(data)[index];
        const std::uint32_t byte = static_cast<const std::uint8_t*>(data)[index];
        if (byte < 127) return byte;
        if (byte > 128) return 65280 + byte;  // 65535 - (255 - byte)
        return byte == 127 ? kDraw : kNotAnEntry;
    }
};

// A pair {a, b} and the pairs that a new mark leads to: `larger` is {a + 1, b} and `smaller`, unless a = b, {a, b + 1};
// on a full board there are none. Entries of the pair are numbered through both planes.
struct Pair {
    int a, b;
    Entries entries, larger, smaller;
};

struct Counterexample {
    int plane;
    std::uint64_t block;
    std::uint64_t rank;
    Mask larger;  // A of the format, and B
    Mask smaller;
    std::uint32_t stored;
    std::uint32_t expected;  // what follows from the rules and the entries of the children
};

struct Result {
    std::uint64_t checked;  // including the counterexample
    std::optional<Counterexample> counterexample;
};

// All functions below look at entries `first` up to but not including `last`, on some threads, and throw
// std::invalid_argument if numbers are out of range or a pair is missing.

// Checks entries, and returns the first wrong one in their order whatever the number of threads.
//
// A position with a line must hold what the rules say. Any other must be a Win in p plies exactly when some child is a
// Loss and the fewest plies of those are p - 1, a Loss in p exactly when all children are Wins and the most plies of
// those are p - 1, and otherwise a Draw. A position without a legal move would be an error.
//
// A table in which every entry passes is the true one. By induction on p, the positions stored as decided in p plies
// are exactly those that truly are: for p = 0 they are those with a line, as no child makes a 0; for p > 0 it depends
// only on which children are decided in fewer plies, and how, and there the table is right already. So no position is
// stored as decided that is not, or with other plies, and none that is decided is stored as a Draw: the rest are Draws,
// truly and in the table.
//
// For outcomes without plies, a Win must have a Loss as a child, all children of a Loss must be Wins, and a Draw must
// have a Draw as a child and no Loss. In a table where all pass, every Draw is true: by induction on p, what is decided
// in p plies is stored as it is. But Wins and Losses could be false where they support each other in a circle: `derive`
// finds those.
Result check(const Game& game, const Pair& pair, std::uint64_t first, std::uint64_t last, int threads);

// Marks in `derived`, one bit an entry, the Wins and Losses that follow from the end of the game, from the pairs above
// or from entries marked before: a position with a line, a Win with such a Loss as a child, a Loss all of whose
// children are such Wins. Returns how many it marked. Once a pass over the whole pair marks nothing, every marked entry
// is proven, provided that the pairs above are, and every decided entry without a mark supports itself in a circle.
//
// Threads see the marks of each other as they are set. That is sound, as a mark is never taken back, and the set that
// is marked in the end does not depend on the order.
std::uint64_t derive(const Game& game, const Pair& pair, std::uint8_t* derived, std::uint64_t first, std::uint64_t last,
                     int threads);

// The first decided entry that is not marked as derived, with kDraw as what is expected of it.
std::optional<Counterexample> find_underived(const Game& game, const Pair& pair, const std::uint8_t* derived);

// Gives the Wins among entries of two bytes their plies: one more than the fewest of the Losses after them, 0 if the
// game is over, and kNotAnEntry if there is no Loss. Only Losses of the pair and of those above it matter.
// `entries` are those of the pair.
void fill_win_plies(const Game& game, const Pair& pair, std::uint16_t* entries, std::uint64_t first, std::uint64_t last,
                    int threads);

// How many positions some blocks of a plane stand for, counting symmetric ones one by one, that are lost, drawn and
// won.
std::array<std::uint64_t, 3> count_outcomes(const Game& game, const Pair& pair, bool plane, std::uint64_t first_block,
                                            std::uint64_t last_block);

}  // namespace inarow::verify::quixo
