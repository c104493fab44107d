// Qubic's board: 64 cells, 76 lines of four, 192 symmetries.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace inarow::qubic {

using Cells = std::uint64_t;  // bit c is cell c = 16 layer + 4 row + column
__extension__ using Lines = unsigned __int128;

constexpr int kCells = 64;
constexpr int kLines = 76;
constexpr int kSymmetries = 192;

constexpr Cells bit(int cell) { return Cells{1} << cell; }
inline int lowest(Cells cells) { return std::countr_zero(cells); }
constexpr bool several(Cells cells) { return (cells & (cells - 1)) != 0; }

struct Position {
    Cells x;
    Cells o;

    bool operator==(const Position&) const = default;

    std::uint64_t hash() const {
        std::uint64_t h = x * 0x9E3779B97F4A7C15;
        h ^= h >> 32;
        h = (h ^ o) * 0xD6E8FEB86659FD93;
        h ^= h >> 29;
        h *= 0x9E3779B97F4A7C15;
        return h ^ h >> 31;
    }
};

struct Geometry {
    Geometry();

    std::array<Cells, kLines> line{};
    std::array<Lines, kCells> through{};                          // bit l: line l has the cell
    std::array<std::array<Cells, kSymmetries>, kCells> images{};  // where each symmetry takes a cell
};

inline Geometry::Geometry() {
    const auto cell_of = [](int layer, int row, int column) { return 16 * layer + 4 * row + column; };
    int count = 0;
    for (int step = 14; step < 27; ++step) {  // one of each step and its opposite
        const int by[3] = {step / 9 - 1, step / 3 % 3 - 1, step % 3 - 1};
        for (int cell = 0; cell < kCells; ++cell) {
            const int from[3] = {cell / 16, cell / 4 % 4, cell % 4};
            const bool fits = std::equal(from, from + 3, by, [](int at, int d) {
                return d == 0 || at == (d > 0 ? 0 : 3);  // four in a row span the cube
            });
            if (!fits) continue;
            for (int i = 0; i < 4; ++i) {
                const int at = cell_of(from[0] + i * by[0], from[1] + i * by[1], from[2] + i * by[2]);
                line[count] |= bit(at);
                through[at] |= Lines{1} << count;
            }
            ++count;
        }
    }
    // The symmetries permute the axes, reverse some of them, and apply to all three the same permutation of the values
    // 0 to 3 that keeps opposite values opposite.
    constexpr int kValues[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {0, 2, 1, 3}, {2, 0, 3, 1}};
    constexpr int kAxes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int symmetry = 0;
    for (const auto& value : kValues) {
        for (const auto& axis : kAxes) {
            for (int reversed = 0; reversed < 8; ++reversed, ++symmetry) {
                for (int cell = 0; cell < kCells; ++cell) {
                    const int from[3] = {cell / 16, cell / 4 % 4, cell % 4};
                    int to[3];
                    for (int i = 0; i < 3; ++i) {
                        to[i] = value[from[axis[i]]];
                        if (reversed >> i & 1) to[i] = 3 - to[i];
                    }
                    images[cell][symmetry] = bit(cell_of(to[0], to[1], to[2]));
                }
            }
        }
    }
}

inline const Geometry kGeometry;

// Calls f with the number of each line in the set, the lowest first.
template <class F>
void for_each_line(Lines set, F&& f) {
    for (auto low = static_cast<std::uint64_t>(set); low != 0; low &= low - 1) f(std::countr_zero(low));
    for (auto high = static_cast<std::uint64_t>(set >> 64); high != 0; high &= high - 1) f(64 + std::countr_zero(high));
}

// The image with the least mask of X, and among those, the least mask of O.
inline Position canonical(const Position& position) {
    std::array<Cells, kSymmetries> images{};
    for (Cells rest = position.x; rest != 0; rest &= rest - 1) {
        const auto& of_cell = kGeometry.images[lowest(rest)];
        for (int s = 0; s < kSymmetries; ++s) images[s] |= of_cell[s];
    }
    Position least{*std::min_element(images.begin(), images.end()), ~Cells{0}};
    for (int s = 0; s < kSymmetries; ++s) {
        if (images[s] != least.x) continue;
        Cells o = 0;
        for (Cells rest = position.o; rest != 0; rest &= rest - 1) o |= kGeometry.images[lowest(rest)][s];
        least.o = std::min(least.o, o);
    }
    return least;
}

// A position and the number of marks of each side in every line, as two bits: one word holds the low bits of all lines,
// another the high bits. No line may be complete.
class Board {
  public:
    Board() = default;
    explicit Board(const Position& position) {
        for (Cells rest = position.x; rest != 0; rest &= rest - 1) play_x(lowest(rest));
        for (Cells rest = position.o; rest != 0; rest &= rest - 1) play_o(lowest(rest));
    }

    void play_x(int cell) { x_.add(cell); }
    void play_o(int cell) { o_.add(cell); }

    Position position() const { return {x_.cells, o_.cells}; }
    Cells x() const { return x_.cells; }
    Cells taken() const { return x_.cells | o_.cells; }
    Cells empty() const { return ~taken(); }

    // The cells where a side would complete a line, among all lines or those given.
    Cells x_threats(Lines among = ~Lines{0}) const { return lacking(x_.threes() & ~o_.any() & among, x_.cells); }
    Cells o_threats(Lines among = ~Lines{0}) const { return lacking(o_.threes() & ~x_.any() & among, o_.cells); }

    // The lines with two X's and two empty cells: a move at one of these makes a threat at the other.
    Lines pairs() const { return x_.twos() & ~o_.any(); }

  private:
    struct Side {
        Lines low = 0;
        Lines high = 0;
        Cells cells = 0;

        void add(int cell) {
            const Lines lines = kGeometry.through[cell];
            high ^= low & lines;
            low ^= lines;
            cells |= bit(cell);
        }
        Lines any() const { return low | high; }
        Lines twos() const { return high & ~low; }
        Lines threes() const { return high & low; }
    };

    static Cells lacking(Lines lines, Cells mine) {
        Cells result = 0;
        for_each_line(lines, [&](int l) { result |= kGeometry.line[l] & ~mine; });
        return result;
    }

    Side x_;
    Side o_;
};

}  // namespace inarow::qubic
