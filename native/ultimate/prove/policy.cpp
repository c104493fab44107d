#include "ultimate/prove/policy.hpp"

#include <algorithm>
#include <bit>

namespace inarow::ultimate::prove {

namespace {

constexpr std::size_t kPollEvery = 4096;  // positions

// A position in its canonical image.
struct Place {
    Essence essence;
    Board board;

    Place(const Board& from, const Question& question) {
        const Canonical found = canonical(from, Outlook(from, Needs::of(from), question), question);
        essence = found.essence;
        board = from.image(found.symmetry);
    }
    bool operator<(const Place& other) const { return essence < other.essence; }
    bool operator==(const Place& other) const { return essence == other.essence; }
};

// Places as they come; each is kept once, and memory does not grow with how often one comes.
class Places {
  public:
    void add(const Place& place) {
        if (all_.size() >= limit_) {
            settle();
            limit_ = std::max(kAtLeast, 2 * all_.size());
        }
        all_.push_back(place);
    }
    std::vector<Place> take() {
        settle();
        return std::move(all_);
    }

  private:
    static constexpr std::size_t kAtLeast = 1 << 20;

    void settle() {
        // Of boards with the same essence the same one must be kept each time: the first to come.
        std::stable_sort(all_.begin(), all_.end());
        all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    }

    std::size_t limit_ = kAtLeast;
    std::vector<Place> all_;
};

Value judge(const Board& board, const Question& question) {
    const Needs needs = Needs::of(board);
    return prove::judge(board, needs, Outlook(board, needs, question));
}

// Walks through all positions that a side comes into which plays choose(place) and wants to come to `success`.
template <class Choose>
void walk(const Board& root, const Question& question, Value success, Choose choose) {
    const bool x_succeeds = success == Value::Wins;
    const auto add = [&](Places& places, const Board& board) {
        const Value value = judge(board, question);
        if (value == Value::Unknown)
            places.add(Place(board, question));
        else if (value != success)
            throw NotAPolicy("the claim does not come true");
    };
    Places start;
    add(start, root);
    for (std::vector<Place> level = start.take(); !level.empty();) {
        Places next;
        for (const Place& place : level) {
            const auto follow = [&](int move) {
                Board board = place.board;
                board.play(move);
                add(next, board);
                return false;
            };
            if (place.board.x_to_move() == x_succeeds)
                follow(choose(place));
            else
                place.board.each_move(follow);
        }
        level = next.take();
    }
}

}  // namespace

std::vector<int> ranked_moves(const Board& board) {
    struct Ranked {
        int room;
        bool away;  // from the field it is in
        int move;
        auto operator<=>(const Ranked&) const = default;
    };
    std::vector<Ranked> ranked;
    board.each_move([&](int move) {
        Board after = board;
        after.play(move);
        const int room =
            after.active == kAnywhere ? kMoves : 9 - std::popcount(static_cast<unsigned>(after.taken(after.active)));
        ranked.push_back({room, move / 9 != move % 9, move});
        return false;
    });
    std::sort(ranked.begin(), ranked.end());
    std::vector<int> moves;
    for (const Ranked& entry : ranked) moves.push_back(entry.move);
    return moves;
}

std::vector<std::uint8_t> write_policy(Prover& prover, const Board& root, const Question& question, Value success,
                                       const Prover::Progress& progress) {
    std::vector<std::uint8_t> ranks;
    walk(root, question, success, [&](const Place& place) {
        if (ranks.size() % kPollEvery == 0) prover.report(progress);
        const int move = prover.succeeding_move(place.board, question, progress);
        const std::vector<int> moves = ranked_moves(place.board);
        ranks.push_back(static_cast<std::uint8_t>(std::find(moves.begin(), moves.end(), move) - moves.begin()));
        return move;
    });
    return ranks;
}

Policy::Policy(const Board& root, const Question& question, Value success, const std::vector<std::uint8_t>& ranks,
               const std::function<void()>& poll)
    : question_(question) {
    walk(root, question, success, [&](const Place& place) {
        if (size_ % kPollEvery == 0 && poll) poll();
        if (size_ == ranks.size()) throw NotAPolicy("it ends too early");
        const std::vector<int> moves = ranked_moves(place.board);
        const std::size_t rank = ranks[size_++];
        if (rank >= moves.size()) throw NotAPolicy("a move is none");
        const Outlook outlook(place.board, Needs::of(place.board), question);
        answers_[place.board.ply].push_back(
            {key(place.board, outlook, question), static_cast<std::uint8_t>(moves[rank])});
        return moves[rank];
    });
    if (size_ != ranks.size()) throw NotAPolicy("it goes on beyond its end");
    for (auto& level : answers_)
        std::sort(level.begin(), level.end(), [](const Answer& a, const Answer& b) { return a.key < b.key; });
}

std::optional<int> Policy::move(const Board& board) const {
    const Outlook outlook(board, Needs::of(board), question_);
    if (judge(board, question_) != Value::Unknown) {
        // It may take the right move: one that makes X waste the move it cannot spare.
        std::optional<int> right;
        if (outlook.slack == 0 && !board.x_to_move())
            board.each_move([&](int move) {
                Board after = board;
                after.play(move);
                if (judge(after, question_) == Value::Fails) right = move;
                return right.has_value();
            });
        return right;
    }
    const std::vector<Answer>& level = answers_[board.ply];
    const std::uint64_t wanted = key(board, outlook, question_);
    const auto at = std::lower_bound(level.begin(), level.end(), wanted,
                                     [](const Answer& answer, std::uint64_t k) { return answer.key < k; });
    if (at == level.end() || at->key != wanted) return std::nullopt;
    const int symmetry = canonical(board, outlook, question_).symmetry;
    for (int move = 0; move < kMoves; ++move)
        if (image(move, symmetry) == at->move) return move;
    return std::nullopt;
}

}  // namespace inarow::ultimate::prove
