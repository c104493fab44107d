#include "plies_solver.hpp"

#include <string_view>

#include "bitmap_plies.hpp"

namespace inarow::quixo {

namespace {

using Wide = Values<std::uint16_t>;

unsigned outcome(const std::uint8_t* packed, std::size_t i) { return packed[i / 4] >> i % 4 * 2 & 3; }

std::vector<std::uint16_t> entries_of(ThreadPool& pool, const PliesPlane& plane, std::size_t entries) {
    std::vector<std::uint16_t> found(entries);
    pool.run([&](int) {
        pool.for_each(entries, 1 << 14, [&](std::size_t i) {
            const unsigned value = outcome(plane.outcomes, i);
            const int plies = static_cast<int>(plane.plies[i]);
            found[i] = value == packed::loss ? Wide::loss(plies) : value == packed::win ? Wide::win(plies) : Wide::draw;
        });
    });
    return found;
}

template <class Entry>
std::vector<Entry> narrowed(const std::vector<std::uint16_t>& entries) {
    using V = Values<Entry>;
    std::vector<Entry> found(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
        found[i] = entries[i] < Wide::draw    ? V::loss(entries[i])
                   : entries[i] == Wide::draw ? V::draw
                                              : V::win(Wide::top - entries[i]);
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
    const auto [a, b] = std::pair(task.a, task.b);
    std::vector<std::uint16_t> more[2];
    int longest = 0;
    for (int side = 0; side < 2; ++side) {
        const PliesPlane plane = task.more(side);
        if (!plane.outcomes) continue;
        const std::size_t entries = side == 0 ? layout().plane_entries(a + 1, b) : layout().plane_entries(a, b + 1);
        more[side] = entries_of(solver_.pool(), plane, entries);
        for (const std::uint16_t entry : more[side])
            if (entry != Wide::draw) longest = std::max(longest, std::min<int>(entry, Wide::top - entry));
    }
    // One byte for each entry is faster, where that is enough.
    if (longest < Values<std::uint8_t>::max_plies && solve_entries<std::uint8_t>(task, more, interrupt)) return true;
    return solve_entries<std::uint16_t>(task, more, interrupt);
}

template bool PliesSolver::solve(PliesTask<std::uint8_t>&, Interrupt&);
template bool PliesSolver::solve(PliesTask<std::uint16_t>&, Interrupt&);

template <class Entry, class Plies>
bool PliesSolver::solve_entries(PliesTask<Plies>& task, const std::vector<std::uint16_t> (&more)[2],
                                Interrupt& interrupt) {
    using V = Values<Entry>;
    const auto [a, b] = std::pair(task.a, task.b);
    const std::size_t entries = layout().plane_entries(a, b);
    const auto out = make_huge<Entry>(task.plane_count() * entries);
    std::vector<Entry> children[2] = {narrowed<Entry>(more[0]), narrowed<Entry>(more[1])};
    const auto stored = [&](int side) {
        return StoredPair{children[side].empty() ? nullptr : children[side].data(), sizeof(Entry)};
    };
    std::vector<PairTask<Entry>> pair(1);
    pair[0] = {a, b, stored(0), stored(1), out.get(), {}, false};
    solver_.solve(pair, interrupt);
    if (pair[0].overflow) return false;
    if (interrupt.asked()) return true;
    std::atomic<bool> fits{true};
    ThreadPool& pool = solver_.pool();
    for (int plane = 0; plane < task.plane_count(); ++plane) {
        const Entry* found = out.get() + plane * entries;
        Plies* plies = task.plies[plane];
        pool.run([&](int) {
            pool.for_each(packed::bytes(entries), 1 << 14, [&](std::size_t byte) {
                unsigned bits = 0;
                for (std::size_t i = byte * 4; i < std::min(entries, byte * 4 + 4); ++i) {
                    const Entry entry = found[i];
                    const int its = entry < V::draw ? entry : entry == V::draw ? 0 : V::top - entry;
                    if (its > std::numeric_limits<Plies>::max()) fits.store(false, std::memory_order_relaxed);
                    plies[i] = static_cast<Plies>(its);
                    bits |= (entry < V::draw    ? packed::loss
                             : entry == V::draw ? packed::draw
                                                : packed::win)
                            << i % 4 * 2;
                }
                task.outcomes[plane][byte] = static_cast<std::uint8_t>(bits);
            });
        });
        auto& histogram = task.histograms[plane];
        histogram.assign(std::size_t{1} << 16, 0);
        for (std::size_t entry = 0; entry <= V::top; ++entry) {
            const auto count = pair[0].histograms[plane][entry];
            histogram[entry < V::draw ? entry : entry == V::draw ? Wide::draw : Wide::top - V::top + entry] += count;
        }
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
