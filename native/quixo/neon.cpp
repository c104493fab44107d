// The solvers on NEON, which every CPU of aarch64 has.
#if defined(__AARCH64EL__)
#include "bitmap_plies.hpp"
#include "bitmap_solver.hpp"
#include "rows_neon.hpp"
#endif
#include "outcome_solver.hpp"
#include "plies_solver.hpp"

namespace inarow::quixo {

#if defined(__AARCH64EL__)
std::unique_ptr<BitmapBackend> make_neon_bitmaps(const Layout& layout) {
    return std::make_unique<BitmapBackendOf<NeonRows>>(layout);
}

std::unique_ptr<BitmapPliesBackend> make_neon_bitmap_plies(const Layout& layout) {
    return std::make_unique<BitmapPliesBackendOf<NeonRows>>(layout);
}
#else
std::unique_ptr<BitmapBackend> make_neon_bitmaps(const Layout&) { return nullptr; }
std::unique_ptr<BitmapPliesBackend> make_neon_bitmap_plies(const Layout&) { return nullptr; }
#endif

}  // namespace inarow::quixo
