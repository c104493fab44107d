// The solvers on AVX2. As in avx512.cpp, only what follows the pragma uses wider vectors, and it runs only where
// cpu_has_avx2(); every header shared with other files is included before it.
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "huge_pages.hpp"
#include "lanes.hpp"
#include "outcome_solver.hpp"
#include "plies_solver.hpp"
#include "rows.hpp"
#include "solver.hpp"
#include "thread_pool.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

#include "bitmap_plies.hpp"
#include "bitmap_solver.hpp"
#include "lane_backend.hpp"
#include "lanes_avx2.hpp"
#include "rows_avx2.hpp"

namespace inarow::quixo {

std::unique_ptr<PairBackend<std::uint8_t>> make_avx2_backend(const Layout& layout) {
    return std::make_unique<LaneBackend<Avx2Lanes>>(layout);
}

std::unique_ptr<BitmapBackend> make_avx2_bitmaps(const Layout& layout) {
    return std::make_unique<BitmapBackendOf<Avx2Rows>>(layout);
}

std::unique_ptr<BitmapPliesBackend> make_avx2_bitmap_plies(const Layout& layout) {
    return std::make_unique<BitmapPliesBackendOf<Avx2Rows>>(layout);
}

}  // namespace inarow::quixo

#if defined(__clang__)
#pragma clang attribute pop
#endif
