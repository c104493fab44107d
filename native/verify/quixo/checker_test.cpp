#include "verify/quixo/checker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

// The table of a small board, the true one until values are set. Entries are numbered through both planes.
class Table {
  public:
    Table(const PlainQuixo& plain, Form form)
        : game({plain.rows, plain.columns, plain.line, plain.double_line_wins ? DoubleLine::wins : DoubleLine::loses}),
          form_(form) {
        const std::vector<QuixoValue>& values = plain.solve();
        for (int marks = plain.cells(); marks >= 0; --marks)
            for (int b = 0; 2 * b <= marks; ++b) {
                const int a = marks - b;
                for (std::uint64_t i = 0; i < layout().entry_count(a, b); ++i) {
                    const Position at = position(a, b, i);
                    values_[{a, b}].push_back(values[plain.number({at.mover, at.other})]);
                }
                pair(a, b);
            }
    }

    std::uint64_t blocks(int a) const { return layout().orbits(a).size(); }
    std::uint64_t of_plane(int a, int b) const { return layout().entry_count(a, b) / (a == b ? 1 : 2); }
    std::uint64_t size(int a, int b) const { return layout().entry_count(a, b); }
    const Layout& layout() const { return Layout::of(game.rules()); }
    QuixoValue& value(int a, int b, std::uint64_t index) { return values_.at({a, b})[index]; }

    Position position(int a, int b, std::uint64_t index) const {
        return layout().position_at({a, b, index >= of_plane(a, b), index % of_plane(a, b)});
    }

    // What is stored, which `pair` wrote.
    std::uint32_t stored(int a, int b, std::uint64_t index) {
        const Plane found = plane(a, b, index >= of_plane(a, b));
        index %= of_plane(a, b);
        return found.width == 2 ? static_cast<const std::uint16_t*>(found.data)[index]
                                : codes_.values()[static_cast<const std::uint8_t*>(found.data)[index]];
    }

    Plane plane(int a, int b, int number) {
        const auto found = planes_.find({a, b});
        return found == planes_.end() ? Plane{} : Plane{found->second[number].data(), width(), &codes_};
    }

    // Its values as they are now, ready to be checked.
    Pair pair(int a, int b) {
        for (auto& bytes : planes_[{a, b}]) bytes.resize(of_plane(a, b) * width());
        for (std::uint64_t i = 0; i < size(a, b); ++i) write(a, b, i);
        Pair pair{a,
                  b,
                  {plane(a, b, 0), plane(a, b, 1)},
                  {plane(a + 1, b, 1), a > b ? plane(a, b + 1, 0) : Plane{}},
                  form_ != Form::outcomes};
        const auto checker = Checker::of(game, pair);
        if (a == b) checker->mirror(0, blocks(a), 2);
        for (int number = 0; pair.has_plies && number < (a == b ? 1 : 2); ++number)
            checker->fill_wins({number, 0, blocks(a)}, 2);
        if (a == b) checker->mirror(0, blocks(a), 2);
        return pair;
    }

    // Of all entries of a pair.
    Result check_all(int a, int b, int threads) {
        Result result{0, std::nullopt};
        for (int number = 0; number < (a == b ? 1 : 2) && !result.counterexample; ++number) {
            const Result some = Checker::of(game, pair(a, b))->check({number, 0, blocks(a)}, threads);
            result = {result.checked + some.checked, some.counterexample};
        }
        return result;
    }

    template <class Visit>
    void each_pair(Visit visit) {
        for (const auto& [pair, values] : values_) visit(pair.first, pair.second);
    }

    Game game;

  private:
    int width() const { return form_ == Form::wide ? 2 : 1; }

    void write(int a, int b, std::uint64_t index) {
        const QuixoValue value = values_.at({a, b})[index];
        void* data = planes_.at({a, b})[index >= of_plane(a, b)].data();
        index %= of_plane(a, b);
        const auto outcome = static_cast<std::uint8_t>(value.outcome + 1);
        const bool lost = outcome == Codes::kLoss && form_ != Form::outcomes;
        const std::uint16_t entry = lost ? static_cast<std::uint16_t>(value.plies) : Codes::kOutcomes[outcome];
        if (form_ == Form::wide)
            static_cast<std::uint16_t*>(data)[index] = entry;
        else
            static_cast<std::uint8_t*>(data)[index] = lost ? codes_.code_of(entry) : outcome;
    }

