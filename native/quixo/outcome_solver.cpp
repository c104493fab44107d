#include "outcome_solver.hpp"

#include <string_view>

#include "bitmap_solver.hpp"
#include "lanes.hpp"

namespace inarow::quixo {

namespace {

using V = Values<std::uint8_t>;

unsigned value(std::uint8_t entry) { return unsigned{entry >= V::draw} + unsigned{entry > V::draw}; }

HugeArray<std::uint8_t> unpack(ThreadPool& pool, const std::uint8_t* plane, std::size_t entries) {
    if (!plane) return nullptr;
    static constexpr std::uint8_t values[4] = {V::loss(0), V::draw, V::win(0), V::draw};
    auto found = make_huge<std::uint8_t>(entries);
    pool.run([&](int) {
        pool.for_each(packed::bytes(entries), 1 << 14, [&](std::size_t byte) {
            for (std::size_t i = byte * 4; i < std::min(entries, byte * 4 + 4); ++i)
                found[i] = values[plane[byte] >> i % 4 * 2 & 3];
        });
    });
    return found;
}

OutcomeCounts pack(ThreadPool& pool, const Layout& layout, int a, int b, const std::uint8_t* plane, std::uint8_t* out) {
    const std::uint32_t entries = layout.block_entries(a, b);
    const std::size_t blocks = layout.blocks(a).size();
    constexpr std::size_t together = packed::blocks_together;
    std::vector<OutcomeCounts> counts(pool.threads());
    pool.run([&](int thread) {
        pool.for_each((blocks + together - 1) / together, 1, [&](std::size_t part) {
            const std::size_t first = part * together, last = std::min(blocks, first + together);
            for (std::size_t byte = first * entries / 4; byte < packed::bytes(last * entries); ++byte) {
                unsigned bits = 0;
                for (std::size_t i = byte * 4; i < std::min(last * entries, byte * 4 + 4); ++i)
                    bits |= value(plane[i]) << i % 4 * 2;
                out[byte] = static_cast<std::uint8_t>(bits);
            }
            for (std::size_t block = first; block < last; ++block) {
                std::uint64_t found[3] = {};
                for (std::uint32_t i = 0; i < entries; ++i) ++found[value(plane[block * entries + i])];
                counts[thread].add(layout.orbit(a, static_cast<std::uint32_t>(block)), found[packed::win],
                                   found[packed::loss], found[packed::draw]);
            }
        });
    });
    return sum(counts);
}

}  // namespace

std::unique_ptr<BitmapBackend> make_portable_bitmaps(const Layout& layout) {
    return std::make_unique<BitmapBackendOf<PortableRows>>(layout);
}

#if !INAROW_X86_VECTORS
std::unique_ptr<BitmapBackend> make_avx2_bitmaps(const Layout&) { return nullptr; }
std::unique_ptr<BitmapBackend> make_avx512_bitmaps(const Layout&) { return nullptr; }
#endif

OutcomeSolver::OutcomeSolver(Rules rules, int threads, const std::string& lanes, std::uint32_t small)
    : solver_(rules, threads, lanes), loops_(threads), small_(small) {
    const std::string_view chosen = solver_.lanes();
    bitmaps_ = chosen == "avx512" ? make_avx512_bitmaps(layout())
               : chosen == "avx2" ? make_avx2_bitmaps(layout())
               : chosen == "neon" ? make_neon_bitmaps(layout())
                                  : make_portable_bitmaps(layout());
    many_rounds_ = chosen == "avx512" || chosen == "avx2" ? 2 : 0;
    solver_.retain();
}

bool OutcomeSolver::by_entries(int a, int b) const { return better_by_entries(layout(), a, b, small_, many_rounds_); }

void OutcomeSolver::solve(OutcomeTask& task, Interrupt& interrupt) {
    if (by_entries(task.a, task.b)) {
        const std::lock_guard lock(by_entries_);
        if (solve_entries(task, interrupt)) return;
    }
    if (const std::unique_lock lock(by_entries_, std::try_to_lock); lock) solver_.forget();
    bitmaps_->solve(loops_, task, interrupt);
}

// Solves with plies, counted as if all children with a new mark were decided in 0 plies. Returns false if that takes
// more plies than an entry holds.
bool OutcomeSolver::solve_entries(OutcomeTask& task, Interrupt& interrupt) {
    const auto [a, b] = std::pair(task.a, task.b);
    ThreadPool& pool = solver_.pool();
    const auto larger = unpack(pool, task.more_larger, task.more_larger ? layout().plane_entries(a + 1, b) : 0);
    const auto smaller = unpack(pool, task.more_smaller, task.more_smaller ? layout().plane_entries(a, b + 1) : 0);
    const std::size_t entries = layout().plane_entries(a, b);
    const auto out = make_huge<std::uint8_t>(task.plane_count() * entries);
    std::vector<PairTask<std::uint8_t>> pair(1);
    pair[0] = {a, b, {larger.get(), 1}, {smaller.get(), 1}, out.get(), {}, false};
    solver_.solve(pair, interrupt);
    if (pair[0].overflow) return false;
    if (interrupt.asked()) return true;
    for (int plane = 0; plane < task.plane_count(); ++plane)
        task.counts[plane] = pack(pool, layout(), a, b, out.get() + plane * entries, task.planes[plane]);
    return true;
}

std::size_t OutcomeSolver::memory(int a, int b) const {
    if (!by_entries(a, b)) return bitmaps_->memory(a, b);
    const PairMemory pair = solver_.memory(a, b, 1);
    std::size_t inputs = 0;
    if (a + b < layout().board().cells())
        inputs = layout().plane_entries(a + 1, b) + (a > b ? layout().plane_entries(a, b + 1) : 0);
    // The moves of other pairs may still be retained.
    std::size_t retained = 0;
    for (int more = a + 1; more <= layout().board().cells(); ++more)
        if (by_entries(more, b))
            retained += solver_.memory(more, std::min(b, layout().board().cells() - more), 1).moves;
    return pair.entries + pair.workspace + pair.moves + retained + inputs;
}

void permute_rows(const Row* from, Row* to, const Axes& axes, const std::string& lanes) {
    const Layout none(Board(rules_in_a_row(2, 2, 2, false)));
    const auto backend = lanes == "avx512" ? make_avx512_bitmaps(none)
                         : lanes == "avx2" ? make_avx2_bitmaps(none)
                         : lanes == "neon" ? make_neon_bitmaps(none)
                                           : make_portable_bitmaps(none);
    backend->permute(from, to, axes);
}

}  // namespace inarow::quixo
