// The interface of solving large boards with plies: one pair at a time, in planes of packed outcomes and of plies.
#pragma once

#include <functional>

#include "loops.hpp"
#include "planes.hpp"
#include "rows.hpp"
#include "solver.hpp"

namespace inarow::quixo {

// A pair to solve. more(0) is plane 1 of {a+1, b}, more(1) plane 0 of {a, b+1}. They are asked for one after the other,
// so that the first need not be in memory with the second; they are empty if there is no such pair, and the second also
// if a = b. `plies` and `outcomes` have room for plane 0 and, unless a = b, plane 1.
template <class Plies>
struct PliesTask {
    int a, b;
    std::function<PliesPlane(int side)> more;
    Plies* plies[2];
    std::uint8_t* outcomes[2];
    std::vector<std::uint64_t> histograms[2];  // how many positions have each entry of one byte, or of two

    int plane_count() const { return a == b ? 1 : 2; }
};

// Solves pairs as bitmaps, on one instruction set.
class BitmapPliesBackend {
  public:
    virtual ~BitmapPliesBackend() = default;
    virtual bool solve(Loops& loops, PliesTask<std::uint8_t>& task, Interrupt& interrupt) = 0;
    virtual bool solve(Loops& loops, PliesTask<std::uint16_t>& task, Interrupt& interrupt) = 0;
    virtual std::size_t memory(int a, int b, int width) const = 0;
};

std::unique_ptr<BitmapPliesBackend> make_portable_bitmap_plies(const Layout& layout);
std::unique_ptr<BitmapPliesBackend> make_avx2_bitmap_plies(const Layout& layout);    // null if this build has none
std::unique_ptr<BitmapPliesBackend> make_avx512_bitmap_plies(const Layout& layout);  // likewise
std::unique_ptr<BitmapPliesBackend> make_neon_bitmap_plies(const Layout& layout);

class PliesSolver {
  public:
    // `lanes` is as for a Solver. Pairs whose blocks have fewer than `small` entries are solved entry by entry.
    PliesSolver(Rules rules, int threads, const std::string& lanes, std::uint32_t small);

    const Layout& layout() const { return solver_.layout(); }
    const char* lanes() const { return solver_.lanes(); }

    // Returns false if there are more plies than can be held. If it is interrupted, the planes are not valid. Several
    // pairs may be solved at once, each on a thread of the caller's: they share the solver's threads.
    template <class Plies>
    bool solve(PliesTask<Plies>& task, Interrupt& interrupt);

    // The peak memory of solving a pair with plies of `width` bytes, in bytes, without the layout and the planes of the
    // task.
    std::size_t memory(int a, int b, int width) const;

  private:
    bool by_entries(int a, int b) const;
    template <class Entry, class Plies>
    bool solve_entries(PliesTask<Plies>& task, StoredPair larger, StoredPair smaller, Interrupt& interrupt);

    Solver solver_;
    std::mutex by_entries_;  // one pair at a time is solved with the solver
    Loops loops_;
    const std::uint32_t small_;
    int many_rounds_;  // blank tiles with which pairs take so many rounds that bitmaps are faster, at most
    std::unique_ptr<BitmapPliesBackend> bitmaps_;
};

}  // namespace inarow::quixo
