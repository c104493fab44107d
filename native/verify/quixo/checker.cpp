#include "verify/quixo/checker.hpp"

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

std::uint64_t plane_entries(const Board& board, int a, int b) {
    return board.blocks[a].size() * std::uint64_t{choose[board.size * board.size - a][b]};
}

// The rules of the game, and where positions are stored.
class Game {
  public:
    explicit Game(const Rules& rules)
        : rules_(rules), board_(board_of(rules.size)), lines_(lines_of(rules.size, rules.line)) {
        require(rules.line >= 2 && rules.line <= rules.size, "line must be 2 up to the size");
    }

    const Board& board() const { return board_; }

    std::uint32_t value_of_end(const Position& at) const {
        const bool mine = has_line(at.mover), theirs = has_line(at.other);
        if (!mine && !theirs) return kNoValue;
        const bool won = mine && theirs ? !rules_.double_line_wins : mine;  // the other one made the two lines
        return won ? 65535 : 0;
    }

  private:
    bool has_line(Mask marks) const {
        return std::any_of(lines_.begin(), lines_.end(), [marks](Mask line) { return (marks & line) == line; });
    }

    Rules rules_;
    const Board& board_;
    std::vector<Mask> lines_;
};

// Calls visit(position) for all positions after a move.
template <class Visit>
void each_successor(const Board& board, const Position& at, Visit visit) {
    for (const Move& move : board.moves) {
        if (at.other >> move.path[0] & 1) continue;
        const Mask pushed = Mask{1} << move.path[move.length - 1];
        visit(Position{slide(at.other, move), slide(at.mover, move) | pushed});
    }
}

Place place_on(const Board& board, const Position& at) {
    const int x = std::popcount(at.mover), y = std::popcount(at.other);
    const bool plane = x < y;
    const Mask larger = plane ? at.other : at.mover, smaller = plane ? at.mover : at.other;
    const Form form = board.forms[larger];
    const std::uint32_t rank = rank_of(board.image(form.symmetry, larger), board.image(form.symmetry, smaller));
    const int a = std::max(x, y), b = std::min(x, y);
    return {a, b, plane, form.block * std::uint64_t{choose[board.size * board.size - a][b]} + rank};
}

Position position_on(const Board& board, const Place& place) {
    const std::uint32_t ranks = choose[board.size * board.size - place.a][place.b];
    const Mask larger = board.blocks[place.a][place.index / ranks];
    const auto rank = static_cast<std::uint32_t>(place.index % ranks);
    const Mask smaller = unrank(larger, board.size * board.size, place.b, rank);
    return place.plane ? Position{smaller, larger} : Position{larger, smaller};
}

// A pair with those that a new mark leads to.
class PairChecker {
  public:
    PairChecker(const Rules& rules, int a, int b, const Entries& pair, const Entries& larger, const Entries& smaller)
        : game_(rules), a_(a), b_(b), pair_(pair), larger_(larger), smaller_(smaller) {
        require(pair.data != nullptr, "a pair is missing");
        if (a + b == rules.size * rules.size) return;
        require(larger.data != nullptr && (a == b || smaller.data != nullptr), "a pair is missing");
    }

    // Entries are numbered through both planes.
    std::optional<Counterexample> check_entry(std::uint64_t index) const {
        const Place place = place_at(index);
        const Position position = position_on(game_.board(), place);
        const std::uint32_t stored = pair_.at(place.plane, place.index), right = expected(position);
        if (stored == right) return std::nullopt;
        const std::uint32_t ranks = choose[game_.board().size * game_.board().size - a_][b_];
        const Mask larger = place.plane ? position.other : position.mover;
        const Mask smaller = place.plane ? position.mover : position.other;
        return Counterexample{place.plane, place.index / ranks, place.index % ranks, larger, smaller, stored, right};
    }

    // The plies of a Win as an entry tells them.
    std::uint32_t win_at(std::uint64_t index) const {
        const Position position = position_on(game_.board(), place_at(index));
        if (game_.value_of_end(position) != kNoValue) return 65535;
        const std::uint32_t worst = worst_child(position);
        return worst < kDraw ? value_above(worst) : kNotAnEntry;
    }

  private:
    Place place_at(std::uint64_t index) const {
        const bool plane = index >= pair_.of_plane;
        return {a_, b_, plane, index - (plane ? pair_.of_plane : 0)};
    }

    std::uint32_t expected(const Position& position) const {
        const std::uint32_t end = game_.value_of_end(position);
        if (end != kNoValue) return end;
        const std::uint32_t worst = worst_child(position);
        if (worst == kNoValue) return kNoValue;
        if (pair_.width == 0) return worst == kDraw ? kDraw : worst < kDraw ? 65535 : 0;
        return value_above(worst);
    }

