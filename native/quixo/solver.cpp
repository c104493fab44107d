#include "solver.hpp"

#include "backend.hpp"
#include "outcome_backend.hpp"

namespace inarow::quixo {

template <class Entry>
std::unique_ptr<PairBackend<Entry>> make_portable_backend(const Layout& layout) {
    return std::make_unique<Backend<PortableLanes<Entry>>>(layout);
}

#if INAROW_AVX512
bool cpu_has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("gfni") && __builtin_cpu_supports("bmi2");
}
#else
bool cpu_has_avx512() { return false; }
std::unique_ptr<PairBackend<std::uint8_t>> make_avx512_backend(const Layout&) { return nullptr; }
std::unique_ptr<OutcomeBackend> make_avx512_outcomes(const Layout&) { return nullptr; }
#endif

std::unique_ptr<OutcomeBackend> make_portable_outcomes(const Layout& layout) {
    return std::make_unique<OutcomeBackendOf<PortableLanes<std::uint8_t>, PortableRows>>(layout);
}

namespace {

// Whether to use AVX-512.
bool choose(const std::string& lanes) {
    if (lanes != "auto" && lanes != "portable" && lanes != "avx512")
        throw std::invalid_argument("lanes must be auto, portable or avx512, not " + lanes);
    if (lanes == "avx512" && !cpu_has_avx512()) throw std::invalid_argument("this machine or build has no AVX-512");
    return lanes != "portable" && cpu_has_avx512();
}

}  // namespace

Solver::Solver(Rules rules, int threads, const std::string& lanes) : layout_(Board(rules)), team_(threads) {
    if (choose(lanes)) {
        narrow_ = make_avx512_backend(layout_);
        lanes_ = "avx512";
    } else {
        narrow_ = make_portable_backend<std::uint8_t>(layout_);
    }
    wide_ = make_portable_backend<std::uint16_t>(layout_);
}

Outcomes::Outcomes(Rules rules, int threads, const std::string& lanes) : layout_(Board(rules)), team_(threads) {
    const bool wide = choose(lanes);
    if (wide) lanes_ = "avx512";
    backend_ = wide ? make_avx512_outcomes(layout_) : make_portable_outcomes(layout_);
}

template <class Entry>
void Solver::solve(std::vector<PairTask<Entry>>& layer) {
    for (const auto& task : layer)
        if (task.b < 0 || task.a < task.b || task.a + task.b > layout_.board().cells())
            throw std::invalid_argument("no such pair of classes");
    if constexpr (sizeof(Entry) == 1)
        narrow_->solve(team_, layer);
    else
        wide_->solve(team_, layer);
}

template void Solver::solve(std::vector<PairTask<std::uint8_t>>&);
template void Solver::solve(std::vector<PairTask<std::uint16_t>>&);

}  // namespace inarow::quixo
