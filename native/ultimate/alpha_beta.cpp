#include <algorithm>
#include <random>

#include "ultimate/players.hpp"

namespace inarow::ultimate {
namespace {

constexpr std::uint64_t kPollEvery = 1 << 16;  // nodes

// The value of a line that a side can still complete, by how many marks it has there.
constexpr std::array<int, 4> kWeights{0, 1, 4, 0};
constexpr int kFieldValue = 20;
constexpr int kLineOfFieldsFactor = 30;  // times the weights above

int lines_value(Mask mine, Mask others) {
    int value = 0;
    for (const Mask line : kLineMasks)
        if (!(line & others)) value += kWeights[count(line & mine)];
    return value;
}

int value_of(const Board& board, int side) {
    const Mask mine = board.won[side], theirs = board.won[side ^ 1];
    // A full field that nobody has won blocks its lines.
    int value = kFieldValue * count(mine) + kLineOfFieldsFactor * lines_value(mine, theirs | (board.shut & ~mine));
    for (int field = 0; field < 9; ++field)
        if (!board.decided(field)) value += lines_value(board.marks[side][field], board.marks[side ^ 1][field]);
    return value;
}

struct Search {
    const Poll& poll;
    std::uint64_t nodes = 0;

    int value(const Board& board, int depth, int alpha, int beta) {
        if (++nodes % kPollEvery == 0 && poll) poll();
        if (board.last_has_won()) return -kCertain - depth;  // an earlier loss is worse
        if (board.no_room()) return 0;
        if (depth == 0) return value_of(board, board.turn()) - value_of(board, board.turn() ^ 1);
        Moves moves = board.moves();
        std::stable_partition(moves.begin(), moves.end(), [&](int move) {  // those that win a field come first
            const int field = move / 9;
            return !board.decided(field) && kCompleting[board.marks[board.turn()][field]] >> move % 9 & 1;
        });
        for (const int move : moves) {
            alpha = std::max(alpha, -value(board.after(move), depth - 1, -beta, -alpha));
            if (alpha >= beta) break;
        }
        return alpha;
    }
};

}  // namespace

AlphaBetaResult alpha_beta(const Board& board, int depth, std::uint64_t seed, const Poll& poll) {
    Moves moves = board.moves();
    std::mt19937_64 random(seed);
    for (int i = moves.size - 1; i > 0; --i) std::swap(moves.all[i], moves.all[random() % (i + 1)]);
    Search search{poll};
    AlphaBetaResult best{moves[0], -2 * kCertain};
    for (const int move : moves) {
        const int score = -search.value(board.after(move), depth - 1, -2 * kCertain, -best.score);
        if (score > best.score) best = {move, score};
    }
    return best;
}

}  // namespace inarow::ultimate
