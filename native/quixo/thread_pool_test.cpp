#include "quixo/thread_pool.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace inarow::quixo {
namespace {

TEST_CASE("work runs once on every thread") {
    for (const int threads : {-1, 1, 2, 5}) {
        ThreadPool pool(threads);
        REQUIRE(pool.threads() == std::max(1, threads));
        std::vector<std::atomic<int>> calls(static_cast<std::size_t>(pool.threads()));
        for (int run = 1; run <= 50; ++run) {
            pool.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
            for (const auto& count : calls) REQUIRE(count == run);
        }
    }
}

TEST_CASE("every index is visited once, whatever the chunk") {
    for (const int threads : {1, 2, 3})
        for (const std::size_t chunk : {1, 7, 1000}) {
            ThreadPool pool(threads);
            for (const std::size_t count : {0, 1, 6, 500}) {
                std::vector<int> visits(count);
                pool.run([&](int) { pool.for_each(count, chunk, [&](std::size_t i) { ++visits[i]; }); });
                REQUIRE(visits == std::vector<int>(count, 1));
            }
        }
}

TEST_CASE("a phase sees all that the phases before it wrote") {
    ThreadPool pool(3);
    constexpr std::size_t kCount = 300;
    constexpr int kRuns = 20, kPhases = 10;
    std::vector<int> values(kCount), copies(kCount);
    for (int run = 0; run < kRuns; ++run)
        pool.run([&](int) {
            for (int phase = 0; phase < kPhases; ++phase) {
                pool.for_each(kCount, 16, [&](std::size_t i) { copies[i] = values[(i + 17) % kCount]; });
                pool.for_each(kCount, 16, [&](std::size_t i) { values[i] = copies[i] + 1; });
            }
        });
    CHECK(values == std::vector<int>(kCount, kRuns * kPhases));
}

TEST_CASE("a pool without work ends") {
    for (int i = 0; i < 20; ++i) ThreadPool pool(4);
}

TEST_CASE("an exception on any thread reaches the caller, and the pool can be used again") {
    for (const int threads : {1, 2, 4})
        for (int failing = 0; failing < threads; ++failing)
            for (const int in_phase : {0, 1, 5}) {
                ThreadPool pool(threads);
                for (int run = 0; run < 20; ++run) {
                    const auto work = [&](int thread) {
                        for (int phase = 0; phase < 6; ++phase) {
                            if (thread == failing && phase == in_phase) throw std::runtime_error("no");
                            pool.for_each(40, 3, [](std::size_t) {});
                        }
                    };
                    CHECK_THROWS_WITH_AS(pool.run(work), "no", std::runtime_error);
                    std::atomic<int> visits = 0;
                    pool.run([&](int) { pool.for_each(40, 3, [&](std::size_t) { ++visits; }); });
                    REQUIRE(visits == 40);
                }
            }
}

TEST_CASE("of exceptions on all threads one reaches the caller") {
    ThreadPool pool(4);
    for (int run = 0; run < 50; ++run)
        CHECK_THROWS_AS(pool.run([&](int) {
            pool.for_each(40, 1, [](std::size_t i) { throw std::out_of_range(std::to_string(i)); });
        }),
                        std::out_of_range);
}

TEST_CASE("an interrupt is polled until it is asked for") {
    int polls = 0;
    Interrupt interrupt([&] { return ++polls == 3; });
    CHECK_FALSE(interrupt.asked());
    CHECK(interrupt.made_here());
    for (int i = 0; i < 10; ++i) interrupt.poll();
    CHECK(interrupt.asked());
    CHECK(polls == 3);
    bool there = true;
    std::thread([&] { there = interrupt.made_here(); }).join();
    CHECK_FALSE(there);
}

}  // namespace
}  // namespace inarow::quixo
