// A second program for the lower bounds of strategies.md: that an animal is not won within so many moves, or at all,
// on a square board. It shares no code with inarow, and none of its ideas but these: positions are kept up to the
// eight symmetries of the square, and lines that weigh less than 1/2 in all are never completed (Erdős and Selfridge).
// There are no zones, no dead cells and no pairings; O tries every reply.
//
//     c++ -O2 -std=c++20 reproduce_animals.cpp -o animals
//     ./animals ".x/.x/xx/x." 5 5 breaker     N-pentomino on 5x5, in 5 moves, maker-breaker
//     ./animals "x./x./x./xx" 6 any maker     L-pentomino on 6x6, in any number, maker-maker
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

using Board = std::uint64_t;

struct State {
    Board x, o;
    int left;
    bool operator==(const State&) const = default;
};

struct Hash {
    std::size_t operator()(const State& s) const {
        Board h = s.x * 0x9E3779B97F4A7C15;
        h = (h ^ (h >> 31) ^ s.o) * 0xD6E8FEB86659FD93;
        return (h ^ (h >> 29) ^ static_cast<Board>(s.left)) * 0x9E3779B97F4A7C15 >> 3;
    }
};

static int side;
static bool breaker;
static std::vector<Board> lines;
static std::unordered_map<State, bool, Hash> known;
static std::vector<std::vector<int>> turns;

static void place(const std::string& drawing) {
    std::vector<std::pair<int, int>> shape;
    int row = 0, column = 0;
    for (const char c : drawing) {
        if (c == '/') {
            ++row;
            column = 0;
        } else if (c == 'x') {
            shape.emplace_back(row, column++);
        } else {
            ++column;
        }
    }
    std::set<Board> found;
    for (int turn = 0; turn < 8; ++turn) {
        for (auto& [r, c] : shape) std::tie(r, c) = std::make_pair(c, -r);
        if (turn == 4)
            for (auto& [r, c] : shape) c = -c;
        for (int down = -side; down <= 2 * side; ++down) {
            for (int right = -side; right <= 2 * side; ++right) {
                Board line = 0;
                for (const auto& [r, c] : shape) {
                    const int y = r + down, x = c + right;
                    if (y < 0 || y >= side || x < 0 || x >= side) break;
                    line |= Board{1} << (y * side + x);
                }
                if (std::popcount(line) == static_cast<int>(shape.size())) found.insert(line);
            }
        }
    }
    lines.assign(found.begin(), found.end());
    for (int turn = 0; turn < 8; ++turn) {
        std::vector<int> to;
        for (int cell = 0; cell < side * side; ++cell) {
            int y = cell / side, x = cell % side;
            if (turn & 1) y = side - 1 - y;
            if (turn & 2) x = side - 1 - x;
            if (turn & 4) std::swap(x, y);
            to.push_back(y * side + x);
        }
        turns.push_back(to);
    }
}

static State least(State s) {
    State best = s;
    for (const auto& to : turns) {
        State image{0, 0, s.left};
        for (Board rest = s.x; rest; rest &= rest - 1) image.x |= Board{1} << to[std::countr_zero(rest)];
        for (Board rest = s.o; rest; rest &= rest - 1) image.o |= Board{1} << to[std::countr_zero(rest)];
        if (std::pair(image.x, image.o) < std::pair(best.x, best.o)) best = image;
    }
    return best;
}

static std::vector<int> heaviest_first(const std::vector<double>& weight, Board cells) {
    std::vector<int> order;
    for (; cells; cells &= cells - 1) order.push_back(std::countr_zero(cells));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight[a] > weight[b]; });
    return order;
}

// Whether X, to move, completes a line within `left` moves.
static bool wins(Board x, Board o, int left) {
    const int cells = side * side;
    const Board empty = ((Board{1} << cells) - 1) & ~(x | o);
    std::vector<double> weight(cells, 0.0);
    double all = 0;
    Board useful = 0, must = 0;
    for (const Board line : lines) {
        if (!(line & o)) {
            const Board lacking = line & ~x;
            const int size = std::popcount(lacking);
            if (size == 1) return true;
            if (size <= left) {
                const double w = 1.0 / static_cast<double>(1 << size);
                all += w;
                useful |= lacking;
                for (Board rest = lacking; rest; rest &= rest - 1) weight[std::countr_zero(rest)] += w;
            }
        }
        if (!breaker && !(line & x)) {
            const Board lacking = line & ~o;
            if (std::popcount(lacking) == 1) must |= lacking;
            if (std::popcount(lacking) < left) useful |= lacking;  // a mark there blocks it
        }
    }
    if (left < 2 || all < 0.5 || std::popcount(must) > 1) return false;
    const State key = least({x, o, left});
    if (const auto found = known.find(key); found != known.end()) return found->second;

    bool won = false;
    for (const int move : heaviest_first(weight, must ? must : useful)) {
        const Board after = x | Board{1} << move;
        std::vector<double> reply_weight(cells, 0.0);
        Board threats = 0;
        for (const Board line : lines) {
            if (line & o) continue;
            const Board lacking = line & ~after;
            const int size = std::popcount(lacking);
            if (size == 1) threats |= lacking;
            if (size > left - 1) continue;
            for (Board rest = lacking; rest; rest &= rest - 1)
                reply_weight[std::countr_zero(rest)] += 1.0 / static_cast<double>(1 << size);
        }
        const Board free = empty & ~(Board{1} << move);
        Board replies = threats ? threats : free;
        won = free != 0;
        if (std::popcount(threats) < 2)
            for (const int reply : heaviest_first(reply_weight, replies))
                if (!wins(after, o | Board{1} << reply, left == 99 ? 99 : left - 1)) {
                    won = false;
                    break;
                }
        if (won) break;
    }
    known.emplace(key, won);
    return won;
}

int main(int argc, char** argv) {
    if (argc != 5 || std::atoi(argv[2]) < 1 || std::atoi(argv[2]) > 7) {
        std::fputs("usage: animals DRAWING SIDE MOVES|any breaker|maker, with a side up to 7\n", stderr);
        return 2;
    }
    side = std::atoi(argv[2]);
    breaker = std::string(argv[4]) == "breaker";
    place(argv[1]);
    const int moves = std::string(argv[3]) == "any" ? 99 : std::atoi(argv[3]);
    const bool won = wins(0, 0, moves);
    std::printf("%s on %dx%d, %s moves, %s: %s (%zu positions)\n", argv[1], side, side, argv[3], argv[4],
                won ? "X wins" : "X does not win", known.size());
}
