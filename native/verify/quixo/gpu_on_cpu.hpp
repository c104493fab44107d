// What the host prepares for the GPU's checker, and its kernels as a CPU runs them: a group is one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "verify/quixo/board.hpp"
#include "verify/quixo/layout.hpp"

// What the kernels need of CUDA.
#define __device__
#define __global__ [[maybe_unused]] static
#define __shared__ static thread_local

namespace inarow::verify::quixo::gpu {

struct Index {
    unsigned x;
};
inline constexpr Index threadIdx{0}, blockIdx{0}, blockDim{1}, gridDim{1};

inline void __syncthreads() {}
inline int __popc(unsigned mask) { return std::popcount(mask); }
template <class Number>
Number atomicAdd(Number* at, Number more) {
    *at += more;
    return *at - more;
}
template <class Number>
void atomicMin(Number* at, Number other) {
    *at = std::min(*at, other);
}

}  // namespace inarow::verify::quixo::gpu

#include "verify_quixo.cu"

#undef __device__
#undef __global__
#undef __shared__

namespace inarow::verify::quixo::gpu {

static_assert(sizeof(Pair) == 80, "the host fills in the same fields");

inline Game game_for_gpu(const quixo::Game& game) {
    const Layout& layout = Layout::of(game);
    Game found{};
    require(game.moves.size() <= max_moves && game.lines.size() <= max_lines, "too large a board for the GPU");
    found.cells = static_cast<u32>(layout.cells());
    found.moves = static_cast<u32>(game.moves.size());
    found.lines = static_cast<u32>(game.lines.size());
    found.symmetries = static_cast<u32>(layout.symmetries());
    found.end_of_mine = game.ends.mine;
    found.end_of_theirs = game.ends.theirs;
    found.end_of_both = game.ends.both;
    std::copy(game.lines.begin(), game.lines.end(), found.line);
    for (u32 i = 0; i < found.moves; ++i) {
        const Move& move = game.moves[i];
        found.taken[i] = 1u << move.path[0];
        found.pushed[i] = 1u << move.path[move.length - 1];
        found.step[i] = move.path[0] - move.path[1];
        for (int at = 1; at < move.length; ++at) found.row[i] |= 1u << move.path[at];
    }
    for (int n = 0; n <= max_cells; ++n)
        for (int k = 0; k <= max_cells; ++k) found.choose[n][k] = kChoose[n][k];
    const Mask all = (Mask{1} << layout.cells()) - 1;
    for (int symmetry = 0; symmetry < layout.symmetries(); ++symmetry)
        for (int byte = 0; byte < 4; ++byte)
            for (Mask bits = 0; bits < 256; ++bits)
                found.image[symmetry][byte][bits] = layout.image(symmetry, bits << 8 * byte & all);
    return found;
}

// The form of every mask, as Pair has it.
inline std::vector<u32> forms_for_gpu(const Layout& layout) {
    std::vector<u32> forms;
    forms.reserve(layout.forms().size());
    for (const Form& form : layout.forms()) forms.push_back(form.block << 3 | form.symmetry);
    return forms;
}

}  // namespace inarow::verify::quixo::gpu
