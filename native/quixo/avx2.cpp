#include <immintrin.h>

#include "instructions.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

#include "bitmap_backend.hpp"
#include "lane_backend.hpp"
#include "lanes_avx2.hpp"
#include "rows_avx2.hpp"

namespace inarow::quixo {

const Instructions avx2_instructions{"avx2", make_backend<EntriesBackend<std::uint8_t>, LaneBackend<Avx2Lanes>>,
                                     make_backend<BitmapBackend, BitmapBackendOf<Avx2Rows>>, 2, 0};

}  // namespace inarow::quixo

#if defined(__clang__)
#pragma clang attribute pop
#endif
