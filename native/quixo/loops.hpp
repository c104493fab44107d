// Threads that several callers share, each for loops of its own.
//
// The phases of a pair follow each other strictly, and the last blocks of a phase keep few threads busy. So pairs are
// solved side by side: a thread that finds nothing left to begin in the loop of one pair helps with that of another,
// and nobody waits while there is work.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#if !defined(__wasm__)  // has no threads
#include <condition_variable>
#include <thread>
#endif

namespace inarow::quixo {

#if defined(__wasm__)

class Loops {
  public:
    explicit Loops(int) {}

    int threads() const { return 1; }
    template <class Visit>
    void for_each(std::size_t count, std::size_t, Visit visit) {
        for (std::size_t i = 0; i < count; ++i) visit(i, 0);
    }
};

struct Mutex {
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
};

#else

using Mutex = std::mutex;

class Loops {
  public:
    explicit Loops(int threads) : threads_(std::max(1, threads)) {
        try {
            for (int i = 1; i < threads_; ++i) helpers_.emplace_back([this, i] { help(i); });
        } catch (...) {  // the system refused a thread; those that have started are joined
            end();
            throw;
        }
    }
    Loops(const Loops&) = delete;
    ~Loops() { end(); }

    int threads() const { return threads_; }

    // Calls visit(i, thread) for each i below `count`, a chunk at a time, here and on other threads; returns when all
    // are done. `thread` is below threads(), and is 0 on the caller's thread. Any number of threads may call this at
    // once, and those that called it first get help first. If a visit throws, the rest is left out, and the first
    // exception is rethrown here.
    template <class Visit>
    void for_each(std::size_t count, std::size_t chunk, Visit visit) {
        if (threads_ == 1 || count <= chunk) {
            for (std::size_t i = 0; i < count; ++i) visit(i, 0);
            return;
        }
        Loop loop{count, chunk, &visit, [](void* visits, std::size_t first, std::size_t last, int thread) {
                      for (std::size_t i = first; i < last; ++i) (*static_cast<Visit*>(visits))(i, thread);
                  }};
        {
            const std::lock_guard lock(mutex_);
            loops_.push_back(&loop);
            begun_.fetch_add(1, std::memory_order_relaxed);
            if (asleep_ > 0) begin_.notify_all();
        }
        loop.work(0);
        {
            std::unique_lock lock(mutex_);
            std::erase(loops_, &loop);  // nobody joins it any more
        }
        for (int spins = 0; spins < kSpins && loop.helpers.load(std::memory_order_acquire) > 0; ++spins) pause();
        {
            std::unique_lock lock(mutex_);
            finish_.wait(lock, [&] { return loop.helpers.load(std::memory_order_relaxed) == 0; });
        }
        if (loop.error) std::rethrow_exception(loop.error);
    }

  private:
    static constexpr int kSpins = 3000;  // before a thread sleeps: loops follow each other closely

    // What a thread does between two looks at something that is about to change.
    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

    struct Loop {
        const std::size_t count, chunk;
        void* const visits;
        void (*const visit)(void* visits, std::size_t first, std::size_t last, int thread);
        alignas(64) std::atomic<std::size_t> next{0};
        alignas(64) std::atomic<int> helpers{0};  // changed under the mutex
        std::mutex failing{};
        std::exception_ptr error{};

        void work(int thread) {
            try {
                for (std::size_t first; (first = next.fetch_add(chunk, std::memory_order_relaxed)) < count;)
                    visit(visits, first, std::min(count, first + chunk), thread);
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!error) error = std::current_exception();
                next.store(count, std::memory_order_relaxed);
            }
        }
    };

    void help(int thread) {
        std::unique_lock lock(mutex_);
        while (!ended_) {
            const auto open = std::find_if(loops_.begin(), loops_.end(), [](const Loop* loop) {
                return loop->next.load(std::memory_order_relaxed) < loop->count;
            });
            if (open != loops_.end()) {
                Loop& loop = **open;
                loop.helpers.fetch_add(1, std::memory_order_relaxed);
                lock.unlock();
                loop.work(thread);
                lock.lock();
                // Once this is 0 the loop may be gone.
                if (loop.helpers.fetch_sub(1, std::memory_order_acq_rel) == 1) finish_.notify_all();
                continue;
            }
            const unsigned seen = begun_.load(std::memory_order_relaxed);
            lock.unlock();
            for (int spins = 0; spins < kSpins && begun_.load(std::memory_order_relaxed) == seen; ++spins) pause();
            lock.lock();
            ++asleep_;
            begin_.wait(lock, [&] { return ended_ || begun_.load(std::memory_order_relaxed) != seen; });
            --asleep_;
        }
    }

    void end() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        begun_.fetch_add(1, std::memory_order_relaxed);
        begin_.notify_all();
    }

    const int threads_;
    std::mutex mutex_;
    std::condition_variable begin_, finish_;
    std::vector<Loop*> loops_;  // in the order of their beginning
    std::atomic<unsigned> begun_{0};
    int asleep_ = 0;
    bool ended_ = false;
    std::vector<std::jthread> helpers_;  // last: joined before what they use is destroyed
};

#endif

// Whether long work should end early. Any thread asks; the one that called the work, which is thread 0 of its loops,
// polls now and then.
class Interrupt {
  public:
    explicit Interrupt(std::function<bool()> poll) : poll_(std::move(poll)) {}

    bool asked() const { return asked_.load(std::memory_order_relaxed); }
    void poll() {
        if (!asked() && poll_()) asked_.store(true, std::memory_order_relaxed);
    }
    // Counts work that a thread does, and polls after a million units.
    bool asked(int thread, std::size_t work) {
        if (thread == 0 && (unpolled_ += work) > 1'000'000) {
            unpolled_ = 0;
            poll();
        }
        return asked();
    }

  private:
    const std::function<bool()> poll_;
    alignas(64) std::atomic<bool> asked_{false};
    alignas(64) std::size_t unpolled_ = 0;
};

}  // namespace inarow::quixo
