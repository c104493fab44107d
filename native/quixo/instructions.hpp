// What a set of instructions brings to the solver, in a file of its own: avx2.cpp, avx512.cpp, neon.cpp; the portable
// code is in solver.cpp.
//
// Each file is compiled for the baseline CPU; only what follows its pragma uses more, and runs only where the CPU has
// it. Every header shared with other files is included here, before the pragma: otherwise its inline functions would be
// compiled for the wide machine, and the linker could pick those for all files.
#pragma once

#include <algorithm>
#include <atomic>
#include <bitset>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "huge_pages.hpp"
#include "lanes.hpp"
#include "rows.hpp"
#include "solver.hpp"

namespace inarow::quixo {

// A pair to solve entry by entry: the planes of its children that have a new mark, no wider than `out`; empty where
// there are none, and `smaller` also if a = b, as `larger` then serves both sides.
template <class Entry>
struct EntriesTask {
    int a, b;
    StoredPair larger, smaller;
    Entry* out;
    std::vector<std::uint64_t> histograms[2]{};  // for each plane: how many positions have each entry
};

template <class Entry>
class EntriesBackend {
  public:
    virtual ~EntriesBackend() = default;
    // Returns false if wider entries are needed.
    virtual bool solve(Loops& loops, EntriesTask<Entry>& task, Interrupt& interrupt) = 0;
    virtual std::size_t memory(int a, int b) const = 0;  // all that it takes
    virtual std::size_t kept_memory(int a) const = 0;    // and what it keeps of that for other pairs
    virtual void forget() = 0;
};

class BitmapBackend {
  public:
    virtual ~BitmapBackend() = default;
    // The planes have room. Returns false if they have not, for so many plies.
    virtual bool solve(Loops& loops, int a, int b, const PlaneAbove& above, std::span<SolvedPlane> planes,
                       Interrupt& interrupt) = 0;
    virtual std::size_t memory(int a, int b, bool plies) const = 0;
    virtual void permute(const Row* from, Row* to, const Axes& axes) const = 0;
};

struct Instructions {
    const char* name;
    std::unique_ptr<EntriesBackend<std::uint8_t>> (*entries)(const Layout& layout);
    std::unique_ptr<BitmapBackend> (*bitmaps)(const Layout& layout);
    // With no more blank tiles than that, rounds are many, and bitmaps visit only what has changed.
    int many_rounds, many_rounds_with_plies;
};
extern const Instructions avx2_instructions, avx512_instructions, neon_instructions;

std::vector<const Instructions*> instructions_here();  // of this machine and this build, the best ones first

template <class Interface, class Backend>
std::unique_ptr<Interface> make_backend(const Layout& layout) {
    return std::make_unique<Backend>(layout);
}

}  // namespace inarow::quixo
