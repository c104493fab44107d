// Memory for large arrays, in huge pages where the system has them: small ones cost it a visit for every 4 KiB.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <memory>
#include <new>

namespace inarow {

struct FreeAligned {
    std::align_val_t alignment{};
    void operator()(void* memory) const { ::operator delete(memory, alignment); }
};

template <class T>
using HugeArray = std::unique_ptr<T[], FreeAligned>;

// Not initialized.
template <class T>
HugeArray<T> make_huge(std::size_t count) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t bytes = count * sizeof(T);
    const std::align_val_t aligned{bytes < page ? 64 : page};
    HugeArray<T> array(static_cast<T*>(::operator new(bytes, aligned)), FreeAligned{aligned});
#if defined(__linux__)
    if (bytes >= page) madvise(array.get(), bytes, MADV_HUGEPAGE);
#endif
    return array;
}

}  // namespace inarow
