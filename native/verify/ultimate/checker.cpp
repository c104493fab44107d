#include "verify/ultimate/checker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace inarow::verify::ultimate {

namespace {

// --- The rules ---

// Spots of a field, and fields of the board, are numbered in rows from the top.
constexpr int kRows[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
constexpr unsigned kAllSpots = 511, kAllLines = 255;
constexpr unsigned kFree = 9;  // the active field where the choice is free
constexpr int kInfinite = 1000;

constexpr std::array<unsigned, 8> kSpotsOf = [] {
    std::array<unsigned, 8> spots{};
    for (int line = 0; line < 8; ++line)
        for (int spot : kRows[line]) spots[line] |= 1U << spot;
    return spots;
}();

int missing(int line, unsigned taken) { return std::popcount(kSpotsOf[line] & ~taken); }

// The fewest spots missing from any of the lines; from a table, as it is needed so often.
int fewest_missing(unsigned taken, unsigned lines) {
    static const std::vector<int> kTable = [] {
        std::vector<int> table(512 * 256, kInfinite);
        for (unsigned i = 0; i < table.size(); ++i)
            for (int line = 0; line < 8; ++line)
                if (i % 256 >> line & 1) table[i] = std::min(table[i], missing(line, i / 256));
        return table;
    }();
    return kTable[taken * 256 + lines];
}

struct Field {
    unsigned taken;                 // spots
    std::array<unsigned, 2> lines;  // that X and O can still complete, or that still matter
    unsigned owner;                 // 0: nobody, 1: X, 2: O

    // The fewest spots that the side must still mark to own the field.
    int need(int side) const {
        if (owner != 0) return owner == static_cast<unsigned>(side) + 1 ? 0 : kInfinite;
        return fewest_missing(taken, lines[side]);
    }

    void mark(int spot, int side) {
        taken |= 1U << spot;
        for (int line = 0; line < 8; ++line)
            if (kSpotsOf[line] >> spot & 1) lines[1 - side] &= ~(1U << line);
        if (owner == 0 && need(side) == 0) {
            owner = static_cast<unsigned>(side) + 1;
            lines = {0, 0};
        }
    }
};

// A field is packed into 27 bits: taken spots, X's lines, O's lines, the owner, from the lowest bit on.
unsigned packed(const Field& f) { return f.taken | f.lines[0] << 9 | f.lines[1] << 17 | f.owner << 25; }
Field unpacked(unsigned bits) {
    return {bits & kAllSpots, {bits >> 9 & kAllLines, bits >> 17 & kAllLines}, bits >> 25};
}

// Nine fields and the active one. Positions that are compared have the same number of plies.
using Packed = std::array<std::uint32_t, 10>;

using Needs = std::array<int, 9>;  // of one side, for each field

// The fewest marks that complete three fields in a row, 0 if there are three.
int fewest_marks(const Needs& needs) {
    int fewest = kInfinite;
    for (const auto& row : kRows) fewest = std::min(fewest, needs[row[0]] + needs[row[1]] + needs[row[2]]);
    return fewest;
}

struct Position {
    std::array<Field, 9> fields;
    unsigned active;

    static Position start() {
        Position position;
        position.fields.fill({0, {kAllLines, kAllLines}, 0});
        position.active = kFree;
        return position;
    }
    explicit Position(const Packed& from) : active(from[9]) {
        for (int f = 0; f < 9; ++f) fields[f] = unpacked(from[f]);
    }
    Packed pack() const {
        Packed to;
        for (int f = 0; f < 9; ++f) to[f] = packed(fields[f]);
        to[9] = active;
        return to;
    }

    bool can_play(int field, int spot) const {
        return (active == kFree || active == static_cast<unsigned>(field)) && !(fields[field].taken >> spot & 1);
    }
    void play(int field, int spot, int side) {
        fields[field].mark(spot, side);
        active = fields[spot].taken == kAllSpots ? kFree : static_cast<unsigned>(spot);
    }

    Needs needs(int side) const {
        Needs all;
        for (int f = 0; f < 9; ++f) all[f] = fields[f].need(side);
        return all;
    }

  private:
    Position() = default;
};

// --- What can no longer matter ---

int moves_left(int side, int ply, int plies) { return (plies + 1 - side) / 2 - (ply + 1 - side) / 2; }

// For each field the most marks that a side can spend there and still complete three fields in a row with its moves
// left; -1 if the field is in no such row.
using Budget = std::array<int, 9>;

Budget budget_of(const Needs& needs, int moves) {
    Budget most;
    most.fill(-1);
    for (const auto& row : kRows) {
        const int spare = moves - needs[row[0]] - needs[row[1]] - needs[row[2]];
        for (int f : row)
            if (spare >= 0) most[f] = std::max(most[f], spare + needs[f]);
    }
    return most;
}

// Whether a mark of X in the field does not bring X nearer to three fields in a row.
bool no_use_to_x(const Position& position, const Budget& budget, int field) {
    return position.fields[field].owner != 0 || budget[field] <= 0;
}

// Where X needs all its moves left: whether X must waste the next one, or O can force that.
bool x_wastes_a_move(const Position& position, const Budget& budget, bool x_moves) {
    if (x_moves) return position.active != kFree && no_use_to_x(position, budget, static_cast<int>(position.active));
    for (int field = 0; field < 9; ++field)
        for (int spot = 0; spot < 9; ++spot)
            if (position.can_play(field, spot) && field != spot && position.fields[spot].taken != kAllSpots &&
                no_use_to_x(position, budget, spot))
                return true;
    return false;
}

// Drops the lines and the owners that can no longer affect whether X wins by the ply, where neither side has won yet.
// What is dropped stays irrelevant: a mark brings a side nearer to a goal by one at most, and costs it one move.
//
// A line counts if its side can complete it and two more fields of a row in time. It also counts if it lies beside, not
// across, such a line of the other side: completing it takes the field away. If it lies across, its marks already block
// the other line.
void drop_irrelevant(Position& position, const std::array<int, 2>& moves, const std::array<Budget, 2>& budget) {
    for (int f = 0; f < 9; ++f) {
        Field& field = position.fields[f];
        if (field.owner != 0 && budget[field.owner - 1][f] < 0) field.owner = 0;
        std::array<unsigned, 2> useful{0, 0}, kept;
        for (int side = 0; side < 2; ++side)
            for (int line = 0; line < 8; ++line)
                if (field.lines[side] >> line & 1 && missing(line, field.taken) <= budget[side][f])
                    useful[side] |= 1U << line;
        kept = useful;
        for (int side = 0; side < 2; ++side)
            for (int line = 0; line < 8; ++line)
                for (int other = 0; other < 8; ++other)
                    if (field.lines[side] >> line & 1 && missing(line, field.taken) <= moves[side] &&
                        useful[1 - side] >> other & 1 && !(kSpotsOf[line] & kSpotsOf[other]))
                        kept[side] |= 1U << line;
        field.lines = kept;
    }
}

// --- Symmetries ---

struct Symmetry {
    std::array<int, 9> to;                 // fields and spots alike
    std::array<std::uint32_t, 512> spots;  // images of sets
    std::array<std::uint32_t, 256> lines;

    // Some quarter turns, after a reflection if `reflected`.
    Symmetry(int quarters, bool reflected) {
        for (int spot = 0; spot < 9; ++spot) {
            int row = spot / 3, column = spot % 3;
            if (reflected) column = 2 - column;
            for (int i = 0; i < quarters; ++i) std::tie(row, column) = std::pair(column, 2 - row);
            to[spot] = 3 * row + column;
        }
        for (unsigned set = 0; set < 512; ++set) {
            spots[set] = 0;
            for (int spot = 0; spot < 9; ++spot) spots[set] |= (set >> spot & 1) << to[spot];
        }
        for (unsigned set = 0; set < 256; ++set) {
            lines[set] = 0;
            for (int line = 0; line < 8; ++line)
                for (int other = 0; other < 8; ++other)
                    if (kSpotsOf[other] == spots[kSpotsOf[line]]) lines[set] |= (set >> line & 1) << other;
        }
    }

    Packed image(const Packed& from) const {
        Packed found;
        for (int f = 0; f < 9; ++f)
            found[to[f]] = spots[from[f] & kAllSpots] | lines[from[f] >> 9 & kAllLines] << 9 |
                           lines[from[f] >> 17 & kAllLines] << 17 | from[f] >> 25 << 25;
        found[9] = from[9] == kFree ? kFree : static_cast<std::uint32_t>(to[from[9]]);
        return found;
    }
};

Packed smallest_image(const Packed& from) {
    static const std::array<Symmetry, 8> kAll{Symmetry(0, false), Symmetry(1, false), Symmetry(2, false),
                                              Symmetry(3, false), Symmetry(0, true),  Symmetry(1, true),
                                              Symmetry(2, true),  Symmetry(3, true)};
    Packed smallest = from;
    for (const Symmetry& symmetry : kAll) smallest = std::min(smallest, symmetry.image(from));
    return smallest;
}

// --- The walk ---

// The positions of a ply, each kept once however often it is added.
class Level {
  public:
    void add(const Packed& position) {
        if (positions_.size() == limit_) {
            sort();
            limit_ = std::max(limit_, 2 * positions_.size());
        }
        positions_.push_back(position);
    }
    std::vector<Packed> sorted() {
        sort();
        return std::move(positions_);
    }

  private:
    void sort() {
        std::sort(positions_.begin(), positions_.end());
        positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
    }

    std::size_t limit_ = 1 << 20;
    std::vector<Packed> positions_;
};

struct Move {
    int field, spot;
};

// The moves in the order of their ranks: by the free spots of the field that the other side is sent to, 81 where it may
// choose; then moves (i, i) before the others; then by number.
std::vector<Move> moves_in_order(const Position& position) {
    std::vector<std::tuple<int, bool, int>> order;
    for (int field = 0; field < 9; ++field)
        for (int spot = 0; spot < 9; ++spot) {
            if (!position.can_play(field, spot)) continue;
            const unsigned taken = position.fields[spot].taken | (field == spot ? 1U << spot : 0U);
            const int room = taken == kAllSpots ? 81 : 9 - std::popcount(taken);
            order.emplace_back(room, field != spot, 9 * field + spot);
        }
    std::sort(order.begin(), order.end());
    std::vector<Move> moves;
    for (const auto& [room, away, number] : order) moves.push_back({number / 9, number % 9});
    return moves;
}

class Walk {
  public:
    Walk(const Claim& claim, const std::uint8_t* answers, std::size_t count)
        : side_(claim.side == Side::X ? 0 : 1), plies_(claim.plies), answers_(answers), count_(count) {
        if (plies_ < 1 || plies_ > 81) throw std::invalid_argument("a game has 1 to 81 plies");
        if (plies_ % 2 == 0) --plies_;  // the last ply would be O's
        for (int move : claim.moves) {
            if (fewest_marks(root_.needs(0)) == 0 || fewest_marks(root_.needs(1)) == 0)
                throw std::invalid_argument("the game ends before its last move");
            if (move < 0 || move > 80 || !root_.can_play(move / 9, move % 9))
                throw std::invalid_argument("move " + std::to_string(move) + " cannot be played");
            root_.play(move / 9, move % 9, ply_ % 2);
            ++ply_;
        }
    }

    Report run(const std::function<void(std::uint64_t, int)>& progress) {
        Level start;
        arrive(start, root_);
        std::vector<Packed> level = start.sorted();
        while (!level.empty() && result_.failure.empty()) {
            const bool answers = ply_ % 2 == side_;
            (answers ? result_.answered : result_.opposed) += level.size();
            ++ply_;
            Level next;
            std::uint64_t done = 0;
            for (const Packed& packed : level) {
                if (++done % 1024 == 0 && progress) progress(used_, ply_);
                const Position position(packed);
                if (answers)
                    answer(next, position);
                else
                    for (int field = 0; field < 9; ++field)
                        for (int spot = 0; spot < 9; ++spot)
                            if (position.can_play(field, spot)) follow(next, position, {field, spot});
                if (!result_.failure.empty()) break;
            }
            level = next.sorted();
        }
        if (result_.failure.empty() && used_ != count_)
            result_.failure = std::to_string(count_ - used_) + " answers are left over";
        return std::move(result_);
    }

  private:
    void answer(Level& next, const Position& position) {
        if (used_ == count_) return fail("there is no answer");
        const std::vector<Move> moves = moves_in_order(position);
        const std::size_t number = answers_[used_++];
        if (number >= moves.size())
            return fail("answer " + std::to_string(number) + " of " + std::to_string(moves.size()) + " moves");
        follow(next, position, moves[number]);
    }

    void follow(Level& next, Position position, Move move) {
        position.play(move.field, move.spot, (ply_ - 1) % 2);
        arrive(next, position);
    }

    enum class State { Open, XWon, OWon, TooLate };

    // Whether the claim is settled; if not, drops from the position what can no longer matter.
    State state_of(Position& position) const {
        const std::array<Needs, 2> needs{position.needs(0), position.needs(1)};
        const std::array<int, 2> moves{moves_left(0, ply_, plies_), moves_left(1, ply_, plies_)};
        const int x_needs = fewest_marks(needs[0]);
        if (x_needs > moves[0]) return State::TooLate;
        if (x_needs == 0) return State::XWon;
        if (fewest_marks(needs[1]) == 0) return State::OWon;
        const std::array<Budget, 2> budget{budget_of(needs[0], moves[0]), budget_of(needs[1], moves[1])};
        if (x_needs == moves[0] && x_wastes_a_move(position, budget[0], ply_ % 2 == 0)) return State::TooLate;
        drop_irrelevant(position, moves, budget);
        return State::Open;
    }

    // Adds the position, unless the claim is settled there: then it must be true.
    void arrive(Level& next, Position position) {
        const State state = state_of(position);
        if (state == State::Open)
            next.add(smallest_image(position.pack()));
        else if ((state == State::XWon) == (side_ == 0))
            result_.longest = std::max(result_.longest, ply_);
        else
            fail(state == State::XWon ? "X wins" : state == State::OWon ? "O wins" : "X can no longer win in time");
    }

    void fail(const std::string& why) {
        if (result_.failure.empty())
            result_.failure = why + " (ply " + std::to_string(ply_) + ", answer " + std::to_string(used_) + " of " +
                              std::to_string(count_) + ")";
    }

    int side_, plies_;
    int ply_ = 0;
    Position root_ = Position::start();
    const std::uint8_t* answers_;
    std::size_t count_, used_ = 0;
    Report result_;
};

}  // namespace

Report check_claim(const Claim& claim, const std::uint8_t* answers, std::size_t count,
                   const std::function<void(std::uint64_t answers, int ply)>& progress) {
    return Walk(claim, answers, count).run(progress);
}

}  // namespace inarow::verify::ultimate
