// The solver as the rest of the program sees it: one pair at a time, on the best instructions this machine has.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "layout.hpp"
#include "team.hpp"

namespace inarow::quixo {

// Solves pairs with entries of one width on one instruction set.
template <class Entry>
class PairBackend {
  public:
    virtual ~PairBackend() = default;
    virtual void solve(Team& team, int a, int b, const Entry* more_larger, const Entry* more_smaller, Entry* out) = 0;
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

    // `larger` and `smaller` are the stored entries of {a+1, b} and {a, b+1} (for a = b, null: {a+1, a} serves both).
    template <class Entry>
    void solve(int a, int b, const Entry* larger, const Entry* smaller, Entry* out);

    // How many positions, symmetric ones counted one by one, have each value of an entry in a plane.
    template <class Entry>
    std::vector<std::uint64_t> histogram(int a, int b, const Entry* plane) const;

  private:
    Layout layout_;
    int threads_;
    const char* lanes_ = "portable";
    std::unique_ptr<PairBackend<std::uint8_t>> narrow_;
    std::unique_ptr<PairBackend<std::uint16_t>> wide_;
};

}  // namespace inarow::quixo
