#include "solver.hpp"

#include "instructions.hpp"
#include "lane_backend.hpp"
#if !defined(__wasm__)  // which solves small boards only, all entry by entry
#include "bitmap_backend.hpp"
#include "rows_words.hpp"
#endif

#if INAROW_X86_VECTORS
#include <cpuid.h>
#endif

namespace inarow::quixo {

template struct Ranks<std::uint8_t>;
template struct Ranks<std::uint16_t>;

namespace {

#if INAROW_X86_VECTORS
// Clang knows no name for LZCNT before version 18. A CPU without it runs another instruction in its place.
bool cpu_has_lzcnt() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x8000'0001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT) != 0;
}
#endif

template <class Entry, class Part>
constexpr auto portable_entries = make_backend<EntriesBackend<Entry>, LaneBackend<PortableLanes<Entry, Part>>>;

#if defined(__wasm__)
constexpr std::unique_ptr<BitmapBackend> (*portable_bitmaps)(const Layout&) = nullptr;
#else
constexpr auto portable_bitmaps = make_backend<BitmapBackend, BitmapBackendOf<PortableRows>>;
#endif

const Instructions portable{"portable", portable_entries<std::uint8_t, std::uint8_t>, portable_bitmaps, 0, 0};

const Instructions& instructions_of(const std::string& lanes) {
    const auto here = instructions_here();
    if (lanes == "auto") return *here.front();
    for (const Instructions* its : here)
        if (lanes == its->name) return *its;
    for (const char* known : {"avx512", "avx2", "neon"})
        if (lanes == known) throw std::invalid_argument("this machine or build has no " + lanes);
    throw std::invalid_argument("lanes must be auto, portable, avx2, avx512 or neon, not " + lanes);
}

// Calls visit(first, last) with parts of so many entries, of whole bytes of outcomes.
template <class Visit>
void each_part(Loops& loops, std::size_t entries, Visit visit) {
    constexpr std::size_t part = std::size_t{1} << 16;
    loops.for_each((entries + part - 1) / part, entries_alone / part,
                   [&](std::size_t i, int) { visit(i * part, std::min(entries, (i + 1) * part)); });
}

}  // namespace

// All that avx512.cpp and avx2.cpp are compiled for: a virtual machine may hide any of it.
std::vector<const Instructions*> instructions_here() {
    std::vector<const Instructions*> found;
#if INAROW_X86_VECTORS
    const bool both =
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    if (both && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("gfni"))
        found.push_back(&avx512_instructions);
    if (both && __builtin_cpu_supports("avx2") && cpu_has_lzcnt()) found.push_back(&avx2_instructions);
#elif defined(__AARCH64EL__)
    found.push_back(&neon_instructions);
#endif
    found.push_back(&portable);
    return found;
}

Solver::Solver(const Rules& rules, int threads, const std::string& lanes, std::uint32_t small)
    : layout_(Board(rules)),
      loops_(threads),
      instructions_(instructions_of(lanes)),
      small_(small),
      narrow_{instructions_.entries(layout_), portable_entries<std::uint8_t, std::uint16_t>(layout_)},
      wide_{portable_entries<std::uint16_t, std::uint8_t>(layout_),
            portable_entries<std::uint16_t, std::uint16_t>(layout_)} {
    if (instructions_.bitmaps) bitmaps_ = instructions_.bitmaps(layout_);
}

Solver::~Solver() = default;

const char* Solver::lanes() const { return instructions_.name; }

// Pairs with blocks of few entries, in all or among the words of a bitmap. Where there are many rounds, entries are
// faster only if vectors look them up in registers, or if a block has next to none.
bool Solver::by_entries(int a, int b, bool plies) const {
    if (!bitmaps_) return true;
    const int m = layout_.board().cells() - a;
    const std::uint32_t entries = layout_.block_entries(a, b);
    const int many_rounds = plies ? instructions_.many_rounds_with_plies : instructions_.many_rounds;
    if (m > max_register_bits && m - b <= many_rounds) return entries < small_ / 10;
    const bool sparse = entries < (std::size_t{1} << m) / 40;
    return entries < small_ || (sparse && small_ > 0);
}

std::vector<SolvedPlane> Solver::room_for(int a, int b, int width) const {
    std::vector<SolvedPlane> planes(a == b ? 1 : 2);
    const std::size_t entries = layout_.plane_entries(a, b);
    for (SolvedPlane& plane : planes) {
        plane.outcomes = make_huge<std::uint8_t>(packed::bytes(entries));
        if (width > 0) plane.plies = make_huge<std::uint8_t>(entries * width);
        plane.width = width;
    }
    return planes;
}

