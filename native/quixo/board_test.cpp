#include "quixo/board.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <stdexcept>

#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;

Board board_of(const PlainQuixo& plain) {
    return Board(rules_in_a_row(plain.rows, plain.columns, plain.line, plain.double_line_wins));
}

// Calls visit(plain, board) for every shape with its longest line.
template <class Visit>
void each_shape(Visit visit) {
    testing::each_quixo(max_cells, [&](const PlainQuixo& plain) {
        if (!plain.double_line_wins && plain.line == std::max(plain.rows, plain.columns)) visit(plain, board_of(plain));
    });
}

TEST_CASE("a move shifts the tiles of a row or column, and is undone") {
    std::mt19937 random(1);
    std::size_t most = 0;
    each_shape([&](const PlainQuixo& plain, const Board& board) {
        const auto pushes = plain.pushes;
        most = std::max(most, pushes.size());
        REQUIRE(board.moves().size() == pushes.size());
        for (const auto& push : pushes) {
            const auto move = std::find_if(board.moves().begin(), board.moves().end(), [&](const Move& other) {
                return other.taken == push.cells[push.taken] && other.pushed == push.cells[0];
            });
            REQUIRE(move != board.moves().end());
            for (int i = 0; i < 20; ++i) {
                const Mask mask = random() & board.full();
                REQUIRE(move->apply(mask) == PlainQuixo::pushed(mask, push));
                REQUIRE(move->undo(move->apply(mask)) == mask);
                REQUIRE(move->apply(move->undo(mask)) == mask);
            }
            for (int cell = 0; cell < board.cells(); ++cell)
                REQUIRE((Mask{1} << move->image(cell)) == move->apply(Mask{1} << cell));
        }
    });
    CHECK(most == max_moves);
    CHECK(Board(rules_in_a_row(5, 5, 5, false)).moves().size() == 44);
}

TEST_CASE("symmetries are a group that takes lines to lines and moves to moves") {
    std::mt19937 random(2);
    each_shape([&](const PlainQuixo& plain, const Board& board) {
        CHECK(board.symmetries() == (plain.rows == plain.columns ? 8 : 4));
        std::set<std::vector<int>> group;
        std::set<std::pair<int, int>> moves;
        for (const Move& move : board.moves()) moves.emplace(move.taken, move.pushed);
        const std::set<Mask> lines(board.lines().begin(), board.lines().end());
        for (int g = 0; g < board.symmetries(); ++g) {
            std::vector<int> to;
            for (int cell = 0; cell < board.cells(); ++cell) to.push_back(board.cell_image(g, cell));
            group.insert(to);
            for (const Mask line : lines) REQUIRE(lines.contains(board.image(g, line)));
            for (const auto& [taken, pushed] : moves) REQUIRE(moves.contains({to[taken], to[pushed]}));
            const Mask mask = random() & board.full();
            Mask image = 0;
            for (int cell = 0; cell < board.cells(); ++cell)
                if (mask >> cell & 1) image |= Mask{1} << to[cell];
            REQUIRE(board.image(g, mask) == image);
            REQUIRE(board.image(Board::inverse(g), image) == mask);
        }
        REQUIRE(group.size() == static_cast<std::size_t>(board.symmetries()));
        for (const auto& a : group)
            for (const auto& b : group) {
                std::vector<int> both;
                for (const int cell : a) both.push_back(b[cell]);
                REQUIRE(group.contains(both));
            }
        for (int cell = 0; cell < board.cells(); ++cell) REQUIRE(board.cell_image(0, cell) == cell);
    });
}

TEST_CASE("rules that do not exist are refused") {
    for (const Rules& rules :
         {rules_in_a_row(1, 5, 2, false), rules_in_a_row(5, 1, 2, false), rules_in_a_row(5, 6, 5, false),
          rules_in_a_row(2, 14, 2, false), rules_in_a_row(4, 4, 1, false), rules_in_a_row(4, 4, 5, false),
          rules_in_a_row(3, 4, 5, true), rules_in_a_row(-5, -5, 2, true)})
        CHECK_THROWS_AS(Board{rules}, std::invalid_argument);
    CHECK_NOTHROW(Board(rules_in_a_row(2, 13, 13, false)));
    CHECK_NOTHROW(Board(rules_in_a_row(5, 5, 2, true)));
}

}  // namespace
}  // namespace inarow::quixo
