#include "quixo/loops.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace inarow::quixo {
namespace {

TEST_CASE("every index is visited once, on a thread of its own") {
    for (const int threads : {-1, 1, 2, 5})
        for (const std::size_t chunk : {1, 7, 1000}) {
            Loops loops(threads);
            REQUIRE(loops.threads() == std::max(1, threads));
            for (const std::size_t count : {0, 1, 6, 5000}) {
                std::vector<int> visits(count);
                std::vector<std::atomic<int>> inside(static_cast<std::size_t>(loops.threads()));
                std::atomic<bool> alone{true};
                loops.for_each(count, chunk, [&](std::size_t i, int thread) {
                    auto& others = inside[static_cast<std::size_t>(thread)];
                    if (others.fetch_add(1) != 0) alone = false;
                    ++visits[i];
                    others.fetch_sub(1);
                });
                CHECK(visits == std::vector<int>(count, 1));
                CHECK(alone);
            }
        }
}

TEST_CASE("loops of several callers share the threads, and each sees what its last one wrote") {
    constexpr std::size_t kCallers = 4, kCount = 300;
    constexpr int kPhases = 200;
    Loops loops(3);
    std::vector<std::vector<int>> values(kCallers, std::vector<int>(kCount));
    {
        std::vector<std::jthread> callers;
        for (auto& mine : values)
            callers.emplace_back([&] {
                std::vector<int> copies(kCount);
                for (int phase = 0; phase < kPhases; ++phase) {
                    loops.for_each(kCount, 16, [&](std::size_t i, int) { copies[i] = mine[(i + 17) % kCount]; });
                    loops.for_each(kCount, 16, [&](std::size_t i, int) { mine[i] = copies[i] + 1; });
                }
            });
    }
    for (const auto& mine : values) CHECK(mine == std::vector<int>(kCount, kPhases));
}

TEST_CASE("a thread with nothing to do in one loop helps with another") {
    Loops loops(2);
    std::atomic<bool> helped{false};
    std::jthread other([&] {
        // Its first index waits until the helper has taken another of its loop.
        loops.for_each(2, 1, [&](std::size_t, int thread) {
            if (thread == 1) helped = true;
            while (!helped) std::this_thread::yield();
        });
    });
    loops.for_each(100, 1, [](std::size_t, int) {});
    other.join();
    CHECK(helped);
}

TEST_CASE("an exception reaches the caller whose loop it is, and the threads go on") {
    Loops loops(4);
    for (int run = 0; run < 50; ++run) {
        std::vector<int> visits(1000);
        std::jthread other([&] { loops.for_each(1000, 3, [&](std::size_t i, int) { ++visits[i]; }); });
        CHECK_THROWS_WITH_AS(loops.for_each(1000, 3,
                                            [](std::size_t i, int) {
                                                if (i % 100 == 99) throw std::runtime_error("here");
                                            }),
                             "here", std::runtime_error);
        other.join();
        CHECK(visits == std::vector<int>(1000, 1));
    }
}

TEST_CASE("without loops the threads end") {
    for (int i = 0; i < 20; ++i) Loops loops(4);
}

}  // namespace
}  // namespace inarow::quixo
