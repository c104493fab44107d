// Lets a chosen allocation of the program fail, to test that running out of memory is survived. To be included in one
// source of a program: it replaces operator new.
#pragma once

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace inarow::testing {

inline constexpr long kNone = std::numeric_limits<long>::max();
inline std::atomic<long> allocations_left{kNone};

// While it lives, the allocation after `before` others fails, on whichever thread it is; those after it succeed.
class FailingAllocation {
  public:
    explicit FailingAllocation(long before) { allocations_left = before; }
    ~FailingAllocation() { allocations_left = kNone; }
    FailingAllocation(const FailingAllocation&) = delete;

    static bool happened() { return allocations_left < 0; }
};

inline void* allocate(std::size_t bytes, std::size_t alignment) {
    if (allocations_left.load(std::memory_order_relaxed) != kNone && allocations_left.fetch_sub(1) == 0)
        throw std::bad_alloc();
    void* found = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!found) throw std::bad_alloc();
    return found;
}

}  // namespace inarow::testing

void* operator new(std::size_t bytes) { return inarow::testing::allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return inarow::testing::allocate(bytes, static_cast<std::size_t>(alignment));
}
// stable_sort asks for memory in this way, and does without.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return operator new(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
