#include "verify/quixo/checker.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <utility>

#include "testing/quixo.hpp"

namespace inarow::verify::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoValue;

// The true table of a small board, with entries of `width` bytes; 0 are packed outcomes.
class Table {
  public:
    Table(const PlainQuixo& plain, int width)
        : game({plain.rows, plain.columns, plain.line, plain.double_line_wins}), width_(width) {
        const std::vector<QuixoValue> values = plain.solve();
        for (int marks = 0; marks <= plain.cells(); ++marks)
            for (int b = 0; 2 * b <= marks; ++b) {
                const int a = marks - b;
                auto& bytes = bytes_[{a, b}];
                bytes.resize(width == 0 ? 2 * ((of_plane(a, b) + 3) / 4) : 2 * of_plane(a, b) * width);
                for (std::uint64_t i = 0; i < size(a, b); ++i) {
                    const Position at = position(a, b, i);
                    set(a, b, i, values[plain.number({at.mover, at.other})]);
                }
            }
    }

    std::uint64_t of_plane(int a, int b) const { return layout().entry_count(a, b) / (a == b ? 1 : 2); }
    std::uint64_t size(int a, int b) const { return layout().entry_count(a, b); }
    const Layout& layout() const { return Layout::of(game.rules()); }

    Position position(int a, int b, std::uint64_t index) const {
        const bool plane = index >= of_plane(a, b);
        return layout().position_at({a, b, plane, index - (plane ? of_plane(a, b) : 0)});
    }

    void set(int a, int b, std::uint64_t index, const QuixoValue& value) {
        std::uint8_t* bytes = bytes_.at({a, b}).data();
        if (width_ == 0) {
            const bool plane = index >= of_plane(a, b);
            if (plane) index -= of_plane(a, b), bytes += (of_plane(a, b) + 3) / 4;
            bytes[index / 4] = static_cast<std::uint8_t>((bytes[index / 4] & ~(3 << index % 4 * 2)) |
                                                         (value.outcome + 1) << index % 4 * 2);
        } else if (width_ == 1) {
            bytes[index] = static_cast<std::uint8_t>(value.entry(255));
        } else {
            reinterpret_cast<std::uint16_t*>(bytes)[index] = static_cast<std::uint16_t>(value.entry(65535));
        }
    }

    Entries entries(int a, int b) {
        const auto found = bytes_.find({a, b});
        if (found == bytes_.end()) return {};
        return {found->second.data(), width_, of_plane(a, b)};
    }
    Pair pair(int a, int b) { return {a, b, entries(a, b), entries(a + 1, b), a > b ? entries(a, b + 1) : Entries{}}; }

    template <class Visit>
    void each_pair(Visit visit) {
        for (const auto& [pair, bytes] : bytes_) visit(pair.first, pair.second);
    }

    Game game;

  private:
    int width_;
    std::map<std::pair<int, int>, std::vector<std::uint8_t>> bytes_;
};

constexpr PlainQuixo kBoards[] = {{2, 2, 2, false}, {3, 2, 3, true}, {2, 4, 3, false}, {3, 3, 3, false}};

TEST_CASE("the true table passes, whatever its width") {
    for (const PlainQuixo& plain : kBoards)
        for (const int width : {0, 1, 2}) {
            CAPTURE(width);
            Table table(plain, width);
            table.each_pair([&](int a, int b) {
                const Result result = check(table.game, table.pair(a, b), 0, table.size(a, b), 2);
                CHECK(result.checked == table.size(a, b));
                REQUIRE_FALSE(result.counterexample.has_value());
            });
        }
}

