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

// Codes as a small table holds them.
enum class Form { outcomes, narrow, wide };
constexpr Form kForms[] = {Form::outcomes, Form::narrow, Form::wide};

// The true table of a small board.
class Table {
  public:
    Table(const PlainQuixo& plain, Form form)
        : game({plain.rows, plain.columns, plain.line, plain.double_line_wins}),
          form_(form),
          codes_(form == Form::outcomes ? Codes::Kind::outcomes : Codes::Kind::plain) {
        const std::vector<QuixoValue>& values = plain.solve();
        for (int marks = 0; marks <= plain.cells(); ++marks)
            for (int b = 0; 2 * b <= marks; ++b) {
                const int a = marks - b;
                for (auto& bytes : planes_[{a, b}]) bytes.resize(of_plane(a, b) * width());
                for (std::uint64_t i = 0; i < size(a, b); ++i) {
                    const Position at = position(a, b, i);
                    set(a, b, i, values[plain.number({at.mover, at.other})]);
                }
            }
    }

    int width() const { return form_ == Form::wide ? 2 : 1; }
    std::uint64_t blocks(int a) const { return layout().orbits(a).size(); }
    std::uint64_t ranks(int a, int b) const { return layout().ranks(a, b); }
    std::uint64_t of_plane(int a, int b) const { return layout().entry_count(a, b) / (a == b ? 1 : 2); }
    std::uint64_t size(int a, int b) const { return layout().entry_count(a, b); }
    const Layout& layout() const { return Layout::of(game.rules()); }

    Position position(int a, int b, std::uint64_t index) const {
        return layout().position_at({a, b, index >= of_plane(a, b), index % of_plane(a, b)});
    }

    void set(int a, int b, std::uint64_t index, const QuixoValue& value) {
        std::uint8_t* bytes = planes_.at({a, b})[index >= of_plane(a, b)].data();
        index %= of_plane(a, b);
        if (form_ == Form::outcomes)
            bytes[index] = static_cast<std::uint8_t>(value.outcome + 1);
        else if (form_ == Form::narrow)
            bytes[index] = static_cast<std::uint8_t>(value.entry(255));
        else
            reinterpret_cast<std::uint16_t*>(bytes)[index] = static_cast<std::uint16_t>(value.entry(65535));
    }

    std::uint32_t stored(int a, int b, std::uint64_t index) {
        const std::uint8_t* bytes = planes_.at({a, b})[index >= of_plane(a, b)].data();
        index %= of_plane(a, b);
        return form_ == Form::wide ? reinterpret_cast<const std::uint16_t*>(bytes)[index]
                                   : codes_.values()[bytes[index]];
    }

    Plane plane(int a, int b, int number) {
        const auto found = planes_.find({a, b});
        return found == planes_.end() ? Plane{} : Plane{found->second[number].data(), width(), &codes_};
    }

    // Ready to be checked.
    Pair pair(int a, int b) {
        Pair pair{a,
                  b,
                  {plane(a, b, 0), plane(a, b, 1)},
                  {plane(a + 1, b, 1), a > b ? plane(a, b + 1, 0) : Plane{}},
                  form_ != Form::outcomes};
        if (a == b) mirror(game, pair, 0, blocks(a), 2);
        return pair;
    }

    // Of all entries of a pair.
    Result check_all(int a, int b, int threads) {
        Result result{0, std::nullopt};
        for (int number = 0; number < (a == b ? 1 : 2) && !result.counterexample; ++number) {
            Counts counts(65536);
            const Result some = check(game, pair(a, b), {number, 0, blocks(a)}, false, threads, counts);
            result = {result.checked + some.checked, some.counterexample};
        }
        return result;
    }

