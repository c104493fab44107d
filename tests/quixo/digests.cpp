// Solves small boards with each kind of lanes that this machine has, and prints a digest of every table: a line for
// each, "avx512 4x4 plies by entries: 1234567890abcdef".
#include <cinttypes>
#include <cstdio>
#include <tuple>

#include "quixo/instructions.hpp"
#include "quixo/test_tables.hpp"

using namespace inarow::quixo;

namespace {

// FNV-1a, of bytes.
class Digest {
  public:
    void add(const std::uint8_t* bytes, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ bytes[i]) * 0x100000001b3;
    }
    void print(const char* lanes, const char* what) const {
        std::printf("%s %s: %016" PRIx64 "\n", lanes, what, state_);
    }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

int main() {
    const Rules oblong{rules_in_a_row(3, 4, 3, false)}, square{rules_in_a_row(4, 4, 4, false)};
    for (const Instructions* instructions : instructions_here())
        for (const auto& [rules, plies, small, what] : {std::tuple{&square, true, 1u << 31, "4x4 plies by entries"},
                                                        {&oblong, false, 0u, "3x4 outcomes as bitmaps"},
                                                        {&oblong, true, 0u, "3x4 plies as bitmaps"}}) {
            Solver solver(*rules, 1, instructions->name, small);
            Digest digest;
            for (const auto& [pair, planes] : solve_planes(solver, plies))
                for (const SolvedPlane& plane : planes) {
                    const std::size_t entries = solver.layout().plane_entries(pair.first, pair.second);
                    digest.add(plane.outcomes.get(), packed::bytes(entries));
                    if (plies) digest.add(plane.plies.get(), entries);
                }
            digest.print(instructions->name, what);
        }
}
