#include "ultimate/prover.hpp"

#include <algorithm>
#include <stdexcept>

namespace inarow::ultimate {

namespace {

constexpr std::uint64_t kReportEvery = 1 << 15;  // nodes
constexpr int kSettledOrder = 1 << 30;           // of children that need no search

// Whether O can send X to a field where X can only waste a move.
bool o_can_waste_a_move(const Board& board, const Budgets& budgets) {
    for (const int move : board.moves()) {
        const int field = move / 9, spot = move % 9;
        // A move within the field itself could fill it: that case is left to the search.
        if (field != spot && board.free(spot) && budgets.useless_to_x(board, spot)) return true;
    }
    return false;
}

}  // namespace

Value settled(const Board& board, const Needs& needs, const Budgets& budgets) {
    if (budgets.x_spare < 0 || needs.to_win(1) == 0) return Value::Fails;
    if (needs.to_win(0) == 0) return Value::Wins;
    if (budgets.x_spare == 0) {
        const bool wasted = board.x_to_move() ? board.active != kAnywhere && budgets.useless_to_x(board, board.active)
                                              : o_can_waste_a_move(board, budgets);
        if (wasted) return Value::Fails;
    }
    return Value::Unknown;
}

struct Prover::Child {
    Board board;
    Needs needs;
    std::uint64_t key;
    Value settled_value;
    int move;
    int order;  // the largest is tried first
};

bool Prover::wins(const Board& board, const Question& question, const Progress& progress) {
    question_ = question;
    progress_ = progress;
    const Needs needs = Needs::of(board);
    const Budgets budgets(board, needs, question_);
    Value value = settled(board, needs, budgets);
    if (value == Value::Unknown) {
        const std::uint64_t at = key(board, budgets, question_);
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
    for (const int move : board.moves()) fill(children[count++], board, needs, move);
    std::stable_sort(children.begin(), children.begin() + count,
                     [](const Child& a, const Child& b) { return a.order > b.order; });
    for (int i = 0; i < count; ++i)
        if (known(children[i]) == success) return children[i].move;
    for (int i = 0; i < count; ++i)
        if (wins(children[i].board, question, progress) == (success == Value::Wins)) return children[i].move;
    throw std::logic_error("no move succeeds");
}

void Prover::fill(Child& child, const Board& board, const Needs& needs, int move) const {
    child.move = move;
    child.board = board.after(move);
    child.needs = needs;
    child.needs.update(child.board, move / 9);
    const Budgets budgets(child.board, child.needs, question_);
    child.settled_value = settled(child.board, child.needs, budgets);
    child.order = kSettledOrder;
    if (child.settled_value != Value::Unknown) return;
    child.key = key(child.board, budgets, question_);
    // A free choice is good for the side that moves next.
    const int active = child.board.active;
    const int room = active == kAnywhere ? 40 : ultimate::count(child.board.free(active));
    const bool x_moves = board.x_to_move();
    const int history = std::bit_width(decided_[x_moves][board.active][move]);
    child.order = x_moves ? 16 * budgets.x_spare - room : -4 * room - budgets.x_spare;
    // Among equals (i, i) first: it keeps X in the field that O was sent to.
    child.order = (2 * child.order + (!x_moves && move / 9 == move % 9)) * 32 + std::min(history, 31);
}

Value Prover::known(const Child& child) const {
    return child.settled_value != Value::Unknown ? child.settled_value : table_.find(child.key);
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

    // Often the value of some child is known and decides: no need to search the others.
    std::array<Child, kMoves> children;
    std::array<int, kMoves> unknown;
    int count = 0;
    for (const int move : board.moves()) {
        fill(children[count], board, needs, move);
        const Value value = known(children[count]);
        if (value == success) return conclude(success);
        if (value != Value::Unknown) continue;
        unknown[count] = count;
        ++count;
    }
    std::sort(unknown.begin(), unknown.begin() + count, [&](int a, int b) {
        return children[a].order != children[b].order ? children[a].order > children[b].order : a < b;
    });
    for (int i = 0; i < count; ++i) {
        const Child& child = children[unknown[i]];
        Value value = i == 0 ? Value::Unknown : table_.find(child.key);
        if (value == Value::Unknown) value = search(child.board, child.needs, child.key);
        if (value == success) {
            ++decided_[x_moves][board.active][child.move];
            return conclude(success);
        }
    }
    return conclude(x_moves ? Value::Fails : Value::Wins);
}

}  // namespace inarow::ultimate
