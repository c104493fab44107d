#include "verify/quixo_checker.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace inarow::verify {
namespace {

constexpr int kMaxCells = 25;

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// choose[n][k], the binomials.
constexpr auto choose = [] {
    std::array<std::array<std::uint32_t, kMaxCells + 2>, kMaxCells + 1> c{};
    for (int n = 0; n <= kMaxCells; ++n) {
        c[n][0] = 1;
        for (int k = 1; k <= n; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
    }
    return c;
}();

// The cells a move goes through: path[0] is the cell taken, path[length - 1] the end where the tile is pushed in.
struct Move {
    std::array<int, 5> path;
    int length;
};

// Each tile of the path goes one cell toward the hole; the cell at the end is left clear.
Mask slide(Mask marks, const Move& move) {
    for (int i = 0; i + 1 < move.length; ++i) {
        const Mask tile = marks >> move.path[i + 1] & 1;
        marks = (marks & ~(Mask{1} << move.path[i])) | tile << move.path[i];
    }
    return marks & ~(Mask{1} << move.path[move.length - 1]);
}

// How a mask is stored: its block, and a symmetry that takes it to the A of that block.
struct Form {
    std::uint32_t block : 29;
    std::uint32_t symmetry : 3;
};

// All that depends on the size of the board alone.
struct Board {
    explicit Board(int size);

    Mask image(int symmetry, Mask mask) const {
        Mask result = 0;
        for (int row = 0; row < size; ++row)
            result |= row_image[symmetry][row][mask >> row * size & ((Mask{1} << size) - 1)];
        return result;
    }

    int size;
    std::vector<Move> moves;
    std::array<std::array<std::array<Mask, 32>, 5>, 8> row_image{};  // [symmetry][row][cells of the row]
    std::vector<Form> forms;                                         // of every mask
    std::array<std::vector<Mask>, kMaxCells + 1> blocks;             // [a]: the canonical masks, ascending
    std::array<std::vector<std::uint8_t>, kMaxCells + 1> orbits;     // [a]: how many masks have this form
};

Board::Board(int n) : size(n), forms(std::size_t{1} << n * n) {
    const auto cell = [n](int row, int column) { return row * n + column; };

    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
            if (row != 0 && row != n - 1 && column != 0 && column != n - 1) continue;
            // Toward each of the four ends of its row and column, unless it is there already.
            for (const auto& [up, left] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
                Move move{{}, 0};
                for (int r = row, c = column; r >= 0 && r < n && c >= 0 && c < n; r += up, c += left)
                    move.path[move.length++] = cell(r, c);
                if (move.length > 1) moves.push_back(move);
            }
        }
    }

    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        for (int row = 0; row < n; ++row) {
            for (int column = 0; column < n; ++column) {
                int r = row, c = column;
                if (symmetry & 1) r = n - 1 - r;
                if (symmetry & 2) c = n - 1 - c;
                if (symmetry & 4) std::swap(r, c);
                for (int cells = 0; cells < 1 << n; ++cells)
                    if (cells >> column & 1) row_image[symmetry][row][cells] |= Mask{1} << cell(r, c);
            }
        }
    }

    for (Mask mask = 0; mask < forms.size(); ++mask) {
        int best = 0;
        Mask smallest = mask;  // symmetry 0 changes nothing
        for (int symmetry = 1; symmetry < 8; ++symmetry) {
            const Mask other = image(symmetry, mask);
            if (other < smallest) smallest = other, best = symmetry;
        }
        const int a = std::popcount(mask);
        if (smallest == mask) {
            forms[mask] = {static_cast<std::uint32_t>(blocks[a].size()), 0};
            blocks[a].push_back(mask);
            orbits[a].push_back(1);
        } else {  // a smaller mask has its form already
            const std::uint32_t block = forms[smallest].block;
            forms[mask] = {block, static_cast<std::uint32_t>(best)};
            ++orbits[a][block];
        }
    }
}

