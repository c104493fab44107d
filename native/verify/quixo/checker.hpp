// Checks the entries of a Quixo tablebase against the rules of the game.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "verify/quixo/board.hpp"
#include "verify/quixo/layout.hpp"

namespace inarow::verify::quixo {

// What the codes of a plane stand for, as entries of two bytes. Codes of two bytes stand for themselves. Of those of
// one byte the first four are outcomes. Where there are no plies, kDerived can be added to them; where there are, any
// other value gets a code when it is first met, and kWin is a Win whose plies are not known yet.
class Codes {
  public:
    static constexpr std::uint16_t kOutcomes[4] = {kLost, kDraw, kWon, kNotAnEntry};
    static constexpr std::uint8_t kLoss = 0, kDrawn = 1, kWin = 2, kMeaningless = 3, kDerived = 4;

    Codes();
    Codes(const Codes&) = delete;
    Codes& operator=(const Codes&) = delete;

    const std::uint16_t* values() const { return values_.data(); }

    // The code of a value; a new one if need be. Throws NoCodeLeft if all are taken. For several threads.
    std::uint8_t code_of(std::uint16_t value);

  private:
    std::array<std::uint16_t, 256> values_{};
    std::vector<std::atomic<std::int16_t>> codes_;  // of each value; -1 if it has none
    std::mutex mutex_;
    int used_ = 4;
};

// A plane with more different values than codes of one byte can tell apart.
struct NoCodeLeft : std::runtime_error {
    NoCodeLeft() : std::runtime_error("more than 256 different values") {}
};

// A plane in memory. Codes of two bytes stand for themselves.
struct Plane {
    void* data;
    std::uint64_t size;            // entries
    int width;                     // bytes of a code
    std::shared_ptr<Codes> codes;  // what they stand for; several planes may share them
    std::shared_ptr<void> owner;   // of the data, if it is kept alive
};

// The code of a value in a plane with codes of this kind.
template <class Code>
Code code_of(const Plane& plane, std::uint32_t value) {
    if constexpr (sizeof(Code) == 1) return plane.codes->code_of(static_cast<std::uint16_t>(value));
    return static_cast<Code>(value);
}

// A pair {a, b}, and the planes that a new mark leads to: above[0], with A to move, plane 1 of {a + 1, b}; above[1],
// with B to move, plane 0 of {a, b + 1}. On a full board there are none; above[1] is missing if a = b. There, the
// second plane, with B to move, is not in the files: `mirror` makes it of the first. All codes have the same width.
struct Pair {
    using Planes = std::array<std::shared_ptr<const Plane>, 2>;

    int a, b;
    Planes planes, above;
    bool has_plies;
};

// plane, entry of the plane, what is stored, what follows from the rules and the entries of the children
using Wrong = std::tuple<int, std::uint64_t, std::uint32_t, std::uint32_t>;

// Checks blocks `first` up to but not including `last` of a plane, on some threads. All functions throw
// std::invalid_argument if numbers are out of range.
class Checker {
  public:
    // Throws std::invalid_argument unless the planes are those of the pair.
    static std::unique_ptr<Checker> of(const Game& game, const Pair& pair);
    virtual ~Checker() = default;

    // Gives the Wins of a plane, stored without plies, theirs: one more than the fewest of the Losses after them, 0 if
    // the game is over, and kNotAnEntry if there is no Loss. Only Losses of the other planes matter.
    virtual void fill_wins(int plane, std::uint64_t first, std::uint64_t last, int threads) const = 0;

    // How many entries were checked, and the first wrong one in their order, whatever the number of threads.
    //
    // A position with a line must hold what the rules say. Any other must be a Win in p plies exactly when some child
    // is a Loss and the fewest plies of those are p - 1, a Loss in p exactly when all children are Wins and the most
    // plies of those are p - 1, and otherwise a Draw. Every position without a line has children: where the side to
    // move can take no tile, the whole border is the other's, and the longer side of the board is a line or longer.
    //
    // A table in which every entry passes is the true one. By induction on p, the positions stored as decided in p
    // plies are exactly those that truly are: for p = 0 they are those with a line, as no child makes a 0; for p > 0 it
    // depends only on which children are decided in fewer plies, and how, and there the table is right already. So no
    // position is stored as decided that is not, or with other plies, and none that is decided is stored as a Draw: the
    // rest are Draws, truly and in the table. With plies, Wins are not looked at again unless the game is over:
    // `fill_wins` gave them those that their children make, or kNotAnEntry, which never passes.
    //
    // For outcomes without plies, a Win must have a Loss as a child, all children of a Loss must be Wins, and a Draw
    // must have a Draw as a child and no Loss. In a table where all pass, every Draw is true: by induction on p, what
    // is decided in p plies is stored as it is. But Wins and Losses could be false where they support each other in a
    // circle: `derive` finds those.
    virtual std::pair<std::uint64_t, std::optional<Wrong>> check(int plane, std::uint64_t first, std::uint64_t last,
                                                                 int threads) const = 0;

    // Marks with kDerived the Wins and Losses of outcomes that follow from the end of the game, from the planes above
    // or from marked entries: a position with a line, a Win with such a Loss as a child, a Loss all of whose children
    // are such Wins. Returns how many it marked. Once a pass over both planes marks nothing, every marked entry is
    // proven, provided that those above are, and every decided entry without a mark supports itself in a circle.
    virtual std::uint64_t derive(int plane, std::uint64_t first, std::uint64_t last, int threads) const = 0;

    // The first decided entry that is not marked as derived, with kDraw as what is expected of it.
    virtual std::optional<Wrong> find_underived() const = 0;

    // How many positions have each of the 65536 values in a plane, counting symmetric ones one by one.
    virtual std::vector<std::uint64_t> count(int plane, int threads) const = 0;

    // For a = b: makes some blocks of the plane in which B is to move.
    virtual void mirror(std::uint64_t first, std::uint64_t last, int threads) const = 0;
};

}  // namespace inarow::verify::quixo
