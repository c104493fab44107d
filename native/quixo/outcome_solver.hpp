// The interface of solving for outcomes without plies: one pair at a time, in planes of two bits an entry.
#pragma once

#include "loops.hpp"
#include "packed.hpp"
#include "rows.hpp"
#include "solver.hpp"

namespace inarow::quixo {

// `more_larger` is plane 1 of {a+1, b}, `more_smaller` plane 0 of {a, b+1}; null where there is no such pair, and the
// second also if a = b. `planes` has room for plane 0 and, unless a = b, plane 1.
struct OutcomeTask {
    int a, b;
    const std::uint8_t *more_larger, *more_smaller;
    std::uint8_t* planes[2];
    OutcomeCounts counts[2];

    int plane_count() const { return a == b ? 1 : 2; }
};

// Solves pairs as bitmaps, on one instruction set.
class BitmapBackend {
  public:
    virtual ~BitmapBackend() = default;
    virtual void solve(Loops& loops, OutcomeTask& task, Interrupt& interrupt) = 0;
    virtual std::size_t memory(int a, int b) const = 0;
    virtual void permute(const Row* from, Row* to, const Axes& axes) const = 0;
};

std::unique_ptr<BitmapBackend> make_portable_bitmaps(const Layout& layout);
std::unique_ptr<BitmapBackend> make_avx2_bitmaps(const Layout& layout);    // null if this build has none
std::unique_ptr<BitmapBackend> make_avx512_bitmaps(const Layout& layout);  // likewise
std::unique_ptr<BitmapBackend> make_neon_bitmaps(const Layout& layout);

class OutcomeSolver {
  public:
    // `lanes` is as for a Solver. Pairs whose blocks have fewer than `small` entries are solved entry by entry.
    OutcomeSolver(Rules rules, int threads, const std::string& lanes, std::uint32_t small);

    const Layout& layout() const { return solver_.layout(); }
    const char* lanes() const { return solver_.lanes(); }

    // If it is interrupted, the planes are not valid. Several pairs may be solved at once, each on a thread of the
    // caller's: they share the solver's threads.
    void solve(OutcomeTask& task, Interrupt& interrupt);

    // The peak memory of solving a pair, in bytes, without the layout and the planes of the task.
    std::size_t memory(int a, int b) const;

  private:
    bool by_entries(int a, int b) const;
    bool solve_entries(OutcomeTask& task, Interrupt& interrupt);

    Solver solver_;
    std::mutex by_entries_;  // one pair at a time is solved with the solver
    Loops loops_;
    const std::uint32_t small_;
    int many_rounds_;  // blank tiles with which pairs take so many rounds that bitmaps are faster, at most
    std::unique_ptr<BitmapBackend> bitmaps_;
};

// The permutation of bitmaps alone, for tests.
void permute_rows(const Row* from, Row* to, const Axes& axes, const std::string& lanes);

}  // namespace inarow::quixo