template <int size>
const Board& board_of() {
    static const Board board(size);
    return board;
}

const Board& board_of(int size) {
    switch (size) {
        case 2:
            return board_of<2>();
        case 3:
            return board_of<3>();
        case 4:
            return board_of<4>();
        case 5:
            return board_of<5>();
        default:
            throw std::invalid_argument("size must be 2 to 5");
    }
}

std::vector<Mask> lines_of(int n, int length) {
    std::vector<Mask> lines;
    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
            for (const auto& [up, left] : {std::pair{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
                const int last_row = row + up * (length - 1), last_column = column + left * (length - 1);
                if (last_row >= n || last_column < 0 || last_column >= n) continue;
                Mask line = 0;
                for (int i = 0; i < length; ++i) line |= Mask{1} << ((row + up * i) * n + column + left * i);
                lines.push_back(line);
            }
        }
    }
    return lines;
}

// The place of B in its block: with p the number of its nth cell among the free ones, the sum of choose[p][n].
std::uint32_t rank_of(Mask larger, Mask smaller) {
    std::uint32_t rank = 0;
    for (int nth = 1; smaller != 0; ++nth, smaller &= smaller - 1) {
        const int cell = std::countr_zero(smaller);
        const int local = cell - std::popcount(larger & ((Mask{1} << cell) - 1));
        rank += choose[local][nth];
    }
    return rank;
}

// The B of a rank: from the highest bit down, each is the highest whose binomial still fits.
Mask unrank(Mask larger, int cells, int b, std::uint32_t rank) {
    Mask smaller = 0;
    int local = cells - std::popcount(larger);
    for (int cell = cells - 1; b > 0; --cell) {
        if (larger >> cell & 1) continue;
        if (choose[--local][b] > rank) continue;
        rank -= choose[local][b--];
        smaller |= Mask{1} << cell;
    }
    return smaller;
}

// What a position is worth to its mover if the child that is worst for the opponent is worth `child` to the opponent.
std::uint32_t value_above(std::uint32_t child) {
    if (child == kDraw) return kDraw;
    const std::uint32_t value = child < kDraw ? 65534 - child : 65536 - child;  // one ply more, for the other side
    return value == kDraw || value == kNotAnEntry ? kNoValue : value;
}

struct Pair {
    Entries entries;
    std::uint64_t blocks;  // of a plane
    std::uint32_t ranks;   // entries of a block
};

class PairChecker {
  public:
    PairChecker(const Rules& rules, int a, int b, const Entries& pair, const Entries& larger, const Entries& smaller)
        : rules_(rules), board_(board_of(rules.size)), lines_(lines_of(rules.size, rules.line)), a_(a), b_(b) {
        pair_ = of(pair, a, b);
        if (a + b == rules.size * rules.size) return;
        larger_ = of(larger, a + 1, b);
        if (a > b) smaller_ = of(smaller, a, b + 1);
    }

    std::optional<Counterexample> check_entry(std::uint64_t index) const {
        const std::uint64_t block_of_planes = index / pair_.ranks;
        Counterexample at{};
        at.plane = block_of_planes < pair_.blocks ? 0 : 1;
        at.block = block_of_planes % pair_.blocks;
        at.rank = index % pair_.ranks;
        at.larger = board_.blocks[a_][at.block];
        at.smaller = unrank(at.larger, rules_.size * rules_.size, b_, static_cast<std::uint32_t>(at.rank));
        at.stored = pair_.entries[index];
        at.expected = at.plane == 0 ? expected(at.larger, at.smaller) : expected(at.smaller, at.larger);
        return at.stored == at.expected ? std::nullopt : std::optional(at);
    }

  private:
    Pair of(const Entries& entries, int a, int b) const {
        require(entries.data != nullptr, "a pair is missing");
        return {entries, board_.blocks[a].size(), choose[rules_.size * rules_.size - a][b]};
    }

