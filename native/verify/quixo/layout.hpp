// Where the tablebase stores a position.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "verify/quixo/board.hpp"

namespace inarow::verify::quixo {

// An entry of the table: `index` counts the entries of its plane.
struct Place {
    int a, b;
    bool plane;
    std::uint64_t index;
};

// The layout of all tables on boards of one shape. It takes four bytes for each of the 2^cells masks.
class Layout {
  public:
    // Made when first asked for, and kept.
    static const Layout& of(const Rules& rules);

    Layout(int rows, int columns);

    // The number of entries of the pair {a, b}, in both planes if it has two; throws std::invalid_argument if there is
    // no such pair.
    std::uint64_t entry_count(int a, int b) const;

    // The entries of a block of the pair {a, b}.
    std::uint32_t ranks(int a, int b) const;

    // For each block of a pair with this a, how many masks are its A or an image of it.
    const std::vector<std::uint8_t>& orbits(int a) const { return orbits_[a]; }

    Place place_of(const Position& position) const;
    Position position_at(const Place& place) const;

  private:
    // How a mask is stored: its block, and a symmetry that maps it to the canonical mask of that block.
    struct Form {
        std::uint32_t block : 29;
        std::uint32_t symmetry : 3;
    };

    void find_symmetries();
    void find_canonical_masks();
    Mask image(int symmetry, Mask mask) const;
    int cells() const { return rows_ * columns_; }

    int rows_, columns_;
    std::vector<std::vector<std::vector<Mask>>> row_images_;       // [symmetry][row][cells of the row]
    std::vector<Form> forms_;                                      // of every mask
    std::array<std::vector<Mask>, kMaxCells + 1> canonical_;       // [a]: the A of each block, ascending
    std::array<std::vector<std::uint8_t>, kMaxCells + 1> orbits_;  // [a]
};

}  // namespace inarow::verify::quixo
