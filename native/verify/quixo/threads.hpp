// Runs a loop on some threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "verify/quixo/board.hpp"

namespace inarow::verify::quixo {

// Calls visit(begin, end) for runs of first ... last - 1, on each thread with a `visit` of its own that make() returns.
// Runs are handed out in order; once visit returns false, later ones are not begun. Rethrows what a visit throws.
template <class Make>
void each_run(std::uint64_t first, std::uint64_t last, std::uint64_t run, int threads, Make make) {
    require(threads >= 1, "threads must be at least 1");
    std::atomic<std::uint64_t> next{first};
    std::atomic<bool> stopped{false};
    std::mutex mutex;
    std::exception_ptr error;
    const auto work = [&] {
        try {
            auto visit = make();
            while (!stopped) {
                const std::uint64_t begin = next.fetch_add(run);
                if (begin >= last) return;
                if (!visit(begin, std::min(begin + run, last))) stopped = true;
            }
        } catch (...) {
            stopped = true;
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (int i = 1; i < threads && first + i * run < last; ++i) others.emplace_back(work);
        } catch (...) {  // the system refused a thread; those that have started are joined
            stopped = true;
            throw;
        }
        work();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace inarow::verify::quixo
