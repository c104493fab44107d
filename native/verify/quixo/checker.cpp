#include "verify/quixo/checker.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "verify/quixo/children.hpp"
#include "verify/quixo/threads.hpp"

namespace inarow::verify::quixo {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

template <class Code>
class PairChecker final : public Checker {
  public:
    PairChecker(const Game& game, const Pair& pair)
        : game_(game),
          layout_(Layout::of(game)),
          pair_(pair),
          ranks_(layout_.cells() - pair.a, pair.b),
          size_(ranks_.words().size()),
          moved_(game, layout_) {
        for (const int side : {0, 1}) {
            require_plane(pair.planes[side], pair.a, pair.b);
            const bool has_above = pair.a + pair.b < layout_.cells() && (side == 0 || pair.a > pair.b);
            require((pair.above[side] != nullptr) == has_above,
                    "a pair needs the planes that a new mark leads to, and no others");
            if (has_above) require_plane(pair.above[side], pair.a + (side == 0), pair.b + (side == 1));
        }
    }

    void fill_wins(int number, std::uint64_t first, std::uint64_t last, int threads) const override {
        const Plane& plane = *pair_.planes.at(number);
        Code* codes = static_cast<Code*>(plane.data);
        const Code unfilled = sizeof(Code) == 1 ? Code{Codes::kWin} : static_cast<Code>(kWon);
        each_entry(
            {number, first, last}, threads, {}, [&](std::uint64_t i, std::uint32_t) { return codes[i] == unfilled; },
            [&](std::uint64_t i, std::uint32_t end, std::uint32_t least) {
                const std::uint32_t value = end != kNoValue ? kWon : least < kDraw ? value_above(least) : kNoValue;
                codes[i] = code_of<Code>(plane, value == kNoValue ? kNotAnEntry : value);
                return false;
            });
    }

    std::pair<std::uint64_t, std::optional<Wrong>> check(int plane, std::uint64_t first, std::uint64_t last,
                                                         int threads) const override {
        const View<Code> view = view_of(pair_.planes.at(plane));
        std::atomic<std::uint64_t> first_wrong{kNone};
        const auto expected = [&](std::uint32_t end, std::uint32_t least) {
            return end != kNoValue ? end : value_above(least);
        };
        each_entry(
            {plane, first, last}, threads, {},
            [&](std::uint64_t i, std::uint32_t end) {
                return !pair_.has_plies || end != kNoValue || view.at(i) <= kNotAnEntry;
            },
            [&](std::uint64_t i, std::uint32_t end, std::uint32_t least) {
                if (view.at(i) == expected(end, least)) return false;
                for (std::uint64_t known = first_wrong; i < known && !first_wrong.compare_exchange_weak(known, i);) {
                }
                return true;
            },
            true);
        const std::uint64_t wrong = first_wrong, block = wrong / size_;
        if (wrong == kNone) return {(last - first) * size_, std::nullopt};
        std::optional<Wrong> found;
        each_entry(
            {plane, block, block + 1}, 1, {}, [&](std::uint64_t i, std::uint32_t) { return i == wrong; },
            [&](std::uint64_t i, std::uint32_t end, std::uint32_t least) {
                found = {plane, i, view.at(i), expected(end, least)};
                return true;
            });
        return {wrong + 1 - first * size_, found};
    }

    std::uint64_t derive(int plane, std::uint64_t first, std::uint64_t last, int threads) const override {
        require_outcomes();
        // The least child is 0 if one is a derived Loss, 2 if all are derived Wins. Above, all that is decided is
        // derived.
        Meanings meanings;
        meanings.same.fill(1);
        meanings.same[Codes::kLoss | Codes::kDerived] = 0;
        meanings.same[Codes::kWin | Codes::kDerived] = 2;
        for (int code = 0; code < 256; ++code)
            meanings.above[code] = (code & 3) == Codes::kLoss ? 0 : (code & 3) == Codes::kWin ? 2 : 1;
        Code* codes = static_cast<Code*>(pair_.planes.at(plane)->data);
        return each_entry(
            {plane, first, last}, threads, &meanings,
            [&](std::uint64_t i, std::uint32_t) { return is_underived(codes[i]); },
            [&](std::uint64_t i, std::uint32_t end, std::uint32_t least) {
                const bool win = codes[i] == Codes::kWin;
                const bool follows = end != kNoValue ? end == (win ? kWon : kLost) : least == (win ? 0u : 2u);
                if (follows) codes[i] |= Codes::kDerived;
                return follows;
            });
    }

