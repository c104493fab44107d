// Solves pairs of classes, one at a time: the outcome of every entry and, if they are wanted, the plies.
//
// A pair is solved as bitmaps or, where its blocks are small, entry by entry. That makes no difference to the result.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "huge_pages.hpp"
#include "loops.hpp"
#include "planes.hpp"

namespace inarow::quixo {

struct Instructions;
template <class Entry>
class EntriesBackend;
class BitmapBackend;

struct SolvedPlane {
    HugeArray<std::uint8_t> outcomes;  // packed
    HugeArray<std::uint8_t> plies;     // one or two bytes of each entry; null if they are not wanted
    int width = 1;
    // How many positions have each entry of one byte or of two; without plies, how many are lost, drawn and won.
    std::vector<std::uint64_t> histogram;

    StoredPlane stored() const { return {outcomes.get(), {plies.get(), width}}; }
};

// Returns a plane that the new marks of a side lead to: for side 0 plane 1 of {a+1, b}, for side 1 plane 0 of {a, b+1}.
// It is asked for one after the other, so that the first need not be in memory with the second; and not where there is
// no such pair, nor for side 1 if a = b.
using PlaneAbove = std::function<StoredPlane(int side)>;

class Solver {
  public:
    // `lanes` is "portable", "avx2", "avx512", "neon" or "auto". Pairs whose blocks have fewer than `small` entries are
    // solved entry by entry.
    Solver(const Rules& rules, int threads, const std::string& lanes = "auto", std::uint32_t small = 600);
    ~Solver();

    const Layout& layout() const { return layout_; }
    const char* lanes() const;

    // Plane 0 and, unless a = b, plane 1. If it is interrupted, they are not valid. Several pairs may be solved at
    // once, each on a thread of the caller's: they share the solver's threads. Throws std::overflow_error if there are
    // more plies than can be held.
    std::vector<SolvedPlane> solve(int a, int b, bool plies, const PlaneAbove& above, Interrupt& interrupt);

    // The most bytes that solving a pair takes, without the layout, what it reads, and the planes with plies of one
    // byte that it returns.
    std::size_t memory(int a, int b, bool plies) const;

  private:
    bool by_entries(int a, int b, bool plies) const;
    std::vector<SolvedPlane> room_for(int a, int b, int width) const;
    std::vector<SolvedPlane> solve_entries(int a, int b, bool plies, const PlaneAbove& above, Interrupt& interrupt);

    const Layout layout_;
    Loops loops_;
    const Instructions& instructions_;
    const std::uint32_t small_;
    Mutex entries_;  // one pair at a time is solved entry by entry
    // For words of up to 16 bits and for longer ones.
    std::unique_ptr<EntriesBackend<std::uint8_t>> narrow_[2];
    std::unique_ptr<EntriesBackend<std::uint16_t>> wide_[2];
    std::unique_ptr<BitmapBackend> bitmaps_;
};

}  // namespace inarow::quixo