    bool has_line(Mask marks) const {
        return std::any_of(lines_.begin(), lines_.end(), [marks](Mask line) { return (marks & line) == line; });
    }

    std::uint32_t expected(Mask mover, Mask other) const {
        const bool mine = has_line(mover), theirs = has_line(other);
        if (mine || theirs) {
            const bool won = mine && theirs ? !rules_.double_line_wins : mine;  // the other one made the two lines
            return won ? 65535 : 0;
        }
        std::uint32_t worst = kNoValue;  // for the opponent: entries grow with what they are worth
        for (const Move& move : board_.moves) {
            if (other >> move.path[0] & 1) continue;
            const Mask pushed = Mask{1} << move.path[move.length - 1];
            worst = std::min(worst, stored(slide(other, move), slide(mover, move) | pushed));
        }
        return worst == kNoValue ? kNoValue : value_above(worst);
    }

    // The entry of a child; `mover` is who moves there.
    std::uint32_t stored(Mask mover, Mask other) const {
        const int x = std::popcount(mover), y = std::popcount(other);
        const bool plane = x < y;
        const Mask larger = plane ? other : mover, smaller = plane ? mover : other;
        const Pair& pair = x + y == a_ + b_ ? pair_ : std::max(x, y) > a_ ? larger_ : smaller_;
        const Form form = board_.forms[larger];
        const std::uint32_t rank = rank_of(board_.image(form.symmetry, larger), board_.image(form.symmetry, smaller));
        return pair.entries[(plane * pair.blocks + form.block) * pair.ranks + rank];
    }

    Rules rules_;
    const Board& board_;
    std::vector<Mask> lines_;
    int a_, b_;
    Pair pair_{}, larger_{}, smaller_{};
};

}  // namespace

std::uint64_t entry_count(int size, int a, int b) {
    const Board& board = board_of(size);
    require(b >= 0 && a >= b && a + b <= size * size, "a pair has a >= b >= 0, and no more marks than cells");
    return board.blocks[a].size() * choose[size * size - a][b] * (a == b ? 1 : 2);
}

const std::vector<std::uint8_t>& orbits(int size, int a) {
    const Board& board = board_of(size);
    require(a >= 0 && a <= size * size, "a must be 0 up to the number of cells");
    return board.orbits[a];
}

Result check(const Rules& rules, int a, int b, const Entries& pair, const Entries& larger, const Entries& smaller,
             std::uint64_t first, std::uint64_t last, int threads) {
    require(first <= last && last <= entry_count(rules.size, a, b), "the range must lie within the pair");
    require(rules.line >= 2 && rules.line <= rules.size, "line must be 2 up to the size");
    require(threads >= 1, "threads must be at least 1");
    const PairChecker checker(rules, a, b, pair, larger, smaller);

    // Chunks are handed out in order, and one is left out only if a wrong entry is known before it. So every entry up
    // to the first wrong one is looked at, and which one that is does not depend on the threads.
    constexpr std::uint64_t kChunk = 4096;
    std::atomic<std::uint64_t> next{first};
    std::atomic<std::uint64_t> wrong{std::numeric_limits<std::uint64_t>::max()};
    std::mutex mutex;
    std::optional<Counterexample> counterexample;
    const auto work = [&] {
        for (;;) {
            const std::uint64_t begin = next.fetch_add(kChunk);
            if (begin >= last || begin > wrong) return;
            const std::uint64_t end = std::min(begin + kChunk, last);
            for (std::uint64_t index = begin; index < end; ++index) {
                if (const auto found = checker.check_entry(index)) {
                    const std::lock_guard lock(mutex);
                    if (index < wrong) wrong = index, counterexample = found;
                    break;
                }
            }
        }
    };
    std::vector<std::thread> team;
    for (int i = 1; i < threads; ++i) team.emplace_back(work);
    work();
    for (std::thread& thread : team) thread.join();
    return {counterexample ? wrong - first + 1 : last - first, counterexample};
}

}  // namespace inarow::verify
