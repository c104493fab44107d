// Solves small boards with each kind of lanes that this machine has, and prints a digest of every table: a line for
// each, "avx512 4x4 plies by entries: 1234567890abcdef".
#include <cinttypes>
#include <cstdio>

#include "quixo/test_tables.hpp"

using namespace inarow::quixo;

namespace {

// FNV-1a, of bytes.
class Digest {
  public:
    template <class Value>
    void add(const std::vector<Value>& values) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
        for (std::size_t i = 0; i < values.size() * sizeof(Value); ++i) state_ = (state_ ^ bytes[i]) * 0x100000001b3;
    }
    void print(const std::string& lanes, const char* what) const {
        std::printf("%s %s: %016" PRIx64 "\n", lanes.c_str(), what, state_);
    }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

int main() {
    const Rules oblong{3, 4, 3, false}, square{4, 4, 4, false};
    std::vector<std::string> kinds{"portable"};
    if (cpu_has_avx2()) kinds.emplace_back("avx2");
    if (cpu_has_avx512()) kinds.emplace_back("avx512");
    for (const std::string& lanes : kinds) {
        Solver solver(square, 1, lanes);
        Digest entries;
        for (const auto& [pair, found] : solve_all<std::uint8_t>(solver)) entries.add(found);
        entries.print(lanes, "4x4 plies by entries");

        OutcomeSolver outcomes(oblong, 1, lanes, 0);
        Digest packed;
        for (const auto& [pair, planes] : solve_all_outcomes(outcomes))
            for (const auto& plane : planes.plane) packed.add(plane);
        packed.print(lanes, "3x4 outcomes as bitmaps");

        PliesSolver plies(oblong, 1, lanes, 0);
        Digest of_plies;
        for (const auto& [pair, planes] : solve_all_plies<std::uint8_t>(plies))
            for (int plane = 0; plane < 2; ++plane) {
                of_plies.add(planes.outcomes[plane]);
                of_plies.add(planes.plies[plane]);
            }
        of_plies.print(lanes, "3x4 plies as bitmaps");
    }
}
