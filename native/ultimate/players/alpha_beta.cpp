#include "ultimate/players/alpha_beta.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace inarow::ultimate::players {
namespace {

constexpr std::uint64_t kPollEvery = 1 << 16;  // nodes

// The value of a line that a side can still complete, by how many marks it has there.
constexpr std::array<int, 4> kWeights{0, 1, 4, 0};
constexpr int kFieldValue = 20;
constexpr int kLineOfFieldsFactor = 30;  // times the weights above

int lines_value(int mine, int others) {
    int value = 0;
    for (const int line : kLines)
        if (!(line & others))
            value += kWeights[static_cast<std::size_t>(std::popcount(static_cast<unsigned>(line & mine)))];
    return value;
}

int value_of(const Board& board, int side) {
    const int mine = board.won[static_cast<std::size_t>(side)], theirs = board.won[static_cast<std::size_t>(side ^ 1)];
    // A full field that nobody has won blocks its lines.
    int value = kFieldValue * std::popcount(static_cast<unsigned>(mine)) +
                kLineOfFieldsFactor * lines_value(mine, theirs | (board.shut & ~mine));
    for (int field = 0; field < 9; ++field)
        if (!board.decided(field))
            value += lines_value(board.marks[static_cast<std::size_t>(side)][static_cast<std::size_t>(field)],
                                 board.marks[static_cast<std::size_t>(side ^ 1)][static_cast<std::size_t>(field)]);
    return value;
}

int evaluation(const Board& board) { return value_of(board, board.turn) - value_of(board, board.turn ^ 1); }

class Search {
  public:
    explicit Search(const std::function<void()>& poll) : poll_(poll) {}
    std::uint64_t nodes = 0;

    int value(const Board& board, int depth, int alpha, int beta) {
        if (++nodes % kPollEvery == 0 && poll_) poll_();
        if (board.last_has_won()) return -kCertain - depth;  // an earlier loss is worse
        if (board.no_room()) return 0;
        if (depth == 0) return evaluation(board);
        std::array<std::uint8_t, 81> moves;
        const int count = board.moves(moves);
        order(board, moves, count);
        for (int i = 0; i < count; ++i) {
            Board after = board;
            after.play(moves[static_cast<std::size_t>(i)]);
            alpha = std::max(alpha, -value(after, depth - 1, -beta, -alpha));
            if (alpha >= beta) break;
        }
        return alpha;
    }

  private:
    // Puts moves that win a field first.
    static void order(const Board& board, std::array<std::uint8_t, 81>& moves, int count) {
        std::stable_partition(moves.begin(), moves.begin() + count, [&](int move) {
            const int field = move / 9, spot = move % 9;
            return !board.decided(field) &&
                   kTables.completing[board.marks[board.turn][static_cast<std::size_t>(field)]] >> spot & 1;
        });
    }

    const std::function<void()>& poll_;
};

}  // namespace

AlphaBetaResult alpha_beta(const Board& board, int depth, std::uint64_t seed, const std::function<void()>& poll) {
    std::array<std::uint8_t, 81> moves;
    const int count = board.moves(moves);
    std::mt19937_64 random(seed);
    for (int i = count - 1; i > 0; --i)
        std::swap(moves[static_cast<std::size_t>(i)], moves[random() % static_cast<std::uint64_t>(i + 1)]);
    Search search(poll);
    AlphaBetaResult best{moves[0], -2 * kCertain, 0};
    for (int i = 0; i < count; ++i) {
        Board after = board;
        after.play(moves[static_cast<std::size_t>(i)]);
        const int score = -search.value(after, depth - 1, -2 * kCertain, -best.score);
        if (score > best.score) best = {moves[static_cast<std::size_t>(i)], score, 0};
    }
    best.nodes = search.nodes;
    return best;
}

}  // namespace inarow::ultimate::players
