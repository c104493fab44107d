// The solver of values alone, as the rest of the program sees it: one pair at a time, in planes of two bits an entry.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "layout.hpp"
#include "team.hpp"

namespace inarow::quixo {

// Values of entries, two bits each, four to a byte: the compact form of docs/tablebase-format.md.
namespace packed {
enum Value : std::uint8_t { loss = 0, draw = 1, win = 2 };
constexpr std::size_t bytes(std::size_t entries) { return (entries + 3) / 4; }
}  // namespace packed

struct OutcomeCounts {  // positions, symmetric ones one by one
    std::uint64_t win = 0, loss = 0, draw = 0;

    void add(std::uint64_t weight, std::uint64_t won, std::uint64_t lost, std::uint64_t drawn) {
        win += weight * won;
        loss += weight * lost;
        draw += weight * drawn;
    }
};

inline OutcomeCounts sum(const std::vector<OutcomeCounts>& parts) {
    OutcomeCounts all;
    for (const OutcomeCounts& part : parts) all.add(1, part.win, part.loss, part.draw);
    return all;
}

// `more_larger` is plane 1 of {a+1, b}, `more_smaller` plane 0 of {a, b+1}; null where there is no such pair, and the
// second if a = b. `planes` has room for plane 0 and, unless a = b, plane 1.
struct OutcomeTask {
    int a, b;
    const std::uint8_t *more_larger, *more_smaller;
    std::uint8_t* planes[2];
    OutcomeCounts counts[2];
};

class OutcomeBackend {
  public:
    virtual ~OutcomeBackend() = default;
    // Returns false if it was stopped.
    virtual bool solve(Team& team, OutcomeTask& task, const std::atomic<bool>& stop) = 0;
    // Bytes that solving a pair takes at its peak, beside the planes of the task.
    virtual std::size_t memory(int a, int b) const = 0;
};

std::unique_ptr<OutcomeBackend> make_portable_outcomes(const Layout& layout);
std::unique_ptr<OutcomeBackend> make_avx512_outcomes(const Layout& layout);  // null if this build has none

class Outcomes {
  public:
    // `lanes` is "portable", "avx512" or "auto".
    Outcomes(Rules rules, int threads, const std::string& lanes);

    const Layout& layout() const { return layout_; }
    const char* lanes() const { return lanes_; }
    std::size_t memory(int a, int b) const { return backend_->memory(a, b); }
    bool solve(OutcomeTask& task) { return backend_->solve(team_, task, stop_); }

    // From another thread: ends the work on a pair, now and from now on.
    void stop() { stop_ = true; }

  private:
    Layout layout_;
    Team team_;
    std::atomic<bool> stop_{false};
    const char* lanes_ = "portable";
    std::unique_ptr<OutcomeBackend> backend_;
};

}  // namespace inarow::quixo
