// The solver as the rest of the program sees it: one pair at a time, on the best instructions this machine has.
#pragma once

#include <memory>
#include <string>

#include "layout.hpp"
#include "team.hpp"

namespace inarow::quixo {

// A pair to solve. `larger` is plane 1 of {a+1, b}, as a new mark of the larger side is seen by the smaller; `smaller`
// is plane 0 of {a, b+1}; none where there is no such pair. If a = b, `larger` serves both and there is no `smaller`.
// They are no wider than `out`.
template <class Entry>
struct PairTask {
    int a, b;
    StoredPair larger, smaller;
    Entry* out;
    std::vector<std::uint64_t> histograms[2];  // for each plane stored: positions, symmetric ones too, with each entry
    bool overflow = false;                     // found to need wider entries; `out` holds nothing then
};

// Bytes that solving a pair takes.
struct PairMemory {
    std::size_t entries;    // the pair itself
    std::size_t workspace;  // what is noted about its entries and blocks
    std::size_t moves;      // where moves lead
};

// Solves pairs with entries of one width on one instruction set.
template <class Entry>
class PairBackend {
  public:
    virtual ~PairBackend() = default;
    virtual void solve(Team& team, std::vector<PairTask<Entry>*> tasks, Interrupt& interrupt) = 0;
    virtual PairMemory memory(int a, int b) const = 0;
    // Keeps, from now on, what it finds out about moves, though it may be large; and lets go of it.
    virtual void retain() = 0;
    virtual void forget() = 0;
};

std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout& layout);  // null if this build has none

bool cpu_has_avx512();

class Solver {
  public:
    // `lanes` is "portable", "avx512" or "auto"; "long" takes long words, which any pair can have, for all.
    Solver(Rules rules, int threads, const std::string& lanes);

    const Layout& layout() const { return layout_; }
    Team& team() { return team_; }
    const char* lanes() const { return lanes_; }

    // Entries stored for a pair: two planes, or one if a = b.
    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // Solves pairs with the same number of marks. If it is interrupted, they hold nothing.
    template <class Entry>
    void solve(std::vector<PairTask<Entry>>& layer, Interrupt& interrupt);

    // See PairBackend; for entries of one byte.
    void retain();
    void forget();

    // What solving a pair with entries of `width` bytes takes, beside the layout and the pairs that it looks into.
    PairMemory memory(int a, int b, int width) const;

  private:
    // For pairs with short and with long words.
    template <class Entry>
    struct Backends {
        std::unique_ptr<PairBackend<Entry>> of_short, of_long;
    };

    template <class Entry>
    PairBackend<Entry>& backend(int a) const;

    void require_pair(int a, int b) const;

    Layout layout_;
    Team team_;
    const char* lanes_ = "portable";
    Backends<std::uint8_t> narrow_;
    Backends<std::uint16_t> wide_;
};

}  // namespace inarow::quixo