std::vector<SolvedPlane> Solver::solve(int a, int b, bool plies, const PlaneAbove& above, Interrupt& interrupt) {
    if (b < 0 || a < b || a + b > layout_.board().cells()) throw std::invalid_argument("no such pair of classes");
    const PlaneAbove existing = [&](int side) {
        return a + b == layout_.board().cells() || (side == 1 && a == b) ? StoredPlane{} : above(side);
    };
    if (by_entries(a, b, plies)) {
        const std::lock_guard lock(entries_);
        return solve_entries(a, b, plies, existing, interrupt);
    }
    if (entries_.try_lock()) {
        for (const auto& backend : narrow_) backend->forget();
        entries_.unlock();
    }
    for (int width = plies ? 1 : 0; width <= 2 * plies; ++width) {
        std::vector<SolvedPlane> planes = room_for(a, b, width);
        if (bitmaps_->solve(loops_, a, b, existing, planes, interrupt)) return planes;
    }
    throw std::overflow_error("a pair takes more plies than can be held");
}

std::vector<SolvedPlane> Solver::solve_entries(int a, int b, bool plies, const PlaneAbove& above,
                                               Interrupt& interrupt) {
    // Not together, as only one of the planes need be in memory.
    HugeArray<std::uint8_t> narrow[2];
    HugeArray<std::uint16_t> wide[2];
    bool fits = true;
    for (int side = 0; side < 2; ++side) {
        const StoredPlane plane = above(side);
        if (!plane.outcomes) continue;
        const std::size_t entries = side == 0 ? layout_.plane_entries(a + 1, b) : layout_.plane_entries(a, b + 1);
        fits = fits && longest_in(plane, entries) < Values<std::uint8_t>::max_plies;
        const auto convert = [&]<class Entry>(HugeArray<Entry>& to) {
            to = make_huge<Entry>(entries);
            each_part(loops_, entries,
                      [&](std::size_t first, std::size_t last) { to_entries(plane, first, last, to.get()); });
        };
        fits ? convert(narrow[side]) : convert(wide[side]);
    }
    const auto stored = [&](int side) {
        return wide[side] ? StoredPair{wide[side].get(), 2} : StoredPair{narrow[side].get(), 1};
    };
    const std::size_t entries = layout_.plane_entries(a, b);
    const auto solve = [&]<class Entry>(EntriesBackend<Entry>& backend) -> std::vector<SolvedPlane> {
        const auto out = make_huge<Entry>((a == b ? 1 : 2) * entries);
        EntriesTask<Entry> task{a, b, stored(0), stored(1), out.get()};
        if (!backend.solve(loops_, task, interrupt)) return {};
        using V = Values<Entry>;
        const auto is_longer = [](const std::vector<std::uint64_t>& histogram) {
            for (std::size_t i = 256; i < histogram.size(); ++i)
                if (histogram[i] && i != V::draw && i < V::top - 255u) return true;
            return false;
        };
        const bool longer = is_longer(task.histograms[0]) || is_longer(task.histograms[1]);
        std::vector<SolvedPlane> planes = room_for(a, b, plies ? 1 + longer : 0);
        for (std::size_t plane = 0; plane < planes.size(); ++plane) {
            SolvedPlane& its = planes[plane];
            const auto convert = [&]<class Plies>(Plies* to) {
                each_part(loops_, entries, [&](std::size_t first, std::size_t last) {
                    from_entries(out.get() + plane * entries, first, last, its.outcomes.get(), to);
                });
            };
            its.width == 2 ? convert(reinterpret_cast<std::uint16_t*>(its.plies.get())) : convert(its.plies.get());
            its.histogram = std::move(task.histograms[plane]);
            if (plies || its.histogram.empty()) continue;
            const auto first = its.histogram.begin(), draw = first + V::draw;
            its.histogram = {std::accumulate(first, draw, std::uint64_t{0}), *draw,
                             std::accumulate(draw + 1, its.histogram.end(), std::uint64_t{0})};
        }
        return planes;
    };
    // One byte for each entry is faster, where that is enough.
    const bool is_long = layout_.board().cells() - a > max_short_bits;
    auto planes = fits ? solve(*narrow_[is_long]) : std::vector<SolvedPlane>{};
    if (planes.empty()) planes = solve(*wide_[is_long]);
    if (planes.empty()) throw std::overflow_error("a pair takes more plies than can be held");
    return planes;
}

std::size_t Solver::memory(int a, int b, bool plies) const {
    if (!by_entries(a, b, plies)) return bitmaps_->memory(a, b, plies);
    const int cells = layout_.board().cells();
    const auto is_long = [&](int larger) { return cells - larger > max_short_bits; };
    std::size_t inputs = 0, kept = 0;
    if (a + b < cells) inputs = layout_.plane_entries(a + 1, b) + (a > b ? layout_.plane_entries(a, b + 1) : 0);
    // What was kept for other pairs may still be there.
    for (int more = a + 1; more <= cells; ++more)
        if (by_entries(more, std::min(b, cells - more), plies)) kept += narrow_[is_long(more)]->kept_memory(more);
    return wide_[is_long(a)]->memory(a, b) + kept + inputs * 4;
}

}  // namespace inarow::quixo