TEST_CASE("a wrong entry is found, by itself or by the entry that depends on it") {
    const PlainQuixo plain{2, 4, 3, false};
    std::mt19937 random(1);
    for (const int width : {1, 2}) {
        Table table(plain, width);
        table.each_pair([&](int a, int b) {
            for (int i = 0; i < 3; ++i) {
                const std::uint64_t at = random() % table.size(a, b);
                const std::uint32_t right =
                    table.entries(a, b).at(at >= table.of_plane(a, b), at % table.of_plane(a, b));
                const QuixoValue wrong = right == kDraw ? QuixoValue{1, 5} : QuixoValue{0, -1};
                table.set(a, b, at, wrong);
                for (const int threads : {1, 3}) {
                    const Result result = check(table.game, table.pair(a, b), at, at + 1, threads);
                    REQUIRE(result.counterexample.has_value());
                    CHECK(result.checked == 1);
                    const Counterexample& found = *result.counterexample;
                    CHECK(found.expected == right);
                    CHECK(found.stored == wrong.entry(65535));
                    const Position position = table.position(a, b, at);
                    CHECK(found.larger == (found.plane == 1 ? position.other : position.mover));
                    CHECK(found.smaller == (found.plane == 1 ? position.mover : position.other));
                    // Of the whole pair, the first wrong entry is reported: this one or one before it.
                    const Result whole = check(table.game, table.pair(a, b), 0, table.size(a, b), threads);
                    REQUIRE(whole.counterexample.has_value());
                    CHECK(whole.checked <= at + 1);
                }
                table.set(a, b, at,
                          right == kDraw  ? QuixoValue{0, -1}
                          : right < kDraw ? QuixoValue{-1, static_cast<int>(right)}
                                          : QuixoValue{1, static_cast<int>(65535 - right)});
                REQUIRE_FALSE(check(table.game, table.pair(a, b), 0, table.size(a, b), 1).counterexample.has_value());
            }
        });
    }
}

// Passes until nothing more follows.
std::vector<std::uint8_t> derive_all(Table& table, int a, int b, int threads) {
    std::vector<std::uint8_t> derived((table.size(a, b) + 7) / 8);
    while (derive(table.game, table.pair(a, b), derived.data(), 0, table.size(a, b), threads) != 0) {
    }
    return derived;
}

TEST_CASE("all wins and losses of the true outcomes follow from the end of the game") {
    for (const PlainQuixo& plain : kBoards) {
        Table table(plain, 0);
        table.each_pair([&](int a, int b) {
            const std::vector<std::uint8_t> derived = derive_all(table, a, b, 1);
            REQUIRE(derived == derive_all(table, a, b, 3));
            REQUIRE_FALSE(find_underived(table.game, table.pair(a, b), derived.data()).has_value());
            for (std::uint64_t i = 0; i < table.size(a, b); ++i) {
                const bool decided =
                    table.entries(a, b).at(i >= table.of_plane(a, b), i % table.of_plane(a, b)) != kDraw;
                REQUIRE((derived[i / 8] >> i % 8 & 1) == decided);
            }
        });
    }
}

TEST_CASE("wins and losses that only support each other pass the check, but do not follow") {
    // A set of draws of one pair that are called decided so that every rule of outcomes holds: found by letting all of
    // them be wins and losses, and taking back what does not hold, until nothing changes.
    bool found_circle = false;
    for (const PlainQuixo& plain :
         {PlainQuixo{3, 3, 3, false}, PlainQuixo{2, 4, 4, false}, PlainQuixo{2, 4, 3, true}}) {
        Table table(plain, 0);
        table.each_pair([&](int a, int b) {
            if (found_circle || a == b) return;
            const Pair pair = table.pair(a, b);
            const std::uint64_t size = table.size(a, b), half = table.of_plane(a, b);
            const auto stored = [&](std::uint64_t i) { return table.entries(a, b).at(i >= half, i % half); };
            std::vector<std::uint64_t> open;
            for (std::uint64_t i = 0; i < size; ++i)
                if (stored(i) == kDraw) {
                    open.push_back(i);
                    table.set(a, b, i, i >= half ? QuixoValue{1, 0} : QuixoValue{-1, 0});
                }
            for (bool changed = true; changed;) {
                changed = false;
                for (const std::uint64_t i : open) {
                    if (stored(i) == kDraw) continue;
                    const Result result = check(table.game, pair, i, i + 1, 1);
                    if (!result.counterexample) continue;
                    table.set(a, b, i, QuixoValue{0, -1});
                    changed = true;
                }
            }
            const bool all_draws = std::all_of(open.begin(), open.end(), [&](auto i) { return stored(i) == kDraw; });
            const bool passes = !check(table.game, pair, 0, size, 1).counterexample.has_value();
            if (!all_draws && passes) {
                found_circle = true;
                const std::vector<std::uint8_t> derived = derive_all(table, a, b, 2);
                const auto underived = find_underived(table.game, pair, derived.data());
                REQUIRE(underived.has_value());
                CHECK(underived->expected == kDraw);
                CHECK(underived->stored != kDraw);
            }
            for (const std::uint64_t i : open) table.set(a, b, i, QuixoValue{0, -1});
        });
    }
    CHECK(found_circle);
}

