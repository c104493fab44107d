// Outcomes as the files have them, four to a byte, and the plies of the losses among them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/quixo/checker.hpp"

namespace inarow::verify::quixo {

// How many of the outcomes before each of some places are losses; counted from byte begins[i].
void count_losses_before(const std::uint8_t* outcomes, const std::int64_t* begins, const std::int64_t* places,
                         std::size_t count, std::int64_t* losses);

// Writes entries of a plane from `first` on. Losses have plies of `width` bytes each, or none if that is 0. Throws
// std::invalid_argument unless there are as many as losses, and NoCodeLeft.
void decode(const std::uint8_t* outcomes, std::uint64_t entries, const std::uint8_t* plies, std::uint64_t plies_bytes,
            int width, const Plane& plane, std::uint64_t first);

}  // namespace inarow::verify::quixo
