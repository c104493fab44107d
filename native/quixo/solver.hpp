// The interface of solving with plies: layers of pairs, on the best instructions this machine has.
#pragma once

#include <memory>
#include <string>

#include "layout.hpp"
#include "thread_pool.hpp"

namespace inarow::quixo {

// A pair to solve. `larger` is plane 1 of {a+1, b}, since after a new mark of the larger side the smaller side is to
// move; `smaller` is plane 0 of {a, b+1}; empty where there is no such pair. If a = b, `larger` serves both sides and
// `smaller` is empty. They are no wider than `out`.
template <class Entry>
struct PairTask {
    int a, b;
    StoredPair larger, smaller;
    Entry* out;
    std::vector<std::uint64_t> histograms[2];  // for each plane stored: how many positions have each entry
    bool overflow = false;                     // wider entries are needed; `out` is not valid then
};

// A plane of so few entries is not worth several threads, if no other pair is solved meanwhile.
inline constexpr std::size_t alone_at_most = 1 << 19;

// Bytes needed to solve a pair.
struct PairMemory {
    std::size_t entries;    // the pair itself
    std::size_t workspace;  // the state of its entries and blocks
    std::size_t moves;      // where moves lead
};

// Solves pairs with entries of one width on one instruction set.
template <class Entry>
class PairBackend {
  public:
    virtual ~PairBackend() = default;
    virtual void solve(ThreadPool& pool, std::vector<PairTask<Entry>*> tasks, Interrupt& interrupt) = 0;
    virtual PairMemory memory(int a, int b) const = 0;
    // From now on keeps what it computes about moves, even if it is large; and frees it.
    virtual void retain() = 0;
    virtual void forget() = 0;
};

std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout& layout);  // null if this build has none
std::unique_ptr<PairBackend<std::uint8_t>> make_avx2_backend(const Layout& layout);    // null if this build has none

bool cpu_has_avx512();
bool cpu_has_avx2();
bool cpu_has_neon();

// Whether a pair is better solved entry by entry than as bitmaps: if its blocks have fewer than `small` entries, or few
// among the words of a bitmap. With no more blank tiles than `many_rounds`, rounds are many, and bitmaps visit only
// what has changed; entries are then faster only where vectors look them up in registers, or where a block has next to
// none.
bool better_by_entries(const Layout& layout, int a, int b, std::uint32_t small, int many_rounds);

class Solver {
  public:
    // `lanes` is "portable", "avx2", "avx512", "neon" or "auto"; "long" uses long words for all pairs, which any pair
    // can have. With NEON only bitmaps are permuted; entries are solved by portable code.
    Solver(Rules rules, int threads, const std::string& lanes);

    const Layout& layout() const { return layout_; }
    ThreadPool& pool() { return pool_; }
    const char* lanes() const { return lanes_; }

    // Entries stored for a pair: two planes, or one if a = b.
    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // Solves pairs with the same number of marks. If it is interrupted, their entries are not valid.
    template <class Entry>
    void solve(std::vector<PairTask<Entry>>& layer, Interrupt& interrupt);

    // See PairBackend; for entries of one byte.
    void retain();
    void forget();

    // What solving a pair with entries of `width` bytes needs, without the layout and the pairs it reads.
    PairMemory memory(int a, int b, int width) const;

  private:
    // For pairs with short and with long words.
    template <class Entry>
    struct Backends {
        std::unique_ptr<PairBackend<Entry>> of_short, of_long;
    };

    template <class Entry>
    PairBackend<Entry>& backend(int a) const;

    void require_pair(int a, int b) const;

    Layout layout_;
    ThreadPool pool_;
    const char* lanes_ = "portable";
    Backends<std::uint8_t> narrow_;
    Backends<std::uint16_t> wide_;
};

}  // namespace inarow::quixo
