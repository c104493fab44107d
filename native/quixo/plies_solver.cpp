#include "plies_solver.hpp"

#include <string_view>

#include "bitmap_plies.hpp"

namespace inarow::quixo {

namespace {

// Calls visit(first, last) with parts of so many entries, on all threads if that is worth it.
template <class Visit>
void each_part(ThreadPool& pool, std::size_t entries, Visit visit) {
    constexpr std::size_t part = std::size_t{1} << 16;
    const auto visit_part = [&](std::size_t i) { visit(i * part, std::min(entries, (i + 1) * part)); };
    const std::size_t parts = (entries + part - 1) / part;
    if (entries <= alone_at_most) {
        for (std::size_t i = 0; i < parts; ++i) visit_part(i);
        return;
    }
    pool.run([&](int) { pool.for_each(parts, 1, visit_part); });
}

template <class Entry>
HugeArray<Entry> entries_of(ThreadPool& pool, const PliesPlane& plane, std::size_t entries) {
    auto found = make_huge<Entry>(entries);
    each_part(pool, entries, [&](std::size_t first, std::size_t last) { to_entries(plane, first, last, found.get()); });
    return found;
}

}  // namespace

std::unique_ptr<BitmapPliesBackend> make_portable_bitmap_plies(const Layout& layout) {
    return std::make_unique<BitmapPliesBackendOf<PortableRows>>(layout);
}

#if !INAROW_X86_VECTORS
std::unique_ptr<BitmapPliesBackend> make_avx2_bitmap_plies(const Layout&) { return nullptr; }
std::unique_ptr<BitmapPliesBackend> make_avx512_bitmap_plies(const Layout&) { return nullptr; }
#endif

PliesSolver::PliesSolver(Rules rules, int threads, const std::string& lanes, std::uint32_t small)
    : solver_(rules, threads, lanes), loops_(threads), small_(small) {
    const std::string_view chosen = solver_.lanes();
    bitmaps_ = chosen == "avx512" ? make_avx512_bitmap_plies(layout())
               : chosen == "avx2" ? make_avx2_bitmap_plies(layout())
               : chosen == "neon" ? make_neon_bitmap_plies(layout())
                                  : make_portable_bitmap_plies(layout());
    many_rounds_ = chosen == "avx512" ? 3 : 0;
    solver_.retain();
}

bool PliesSolver::by_entries(int a, int b) const { return better_by_entries(layout(), a, b, small_, many_rounds_); }

template <class Plies>
bool PliesSolver::solve(PliesTask<Plies>& task, Interrupt& interrupt) {
    if (!by_entries(task.a, task.b)) {
        if (const std::unique_lock lock(by_entries_, std::try_to_lock); lock) solver_.forget();
        return bitmaps_->solve(loops_, task, interrupt);
    }
    const std::lock_guard lock(by_entries_);
    // Not together, as only one of the planes need be in memory.
    const auto [a, b] = std::pair(task.a, task.b);
    HugeArray<std::uint8_t> narrow[2];
    HugeArray<std::uint16_t> wide[2];
    bool fits = true;
    for (int side = 0; side < 2; ++side) {
        const PliesPlane plane = task.more(side);
        if (!plane.outcomes) continue;
        const std::size_t entries = side == 0 ? layout().plane_entries(a + 1, b) : layout().plane_entries(a, b + 1);
        fits = fits && longest_in(plane, entries) < Values<std::uint8_t>::max_plies;
        if (fits) narrow[side] = entries_of<std::uint8_t>(solver_.pool(), plane, entries);
        if (!fits) wide[side] = entries_of<std::uint16_t>(solver_.pool(), plane, entries);
    }
    const auto stored = [&](int side) {
        return wide[side] ? StoredPair{wide[side].get(), 2} : StoredPair{narrow[side].get(), 1};
    };
    // One byte for each entry is faster, where that is enough.
    return (fits && solve_entries<std::uint8_t>(task, stored(0), stored(1), interrupt)) ||
           solve_entries<std::uint16_t>(task, stored(0), stored(1), interrupt);
}

template bool PliesSolver::solve(PliesTask<std::uint8_t>&, Interrupt&);
template bool PliesSolver::solve(PliesTask<std::uint16_t>&, Interrupt&);

template <class Entry, class Plies>
bool PliesSolver::solve_entries(PliesTask<Plies>& task, StoredPair larger, StoredPair smaller, Interrupt& interrupt) {
    const auto [a, b] = std::pair(task.a, task.b);
    const std::size_t entries = layout().plane_entries(a, b);
    const auto out = make_huge<Entry>(task.plane_count() * entries);
    std::vector<PairTask<Entry>> pair(1);
    pair[0] = {a, b, larger, smaller, out.get(), {}, false};
    solver_.solve(pair, interrupt);
    if (pair[0].overflow) return false;
    if (interrupt.asked()) return true;
    std::atomic<bool> fits{true};
    ThreadPool& pool = solver_.pool();
    for (int plane = 0; plane < task.plane_count(); ++plane) {
        const Entry* found = out.get() + plane * entries;
        each_part(pool, entries, [&](std::size_t first, std::size_t last) {
            if (!from_entries(found, first, last, task.outcomes[plane], task.plies[plane]))
                fits.store(false, std::memory_order_relaxed);
        });
        task.histograms[plane] = std::move(pair[0].histograms[plane]);
    }
    return fits;
}

std::size_t PliesSolver::memory(int a, int b, int width) const {
    if (!by_entries(a, b)) return bitmaps_->memory(a, b, width);
    const PairMemory pair = solver_.memory(a, b, 2);
    std::size_t inputs = 0;
    if (a + b < layout().board().cells())
        inputs = layout().plane_entries(a + 1, b) + (a > b ? layout().plane_entries(a, b + 1) : 0);
    // The moves of other pairs may still be retained.
    std::size_t retained = 0;
    for (int more = a + 1; more <= layout().board().cells(); ++more)
        if (by_entries(more, b))
            retained += solver_.memory(more, std::min(b, layout().board().cells() - more), 1).moves;
    return pair.entries + pair.workspace + pair.moves + retained + inputs * 4;
}

}  // namespace inarow::quixo