    std::optional<Wrong> find_underived() const override {
        require_outcomes();
        for (int plane = 0; plane < (pair_.a == pair_.b ? 1 : 2); ++plane) {
            const View<Code> view = view_of(pair_.planes[plane]);
            for (std::uint64_t i = 0; i < blocks() * size_; ++i)
                if (is_underived(view.codes[i])) return Wrong{plane, i, view.at(i), kDraw};
        }
        return std::nullopt;
    }

    std::vector<std::uint64_t> count(int plane, int threads) const override {
        const View<Code> view = view_of(pair_.planes.at(plane));
        std::vector<std::uint64_t> counts(65536);
        std::mutex mutex;
        each_run(0, blocks(), run_of(1 << 20), threads, [&] {
            return [&](std::uint64_t begin, std::uint64_t end) {
                std::vector<std::uint64_t> found(std::size_t{1} << 8 * sizeof(Code));
                for (std::uint64_t block = begin; block < end; ++block) {
                    const std::uint64_t orbit = layout_.orbits(pair_.a)[block];
                    for (std::uint64_t i = block * size_; i < (block + 1) * size_; ++i) found[view.codes[i]] += orbit;
                }
                const std::lock_guard lock(mutex);
                for (std::size_t code = 0; code < found.size(); ++code)
                    counts[sizeof(Code) == 1 ? view.values[code] : code] += found[code];
                return true;
            };
        });
        return counts;
    }

    void mirror(std::uint64_t first, std::uint64_t last, int threads) const override {
        require(pair_.a == pair_.b, "only a pair with a = b has a plane that is not stored");
        require(first <= last && last <= blocks(), "no such blocks");
        const Code* from = static_cast<const Code*>(pair_.planes[0]->data);
        Code* to = static_cast<Code*>(pair_.planes[1]->data);
        each_run(first, last, run_of(1 << 15), threads, [&] {
            return [&, places = std::vector<std::uint64_t>(size_)](std::uint64_t begin, std::uint64_t end) mutable {
                for (std::uint64_t block = begin; block < end; ++block) {
                    const Mask larger = layout_.canonical(pair_.a)[block];
                    for (std::size_t i = 0; i < size_; ++i)
                        places[i] = layout_.place_of({spread(ranks_.words()[i], larger), larger}).index;
                    for (std::size_t i = 0; i < size_; ++i) to[block * size_ + i] = from[places[i]];
                }
                return true;
            };
        });
    }

  private:
    struct Blocks {
        int plane;
        std::uint64_t first, last;
    };

    // What the codes of children are taken for, if not for their values.
    struct Meanings {
        std::array<std::uint16_t, 256> same, above;
    };

    static bool is_underived(Code code) { return code == Codes::kLoss || code == Codes::kWin; }

    void require_outcomes() const { require(!pair_.has_plies && sizeof(Code) == 1, "only outcomes are derived"); }

    std::uint64_t blocks() const { return layout_.canonical(pair_.a).size(); }
    std::uint64_t run_of(std::uint64_t entries) const { return std::max<std::uint64_t>(1, entries / size_); }

    // Calls wants(i, end) for the entries of some blocks, where `end` is the value of a position in which the game is
    // over, otherwise kNoValue; and settle(i, end, least) for those that are wanted, where `least` is the least value
    // of a child unless the game is over. Returns for how many it was true; after the first of them, further blocks
    // need not be looked at if `stop` is set, but all before them are.
    template <class Wants, class Settle>
    std::uint64_t each_entry(const Blocks& blocks, int threads, const Meanings* meanings, Wants wants, Settle settle,
                             bool stop = false) const {
        require(blocks.first <= blocks.last && blocks.last <= this->blocks(), "no such blocks");
        View<Code> same = view_of(pair_.planes.at(1 - blocks.plane)), above = view_of(pair_.above.at(blocks.plane));
        if (meanings != nullptr) same.values = meanings->same.data(), above.values = meanings->above.data();
        std::atomic<std::uint64_t> count{0};
        each_run(blocks.first, blocks.last, run_of(1 << 15), threads, [&] {
            return [&, children = Children<Code>(game_, pair_.a, pair_.b, blocks.plane, ranks_, moved_, same, above),
                    words = std::vector<LocalWord>(size_), places = std::vector<std::uint64_t>(size_),
                    least = std::vector<std::uint16_t>(size_)](std::uint64_t begin, std::uint64_t end) mutable {
                std::uint64_t found = 0;
                for (std::uint64_t block = begin; block < end; ++block) {
                    std::size_t wanted = 0;
                    each_position(blocks.plane, block, [&](LocalWord word, std::uint64_t i, std::uint32_t end_value) {
                        if (!wants(i, end_value)) return;
                        if (end_value != kNoValue) {
                            found += settle(i, end_value, 0);
                        } else {
                            words[wanted] = word;
                            places[wanted++] = i;
                        }
                    });
                    children.find_least(block, words.data(), wanted, least.data());
                    for (std::size_t nth = 0; nth < wanted; ++nth) found += settle(places[nth], kNoValue, least[nth]);
                }
                count += found;
                return found == 0 || !stop;
            };
        });
        return count;
    }

