// How many positions of 4x4 Quixo are reachable, counted in the plainest way: boards as arrays of cells, tiles moved
// one by one, no symmetry, no bit masks. A second opinion on studies/reachable.py.
//
//     c++ -O3 -std=c++20 -o reachable docs/results/reproduce_reachable_4x4.cpp
//     ./reachable          # the game ends with a line
//     ./reachable go-on    # play continues after a line

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

constexpr int size = 4, cells = size * size;
constexpr std::uint32_t boards = 43046721;  // 3^16

using Board = std::array<char, cells>;  // 0 empty, 1 the side to move, 2 the other
using Path = std::vector<int>;          // from the tile that is taken to the cell where it is pushed in

static std::vector<Path> paths() {
    std::vector<Path> found;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            if (row % (size - 1) && column % (size - 1)) continue;  // not on the border
            for (const auto& [down, right] : {std::pair(1, 0), std::pair(-1, 0), std::pair(0, 1), std::pair(0, -1)}) {
                Path path;
                for (int r = row, c = column; r >= 0 && r < size && c >= 0 && c < size; r += down, c += right)
                    path.push_back(r * size + c);
                if (path.size() > 1) found.push_back(path);
            }
        }
    return found;
}

static bool has_line(const Board& board, char side) {
    bool falling = true, rising = true;
    for (int i = 0; i < size; ++i) {
        bool row = true, column = true;
        for (int j = 0; j < size; ++j) {
            row &= board[i * size + j] == side;
            column &= board[j * size + i] == side;
        }
        if (row || column) return true;
        falling &= board[i * size + i] == side;
        rising &= board[i * size + size - 1 - i] == side;
    }
    return falling || rising;
}

int main(int count, char** arguments) {
    const bool go_on = count > 1 && std::string_view(arguments[1]) == "go-on";
    const std::vector<Path> all_paths = paths();
    std::vector<bool> reached(boards);
    std::vector<std::uint32_t> left{0};
    reached[0] = true;
    long found = 0;
    while (!left.empty()) {
        std::uint32_t number = left.back();
        left.pop_back();
        ++found;
        Board board;
        for (char& cell : board) {
            cell = static_cast<char>(number % 3);
            number /= 3;
        }
        if (!go_on && (has_line(board, 1) || has_line(board, 2))) continue;
        for (const Path& path : all_paths) {
            if (board[path.front()] == 2) continue;  // the other's tile
            Board after = board;
            for (std::size_t i = 0; i + 1 < path.size(); ++i) after[path[i]] = board[path[i + 1]];
            after[path.back()] = 1;
            std::uint32_t next = 0;
            for (int cell = cells - 1; cell >= 0; --cell) next = next * 3 + (3 - after[cell]) % 3;  // the sides change
            if (!reached[next]) {
                reached[next] = true;
                left.push_back(next);
            }
        }
    }
    std::printf("%ld of %u\n", found, boards);
}
