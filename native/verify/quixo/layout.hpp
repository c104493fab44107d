// Where the tablebase stores a position.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "verify/quixo/board.hpp"

namespace inarow::verify::quixo {

// choose[n][k], the binomials.
inline constexpr auto kChoose = [] {
    std::array<std::array<std::uint32_t, kMaxCells + 2>, kMaxCells + 1> c{};
    for (int n = 0; n <= kMaxCells; ++n) {
        c[n][0] = 1;
        for (int k = 1; k <= n; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
    }
    return c;
}();

// An entry of the table: `index` counts the entries of its plane.
struct Place {
    int a, b;
    bool plane;
    std::uint64_t index;
};

// How a mask is stored: its block, and a symmetry that maps it to the canonical mask of that block.
struct Form {
    std::uint32_t block : 29;
    std::uint32_t symmetry : 3;
};

// The layout of all tables on boards of one shape. It takes four bytes for each of the 2^cells masks.
class Layout {
  public:
    // Made when first asked for, and kept.
    static const Layout& of(const Game& game);

    Layout(int rows, int columns);

    int cells() const { return rows_ * columns_; }

    // The entries of a plane of the pair {a, b}; throws std::invalid_argument if there is no such pair.
    std::uint64_t of_plane(int a, int b) const;

    // The entries of a block of the pair {a, b}.
    std::uint32_t ranks(int a, int b) const { return kChoose[cells() - a][b]; }

    // For each block of a pair with this a, its A, and how many masks are that or an image of it.
    const std::vector<Mask>& canonical(int a) const { return canonical_[a]; }
    const std::vector<std::uint8_t>& orbits(int a) const { return orbits_[a]; }

    Form form(Mask mask) const { return forms_[mask]; }
    const std::vector<Form>& forms() const { return forms_; }
    int symmetries() const { return static_cast<int>(row_images_.size()); }
    Mask image(int symmetry, Mask mask) const;

    Place place_of(const Position& position) const;
    Position position_at(const Place& place) const;

  private:
    void find_symmetries();
    void find_canonical_masks();
    static int inverse(int symmetry);

    int rows_, columns_;
    std::vector<std::vector<std::vector<Mask>>> row_images_;       // [symmetry][row][cells of the row]
    std::vector<Form> forms_;                                      // of every mask
    std::array<std::vector<Mask>, kMaxCells + 1> canonical_;       // [a]: ascending
    std::array<std::vector<std::uint8_t>, kMaxCells + 1> orbits_;  // [a]
};

}  // namespace inarow::verify::quixo
