#include "verify/quixo/layout.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace inarow::verify::quixo {
namespace {

// The place of B in its block: with p the number of its nth cell among the free ones, the sum of choose[p][n].
std::uint32_t rank_of(Mask larger, Mask smaller) {
    std::uint32_t rank = 0;
    for (int nth = 1; smaller != 0; ++nth, smaller &= smaller - 1) {
        const int cell = std::countr_zero(smaller);
        const int local = cell - std::popcount(larger & ((Mask{1} << cell) - 1));
        rank += kChoose[local][nth];
    }
    return rank;
}

// The B of a rank: from the highest bit down, each is the highest whose binomial still fits.
Mask unrank(Mask larger, int cells, int b, std::uint32_t rank) {
    Mask smaller = 0;
    int local = cells - std::popcount(larger);
    for (int cell = cells - 1; b > 0; --cell) {
        if (larger >> cell & 1) continue;
        if (kChoose[--local][b] > rank) continue;
        rank -= kChoose[local][b--];
        smaller |= Mask{1} << cell;
    }
    return smaller;
}

}  // namespace

const Layout& Layout::of(const Game& game) {
    static std::mutex mutex;
    static std::map<std::pair<int, int>, std::unique_ptr<const Layout>> layouts;
    const std::lock_guard lock(mutex);
    auto& layout = layouts[{game.rows, game.columns}];
    if (!layout) layout = std::make_unique<Layout>(game.rows, game.columns);
    return *layout;
}

Layout::Layout(int rows, int columns) : rows_(rows), columns_(columns) {
    find_symmetries();
    find_canonical_masks();
}

// Two reflections and, on a square, the transposition generate all symmetries of the board.
void Layout::find_symmetries() {
    const int count = rows_ == columns_ ? 8 : 4;
    const std::vector<Mask> no_images(std::size_t{1} << columns_);
    row_images_.assign(count, std::vector<std::vector<Mask>>(rows_, no_images));
    for (int symmetry = 0; symmetry < count; ++symmetry) {
        for (int row = 0; row < rows_; ++row) {
            for (int column = 0; column < columns_; ++column) {
                int r = row, c = column;
                if (symmetry & 1) r = rows_ - 1 - r;
                if (symmetry & 2) c = columns_ - 1 - c;
                if (symmetry & 4) std::swap(r, c);
                for (int cells = 0; cells < 1 << columns_; ++cells)
                    if (cells >> column & 1) row_images_[symmetry][row][cells] |= Mask{1} << (r * columns_ + c);
            }
        }
    }
}

// Reflections come before the transposition, which exchanges them: undone, they follow it.
int Layout::inverse(int symmetry) { return symmetry & 4 ? 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1 : symmetry; }

Mask Layout::image(int symmetry, Mask mask) const {
    Mask result = 0;
    for (const auto& images : row_images_[symmetry]) {
        result |= images[mask & (images.size() - 1)];
        mask >>= columns_;
    }
    return result;
}

// A mask that no smaller one is an image of is canonical; the others of its orbit are found from it.
void Layout::find_canonical_masks() {
    constexpr Form unknown{(1u << 29) - 1, 0};
    forms_.assign(std::size_t{1} << cells(), unknown);
    for (Mask mask = 0; mask < forms_.size(); ++mask) {
        if (forms_[mask].block != unknown.block) continue;
        const int a = std::popcount(mask);
        const auto block = static_cast<std::uint32_t>(canonical_[a].size());
        std::uint8_t orbit = 0;
        // By the symmetry that leads back, so that each image gets the first one that does.
        for (std::uint32_t back = 0; back < row_images_.size(); ++back) {
            Form& form = forms_[image(inverse(static_cast<int>(back)), mask)];
            if (form.block != unknown.block) continue;
            form = {block, back};
            ++orbit;
        }
        canonical_[a].push_back(mask);
        orbits_[a].push_back(orbit);
    }
}

std::uint64_t Layout::of_plane(int a, int b) const {
    require(b >= 0 && a >= b && a + b <= cells(), "a pair has a >= b >= 0, and no more marks than cells");
    return canonical_[a].size() * std::uint64_t{ranks(a, b)};
}

Place Layout::place_of(const Position& at) const {
    const int x = std::popcount(at.mover), y = std::popcount(at.other);
    const bool plane = x < y;
    const Mask larger = plane ? at.other : at.mover, smaller = plane ? at.mover : at.other;
    const Form form = forms_[larger];
    const std::uint32_t rank = rank_of(image(form.symmetry, larger), image(form.symmetry, smaller));
    const int a = std::max(x, y), b = std::min(x, y);
    return {a, b, plane, form.block * std::uint64_t{ranks(a, b)} + rank};
}

Position Layout::position_at(const Place& place) const {
    const std::uint32_t in_block = ranks(place.a, place.b);
    const Mask larger = canonical_[place.a][place.index / in_block];
    const Mask smaller = unrank(larger, cells(), place.b, static_cast<std::uint32_t>(place.index % in_block));
    return place.plane ? Position{smaller, larger} : Position{larger, smaller};
}

}  // namespace inarow::verify::quixo
