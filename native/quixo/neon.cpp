// Every CPU of aarch64 has NEON. Entries are solved by portable code.
#if defined(__AARCH64EL__)
#include "bitmap_backend.hpp"
#include "lane_backend.hpp"
#include "rows_neon.hpp"

namespace inarow::quixo {

const Instructions neon_instructions{
    "neon", make_backend<EntriesBackend<std::uint8_t>, LaneBackend<PortableLanes<std::uint8_t, std::uint8_t>>>,
    make_backend<BitmapBackend, BitmapBackendOf<NeonRows>>, 0, 0};

}  // namespace inarow::quixo
#endif
