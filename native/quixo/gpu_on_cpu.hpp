// The kernels of kernels/quixo.cu on one thread of a CPU: to test them, and to debug them.
#pragma once

#include "gpu_work.hpp"

// What they need of CUDA.
#define __device__
#define __shared__ static
#define INAROW_KERNEL [[maybe_unused]] static
#define INAROW_RESIDENT

namespace inarow::quixo::gpu {

struct Index {
    u32 x;
};
inline constexpr Index threadIdx{0}, blockIdx{0}, blockDim{1}, gridDim{1};

inline void __syncthreads() {}
template <class Number, class More>
Number atomicAdd(Number* at, More more) {
    return (*at += static_cast<Number>(more)) - static_cast<Number>(more);
}

constexpr u32 block_threads = 1, warp_threads = 1, counted_near = 16;

struct SoloGroup {
    static constexpr u32 slice = 1024, groups = 1, members = 1, block_words = max_block_words;

    template <class Work>
    void each(u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i);
    }
    template <class Value, class Work>
    void scan(const Value* values, u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(i, values[i]);
    }
    template <class Value, class Which, class Wanted, class Place, class Work>
    void look(const Value* values, u32 count, Which which, Wanted wanted, Place place, Work work) {
        for (u32 i = 0; i < count; ++i)
            if (const auto item = which(i); wanted(item)) work(item, values[place(item)]);
    }
    template <class Value, class Test>
    void mark(const Value* values, u32 count, u32* bits, Test test) {
        for (u32 i = 0; i < count; ++i) {
            if (i % 32 == 0) bits[i / 32] = 0;
            if (test(i, values[i])) bits[i / 32] |= 1u << i % 32;
        }
    }
    template <class Work>
    void share(u32*, u32 count, Work work) {
        for (u32 i = 0; i < count; ++i) work(*this, 0, i);
    }
    template <class Word, class Work>
    void each_bit(u32 begin, u32 end, Word word, u16*, Work work) {
        for (u32 i = begin; i < end; ++i)
            for (u32 bits = word(i); bits; bits &= bits - 1) work(i * 32 + static_cast<u32>(lowest_of(bits)));
    }
    u32 count(u32* counter) { return (*counter)++; }
    u32 add(u32* place, u32 value) { return (*place += value) - value; }
    u64 add(u64* place, u64 value) { return (*place += value) - value; }
    void raise(u32* place, u32 value) {
        if (*place < value) *place = value;
    }
    void set_bits(u32* place, u32 bits) { *place |= bits; }
    void replace(u16* place, u32 old, u32 value) {
        if (*place == old) *place = static_cast<u16>(value);
    }
    bool next(u32* dealt, u32 count, u32& piece) { return (piece = (*dealt)++) < count; }
};
using Warp = SoloGroup;
using ThreadBlock = SoloGroup;

}  // namespace inarow::quixo::gpu

#include "quixo.cu"

#undef __device__
#undef __shared__