    // The block of an entry alone; the counterexample, if it is at the entry itself.
    std::optional<Counterexample> check_entry(int a, int b, std::uint64_t index, int threads) {
        Counts counts(65536);
        const std::uint64_t block = index % of_plane(a, b) / ranks(a, b);
        const Result found =
            check(game, pair(a, b), {index >= of_plane(a, b), block, block + 1}, false, threads, counts);
        const bool here = found.counterexample && found.counterexample->rank == index % ranks(a, b);
        return here ? found.counterexample : std::nullopt;
    }

    template <class Visit>
    void each_pair(Visit visit) {
        for (const auto& [pair, bytes] : planes_) visit(pair.first, pair.second);
    }

    Game game;

  private:
    Form form_;
    Codes codes_;
    std::map<std::pair<int, int>, std::array<std::vector<std::uint8_t>, 2>> planes_;
};

const PlainQuixo kBoards[] = {{2, 2, 2, false}, {3, 2, 3, true}, {2, 4, 3, false}, {3, 3, 3, false}};

TEST_CASE("the true table passes, whatever its width") {
    for (const PlainQuixo& plain : kBoards)
        for (const Form form : kForms) {
            CAPTURE(static_cast<int>(form));
            Table table(plain, form);
            table.each_pair([&](int a, int b) {
                const Result result = table.check_all(a, b, 2);
                CHECK(result.checked == table.size(a, b));
                REQUIRE_FALSE(result.counterexample.has_value());
            });
        }
}

TEST_CASE("a wrong entry is found, by itself or by the entry that depends on it") {
    const PlainQuixo plain{2, 4, 3, false};
    std::mt19937 random(1);
    for (const Form form : {Form::narrow, Form::wide}) {
        Table table(plain, form);
        table.each_pair([&](int a, int b) {
            for (int i = 0; i < 3; ++i) {
                const std::uint64_t at = random() % table.size(a, b);
                const std::uint32_t right = table.stored(a, b, at);
                const QuixoValue wrong = right == kDraw ? QuixoValue{1, 5} : QuixoValue{0, -1};
                table.set(a, b, at, wrong);
                for (const int threads : {1, 3}) {
                    const auto found = table.check_entry(a, b, at, threads);
                    const Result whole = table.check_all(a, b, threads);
                    // Of the whole pair, the first wrong entry is reported: this one or one before it.
                    REQUIRE(whole.counterexample.has_value());
                    CHECK(whole.checked <= at + 1);
                    if (whole.checked < at + 1) continue;
                    REQUIRE(found.has_value());
                    CHECK(found->expected == right);
                    CHECK(found->stored == wrong.entry(65535));
                    const Position position = table.position(a, b, at);
                    CHECK(found->larger == (found->plane == 1 ? position.other : position.mover));
                    CHECK(found->smaller == (found->plane == 1 ? position.mover : position.other));
                }
                table.set(a, b, at,
                          right == kDraw  ? QuixoValue{0, -1}
                          : right < kDraw ? QuixoValue{-1, static_cast<int>(right)}
                                          : QuixoValue{1, static_cast<int>(65535 - right)});
                REQUIRE_FALSE(table.check_all(a, b, 1).counterexample.has_value());
            }
        });
    }
}

// Passes until nothing more follows. Marks stay in the pair.
void derive_all(Table& table, int a, int b, int threads) {
    std::uint64_t marked = 1;
    while (marked != 0) {
        marked = 0;
        const Pair pair = table.pair(a, b);
        for (int number = 0; number < (a == b ? 1 : 2); ++number)
            marked += derive(table.game, pair, {number, 0, table.blocks(a)}, threads);
    }
}

TEST_CASE("all wins and losses of the true outcomes follow from the end of the game") {
    for (const PlainQuixo& plain : kBoards)
        for (const int threads : {1, 3}) {
            Table table(plain, Form::outcomes);
            table.each_pair([&](int a, int b) {
                derive_all(table, a, b, threads);
                REQUIRE_FALSE(find_underived(table.game, table.pair(a, b)).has_value());
                for (int number = 0; number < (a == b ? 1 : 2); ++number) {
                    const auto* codes = static_cast<const std::uint8_t*>(table.plane(a, b, number).data);
                    for (std::uint64_t i = 0; i < table.of_plane(a, b); ++i)
                        REQUIRE((codes[i] & Codes::kDerived) == (codes[i] == Codes::kDrawn ? 0 : Codes::kDerived));
                }
                REQUIRE_FALSE(table.check_all(a, b, threads).counterexample.has_value());  // marks change no value
            });
        }
}