    void require_plane(const std::shared_ptr<const Plane>& plane, int a, int b) const {
        require(plane != nullptr, "a plane is missing");
        require(plane->width == static_cast<int>(sizeof(Code)), "planes: codes of different widths");
        require(plane->size == layout_.of_plane(a, b), "a plane has another number of entries than expected");
    }

    static View<Code> view_of(const std::shared_ptr<const Plane>& plane) {
        if (plane == nullptr) return {};
        return {static_cast<const Code*>(plane->data), plane->codes->values()};
    }

    // Calls visit(local word, entry of the plane, value if the game is over or kNoValue).
    template <class Visit>
    void each_position(int plane, std::uint64_t block, Visit visit) const {
        const Mask larger = layout_.canonical(pair_.a)[block];
        const bool line_of_larger = game_.has_line(larger);
        std::vector<std::uint32_t> lines;  // as packed words
        for (const Mask line : game_.lines)
            if ((line & larger) == 0 && std::popcount(line) <= pair_.b) lines.push_back(packed(line, larger));
        const auto value = [&](bool line_of_smaller) {
            return plane == 0 ? game_.value_of_end(line_of_larger, line_of_smaller)
                              : game_.value_of_end(line_of_smaller, line_of_larger);
        };
        const std::uint32_t without = value(false), with = value(true);
        std::uint64_t i = block * size_;
        for (const LocalWord word : ranks_.words()) {
            bool lined = false;
            for (const std::uint32_t line : lines) lined |= (word.packed() & line) == line;
            visit(word, i++, lined ? with : without);
        }
    }

    // What a position is worth to its mover if the child that is worst for the opponent is worth `least` to the
    // opponent.
    std::uint32_t value_above(std::uint32_t least) const {
        if (least == kDraw) return kDraw;
        if (!pair_.has_plies) return least < kDraw ? kWon : kLost;
        const std::uint32_t value = least < kDraw ? 65534 - least : 65536 - least;  // one ply more, for the other side
        return value == kDraw || value == kNotAnEntry ? kNoValue : value;
    }

    // The cells of a local word, and the other way round.
    Mask spread(LocalWord local, Mask larger) const {
        Mask cells = 0, free = ~larger;
        for (std::uint32_t word = ranks_.whole(local); word != 0; word >>= 1, free &= free - 1)
            if (word & 1) cells |= free & (0 - free);
        return cells;
    }
    std::uint32_t packed(Mask cells, Mask larger) const {
        std::uint32_t word = 0;
        for (Mask rest = cells; rest != 0; rest &= rest - 1)
            word |= ranks_.place(std::popcount(~larger & ((rest & (0 - rest)) - 1)));
        return word;
    }

    const Game game_;
    const Layout& layout_;
    Pair pair_;
    Ranks ranks_;
    std::size_t size_;  // entries of a block
    MovedCells moved_;
};

}  // namespace

Codes::Codes() : codes_(65536) {
    for (int code = 0; code < 256; ++code) values_[code] = kOutcomes[code % 4];
    for (auto& code : codes_) code.store(-1, std::memory_order_relaxed);
    codes_[kLost] = kLoss;
    codes_[kDraw] = kDrawn;
}

std::uint8_t Codes::code_of(std::uint16_t value) {
    const std::int16_t known = codes_[value].load(std::memory_order_acquire);
    if (known >= 0) return static_cast<std::uint8_t>(known);
    const std::lock_guard lock(mutex_);
    const std::int16_t since = codes_[value].load(std::memory_order_relaxed);
    if (since >= 0) return static_cast<std::uint8_t>(since);
    if (used_ == 256) throw NoCodeLeft();
    values_[used_] = value;
    codes_[value].store(static_cast<std::int16_t>(used_), std::memory_order_release);
    return static_cast<std::uint8_t>(used_++);
}

std::unique_ptr<Checker> Checker::of(const Game& game, const Pair& pair) {
    Layout::of(game).of_plane(pair.a, pair.b);  // throws if there is no such pair
    if (pair.planes[0] == nullptr || pair.planes[0]->width == 1)
        return std::make_unique<PairChecker<std::uint8_t>>(game, pair);
    return std::make_unique<PairChecker<std::uint16_t>>(game, pair);
}

}  // namespace inarow::verify::quixo
