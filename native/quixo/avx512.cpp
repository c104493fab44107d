#include <immintrin.h>

#include "instructions.hpp"

#if defined(__clang__)
#pragma clang attribute push(                                                                         \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2,popcnt"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2,popcnt")
#endif

#include "bitmap_backend.hpp"
#include "lane_backend.hpp"
#include "lanes_avx512.hpp"
#include "rows_avx512.hpp"

namespace inarow::quixo {

const Instructions avx512_instructions{"avx512", make_backend<EntriesBackend<std::uint8_t>, LaneBackend<Avx512Lanes>>,
                                       make_backend<BitmapBackend, BitmapBackendOf<Avx512Rows>>, 2, 3};

}  // namespace inarow::quixo

#if defined(__clang__)
#pragma clang attribute pop
#endif
