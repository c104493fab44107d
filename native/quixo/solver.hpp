// The solver as the rest of the program sees it: one pair at a time, on the best instructions this machine has.
#pragma once

#include <memory>
#include <string>

#include "layout.hpp"
#include "team.hpp"

namespace inarow::quixo {

// A pair to solve. `larger` and `smaller` are the stored entries of {a+1, b} and {a, b+1}, null where there is no such
// pair; if a = b, {a+1, a} serves both and `smaller` is null.
template <class Entry>
struct PairTask {
    int a, b;
    const Entry *larger, *smaller;
    Entry* out;
    std::vector<std::uint64_t> histograms[2];  // for each plane stored: positions, symmetric ones too, with each entry
    bool overflow = false;                     // found to need wider entries; `out` holds nothing then
};

// Solves pairs with entries of one width on one instruction set.
template <class Entry>
class PairBackend {
  public:
    virtual ~PairBackend() = default;
    virtual void solve(Team& team, std::vector<PairTask<Entry>>& layer) = 0;
};

template <class Entry>
std::unique_ptr<PairBackend<Entry>> make_portable_backend(const Layout& layout);
std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout& layout);  // null if this build has none

bool cpu_has_avx512();

class Solver {
  public:
    // `lanes` is "portable", "avx512" or "auto".
    Solver(Rules rules, int threads, const std::string& lanes);

    const Layout& layout() const { return layout_; }
    const char* lanes() const { return lanes_; }

    // Entries stored for a pair: two planes, or one if a = b.
    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // Solves pairs with the same number of marks.
    template <class Entry>
    void solve(std::vector<PairTask<Entry>>& layer);

  private:
    Layout layout_;
    Team team_;
    const char* lanes_ = "portable";
    std::unique_ptr<PairBackend<std::uint8_t>> narrow_;
    std::unique_ptr<PairBackend<std::uint16_t>> wide_;
};

}  // namespace inarow::quixo
