#include "solver.hpp"

#include "lane_backend.hpp"

#if INAROW_X86_VECTORS
#include <cpuid.h>
#endif

namespace inarow::quixo {

template struct Ranks<std::uint8_t>;
template struct Ranks<std::uint16_t>;

#if INAROW_X86_VECTORS
namespace {

// Clang knows no name for it before version 18. A CPU without it runs another instruction in its place.
bool cpu_has_lzcnt() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x8000'0001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT) != 0;
}

}  // namespace

// All that avx512.cpp and avx2.cpp are compiled for: a virtual machine may hide any of it.
bool cpu_has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("gfni") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
bool cpu_has_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && cpu_has_lzcnt();
}
#else
bool cpu_has_avx512() { return false; }
bool cpu_has_avx2() { return false; }
std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout&) { return nullptr; }
std::unique_ptr<PairBackend<std::uint8_t>> make_avx2_backend(const Layout&) { return nullptr; }
#endif

bool cpu_has_neon() {
#if defined(__AARCH64EL__)
    return true;
#else
    return false;
#endif
}

namespace {

template <class Entry, class Part>
std::unique_ptr<PairBackend<Entry>> make_portable_backend(const Layout& layout) {
    return std::make_unique<LaneBackend<PortableLanes<Entry, Part>>>(layout);
}

}  // namespace

Solver::Solver(Rules rules, int threads, const std::string& lanes) : layout_(Board(rules)), pool_(threads) {
    if (lanes != "auto" && lanes != "portable" && lanes != "avx2" && lanes != "avx512" && lanes != "neon" &&
        lanes != "long")
        throw std::invalid_argument("lanes must be auto, portable, avx2, avx512, neon or long, not " + lanes);
    if (lanes == "avx512" && !cpu_has_avx512()) throw std::invalid_argument("this machine or build has no AVX-512");
    if (lanes == "avx2" && !cpu_has_avx2()) throw std::invalid_argument("this machine or build has no AVX2");
    if (lanes == "neon" && !cpu_has_neon()) throw std::invalid_argument("this machine or build has no NEON");
    narrow_.of_long = make_portable_backend<std::uint8_t, std::uint16_t>(layout_);
    wide_.of_long = make_portable_backend<std::uint16_t, std::uint16_t>(layout_);
    if (lanes == "long") {
        lanes_ = "long";
        return;
    }
    if (lanes != "portable" && lanes != "avx2" && cpu_has_avx512()) {
        narrow_.of_short = make_avx512_backend(layout_);
        lanes_ = "avx512";
    } else if (lanes != "portable" && cpu_has_avx2()) {
        narrow_.of_short = make_avx2_backend(layout_);
        lanes_ = "avx2";
    } else {
        if (lanes != "portable" && cpu_has_neon()) lanes_ = "neon";
        narrow_.of_short = make_portable_backend<std::uint8_t, std::uint8_t>(layout_);
    }
    wide_.of_short = make_portable_backend<std::uint16_t, std::uint8_t>(layout_);
}

bool better_by_entries(const Layout& layout, int a, int b, std::uint32_t small, int many_rounds) {
    const int m = layout.board().cells() - a;
    const std::uint32_t entries = layout.block_entries(a, b);
    if (m > max_register_bits && m - b <= many_rounds) return entries < small / 10;
    const bool sparse = entries < (std::size_t{1} << m) / 40;
    return entries < small || (sparse && small > 0);
}

void Solver::require_pair(int a, int b) const {
    if (b < 0 || a < b || a + b > layout_.board().cells()) throw std::invalid_argument("no such pair of classes");
}

template <class Entry>
PairBackend<Entry>& Solver::backend(int a) const {
    const auto& backends = [&]() -> const Backends<Entry>& {
        if constexpr (sizeof(Entry) == 1)
            return narrow_;
        else
            return wide_;
    }();
    const bool is_short = backends.of_short && layout_.board().cells() - a <= max_short_bits;
    return is_short ? *backends.of_short : *backends.of_long;
}

template <class Entry>
void Solver::solve(std::vector<PairTask<Entry>>& layer, Interrupt& interrupt) {
    std::map<PairBackend<Entry>*, std::vector<PairTask<Entry>*>> tasks;
    for (auto& task : layer) {
        require_pair(task.a, task.b);
        tasks[&backend<Entry>(task.a)].push_back(&task);
    }
    for (const auto& [backend, its] : tasks) backend->solve(pool_, its, interrupt);
}

template void Solver::solve(std::vector<PairTask<std::uint8_t>>&, Interrupt&);
template void Solver::solve(std::vector<PairTask<std::uint16_t>>&, Interrupt&);

void Solver::retain() {
    for (const auto& backend : {narrow_.of_short.get(), narrow_.of_long.get()})
        if (backend) backend->retain();
}

void Solver::forget() {
    for (const auto& backend : {narrow_.of_short.get(), narrow_.of_long.get()})
        if (backend) backend->forget();
}

PairMemory Solver::memory(int a, int b, int width) const {
    require_pair(a, b);
    return width == 1 ? backend<std::uint8_t>(a).memory(a, b) : backend<std::uint16_t>(a).memory(a, b);
}

}  // namespace inarow::quixo