    // For the opponent, who moves there: entries grow with what they are worth.
    std::uint32_t worst_child(const Position& position) const {
        std::uint32_t worst = kNoValue;
        each_successor(game_.board(), position, [&](const Position& child) {
            const Place place = place_on(game_.board(), child);
            const Entries& entries = place.a + place.b == a_ + b_ ? pair_ : place.a > a_ ? larger_ : smaller_;
            worst = std::min(worst, entries.at(place.plane, place.index));
        });
        return worst;
    }

    Game game_;
    int a_, b_;
    Entries pair_, larger_, smaller_;
};

// Calls visit(index) for all of a range, on some threads, in chunks that are handed out in order; once visit is false,
// for none of the chunks past that index.
template <class Visit>
void each_index(std::uint64_t first, std::uint64_t last, int threads, Visit visit) {
    require(threads >= 1, "threads must be at least 1");
    constexpr std::uint64_t kChunk = 4096;
    std::atomic<std::uint64_t> next{first};
    std::atomic<std::uint64_t> stop{std::numeric_limits<std::uint64_t>::max()};
    const auto work = [&] {
        for (;;) {
            const std::uint64_t begin = next.fetch_add(kChunk);
            if (begin >= last || begin > stop) return;
            const std::uint64_t end = std::min(begin + kChunk, last);
            for (std::uint64_t index = begin; index < end; ++index) {
                if (visit(index)) continue;
                std::uint64_t known = stop;
                while (index < known && !stop.compare_exchange_weak(known, index)) {
                }
                break;
            }
        }
    };
    std::vector<std::thread> team;
    for (int i = 1; i < threads; ++i) team.emplace_back(work);
    work();
    for (std::thread& thread : team) thread.join();
}

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

std::array<std::uint64_t, 3> count_outcomes(int size, int a, int b, const Entries& pair, bool plane,
                                            std::uint64_t first_block, std::uint64_t last_block) {
    const Board& board = board_of(size);
    require(first_block <= last_block && last_block <= board.blocks[a].size(), "no such blocks");
    const std::uint32_t ranks = choose[size * size - a][b];
    std::array<std::uint64_t, 3> counts{};
    for (std::uint64_t block = first_block; block < last_block; ++block)
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const std::uint32_t value = pair.at(plane, block * ranks + rank);
            counts[value < kDraw ? 0 : value == kDraw ? 1 : 2] += board.orbits[a][block];
        }
    return counts;
}

Place place_of(int size, const Position& position) {
    const Mask all = static_cast<Mask>((std::uint64_t{1} << size * size) - 1);
    require(!(position.mover & position.other) && !((position.mover | position.other) & ~all), "no position");
    return place_on(board_of(size), position);
}

Position position_at(int size, const Place& place) {
    const Board& board = board_of(size);
    require(place.index < plane_entries(board, place.a, place.b), "no such entry");
    return position_on(board, place);
}

std::uint32_t value_of_end(const Rules& rules, const Position& position) { return Game(rules).value_of_end(position); }

std::vector<Position> successors(int size, const Position& position) {
    std::vector<Position> found;
    each_successor(board_of(size), position, [&](const Position& child) { found.push_back(child); });
    return found;
}

Result check(const Rules& rules, int a, int b, const Entries& pair, const Entries& larger, const Entries& smaller,
             std::uint64_t first, std::uint64_t last, int threads) {
    require(first <= last && last <= entry_count(rules.size, a, b), "the range must lie within the pair");
    const PairChecker checker(rules, a, b, pair, larger, smaller);
    // Every entry up to the first wrong one is looked at, so which one that is does not depend on the threads.
    std::mutex mutex;
    std::uint64_t wrong = std::numeric_limits<std::uint64_t>::max();
    std::optional<Counterexample> counterexample;
    each_index(first, last, threads, [&](std::uint64_t index) {
        const auto found = checker.check_entry(index);
        if (!found) return true;
        const std::lock_guard lock(mutex);
        if (index < wrong) wrong = index, counterexample = found;
        return false;
    });
    return {counterexample ? wrong - first + 1 : last - first, counterexample};
}

void derive_wins(const Rules& rules, int a, int b, std::uint16_t* pair, const Entries& larger, const Entries& smaller,
                 std::uint64_t first, std::uint64_t last, int threads) {
    require(first <= last && last <= entry_count(rules.size, a, b), "the range must lie within the pair");
    const PairChecker checker(rules, a, b, {pair, 2, entry_count(rules.size, a, b) / (a == b ? 1 : 2)}, larger,
                              smaller);
    std::vector<std::uint16_t> wins(last - first);
    each_index(first, last, threads, [&](std::uint64_t index) {
        if (pair[index] > kDraw) wins[index - first] = static_cast<std::uint16_t>(checker.win_at(index));
        return true;
    });
    // Only now, as all threads read the entries.
    for (std::uint64_t index = first; index < last; ++index)
        if (pair[index] > kDraw) pair[index] = wins[index - first];
}

}  // namespace inarow::verify
