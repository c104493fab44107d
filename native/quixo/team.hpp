// A few threads that walk through the same phases together.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace inarow {

class Team {
  public:
    explicit Team(int threads) : threads_(std::max(1, threads)) {}

    // Runs work(*this) on every thread. Inside, the threads meet in for_each; work must not throw.
    template <class Work>
    void run(Work work) {
        std::vector<std::jthread> others;
        for (int i = 1; i < threads_; ++i) others.emplace_back([&] { work(*this); });
        work(*this);
    }

    // Shares the indices 0..count-1 out in chunks. Returns on every thread once all are done.
    template <class Visit>
    void for_each(std::size_t count, std::size_t chunk, Visit visit) {
        if (threads_ == 1) {
            for (std::size_t i = 0; i < count; ++i) visit(i);
            return;
        }
        for (std::size_t first; (first = next_.fetch_add(chunk, std::memory_order_relaxed)) < count;)
            for (std::size_t i = first; i < std::min(count, first + chunk); ++i) visit(i);
        meet();
    }

  private:
    void meet() {
        const unsigned phase = phase_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            next_.store(0, std::memory_order_relaxed);
            phase_.store(phase + 1, std::memory_order_release);
            return;
        }
        // Phases are short: spin first, then leave the core to whoever may be holding us up.
        for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins)
            if (spins > 4000) std::this_thread::yield();
    }

    const int threads_;
    std::atomic<std::size_t> next_{0};
    std::atomic<int> arrived_{0};
    std::atomic<unsigned> phase_{0};
};

}  // namespace inarow
