// The solvers on AVX-512. The file is compiled for the baseline CPU like all others; only what follows the pragma uses
// wider vectors, and it runs only where cpu_has_avx512(). Every header shared with other files is included before the
// pragma: otherwise its inline functions would be compiled for the wide machine, and the linker could pick those for
// all files.
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
#pragma clang attribute push(                                                                         \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2,popcnt"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2,popcnt")
#endif

#include "bitmap_plies.hpp"
#include "bitmap_solver.hpp"
#include "lane_backend.hpp"
#include "lanes_avx512.hpp"
#include "rows_avx512.hpp"

namespace inarow::quixo {

std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout& layout) {
    return std::make_unique<LaneBackend<Avx512Lanes>>(layout);
}

std::unique_ptr<BitmapBackend> make_avx512_bitmaps(const Layout& layout) {
    return std::make_unique<BitmapBackendOf<Avx512Rows>>(layout);
}

std::unique_ptr<BitmapPliesBackend> make_avx512_bitmap_plies(const Layout& layout) {
    return std::make_unique<BitmapPliesBackendOf<Avx512Rows>>(layout);
}

}  // namespace inarow::quixo

#if defined(__clang__)
#pragma clang attribute pop
#endif
