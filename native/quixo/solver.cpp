#include "solver.hpp"

#include "backend.hpp"

namespace inarow::quixo {

template <class Entry>
std::unique_ptr<PairBackend<Entry>> make_portable_backend(const Layout& layout) {
    return std::make_unique<Backend<PortableLanes<Entry>>>(layout);
}

#if INAROW_AVX512
bool cpu_has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("gfni") && __builtin_cpu_supports("bmi2");
}
#else
bool cpu_has_avx512() { return false; }
std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout&) { return nullptr; }
#endif

Solver::Solver(Rules rules, int threads, const std::string& lanes) : layout_(Board(rules)), threads_(threads) {
    if (lanes != "auto" && lanes != "portable" && lanes != "avx512")
        throw std::invalid_argument("lanes must be auto, portable or avx512, not " + lanes);
    if (lanes == "avx512" && !cpu_has_avx512()) throw std::invalid_argument("this machine or build has no AVX-512");
    if (lanes != "portable" && cpu_has_avx512()) {
        narrow_ = make_avx512_backend(layout_);
        lanes_ = "avx512";
    } else {
        narrow_ = make_portable_backend<std::uint8_t>(layout_);
    }
    wide_ = make_portable_backend<std::uint16_t>(layout_);
}

template <class Entry>
void Solver::solve(int a, int b, const Entry* larger, const Entry* smaller, Entry* out) {
    const int cells = layout_.board().cells();
    if (b < 0 || a < b || a + b > cells) throw std::invalid_argument("no such pair");
    // A new mark of the larger side is seen by the smaller side (plane 1), and the other way round (plane 0).
    const Entry* more_larger = larger ? larger + layout_.plane_entries(a + 1, b) : nullptr;
    // A thread costs more to start than a small pair to solve.
    Team team(layout_.plane_entries(a, b) < 4096 ? 1 : threads_);
    if constexpr (sizeof(Entry) == 1)
        narrow_->solve(team, a, b, more_larger, smaller, out);
    else
        wide_->solve(team, a, b, more_larger, smaller, out);
}

template <class Entry>
std::vector<std::uint64_t> Solver::histogram(int a, int b, const Entry* plane) const {
    std::vector<std::uint64_t> count(std::size_t{1} << sizeof(Entry) * 8);
    const std::uint32_t entries = layout_.block_entries(a, b);
    for (std::size_t block = 0; block < layout_.blocks(a).size(); ++block)
        for (std::uint32_t i = 0; i < entries; ++i) count[plane[block * entries + i]] += layout_.orbit(a, block);
    return count;
}

template void Solver::solve(int, int, const std::uint8_t*, const std::uint8_t*, std::uint8_t*);
template void Solver::solve(int, int, const std::uint16_t*, const std::uint16_t*, std::uint16_t*);
template std::vector<std::uint64_t> Solver::histogram(int, int, const std::uint8_t*) const;
template std::vector<std::uint64_t> Solver::histogram(int, int, const std::uint16_t*) const;

}  // namespace inarow::quixo
