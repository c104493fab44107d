// What thread_pool.hpp has, for programs of one thread: WebAssembly has no others.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

namespace inarow::quixo {

class ThreadPool {
  public:
    explicit ThreadPool(int) {}

    int threads() const { return 1; }
    void run(const std::function<void(int)>& work) { work(0); }
    template <class Visit>
    void for_each(std::size_t count, std::size_t, Visit visit) {
        for (std::size_t i = 0; i < count; ++i) visit(i);
    }
};

struct Mutex {
    void lock() {}
    void unlock() {}
};

class Interrupt {
  public:
    explicit Interrupt(std::function<bool()> poll) : poll_(std::move(poll)) {}

    bool asked() const { return asked_; }
    bool made_here() const { return true; }
    void poll() { asked_ = asked_ || poll_(); }

  private:
    const std::function<bool()> poll_;
    bool asked_ = false;
};

}  // namespace inarow::quixo
