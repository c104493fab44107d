#include "verify/positional/checker.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <initializer_list>
#include <map>
#include <new>
#include <random>
#include <stdexcept>

#include "testing/boards.hpp"

namespace inarow::verify {
namespace {

using testing::words_of;

// Answers as they are handed over, on boards of up to 64 cells.
struct Book {
    struct Line {
        std::uint64_t x, o;
        int move;
    };
    std::vector<std::uint64_t> positions;
    std::vector<std::uint8_t> moves;

    Book(std::initializer_list<Line> lines = {}) {
        for (const auto& [x, o, move] : lines) add(x, o, move);
    }
    void add(std::uint64_t x, std::uint64_t o, int move) {
        positions.insert(positions.end(), {x, o});
        moves.push_back(static_cast<std::uint8_t>(move));
    }
    Answers answers() const { return {moves.size(), positions.data(), moves.data()}; }
};

Options options(bool assisted) {
    return {
        .assisted = assisted, .proof_only = false, .threads = 1, .memory_limit = 1 << 30, .kept = 0, .progress = {}};
}

std::uint64_t reached(const RollOut& rolled, Rule rule) { return rolled.positions[static_cast<std::size_t>(rule)]; }

// Three cells, of which 0 makes a line with each of the others.
const GameData kCorner{3, {words_of({0, 1}), words_of({0, 2})}, false, testing::identity(3)};

const Book kAll{{0, 0, 0}, {0b001, 0b010, 2}, {0b001, 0b100, 1}};

TEST_CASE("a dictionary that answers everything wins") {
    const RollOut rolled = roll_out(kCorner, kAll.answers(), options(false));
    CHECK_FALSE(rolled.counterexample.has_value());
    CHECK(reached(rolled, Rule::Dictionary) == 3);
    CHECK(reached(rolled, Rule::Failed) == 0);
    CHECK(rolled.longest_game == 3);
    CHECK(rolled.used == std::vector<std::uint8_t>{1, 1, 1});
    CHECK(rolled.conflicts.empty());
}

TEST_CASE("one answer is enough for positions that a symmetry takes to each other") {
    GameData game = kCorner;
    game.symmetries.push_back({0, 2, 1});
    const Book one{{0, 0, 0}, {0b001, 0b100, 1}};
    CHECK_FALSE(roll_out(game, one.answers(), options(false)).counterexample.has_value());
    const RollOut same = roll_out(game, kAll.answers(), options(false));
    CHECK(same.conflicts.empty());
    CHECK(same.used == std::vector<std::uint8_t>{1, 1, 0});
}

TEST_CASE("a player with assistance needs fewer answers") {
    const Book first{{0, 0, 0}};
    const RollOut rolled = roll_out(kCorner, first.answers(), options(true));
    CHECK_FALSE(rolled.counterexample.has_value());
    CHECK(reached(rolled, Rule::Win) == 2);
    CHECK(reached(rolled, Rule::Dictionary) == 1);
}

TEST_CASE("failures are found with a game that leads there") {
    const auto fails = [](const GameData& game, const Book& with, bool assisted, Failure failure, int last) {
        const RollOut rolled = roll_out(game, with.answers(), options(assisted));
        REQUIRE(rolled.counterexample.has_value());
        CHECK(reached(rolled, Rule::Failed) > 0);
        CHECK(rolled.counterexample->failure == failure);
        CHECK(rolled.counterexample->moves == std::vector<int>{0, last});
    };
    fails(kCorner, {{0, 0, 0}, {0b001, 0b010, 2}}, false, Failure::Unanswered, 2);
    const GameData at_once{4, {words_of({0, 1, 2}), words_of({3})}, false, testing::identity(4)};
    fails(at_once, {{0, 0, 0}, {0b0001, 0b0010, 3}, {0b0001, 0b0100, 3}}, false, Failure::Lost, 3);
    const GameData pair{3, {words_of({0, 1})}, false, testing::identity(3)};
    fails(pair, kAll, false, Failure::Drawn, 1);
    // X at 0 gains nothing; O at 1 threatens 2 and 3, of which X can block one.
    const GameData slow{5, {words_of({1, 2}), words_of({1, 3}), words_of({0, 2, 3, 4})}, false, testing::identity(5)};
    fails(slow, {{0, 0, 0}}, true, Failure::TwoThreats, 1);
}

TEST_CASE("an answer that differs from an earlier one is a conflict") {
    Book book = kAll;
    book.add(0, 0, 1);
    const RollOut rolled = roll_out(kCorner, book.answers(), options(false));
    CHECK(rolled.conflicts == std::vector<std::pair<std::size_t, std::size_t>>{{3, 0}});
    CHECK_FALSE(rolled.counterexample.has_value());  // the first one counts
}

// Tic-tac-toe with the breaker: X wins with its fourth mark at the latest, here found by trying everything.
class Maker {
  public:
    Maker() { wins(0, 0); }

