// Memory for large arrays, in huge pages where the system has them: small ones cost it a visit for every 4 KiB.
//
// The system clears every page that it hands out, which takes 7 % of the CPU time of solving 5×5 with plies. So while
// something asks for it (`KeptPages`), the pages that arrays give back are kept for the next ones. They are moved to
// where they are needed: an array of any size can take those of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>
#endif

namespace inarow {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

#if defined(__linux__)

class HugePages {
  public:
    // All arrays of this program share them. Never destroyed: arrays may be freed at the very end.
    static HugePages& shared() {
        static auto* pages = new HugePages;
        return *pages;
    }

    // A multiple of a page, from its beginning on. Not initialized.
    void* allocate(std::size_t bytes) {
        char* const start = reserve(bytes);
        Array array{bytes, {}};
        try {
            const std::lock_guard lock(mutex_);
            array.pieces.reserve(kept_.size() + 1);
            kept_.reserve(kept_.size() + 1);
            std::size_t filled = 0;
            while (filled < bytes && !kept_.empty()) {
                auto [from, size] = kept_.back();
                const std::size_t taken = std::min(size, bytes - filled);
                if (mremap(from, taken, taken, MREMAP_MAYMOVE | MREMAP_FIXED, start + filled) == MAP_FAILED) break;
                kept_.pop_back();
                if (taken < size) kept_.emplace_back(from + taken, size - taken);
                kept_bytes_ -= taken;
                array.pieces.emplace_back(start + filled, taken);
                filled += taken;
            }
            if (filled < bytes) {
                char* fresh = start + filled;
                if (mprotect(fresh, bytes - filled, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
                madvise(fresh, bytes - filled, MADV_HUGEPAGE);
                array.pieces.emplace_back(fresh, bytes - filled);
            }
            arrays_.emplace(start, std::move(array));
            used_ += bytes;
            give_back_for(0);
        } catch (...) {
            munmap(start, bytes);
            throw;
        }
        return start;
    }

    void free(void* start) noexcept {
        const std::lock_guard lock(mutex_);
        const auto found = arrays_.find(static_cast<char*>(start));
        const auto& [bytes, pieces] = found->second;
        used_ -= bytes;
        bool keeps = keepers_ > 0 && used_ + bytes <= most_;
        try {
            kept_.reserve(kept_.size() + pieces.size());
        } catch (...) {
            keeps = false;
        }
        if (keeps) {
            give_back_for(bytes);
            // Until they are needed, the system may take them back.
            madvise(start, bytes, MADV_FREE);
            kept_.insert(kept_.end(), pieces.begin(), pieces.end());
            kept_bytes_ += bytes;
        } else {
            munmap(start, bytes);
        }
        arrays_.erase(found);
    }

    std::size_t kept_bytes() {
        const std::lock_guard lock(mutex_);
        return kept_bytes_;
    }

  private:
    friend class KeptPages;

    using Piece = std::pair<char*, std::size_t>;  // pages that were mapped together: they can only be moved together
    struct Array {
        std::size_t bytes;
        std::vector<Piece> pieces;
    };

    // Addresses that nobody else uses, aligned to a page.
    static char* reserve(std::size_t bytes) {
        void* found = mmap(nullptr, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED) throw std::bad_alloc();
        auto* const first = static_cast<char*>(found);
        const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
        if (before > 0) munmap(first, before);
        munmap(first + before + bytes, huge_page - before);
        return first + before;
    }

    // Gives back kept pages until they, those in use and `more` bytes are no more than allowed.
    void give_back_for(std::size_t more) {
        while (!kept_.empty() && used_ + kept_bytes_ + more > most_) {
            auto& [start, size] = kept_.back();
            const std::size_t given = std::min(size, used_ + kept_bytes_ + more - most_);
            const std::size_t whole = (given + huge_page - 1) / huge_page * huge_page;
            munmap(start + size - whole, whole);
            kept_bytes_ -= whole;
            size -= whole;
            if (size == 0) kept_.pop_back();
        }
    }

    void keep(std::size_t most) {
        const std::lock_guard lock(mutex_);
        ++keepers_;
        most_ = std::max(most_, most);
    }
    void end_keeping() {
        const std::lock_guard lock(mutex_);
        if (--keepers_ > 0) return;
        most_ = 0;
        give_back_for(0);
    }

    std::mutex mutex_;
    int keepers_ = 0;
    std::size_t most_ = 0, used_ = 0, kept_bytes_ = 0;  // allowed; in arrays; kept
    std::vector<Piece> kept_;
    std::map<char*, Array> arrays_;
};

// While one of these exists, pages that arrays give back are kept: with those of arrays, `most` bytes.
class KeptPages {
  public:
    explicit KeptPages(std::size_t most) { HugePages::shared().keep(most); }
    KeptPages(const KeptPages&) = delete;
    ~KeptPages() { HugePages::shared().end_keeping(); }
};

#else

class KeptPages {
  public:
    explicit KeptPages(std::size_t) {}
};

#endif

struct FreeHuge {
    std::size_t bytes = 0;

    void operator()(void* memory) const {
#if defined(__linux__)
        if (bytes >= huge_page) return HugePages::shared().free(memory);
#endif
        ::operator delete(memory, alignment);
    }

    static constexpr std::align_val_t alignment{64};
};

template <class T>
using HugeArray = std::unique_ptr<T[], FreeHuge>;

// Not initialized.
template <class T>
HugeArray<T> make_huge(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
#if defined(__linux__)
    if (bytes >= huge_page) {
        const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
        return HugeArray<T>(static_cast<T*>(HugePages::shared().allocate(whole)), FreeHuge{whole});
    }
#endif
    return HugeArray<T>(static_cast<T*>(::operator new(bytes, FreeHuge::alignment)), FreeHuge{bytes});
}

}  // namespace inarow