    Form form_;
    Codes codes_;
    std::map<std::pair<int, int>, std::vector<QuixoValue>> values_;
    std::map<std::pair<int, int>, std::array<std::vector<std::uint8_t>, 2>> planes_;
};

const PlainQuixo kBoards[] = {{2, 2, 2, false}, {3, 2, 3, true}, {2, 4, 3, false}, {3, 3, 3, false}};

TEST_CASE("the true table passes with the plies of its wins filled in, and is counted with symmetric positions") {
    for (const PlainQuixo& plain : kBoards)
        for (const Form form : kForms) {
            CAPTURE(static_cast<int>(form));
            Table table(plain, form);
            std::vector<std::uint64_t> expected(65536), counted(65536);
            const auto entry = [&](const QuixoValue& value) {
                return form == Form::outcomes ? Codes::kOutcomes[value.outcome + 1] : value.entry(65535);
            };
            plain.each_position(
                [&](const testing::QuixoPosition& at) { ++expected[entry(plain.solve()[plain.number(at)])]; });
            table.each_pair([&](int a, int b) {
                const Result result = table.check_all(a, b, 2);
                CHECK(result.checked == table.size(a, b));
                REQUIRE_FALSE(result.counterexample.has_value());
                for (std::uint64_t i = 0; i < table.size(a, b); ++i)
                    REQUIRE(table.stored(a, b, i) == entry(table.value(a, b, i)));
                for (int number = 0; number < (a == b ? 1 : 2); ++number) {
                    const auto found = Checker::of(table.game, table.pair(a, b))->count(number, 2);
                    for (std::size_t value = 0; value < 65536; ++value) counted[value] += found[value];
                }
            });
            CHECK(counted == expected);
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
                const QuixoValue right = table.value(a, b, at);
                table.value(a, b, at) = right.outcome == 0 ? QuixoValue{1, 5} : QuixoValue{0, -1};
                for (const int threads : {1, 3}) {
                    const Result whole = table.check_all(a, b, threads);
                    // Of the whole pair, the first wrong entry is reported: this one or one before it.
                    REQUIRE(whole.counterexample.has_value());
                    CHECK(whole.checked <= at + 1);
                    if (whole.checked < at + 1) continue;
                    const Counterexample& found = *whole.counterexample;
                    CHECK(found.plane * table.of_plane(a, b) + found.index == at);
                    CHECK(found.expected == right.entry(65535));
                    // A win that no loss follows has no plies.
                    CHECK(found.stored == (right.outcome == 0 ? kNotAnEntry : kDraw));
                }
                table.value(a, b, at) = right;
                REQUIRE_FALSE(table.check_all(a, b, 1).counterexample.has_value());
            }
        });
    }
}

// Passes until nothing more follows.
std::unique_ptr<const Checker> derived(Table& table, int a, int b, int threads) {
    auto checker = Checker::of(table.game, table.pair(a, b));
    for (std::uint64_t marked = 1; marked != 0;) {
        marked = 0;
        for (int number = 0; number < (a == b ? 1 : 2); ++number)
            marked += checker->derive({number, 0, table.blocks(a)}, threads);
        if (a == b) checker->mirror(0, table.blocks(a), threads);
    }
    return checker;
}