TEST_CASE("wins and losses that only support each other pass the check, but do not follow") {
    // A set of draws of one pair that are called decided so that every rule of outcomes holds: found by letting all of
    // them be wins and losses, and taking back what does not hold, until nothing changes.
    bool found_circle = false;
    for (const PlainQuixo& plain :
         {PlainQuixo{3, 3, 3, false}, PlainQuixo{2, 4, 4, false}, PlainQuixo{2, 4, 3, true}}) {
        Table table(plain, Form::outcomes);
        table.each_pair([&](int a, int b) {
            if (found_circle || a == b) return;
            const std::uint64_t size = table.size(a, b), half = table.of_plane(a, b);
            std::vector<std::uint64_t> open;
            for (std::uint64_t i = 0; i < size; ++i)
                if (table.stored(a, b, i) == kDraw) {
                    open.push_back(i);
                    table.set(a, b, i, i >= half ? QuixoValue{1, 0} : QuixoValue{-1, 0});
                }
            const Pair pair = table.pair(a, b);
            for (bool changed = true; changed;) {
                changed = false;
                for (int number = 0; number < 2; ++number)
                    for (std::uint64_t block = 0; block < table.blocks(a); ++block) {
                        Counts counts(65536);
                        const auto wrong =
                            check(table.game, pair, {number, block, block + 1}, false, 1, counts).counterexample;
                        if (!wrong || wrong->stored == kDraw) continue;
                        const std::uint64_t at = number * half + block * table.ranks(a, b) + wrong->rank;
                        if (!std::binary_search(open.begin(), open.end(), at)) continue;
                        table.set(a, b, at, QuixoValue{0, -1});
                        changed = true;
                    }
            }
            const auto is_draw = [&](auto i) { return table.stored(a, b, i) == kDraw; };
            const bool all_draws = std::all_of(open.begin(), open.end(), is_draw);
            const bool passes = !table.check_all(a, b, 1).counterexample.has_value();
            if (!all_draws && passes) {
                found_circle = true;
                derive_all(table, a, b, 2);
                const auto underived = find_underived(table.game, table.pair(a, b));
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
        Table table(plain, Form::wide);
        table.each_pair([&](int a, int b) {
            const Pair right = table.pair(a, b);
            for (int number = 0; number < (a == b ? 1 : 2); ++number) {
                const auto* entries = static_cast<const std::uint16_t*>(right.planes[number].data);
                const std::vector<std::uint16_t> values(entries, entries + table.of_plane(a, b));
                std::vector<std::uint16_t> filled = values;
                for (std::uint16_t& entry : filled)
                    if (entry > kDraw) entry = kWon;
                Pair pair = right;
                pair.planes[number].data = filled.data();
                fill_wins(table.game, pair, {number, 0, table.blocks(a)}, 2);
                REQUIRE(filled == values);
                Counts counts(65536);
                REQUIRE_FALSE(
                    check(table.game, pair, {number, 0, table.blocks(a)}, true, 2, counts).counterexample.has_value());
            }
        });
    }
    // A win without a loss after it.
    Table table({3, 3, 3, false}, Form::wide);
    const Pair pair = table.pair(2, 2);
    for (const Plane& plane : pair.planes)
        std::fill_n(static_cast<std::uint16_t*>(plane.data), table.of_plane(2, 2), static_cast<std::uint16_t>(kWon));
    fill_wins(table.game, pair, {0, 0, table.blocks(2)}, 1);
    const auto* filled = static_cast<const std::uint16_t*>(pair.planes[0].data);
    CHECK(std::count(filled, filled + table.of_plane(2, 2), kNotAnEntry) > 0);
}

TEST_CASE("values are counted with the symmetric positions") {
    for (const PlainQuixo& plain : kBoards) {
        const std::vector<QuixoValue>& values = plain.solve();
        Counts expected(65536);
        plain.each_position(
            [&](const testing::QuixoPosition& at) { ++expected[values[plain.number(at)].entry(65535)]; });
        for (const Form form : {Form::narrow, Form::wide}) {
            Table table(plain, form);
            Counts counted(65536);
            table.each_pair([&](int a, int b) {
                const Pair pair = table.pair(a, b);
                const std::uint64_t middle = table.blocks(a) / 2;
                for (int number = 0; number < (a == b ? 1 : 2); ++number) {
                    check(table.game, pair, {number, 0, middle}, false, 2, counted);
                    check(table.game, pair, {number, middle, table.blocks(a)}, false, 2, counted);
                }
            });
            CHECK(counted == expected);
        }
    }
}

TEST_CASE("codes stand for values") {
    const Codes plain(Codes::Kind::plain);
    const std::pair<int, std::uint32_t> entries[] = {{0, kLost},         {126, 126},         {127, kDraw},
                                                     {128, kNotAnEntry}, {129, 65535 - 126}, {255, kWon}};
    for (const auto& [code, value] : entries) CHECK(plain.values()[code] == value);

    const Codes outcomes(Codes::Kind::outcomes);
    for (const int derived : {0, int{Codes::kDerived}}) {
        CHECK(outcomes.values()[Codes::kLoss | derived] == kLost);
        CHECK(outcomes.values()[Codes::kDrawn | derived] == kDraw);
        CHECK(outcomes.values()[Codes::kWin | derived] == kWon);
    }
    CHECK(outcomes.values()[Codes::kMeaningless] == kNotAnEntry);

    Codes plies(Codes::Kind::plies);
    CHECK(plies.code_of(kLost) == Codes::kLoss);
    CHECK(plies.code_of(kDraw) == Codes::kDrawn);
    CHECK(plies.code_of(kWon) != Codes::kWin);  // its plies are known
    CHECK(plies.values()[Codes::kWin] == kWon);
    for (int value = 1; value <= 251; ++value) {
        const std::uint8_t code = plies.code_of(static_cast<std::uint16_t>(value));
        CHECK(plies.values()[code] == value);
        CHECK(plies.code_of(static_cast<std::uint16_t>(value)) == code);
    }
    CHECK_THROWS_AS(plies.code_of(300), NoCodeLeft);
}

TEST_CASE("blocks, threads and planes that do not exist are refused") {
    Table table({3, 3, 3, false}, Form::narrow);
    const Pair pair = table.pair(3, 2);
    const std::uint64_t blocks = table.blocks(3);
    Counts counts(65536);
    CHECK_THROWS_AS(check(table.game, pair, {0, 0, blocks + 1}, false, 1, counts), std::invalid_argument);
    CHECK_THROWS_AS(check(table.game, pair, {0, 2, 1}, false, 1, counts), std::invalid_argument);
    CHECK_THROWS_AS(check(table.game, pair, {0, 0, blocks}, false, 0, counts), std::invalid_argument);
    CHECK_THROWS_AS(mirror(table.game, pair, 0, blocks, 1), std::invalid_argument);
    CHECK_THROWS_AS(derive(table.game, pair, {0, 0, blocks}, 1), std::invalid_argument);
    for (std::array<Plane, 2> Pair::* which : {&Pair::planes, &Pair::above})
        for (const std::size_t side : {0, 1}) {
            Pair without = pair;
            (without.*which)[side] = {};
            CHECK_THROWS_AS(check(table.game, without, {0, 0, blocks}, false, 1, counts), std::invalid_argument);
        }
}

}  // namespace
}  // namespace inarow::verify::quixo