    GameData game{9, testing::lines_of(3, 3, 3), true, testing::symmetries_of_square(3)};
    Book book;  // answers to every position that X wins

  private:
    bool has_line(std::uint64_t x) const {
        for (const Words& line : game.lines)
            if ((line[0] & ~x) == 0) return true;
        return false;
    }

    bool wins(std::uint64_t x, std::uint64_t o) {
        const auto [known, is_new] = known_.try_emplace({x, o}, false);
        if (!is_new) return known->second;
        for (int move = 0; move < 9 && !known->second; ++move) {
            if (((x | o) >> move & 1) != 0) continue;
            const std::uint64_t after = x | 1U << move;
            bool always = has_line(after) || (after | o) != 0777;
            for (int reply = 0; reply < 9 && always && !has_line(after); ++reply)
                if (((after | o) >> reply & 1) == 0) always = wins(after, o | 1U << reply);
            if (!always) continue;
            known->second = true;
            book.add(x, o, move);
        }
        return known->second;
    }

    std::map<std::pair<std::uint64_t, std::uint64_t>, bool> known_;
};

TEST_CASE("a strategy for tic-tac-toe against a breaker") {
    const Maker maker;
    const RollOut rolled = roll_out(maker.game, maker.book.answers(), options(false));
    CHECK_FALSE(rolled.counterexample.has_value());
    CHECK(rolled.longest_game <= 9);
    CHECK(rolled.longest_game % 2 == 1);

    Options with = options(false);
    with.threads = 3;
    with.kept = 1U << static_cast<int>(Rule::Dictionary);
    const RollOut threaded = roll_out(maker.game, maker.book.answers(), with);
    CHECK(threaded.positions == rolled.positions);
    CHECK(threaded.used == rolled.used);
    CHECK(threaded.words == 1);
    CHECK(threaded.kept_moves.size() == reached(rolled, Rule::Dictionary));
    CHECK(threaded.kept_positions.size() == 2 * threaded.kept_moves.size());

    // The positions that it handed out are a dictionary of their own, and each of them is needed.
    Book kept;
    kept.positions = threaded.kept_positions;
    kept.moves = threaded.kept_moves;
    CHECK_FALSE(roll_out(maker.game, kept.answers(), options(false)).counterexample.has_value());
    for (std::size_t left_out = 0; left_out < kept.moves.size(); ++left_out) {
        Book fewer;
        for (std::size_t i = 0; i < kept.moves.size(); ++i)
            if (i != left_out) fewer.add(kept.positions[2 * i], kept.positions[2 * i + 1], kept.moves[i]);
        CHECK(roll_out(maker.game, fewer.answers(), options(false)).counterexample.has_value());
    }

    // On a board of more than 64 cells.
    GameData wide{70, testing::lines_of(3, 3, 3), true, testing::identity(70)};
    for (std::uint8_t cell = 9; cell < 70; ++cell) wide.lines.push_back(words_of({cell}));
    const RollOut at_once = roll_out(wide, Book().answers(), options(true));
    CHECK_FALSE(at_once.counterexample.has_value());
    CHECK(at_once.longest_game == 1);
}

std::uint64_t plain_threats(const GameData& game, std::uint64_t mine, std::uint64_t theirs) {
    std::uint64_t found = 0;
    for (const Words& line : game.lines) {
        const std::uint64_t lacking = line[0] & ~mine;
        if ((lacking & theirs) == 0 && std::has_single_bit(lacking)) found |= lacking;
    }
    return found;
}

// The first moves of forced wins. O threatens the cell `must`, or none.
std::uint64_t plain_forced_wins(const GameData& game, std::uint64_t x, std::uint64_t o, std::uint64_t must) {
    std::uint64_t winning = 0;
    for (int cell = 0; cell < game.cells; ++cell) {
        const std::uint64_t move = std::uint64_t{1} << cell;
        if (((x | o) & move) != 0 || (must != 0 && must != move)) continue;
        const std::uint64_t threats = plain_threats(game, x | move, o);
        if (threats == 0) continue;
        const std::uint64_t against = game.maker_breaker ? 0 : plain_threats(game, o | threats, x | move);
        if (std::popcount(threats) > 1 ||
            (std::popcount(against) < 2 && plain_forced_wins(game, x | move, o | threats, against) != 0))
            winning |= move;
    }
    return winning;
}

TEST_CASE("forced wins by threats are those of a plain search") {
    for (const bool maker_breaker : {false, true}) {
        const GameData game{25, testing::lines_of(5, 5, 4), maker_breaker, testing::identity(25)};
        std::mt19937 random(1);
        std::vector<std::uint64_t> positions;
        while (positions.size() < 800) {
            std::uint64_t x = 0, o = 0;
            for (int i = 0; i < 10; ++i) (i % 2 == 0 ? x : o) |= std::uint64_t{1} << random() % 25;
            o &= ~x;
            if (plain_threats(game, x, o) == 0 && (maker_breaker || plain_threats(game, o, x) == 0))
                positions.insert(positions.end(), {x, o});
        }
        const auto found = forced_wins(game, positions.size() / 2, positions.data());
        int won = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::uint64_t winning = plain_forced_wins(game, positions[2 * i], positions[2 * i + 1], 0);
            REQUIRE(found[i].has_value() == (winning != 0));
            if (!found[i]) continue;
            ++won;
            CHECK((winning >> found[i]->first & 1) == 1);
            CHECK(found[i]->second >= 1);
        }
        CHECK(won > 20);
        CHECK(won < 380);
        const std::uint64_t open_three[] = {0b01110, 0}, both[] = {1, 1};
        CHECK_THROWS_AS(forced_wins(game, 1, open_three), std::invalid_argument);
        CHECK_THROWS_AS(forced_wins(game, 1, both), std::invalid_argument);
    }
}

TEST_CASE("work can be stopped, and stays within its memory") {
    const Maker maker;
    Options with = options(false);
    struct Stop {};
    with.progress = [](std::uint64_t, int) { throw Stop{}; };
    CHECK_THROWS_AS(roll_out(maker.game, maker.book.answers(), with), Stop);
    with.progress = nullptr;
    with.memory_limit = 1000;
    CHECK_THROWS_AS(roll_out(maker.game, maker.book.answers(), with), std::bad_alloc);
}

TEST_CASE("faults of answers are named") {
    const auto fault_of = [](std::uint64_t x, std::uint64_t o, int move) {
        const Book book{{0, 0, 0}, {x, o, move}};
        const auto found = fault(3, book.answers());
        if (!found) return std::string();
        CHECK(found->first == 1);
        CHECK_THROWS_AS(roll_out(kCorner, book.answers(), options(false)), std::invalid_argument);
        return found->second;
    };
    CHECK(fault_of(0b001, 0b010, 2).empty());
    CHECK(fault_of(0b1000, 0b010, 2).find("not on the board") != std::string::npos);
    CHECK(fault_of(0b001, 0b001, 2).find("both marks") != std::string::npos);
    CHECK(fault_of(0b001, 0b110, 2).find("not to move") != std::string::npos);
    CHECK(fault_of(0b001, 0b010, 3).find("the move is not on the board") != std::string::npos);
    CHECK(fault_of(0b001, 0b010, 1).find("taken") != std::string::npos);
}

TEST_CASE("what is no game is refused") {
    const auto refused = [](GameData game) {
        CHECK_THROWS_AS(roll_out(game, Book().answers(), options(false)), std::invalid_argument);
    };
    refused({0, {}, false, {{}}});
    refused({129, {}, false, testing::identity(129)});
    refused({2, {words_of({2})}, false, testing::identity(2)});
    refused({2, {words_of({})}, false, testing::identity(2)});
    refused({2, {words_of({0}), words_of({0})}, false, testing::identity(2)});
    refused({2, {words_of({0})}, false, {}});
    refused({2, {words_of({0})}, false, {{0, 0}}});
    refused({2, {words_of({0})}, false, {{0, 2}}});
    refused({2, {words_of({0})}, false, {{1, 0}}});  // takes the line to what is none
    refused({2, {words_of({0})}, false, {{0, 1, 2}}});
}

}  // namespace
}  // namespace inarow::verify