TEST_CASE("all wins and losses of the true outcomes follow from the end of the game") {
    for (const PlainQuixo& plain : kBoards)
        for (const int threads : {1, 3}) {
            Table table(plain, Form::outcomes);
            table.each_pair([&](int a, int b) {
                const auto checker = derived(table, a, b, threads);
                REQUIRE_FALSE(checker->find_underived().has_value());
                for (int number = 0; number < (a == b ? 1 : 2); ++number) {
                    const auto* codes = static_cast<const std::uint8_t*>(table.plane(a, b, number).data);
                    for (std::uint64_t i = 0; i < table.of_plane(a, b); ++i)
                        REQUIRE((codes[i] & Codes::kDerived) == (codes[i] == Codes::kDrawn ? 0 : Codes::kDerived));
                    const Blocks all{number, 0, table.blocks(a)};
                    REQUIRE_FALSE(checker->check(all, threads).counterexample.has_value());  // marks change no value
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
        Table table(plain, Form::outcomes);
        table.each_pair([&](int a, int b) {
            if (found_circle || a == b) return;
            const std::uint64_t half = table.of_plane(a, b);
            std::vector<std::uint64_t> open;
            for (std::uint64_t i = 0; i < table.size(a, b); ++i)
                if (table.value(a, b, i).outcome == 0) {
                    open.push_back(i);
                    table.value(a, b, i) = i >= half ? QuixoValue{1, 0} : QuixoValue{-1, 0};
                }
            for (bool changed = true; changed;) {
                changed = false;
                const auto checker = Checker::of(table.game, table.pair(a, b));
                for (int number = 0; number < 2; ++number)
                    for (std::uint64_t block = 0; block < table.blocks(a); ++block) {
                        const auto wrong = checker->check({number, block, block + 1}, 1).counterexample;
                        const std::uint64_t at = wrong ? number * half + wrong->index : 0;
                        if (!wrong || !std::binary_search(open.begin(), open.end(), at)) continue;
                        table.value(a, b, at) = {0, -1};
                        changed = true;
                    }
            }
            const auto is_draw = [&](auto i) { return table.value(a, b, i).outcome == 0; };
            if (!std::all_of(open.begin(), open.end(), is_draw) && !table.check_all(a, b, 1).counterexample) {
                found_circle = true;
                const auto underived = derived(table, a, b, 2)->find_underived();
                REQUIRE(underived.has_value());
                CHECK(underived->expected == kDraw);
                CHECK(underived->stored != kDraw);
            }
            for (const std::uint64_t i : open) table.value(a, b, i) = {0, -1};
            table.pair(a, b);
        });
    }
    CHECK(found_circle);
}

TEST_CASE("codes stand for values") {
    Codes codes;
    for (const int derived : {0, int{Codes::kDerived}}) {
        CHECK(codes.values()[Codes::kLoss | derived] == kLost);
        CHECK(codes.values()[Codes::kDrawn | derived] == kDraw);
        CHECK(codes.values()[Codes::kWin | derived] == kWon);
    }
    CHECK(codes.values()[Codes::kMeaningless] == kNotAnEntry);
    CHECK(codes.code_of(kLost) == Codes::kLoss);
    CHECK(codes.code_of(kDraw) == Codes::kDrawn);
    CHECK(codes.code_of(kWon) != Codes::kWin);  // its plies are known
    CHECK(codes.values()[Codes::kWin] == kWon);
    for (int value = 1; value <= 251; ++value) {
        const std::uint8_t code = codes.code_of(static_cast<std::uint16_t>(value));
        CHECK(codes.values()[code] == value);
        CHECK(codes.code_of(static_cast<std::uint16_t>(value)) == code);
    }
    CHECK_THROWS_AS(codes.code_of(300), NoCodeLeft);
}

TEST_CASE("blocks, threads and planes that do not exist are refused") {
    Table table({3, 3, 3, false}, Form::narrow);
    const Pair pair = table.pair(3, 2);
    const auto checker = Checker::of(table.game, pair);
    const std::uint64_t blocks = table.blocks(3);
    CHECK_THROWS_AS(checker->check({0, 0, blocks + 1}, 1), std::invalid_argument);
    CHECK_THROWS_AS(checker->check({0, 2, 1}, 1), std::invalid_argument);
    CHECK_THROWS_AS(checker->check({0, 0, blocks}, 0), std::invalid_argument);
    CHECK_THROWS_AS(checker->mirror(0, blocks, 1), std::invalid_argument);
    CHECK_THROWS_AS(checker->derive({0, 0, blocks}, 1), std::invalid_argument);
    for (std::array<Plane, 2> Pair::* which : {&Pair::planes, &Pair::above})
        for (const std::size_t side : {0, 1}) {
            Pair without = pair;
            (without.*which)[side] = {};
            CHECK_THROWS_AS(Checker::of(table.game, without), std::invalid_argument);
        }
}

}  // namespace
}  // namespace inarow::verify::quixo
