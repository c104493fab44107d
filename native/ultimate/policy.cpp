#include "ultimate/policy.hpp"

#include <algorithm>

namespace inarow::ultimate {

namespace {

constexpr std::size_t kPollEvery = 4096;  // positions

Value settled(const Board& board, const Question& question) {
    const Needs needs = Needs::of(board);
    return settled(board, needs, Budgets(board, needs, question));
}

// The moves of a position, those first that leave the other side few free spots. The numbers of a policy are ranks in
// this list, for the canonical image of a position.
Moves ranked_moves(const Board& board) {
    std::vector<int> ranked;
    for (const int move : board.moves()) {
        const Board after = board.after(move);
        const int room = after.active == kAnywhere ? kMoves : count(after.free(after.active));
        const bool away = move / 9 != move % 9;  // sends the other side to another field
        ranked.push_back((2 * room + away) * kMoves + move);
    }
    std::sort(ranked.begin(), ranked.end());
    Moves moves;
    for (const int rank : ranked) moves.add(rank % kMoves);
    return moves;
}

// A position in its canonical image.
struct CanonicalPosition {
    Essence essence;
    Board board;

    CanonicalPosition(const Board& from, const Question& question) {
        const Canonical found = canonical(from, Budgets(from, Needs::of(from), question), question);
        essence = found.essence;
        board = from.image(found.symmetry);
    }
    bool operator<(const CanonicalPosition& other) const { return essence < other.essence; }
    bool operator==(const CanonicalPosition& other) const { return essence == other.essence; }
};

// The positions of a ply, each kept once however often it is added.
class Level {
  public:
    void add(const CanonicalPosition& position) {
        if (positions_.size() >= limit_) {
            sort();
            limit_ = std::max(kAtLeast, 2 * positions_.size());
        }
        positions_.push_back(position);
    }
    std::vector<CanonicalPosition> take() {
        sort();
        return std::move(positions_);
    }

  private:
    static constexpr std::size_t kAtLeast = 1 << 20;

    void sort() {
        // Of boards with the same essence always the same one must be kept: the first that was added.
        std::stable_sort(positions_.begin(), positions_.end());
        positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
    }

    std::size_t limit_ = kAtLeast;
    std::vector<CanonicalPosition> positions_;
};

// Visits all positions that a side reaches by playing choose(position), and checks that it succeeds.
template <class Choose>
void walk(const Board& root, const Question& question, bool x_succeeds, Choose choose) {
    const auto add = [&](Level& level, const Board& board) {
        const Value value = settled(board, question);
        if (value == Value::Unknown)
            level.add(CanonicalPosition(board, question));
        else if ((value == Value::Wins) != x_succeeds)
            throw NotAPolicy("the side does not succeed");
    };
    Level start;
    add(start, root);
    for (std::vector<CanonicalPosition> level = start.take(); !level.empty();) {
        Level next;
        for (const CanonicalPosition& position : level) {
            const auto follow = [&](int move) { add(next, position.board.after(move)); };
            if (position.board.x_to_move() == x_succeeds)
                follow(choose(position.board));
            else
                for (const int move : position.board.moves()) follow(move);
        }
        level = next.take();
    }
}

}  // namespace

std::vector<std::uint8_t> make_policy(Prover& prover, const Board& root, const Question& question, bool x_succeeds,
                                      const Prover::Progress& progress) {
    std::vector<std::uint8_t> ranks;
    walk(root, question, x_succeeds, [&](const Board& board) {
        if (ranks.size() % kPollEvery == 0) prover.report(progress);
        const int move = prover.succeeding_move(board, question, progress);
        const Moves moves = ranked_moves(board);
        ranks.push_back(static_cast<std::uint8_t>(std::find(moves.begin(), moves.end(), move) - moves.begin()));
        return move;
    });
    return ranks;
}

Policy::Policy(const Board& root, const Question& question, bool x_succeeds, const std::vector<std::uint8_t>& ranks,
               const Progress& progress)
    : question_(question) {
    walk(root, question, x_succeeds, [&](const Board& board) {
        if (size_ % kPollEvery == 0 && progress) progress(size_);
        if (size_ == ranks.size()) throw NotAPolicy("there are too few answers");
        const Moves moves = ranked_moves(board);
        const int rank = ranks[size_++];
        if (rank >= moves.size) throw NotAPolicy("an answer is not a move");
        const Budgets budgets(board, Needs::of(board), question);
        answers_[board.ply].push_back({key(board, budgets, question), moves[rank]});
        return moves[rank];
    });
    if (size_ != ranks.size()) throw NotAPolicy("there are too many answers");
    for (auto& level : answers_)
        std::sort(level.begin(), level.end(), [](const Answer& a, const Answer& b) { return a.key < b.key; });
}

std::optional<int> Policy::move(const Board& board) const {
    const Budgets budgets(board, Needs::of(board), question_);
    if (settled(board, question_) != Value::Unknown) {
        // It may still take the right move: one that makes X waste a move that it cannot spare.
        if (budgets.x_spare == 0 && !board.x_to_move())
            for (const int move : board.moves())
                if (settled(board.after(move), question_) == Value::Fails) return move;
        return std::nullopt;
    }
    const std::vector<Answer>& level = answers_[board.ply];
    const std::uint64_t wanted = key(board, budgets, question_);
    const auto at = std::lower_bound(level.begin(), level.end(), wanted,
                                     [](const Answer& answer, std::uint64_t k) { return answer.key < k; });
    if (at == level.end() || at->key != wanted) return std::nullopt;
    const int symmetry = canonical(board, budgets, question_).symmetry;
    for (int move = 0; move < kMoves; ++move)
        if (image(move, symmetry) == at->move) return move;
    return std::nullopt;
}

}  // namespace inarow::ultimate
