// The solver on AVX-512. The file is compiled for the baseline CPU like all others; only what follows the pragma uses
// wider vectors, and it runs only where cpu_has_avx512(). Every header that other files share stands before the pragma:
// an inline function of theirs must not be compiled for the wide machine and then be picked by the linker for all.
#include <immintrin.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "lanes.hpp"
#include "outcomes.hpp"
#include "rows.hpp"
#include "solver.hpp"
#include "team.hpp"

#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2,popcnt")

#include "backend.hpp"
#include "lanes_avx512.hpp"
#include "outcome_solver.hpp"
#include "rows_avx512.hpp"

namespace inarow::quixo {

std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout& layout) {
    return std::make_unique<Backend<Avx512Lanes>>(layout);
}

std::unique_ptr<BitmapBackend> make_avx512_bitmaps(const Layout& layout) {
    return std::make_unique<BitmapBackendOf<Avx512Rows>>(layout);
}

}  // namespace inarow::quixo
