// For the sanitizers: tests/verify/quixo has the rest.
#include "verify/quixo/checker.hpp"

#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "testing/quixo.hpp"
#include "verify/quixo/outcomes.hpp"

namespace inarow::verify::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoValue;

// The planes of a small board, decoded from the outcomes and the plies of losses of its true table.
class Table {
  public:
    Table(const PlainQuixo& plain, int width, bool has_plies)
        : game(plain.rows, plain.columns, plain.lines, {kWon, kLost, plain.double_line_wins ? kLost : kWon}),
          width_(width),
          has_plies_(has_plies),
          values_(plain.solve()) {
        for (int marks = plain.cells(); marks >= 0; --marks)
            for (int b = 0; 2 * b <= marks; ++b) make(plain, marks - b, b);
    }

    template <class Visit>
    void each_pair(Visit visit) {
        for (const auto& [pair, checker] : checkers_)
            visit(*checker, Layout::of(game).orbits(pair.first).size(), pair.first == pair.second ? 1 : 2);
    }

    Game game;

  private:
    void make(const PlainQuixo& plain, int a, int b) {
        const Layout& layout = Layout::of(game);
        const std::uint64_t size = layout.of_plane(a, b), blocks = layout.orbits(a).size();
        Pair pair{a, b, {}, {find(a + 1, b, 1), a > b ? find(a, b + 1, 0) : nullptr}, has_plies_};
        for (const int number : {0, 1}) {
            const auto bytes = std::make_shared<std::vector<std::uint8_t>>(size * width_);
            const auto plane = std::make_shared<Plane>(Plane{bytes->data(), size, width_, codes_, bytes});
            std::vector<std::uint8_t> outcomes((size + 3) / 4), plies;
            for (std::uint64_t i = 0; i < size; ++i) {
                const Position at = layout.position_at({a, b, number == 1, i});
                const QuixoValue value = values_[plain.number({at.mover, at.other})];
                outcomes[i / 4] |= static_cast<std::uint8_t>((value.outcome + 1) << i % 4 * 2);
                if (has_plies_ && value.outcome < 0) plies.push_back(static_cast<std::uint8_t>(value.plies));
            }
            if (number == 0 || a > b)
                decode(outcomes.data(), size, plies.data(), plies.size(), has_plies_ ? 1 : 0, *plane, 0);
            planes_[{a, b, number}] = pair.planes[number] = plane;
        }
        auto checker = Checker::of(game, pair);
        for (int round = 0; round < 2; ++round) {
            if (a == b) checker->mirror(0, blocks, 3);
            for (int number = 0; has_plies_ && number < (a == b ? 1 : 2); ++number)
                checker->fill_wins(number, 0, blocks, 3);
        }
        checkers_[{a, b}] = std::move(checker);
    }

    std::shared_ptr<const Plane> find(int a, int b, int number) const {
        const auto found = planes_.find({a, b, number});
        return found == planes_.end() ? nullptr : found->second;
    }

    int width_;
    bool has_plies_;
    const std::vector<QuixoValue>& values_;
    std::shared_ptr<Codes> codes_ = std::make_shared<Codes>();
    std::map<std::tuple<int, int, int>, std::shared_ptr<const Plane>> planes_;
    std::map<std::pair<int, int>, std::unique_ptr<Checker>> checkers_;
};

TEST_CASE("the true table passes, its outcomes are derived and its positions are counted, on several threads") {
    for (const PlainQuixo& plain : {PlainQuixo{2, 4, 3, false}, PlainQuixo{3, 3, 3, true}})
        for (const auto& [width, has_plies] : {std::pair{1, true}, {2, true}, {1, false}}) {
            Table table(plain, width, has_plies);
            std::uint64_t counted = 0, all = 0;
            plain.each_position([&](const testing::QuixoPosition&) { ++all; });
            table.each_pair([&](const Checker& checker, std::uint64_t blocks, int planes) {
                for (int plane = 0; plane < planes; ++plane) {
                    CHECK_FALSE(checker.check(plane, 0, blocks, 3).second.has_value());
                    for (const std::uint64_t count : checker.count(plane, 3)) counted += count;
                }
                for (std::uint64_t marked = !has_plies; marked != 0;) {
                    marked = 0;
                    for (int plane = 0; plane < planes; ++plane) marked += checker.derive(plane, 0, blocks, 3);
                    if (planes == 1) checker.mirror(0, blocks, 3);
                }
                if (!has_plies) CHECK_FALSE(checker.find_underived().has_value());
            });
            CHECK(counted == all);
        }
}

}  // namespace
}  // namespace inarow::verify::quixo
