// Matrices over GF(2) for AVX-512. Included only by a file compiled for it.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace inarow::quixo {

// An 8x8 matrix eight times over, as GF2P8AFFINEQB takes it for a whole register.
//
// Clang would rather let the instruction read the matrix from memory, and before version 20 it then encodes a wrong
// address: the CPU counts a short displacement of a repeated operand in units of 8 bytes, Clang in bytes, so that what
// it writes as 16(%rcx) is read at 128(%rcx) (llvm/llvm-project pull request 120340):
//
//   vgf2p8affineqb $0, 16(%rcx){1to8}, %zmm2, %zmm3
//       62 f3 ed 58 ce 59 10 00    from Clang 14, 16 and 19
//       62 f3 ed 58 ce 59 02 00    from Clang 22 and the GNU assembler
//
// The empty statement does nothing, but the matrix must be in a register for it.
inline __m512i repeated_matrix(std::uint64_t matrix) {
    __m512i repeated = _mm512_set1_epi64(static_cast<long long>(matrix));
#if defined(__clang__)
    asm("" : "+v"(repeated));
#endif
    return repeated;
}

}  // namespace inarow::quixo