TEST_CASE("the plies of wins are filled in") {
    for (const PlainQuixo& plain : kBoards) {
        Table table(plain, 2);
        table.each_pair([&](int a, int b) {
            const auto* entries = static_cast<const std::uint16_t*>(table.entries(a, b).data);
            const std::vector<std::uint16_t> right(entries, entries + table.size(a, b));
            std::vector<std::uint16_t> filled = right;
            for (std::uint16_t& entry : filled)
                if (entry > kDraw) entry = kWon;
            Pair pair = table.pair(a, b);
            pair.entries.data = filled.data();
            fill_win_plies(table.game, pair, filled.data(), 0, filled.size(), 2);
            REQUIRE(filled == right);
        });
    }
    // A win without a loss after it.
    Table table({3, 3, 3, false}, 2);
    std::vector<std::uint16_t> wins(table.size(2, 2), kWon);
    Pair pair = table.pair(2, 2);
    pair.entries.data = wins.data();
    fill_win_plies(table.game, pair, wins.data(), 0, wins.size(), 1);
    CHECK(std::count(wins.begin(), wins.end(), kNotAnEntry) > 0);
}

TEST_CASE("outcomes are counted with the symmetric positions") {
    for (const PlainQuixo& plain : kBoards) {
        const std::vector<QuixoValue> values = plain.solve();
        std::array<std::uint64_t, 3> expected{}, counted{};
        plain.each_position([&](const testing::QuixoPosition& at) {
            ++expected[static_cast<std::size_t>(values[plain.number(at)].outcome + 1)];
        });
        for (const int width : {0, 1, 2}) {
            Table table(plain, width);
            counted = {};
            table.each_pair([&](int a, int b) {
                const std::uint64_t blocks = table.layout().orbits(a).size(), middle = blocks / 2;
                for (int plane = 0; plane < (a == b ? 1 : 2); ++plane)
                    for (const auto& [first, last] : {std::pair{std::uint64_t{0}, middle}, {middle, blocks}}) {
                        const auto some = count_outcomes(table.game, table.pair(a, b), plane == 1, first, last);
                        for (std::size_t i = 0; i < 3; ++i) counted[i] += some[i];
                    }
            });
            CHECK(counted == expected);
        }
    }
}

TEST_CASE("entries of one byte are read as those of two") {
    const std::uint8_t bytes[] = {0, 126, 127, 128, 129, 255};
    const Entries entries{bytes, 1, 3};
    CHECK(entries.at(false, 0) == kLost);
    CHECK(entries.at(false, 1) == 126);
    CHECK(entries.at(false, 2) == kDraw);
    CHECK(entries.at(true, 0) == kNotAnEntry);
    CHECK(entries.at(true, 1) == 65535 - 126);
    CHECK(entries.at(true, 2) == kWon);
    const std::uint8_t packed[] = {0b11100100, 0b01, 0b10};  // five entries, then the next plane
    const Entries outcomes{packed, 0, 5};
    CHECK(outcomes.at(false, 0) == kLost);
    CHECK(outcomes.at(false, 1) == kDraw);
    CHECK(outcomes.at(false, 2) == kWon);
    CHECK(outcomes.at(false, 3) == kNotAnEntry);
    CHECK(outcomes.at(false, 4) == kDraw);
    CHECK(outcomes.at(true, 0) == kWon);
}

TEST_CASE("ranges, threads and pairs that do not exist are refused") {
    Table table({3, 3, 3, false}, 1);
    const Pair pair = table.pair(3, 2);
    const std::uint64_t size = table.size(3, 2);
    CHECK_THROWS_AS(check(table.game, pair, 0, size + 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(check(table.game, pair, 2, 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(check(table.game, pair, 0, size, 0), std::invalid_argument);
    CHECK_THROWS_AS(count_outcomes(table.game, pair, false, 0, 1'000'000), std::invalid_argument);
    for (Entries Pair::* missing : {&Pair::entries, &Pair::larger, &Pair::smaller}) {
        Pair without = pair;
        without.*missing = {};
        CHECK_THROWS_AS(check(table.game, without, 0, size, 1), std::invalid_argument);
    }
}

}  // namespace
}  // namespace inarow::verify::quixo
