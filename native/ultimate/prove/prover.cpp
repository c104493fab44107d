#include "ultimate/prove/prover.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace inarow::ultimate::prove {

namespace {

constexpr std::uint64_t kReportEvery = 1 << 15;  // nodes
constexpr int kJudged = 1 << 30;                 // the order of what need not be searched

int free_spots(const Board& board, int field) { return 9 - std::popcount(static_cast<unsigned>(board.taken(field))); }

// O may send X to a field where X can only waste a move.
bool o_can_waste_a_move(const Board& board, const Outlook& outlook) {
    bool found = false;
    board.each_move([&](int move) {
        const int field = move / 9, spot = move % 9;
        // A field that the move itself could fill is left to the search.
        found = field != spot && board.taken(spot) != kFull && outlook.useless_to_x(board, spot);
        return found;
    });
    return found;
}

}  // namespace

Value judge(const Board& board, const Needs& needs, const Outlook& outlook) {
    if (outlook.slack < 0 || marks_to_win(needs.o) == 0) return Value::Fails;
    if (marks_to_win(needs.x) == 0) return Value::Wins;
    if (outlook.slack == 0) {
        const bool wasted = board.x_to_move() ? board.active != kAnywhere && outlook.useless_to_x(board, board.active)
                                              : o_can_waste_a_move(board, outlook);
        if (wasted) return Value::Fails;
    }
    return Value::Unknown;
}

struct Prover::Child {
    Board board;
    Needs needs;
    std::uint64_t key;
    Value judgement;
    int move;
    int order;  // the largest is tried first
};

bool Prover::wins(const Board& board, const Question& question, const Progress& progress) {
    question_ = question;
    progress_ = progress;
    const Needs needs = Needs::of(board);
    const Outlook outlook(board, needs, question_);
    Value value = judge(board, needs, outlook);
    if (value == Value::Unknown) {
        const std::uint64_t at = key(board, outlook, question_);
        value = table_.find(at);
        if (value == Value::Unknown) value = search(board, needs, at);
    }
    return value == Value::Wins;
}

int Prover::succeeding_move(const Board& board, const Question& question, const Progress& progress) {
    question_ = question;
    const Value success = board.x_to_move() ? Value::Wins : Value::Fails;
    const Needs needs = Needs::of(board);
    std::array<Child, kMoves> children;
    int count = 0;
    board.each_move([&](int move) {
        look(children[count++], board, needs, move);
        return false;
    });
    std::stable_sort(children.begin(), children.begin() + count,
                     [](const Child& a, const Child& b) { return a.order > b.order; });
    for (int i = 0; i < count; ++i)
        if (known(children[i]) == success) return children[i].move;
    for (int i = 0; i < count; ++i)
        if (wins(children[i].board, question, progress) == (success == Value::Wins)) return children[i].move;
    throw std::logic_error("no move succeeds");
}

void Prover::look(Child& child, const Board& board, const Needs& needs, int move) const {
    child.move = move;
    child.board = board;
    child.board.play(move);
    child.needs = needs;
    child.needs.update(child.board, move / 9);
    const Outlook outlook(child.board, child.needs, question_);
    child.judgement = judge(child.board, child.needs, outlook);
    child.order = kJudged;
    if (child.judgement != Value::Unknown) return;
    child.key = key(child.board, outlook, question_);
    // To be free to choose is good for the side that comes next.
    const int active = child.board.active;
    const int room = active == kAnywhere ? 40 : free_spots(child.board, active);
    const bool x_moves = board.x_to_move();
    const int habit = std::bit_width(decided_[x_moves][board.active][move]);
    child.order = x_moves ? 16 * outlook.slack - room : -4 * room - outlook.slack;
    // O playing (i, i) keeps X in field i, and i as a spot that O may need there is spent to good use.
    child.order = (2 * child.order + (!x_moves && move / 9 == move % 9)) * 32 + std::min(habit, 31);
}

Value Prover::known(const Child& child) const {
    return child.judgement != Value::Unknown ? child.judgement : table_.find(child.key);
}

Value Prover::search(const Board& board, const Needs& needs, std::uint64_t key) {
    const std::uint64_t began = nodes_++;
    if (nodes_ % kReportEvery == 0) report(progress_);
    const bool x_moves = board.x_to_move();
    const Value success = x_moves ? Value::Wins : Value::Fails;
    const auto conclude = [&](Value value) {
        table_.store(key, value, nodes_ - began);
        return value;
    };

    // Often some child is decided already: no need to search the others.
    std::array<Child, kMoves> children;
    std::array<int, kMoves> open;
    int count = 0;
    bool succeeded = false;
    board.each_move([&](int move) {
        Child& child = children[count];
        look(child, board, needs, move);
        const Value value = known(child);
        succeeded = value == success;
        if (value == Value::Unknown) {
            open[count] = count;
            ++count;
        }
        return succeeded;
    });
    if (succeeded) return conclude(success);

    std::sort(open.begin(), open.begin() + count, [&](int a, int b) {
        return children[a].order != children[b].order ? children[a].order > children[b].order : a < b;
    });
    for (int i = 0; i < count; ++i) {
        const Child& child = children[open[i]];
        Value value = i == 0 ? Value::Unknown : table_.find(child.key);
        if (value == Value::Unknown) value = search(child.board, child.needs, child.key);
        if (value == success) {
            ++decided_[x_moves][board.active][child.move];
            return conclude(success);
        }
    }
    return conclude(x_moves ? Value::Fails : Value::Wins);
}

}  // namespace inarow::ultimate::prove
