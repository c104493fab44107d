#include "ultimate/essence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "testing/ultimate.hpp"

namespace inarow::ultimate {
namespace {

// The fewest marks that make a row of a field the side's, which may be won already.
int plain_need(const testing::PlainUltimate& plain, int field, char side) {
    if (plain.owners[field] != 0) return plain.owners[field] == side ? 0 : kNever;
    int fewest = kNever;
    for (const auto& row : testing::kRowsOfThree) {
        int lacking = 0;
        for (const int spot : row) {
            const char mark = plain.marks[9 * field + spot];
            if (mark != side) lacking += mark == 0 ? 1 : kNever;
        }
        fewest = std::min(fewest, lacking);
    }
    return fewest;
}

TEST_CASE("moves left are those of each side up to the ply") {
    const Question question{29};
    CHECK(question.moves_left(0, 0) == 15);
    CHECK(question.moves_left(1, 0) == 14);
    CHECK(question.moves_left(0, 1) == 14);
    CHECK(question.moves_left(0, 28) == 1);
    CHECK(question.moves_left(1, 28) == 0);
    CHECK(question.moves_left(0, 29) == 0);
}

TEST_CASE("needs are those of a plain count, also when they are kept move by move") {
    std::mt19937 random(1);
    CHECK(Needs::of(Board::start()).to_win(0) == 9);
    for (int i = 0; i < 30; ++i) {
        testing::PlainUltimate plain;
        Board board = Board::start();
        Needs kept = Needs::of(board);
        for (const int move : testing::random_ultimate_game(random)) {
            plain.play(move);
            board.play(move);
            kept.update(board, move / 9);
            const Needs needs = Needs::of(board);
            CHECK(kept.of_side == needs.of_side);
            for (int field = 0; field < 9; ++field) {
                REQUIRE(std::min<int>(needs.of_side[0][field], kNever) == plain_need(plain, field, 'x'));
                REQUIRE(std::min<int>(needs.of_side[1][field], kNever) == plain_need(plain, field, 'o'));
            }
            REQUIRE((needs.to_win(0) == 0) == (plain.winner() == 'x'));
        }
    }
}

TEST_CASE("images of a position have the same essence and the same key") {
    std::mt19937 random(2);
    std::uint64_t before = 0;
    for (int i = 0; i < 40; ++i) {
        Board board = Board::start();
        const Question question{2 * (i % 20) + 41};
        for (const int move : testing::random_ultimate_game(random)) {
            board.play(move);
            const Budgets budgets(board, Needs::of(board), question);
            if (budgets.x_spare < 0) break;
            const Canonical form = canonical(board, budgets, question);
            const std::uint64_t hash = key(board, budgets, question);
            for (int s = 0; s < 8; ++s) {
                const Board turned = board.image(s);
                const Budgets same(turned, Needs::of(turned), question);
                REQUIRE(same.x_spare == budgets.x_spare);
                REQUIRE(canonical(turned, same, question).essence == form.essence);
                REQUIRE(key(turned, same, question) == hash);
            }
            // The symmetry leads to the canonical image.
            const Board image = board.image(form.symmetry);
            const Budgets there(image, Needs::of(image), question);
            REQUIRE(canonical(image, there, question).essence == form.essence);
            for (int field = 0; field < 9; ++field)
                REQUIRE((form.essence[static_cast<std::size_t>(field)] & kFull) == image.taken(field));
            REQUIRE(hash != before);
            before = hash;
        }
    }
}

// What docs/ultimate-certificate.md keeps of a position, before its symmetries.
Essence plain_essence(const testing::PlainUltimate& plain, const Question& question) {
    const int ply = static_cast<int>(plain.played.size());
    const int moves[2] = {question.moves_left(0, ply), question.moves_left(1, ply)};
    constexpr char kSides[2] = {'x', 'o'};
    int budget[2][9];
    for (int side = 0; side < 2; ++side)
        for (int field = 0; field < 9; ++field) {
            budget[side][field] = -1;
            for (const auto& row : testing::kRowsOfThree) {
                if (std::find(row, row + 3, field) == row + 3) continue;
                int spare = moves[side];
                for (const int other : row) spare -= plain_need(plain, other, kSides[side]);
                if (spare >= 0)
                    budget[side][field] = std::max(budget[side][field], spare + plain_need(plain, field, kSides[side]));
            }
        }
    Essence essence{};
    for (int field = 0; field < 9; ++field) {
        const char owner = plain.owners[field];
        std::uint32_t& code = essence[static_cast<std::size_t>(field)];
        for (int spot = 0; spot < 9; ++spot)
            if (plain.marks[9 * field + spot] != 0) code |= 1U << spot;
        for (int side = 0; side < 2; ++side)
            if (owner == kSides[side] && budget[side][field] >= 0) code |= (side + 1U) << 25;
        if (owner != 0) continue;
        const auto lacking = [&](int line, int side) {
            int lacks = 0;
            for (const int spot : testing::kRowsOfThree[line]) {
                const char mark = plain.marks[9 * field + spot];
                if (mark != kSides[side]) lacks += mark == 0 ? 1 : kNever;
            }
            return lacks;
        };
        const auto is_useful = [&](int line, int side) { return lacking(line, side) <= budget[side][field]; };
        for (int side = 0; side < 2; ++side)
            for (int line = 0; line < 8; ++line) {
                bool counts = is_useful(line, side);
                for (int other = 0; other < 8; ++other)
                    counts |= lacking(line, side) <= moves[side] && is_useful(other, 1 - side) &&
                              (kLineMasks[line] & kLineMasks[other]) == 0;
                if (counts) code |= 1U << (9 + 8 * side + line);
            }
    }
    const int sent_to = plain.played.back() % 9;
    essence[9] = static_cast<std::uint32_t>(plain.is_playable(sent_to) ? sent_to : kAnywhere);
    return essence;
}

TEST_CASE("the essence is what the format of certificates says, in its least image") {
    std::mt19937 random(3);
    int owned = 0, spoiling = 0;
    for (int i = 0; i < 40; ++i) {
        const std::vector<int> game = testing::random_ultimate_game(random);
        const Question question{2 * (i % 20) + 41};
        std::array<testing::PlainUltimate, 8> images;
        Board board = Board::start();
        for (const int move : game) {
            board.play(move);
            for (int s = 0; s < 8; ++s) images[s].play(image(move, s));
            const Needs needs = Needs::of(board);
            const Budgets budgets(board, needs, question);
            if (budgets.x_spare < 0 || needs.to_win(0) == 0 || needs.to_win(1) == 0) break;
            Essence least = plain_essence(images[0], question);
            for (int s = 1; s < 8; ++s) least = std::min(least, plain_essence(images[s], question));
            const Canonical found = canonical(board, budgets, question);
            REQUIRE(found.essence == least);
            REQUIRE(plain_essence(images[found.symmetry], question) == least);
            for (const std::uint32_t code : least) owned += code >> 25 != 0;
            for (const std::uint32_t code : least) spoiling += (code >> 17 & 255) != 0;
        }
    }
    CHECK(owned > 100);
    CHECK(spoiling > 100);
}

TEST_CASE("a field that X has lost is useless to X") {
    Board board = Board::start();
    const Budgets start(board, Needs::of(board), {17});
    CHECK(start.x_spare == 0);  // nine moves, nine marks
    for (int field = 0; field < 9; ++field) {
        CHECK(start.of_side[0][field] == 3);
        CHECK(start.of_side[1][field] == -1);  // eight moves of O's are too few
        CHECK_FALSE(start.useless_to_x(board, field));
    }
    board.won[1] = 1;
    const Budgets after(board, Needs::of(board), {17});
    CHECK(after.useless_to_x(board, 0));
    CHECK(after.of_side[0][0] < 0);
    CHECK(after.of_side[0][4] == 3);
}

}  // namespace
}  // namespace inarow::ultimate
