// A few threads that go through the same phases together, and the interruption of their work.
#pragma once

#if defined(__wasm__)
#include "one_thread.hpp"
#else

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace inarow::quixo {

using Mutex = std::mutex;

class ThreadPool {
  public:
    explicit ThreadPool(int threads) : threads_(std::max(1, threads)) {
        try {
            others_.reserve(static_cast<std::size_t>(threads_ - 1));
            for (int i = 1; i < threads_; ++i)
                others_.emplace_back([this, i, busy = current_processor()] {
                    step_aside(busy);
                    follow(i);
                });
        } catch (...) {  // the system refused a thread; those that have started are joined
            end();
            throw;
        }
    }
    ThreadPool(const ThreadPool&) = delete;
    ~ThreadPool() { end(); }

    int threads() const { return threads_; }

    // Calls work(i) on each thread i. Inside, the threads meet in for_each. If work throws on a thread, the others
    // leave it when they next meet, and the first exception is rethrown here; the pool can be used again.
    void run(std::function<void(int)> work) {
        if (threads_ == 1) return work(0);
        work_ = std::move(work);
        arrived_.store(0, std::memory_order_relaxed);
        next_.store(0, std::memory_order_relaxed);
        failed_.store(false, std::memory_order_relaxed);
        working_.store(threads_ - 1, std::memory_order_relaxed);
        begin();
        attempt(0);
        wait_while([&](int left) { return left != 0; }, working_);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    // Distributes the indices 0..count-1 in chunks. Returns on every thread when all are done.
    template <class Visit>
    void for_each(std::size_t count, std::size_t chunk, Visit visit) {
        if (threads_ == 1) {
            for (std::size_t i = 0; i < count; ++i) visit(i);
            return;
        }
        for (std::size_t first; (first = next_.fetch_add(chunk, std::memory_order_relaxed)) < count;) {
            if (failed_.load(std::memory_order_relaxed)) throw Abandoned();
            for (std::size_t i = first; i < std::min(count, first + chunk); ++i) visit(i);
        }
        meet();
    }

    // What a thread does between two looks at something that is about to change.
    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

  private:
    struct Abandoned {};  // leaves the work because another thread threw

    void begin() {
        jobs_.fetch_add(1, std::memory_order_release);
        jobs_.notify_all();
    }

    void end() {
        work_ = nullptr;
        begin();
    }

    void follow(int thread) {
        for (unsigned done = 0;; ++done) {
            // Jobs follow each other closely: spin for the next one before sleeping.
            wait_while([&](unsigned jobs) { return jobs == done; }, jobs_);
            if (!work_) return;
            attempt(thread);
            if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_all();
        }
    }

    void attempt(int thread) {
        try {
            work_(thread);
        } catch (const Abandoned&) {
        } catch (...) {
            const std::lock_guard lock(failing_);
            if (!error_) error_ = std::current_exception();
            failed_.store(true, std::memory_order_release);
            // Wakes those that wait in meet for a thread that will not come.
            phase_.fetch_add(1, std::memory_order_acq_rel);
            phase_.notify_all();
        }
    }

    void meet() {
        // Whoever reads a phase that a failure began also reads that there was one.
        const unsigned phase = phase_.load(std::memory_order_acquire);
        if (!failed_.load(std::memory_order_relaxed)) {
            if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
                arrived_.store(0, std::memory_order_relaxed);
                next_.store(0, std::memory_order_relaxed);
                phase_.store(phase + 1, std::memory_order_release);
                phase_.notify_all();
                return;
            }
            // Phases are short: spin first, then sleep, and leave the core to the thread that is late.
            wait_while([&](unsigned current) { return current == phase; }, phase_);
        }
        if (failed_.load(std::memory_order_relaxed)) throw Abandoned();
    }

    // Spins for a moment, then sleeps, until the value is another one.
    template <class Value>
    static void wait_while(auto unchanged, const std::atomic<Value>& value) {
        Value seen = value.load(std::memory_order_acquire);
        for (int spins = 0; spins < 3000 && unchanged(seen); ++spins) {
            pause();
            seen = value.load(std::memory_order_acquire);
        }
        for (; unchanged(seen); seen = value.load(std::memory_order_acquire))
            value.wait(seen, std::memory_order_acquire);
    }

#if defined(__linux__)
    static int current_processor() { return sched_getcpu(); }

    // A new thread may share its parent's processor for tens of milliseconds before the system moves it: as long as a
    // small game takes to solve. Excluding that processor for a moment moves it at once.
    static void step_aside(int busy) {
        cpu_set_t all, others;
        if (sched_getaffinity(0, sizeof all, &all) != 0 || busy < 0 || CPU_COUNT(&all) < 2) return;
        others = all;
        CPU_CLR(busy, &others);
        if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
            sched_setaffinity(0, sizeof all, &all);
    }
#else
    static int current_processor() { return -1; }
    static void step_aside(int) {}
#endif

    const int threads_;
    std::function<void(int)> work_;
    std::atomic<unsigned> jobs_{0};
    alignas(64) std::atomic<std::size_t> next_{0};
    alignas(64) std::atomic<int> arrived_{0};
    std::atomic<unsigned> phase_{0};
    std::atomic<int> working_{0};  // other threads that have not finished the job
    std::atomic<bool> failed_{false};
    Mutex failing_;
    std::exception_ptr error_;
    std::vector<std::jthread> others_;  // last: joined before what they use is destroyed
};

// Whether long work should end early. All threads ask; the thread that made this polls from time to time.
class Interrupt {
  public:
    explicit Interrupt(std::function<bool()> poll) : poll_(std::move(poll)) {}

    bool asked() const { return asked_.load(std::memory_order_relaxed); }
    bool made_here() const { return std::this_thread::get_id() == maker_; }
    void poll() {
        if (!asked() && poll_()) asked_.store(true, std::memory_order_relaxed);
    }

  private:
    const std::function<bool()> poll_;
    const std::thread::id maker_ = std::this_thread::get_id();
    std::atomic<bool> asked_{false};
};

}  // namespace inarow::quixo

#endif
