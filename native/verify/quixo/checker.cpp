#include "verify/quixo/checker.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "verify/quixo/children.hpp"
#include "verify/quixo/threads.hpp"

namespace inarow::verify::quixo {
namespace {

constexpr std::uint64_t kEntriesOfRun = 1 << 15;

// What a position is worth to its mover if the child that is worst for the opponent is worth `child` to the opponent.
std::uint32_t value_above(std::uint32_t child) {
    if (child == kDraw) return kDraw;
    const std::uint32_t value = child < kDraw ? 65534 - child : 65536 - child;  // one ply more, for the other side
    return value == kDraw || value == kNotAnEntry ? kNoValue : value;
}

// Entries of a block that are looked at together.
struct Chosen {
    std::vector<LocalWord> words;
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint16_t> least;  // of their children

    explicit Chosen(std::size_t most) : words(most), ranks(most), least(most) {}
    std::size_t count = 0;

    void add(LocalWord word, std::uint32_t rank) {
        words[count] = word;
        ranks[count++] = rank;
    }
};

template <class Code>
class PairChecker {
  public:
    PairChecker(const Game& game, const Pair& pair)
        : game_(game),
          layout_(Layout::of(game.rules())),
          pair_(pair),
          ranks_(layout_.cells() - pair.a, pair.b),
          moved_(game, layout_) {
        const bool full = pair.a + pair.b == layout_.cells();
        for (const Plane& plane : pair.planes) require(plane.data != nullptr, "a plane is missing");
        require(full || pair.above[0].data != nullptr, "a plane is missing");
        require(full || pair.a == pair.b || pair.above[1].data != nullptr, "a plane is missing");
    }

    Result check(const Blocks& blocks, bool wins_filled, int threads, Counts& counts) const {
        const View<Code> view = view_of(pair_.planes.at(blocks.plane));
        std::mutex mutex;
        std::optional<Counterexample> first_wrong;
        const auto index_of = [&](const Counterexample& at) { return at.block * ranks_.words().size() + at.rank; };
        each_chunk(blocks, threads, [&] {
            return [&, children = children_of(blocks.plane, nullptr, nullptr), chosen = Chosen(ranks_.words().size()),
                    held = Held(counts, mutex)](std::uint64_t begin, std::uint64_t end) mutable {
                std::optional<Counterexample> wrong;
                const auto compare = [&](std::uint64_t block, std::uint32_t rank, std::uint32_t expected) {
                    const std::uint32_t stored = view.at(block * ranks_.words().size() + rank);
                    if (stored == expected || (wrong && wrong->rank < rank)) return;
                    wrong = counterexample(blocks.plane, block, rank, expected);
                };
                for (std::uint64_t block = begin; block < end && !wrong; ++block) {
                    chosen.count = 0;
                    const Code* codes = view.codes + block * ranks_.words().size();
                    held.count(codes, ranks_.words().size(), layout_.orbits(pair_.a)[block]);
                    each_entry(blocks.plane, block, [&](LocalWord word, std::uint32_t rank, std::uint32_t end_value) {
                        if (end_value != kNoValue)
                            compare(block, rank, end_value);
                        else if (!wins_filled || view.at(block * ranks_.words().size() + rank) <= kNotAnEntry)
                            chosen.add(word, rank);
                    });
                    children.find_least(block, chosen.words.data(), chosen.count, chosen.least.data());
                    for (std::size_t i = 0; i < chosen.count; ++i) {
                        std::uint32_t worst = chosen.least[i];
                        if (worst == 65535 && !has_move(blocks.plane, block, chosen.words[i])) worst = kNoValue;
                        compare(block, chosen.ranks[i], expected(worst));
                    }
                }
                if (!wrong) return true;
                const std::lock_guard lock(mutex);
                if (!first_wrong || index_of(*wrong) < index_of(*first_wrong)) first_wrong = wrong;
                return false;
            };
        });
        const std::uint64_t size = ranks_.words().size();
        const std::uint64_t last = first_wrong ? index_of(*first_wrong) + 1 : blocks.last * size;
        return {last - blocks.first * size, first_wrong};
    }

    void fill_wins(const Blocks& blocks, int threads) const {
        const Plane& plane = pair_.planes.at(blocks.plane);
        Code* codes = static_cast<Code*>(plane.data);
        const Code unfilled = sizeof(Code) == 1 ? Code{Codes::kWin} : static_cast<Code>(kWon);
        const auto code_of = [&](std::uint32_t value) -> Code {
            if constexpr (sizeof(Code) == 1) return plane.codes->code_of(static_cast<std::uint16_t>(value));
            return static_cast<Code>(value);
        };
        each_chunk(blocks, threads, [&] {
            return [&, children = children_of(blocks.plane, nullptr, nullptr), chosen = Chosen(ranks_.words().size())](
                       std::uint64_t begin, std::uint64_t end) mutable {
                for (std::uint64_t block = begin; block < end; ++block) {
                    chosen.count = 0;
                    Code* here = codes + block * ranks_.words().size();
                    each_entry(blocks.plane, block, [&](LocalWord word, std::uint32_t rank, std::uint32_t end_value) {
                        if (here[rank] != unfilled) return;
                        if (end_value != kNoValue)
                            here[rank] = code_of(kWon);
                        else
                            chosen.add(word, rank);
                    });
                    children.find_least(block, chosen.words.data(), chosen.count, chosen.least.data());
                    for (std::size_t i = 0; i < chosen.count; ++i) {
                        const std::uint32_t value = chosen.least[i] < kDraw ? value_above(chosen.least[i]) : kNoValue;
                        here[chosen.ranks[i]] = code_of(value == kNoValue ? kNotAnEntry : value);
                    }
                }
                return true;
            };
        });
    }

    std::uint64_t derive(const Blocks& blocks, int threads) const {
        // Above, all that is decided was derived before.
        constexpr std::uint8_t marked = Codes::kDerived;
        std::array<std::uint16_t, 256> lost{}, lost_above{}, won{}, won_above{};
        for (int code = 0; code < 256; ++code) {
            lost[code] = code != (Codes::kLoss | marked);
            lost_above[code] = (code & 3) != Codes::kLoss;
            won[code] = code == (Codes::kWin | marked);
            won_above[code] = (code & 3) == Codes::kWin;
        }
        std::uint8_t* codes = static_cast<std::uint8_t*>(pair_.planes.at(blocks.plane).data);
        std::atomic<std::uint64_t> count{0};
        each_chunk(blocks, threads, [&] {
            return [&, some_lost = children_of(blocks.plane, lost.data(), lost_above.data()),
                    all_won = children_of(blocks.plane, won.data(), won_above.data()),
                    wins = Chosen(ranks_.words().size()),
                    losses = Chosen(ranks_.words().size())](std::uint64_t begin, std::uint64_t end) mutable {
                std::uint64_t found = 0;
                for (std::uint64_t block = begin; block < end; ++block) {
                    wins.count = losses.count = 0;
                    std::uint8_t* here = codes + block * ranks_.words().size();
                    each_entry(blocks.plane, block, [&](LocalWord word, std::uint32_t rank, std::uint32_t end_value) {
                        if (here[rank] != Codes::kLoss && here[rank] != Codes::kWin) return;
                        if (end_value == kNoValue)
                            (here[rank] == Codes::kWin ? wins : losses).add(word, rank);
                        else if ((end_value == kWon) == (here[rank] == Codes::kWin))
                            here[rank] |= marked, ++found;
                    });
                    some_lost.find_least(block, wins.words.data(), wins.count, wins.least.data());
                    all_won.find_least(block, losses.words.data(), losses.count, losses.least.data());
                    for (std::size_t i = 0; i < wins.count; ++i)
                        if (wins.least[i] == 0) here[wins.ranks[i]] |= marked, ++found;
                    for (std::size_t i = 0; i < losses.count; ++i)
                        if (losses.least[i] == 1) here[losses.ranks[i]] |= marked, ++found;
                }
                count += found;
                return true;
            };
        });
        return count;
    }

    std::optional<Counterexample> find_underived() const {
        for (int plane = 0; plane < (pair_.a == pair_.b ? 1 : 2); ++plane) {
            const auto* codes = static_cast<const std::uint8_t*>(pair_.planes[plane].data);
            const std::uint64_t of_plane = layout_.canonical(pair_.a).size() * ranks_.words().size();
            for (std::uint64_t i = 0; i < of_plane; ++i)
                if (codes[i] == Codes::kLoss || codes[i] == Codes::kWin)
                    return counterexample(plane, i / ranks_.words().size(),
                                          static_cast<std::uint32_t>(i % ranks_.words().size()), kDraw);
        }
        return std::nullopt;
    }

    void mirror(std::uint64_t first, std::uint64_t last, int threads) const {
        const Code* from = static_cast<const Code*>(pair_.planes[0].data);
        Code* to = static_cast<Code*>(pair_.planes[1].data);
        each_chunk({0, first, last}, threads, [&] {
            return [&, places = std::vector<std::uint64_t>(ranks_.words().size())](std::uint64_t begin,
                                                                                   std::uint64_t end) mutable {
                for (std::uint64_t block = begin; block < end; ++block) {
                    const Mask larger = layout_.canonical(pair_.a)[block];
                    std::size_t i = 0;
                    for (const LocalWord word : ranks_.words())
                        places[i++] = layout_.place_of({spread(word, larger), larger}).index;
                    i = 0;
                    Code* here = to + block * ranks_.words().size();
                    for (const std::uint64_t place : places) here[i++] = from[place];
                }
                return true;
            };
        });
    }

  private:
    // Counts entries, and adds them up when it goes.
    class Held {
      public:
        Held(Counts& counts, std::mutex& mutex) : counts_(counts), mutex_(mutex) {}
        Held(Held&& other) = default;
        ~Held() {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < found_.size(); ++i) counts_[i] += found_[i];
        }

        void count(const Code* codes, std::size_t size, std::uint64_t orbit) {
            found_.resize(sizeof(Code) == 1 ? 256 : 65536);
            for (std::size_t i = 0; i < size; ++i) found_[codes[i]] += orbit;
        }

      private:
        Counts& counts_;
        std::mutex& mutex_;
        std::vector<std::uint64_t> found_;
    };

    template <class Make>
    void each_chunk(const Blocks& blocks, int threads, Make make) const {
        require(blocks.first <= blocks.last && blocks.last <= layout_.canonical(pair_.a).size(), "no such blocks");
        const std::uint64_t run = std::max<std::uint64_t>(1, kEntriesOfRun / ranks_.words().size());
        each_run(blocks.first, blocks.last, run, threads, make);
    }

    static View<Code> view_of(const Plane& plane) {
        return {static_cast<const Code*>(plane.data), plane.codes == nullptr ? nullptr : plane.codes->values()};
    }

    // With what codes stand for if not their values.
    Children<Code> children_of(int plane, const std::uint16_t* values, const std::uint16_t* values_above) const {
        View<Code> same = view_of(pair_.planes[1 - plane]), above = view_of(pair_.above[plane]);
        if (values != nullptr) same.values = values, above.values = values_above;
        return {game_, pair_.a, pair_.b, plane, ranks_, moved_, same, above};
    }

    // Calls visit(local word, rank, value if the game is over or kNoValue).
    template <class Visit>
    void each_entry(int plane, std::uint64_t block, Visit visit) const {
        const Mask larger = layout_.canonical(pair_.a)[block];
        const bool line_of_larger = game_.has_line(larger);
        std::vector<std::uint32_t> lines;  // as packed words
        for (const Mask line : game_.lines())
            if ((line & larger) == 0 && std::popcount(line) <= pair_.b) lines.push_back(packed(line, larger));
        const auto value = [&](bool line_of_smaller) {
            return plane == 0 ? game_.value_of_end(line_of_larger, line_of_smaller)
                              : game_.value_of_end(line_of_smaller, line_of_larger);
        };
        const std::uint32_t without = value(false), with = value(true);
        std::uint32_t rank = 0;
        for (const LocalWord word : ranks_.words()) {
            bool lined = false;
            for (const std::uint32_t line : lines) lined |= (word.packed() & line) == line;
            visit(word, rank++, lined ? with : without);
        }
    }

    std::uint32_t expected(std::uint32_t worst) const {
        if (worst == kNoValue) return kNoValue;
        if (!pair_.has_plies) return worst == kDraw ? kDraw : worst < kDraw ? kWon : kLost;
        return value_above(worst);
    }

    bool has_move(int plane, std::uint64_t block, LocalWord word) const {
        const Mask larger = layout_.canonical(pair_.a)[block], smaller = spread(word, larger);
        bool found = false;
        game_.each_successor(plane == 0 ? Position{larger, smaller} : Position{smaller, larger},
                             [&](const Position&) { found = true; });
        return found;
    }

    Counterexample counterexample(int plane, std::uint64_t block, std::uint32_t rank, std::uint32_t expected) const {
        const Mask larger = layout_.canonical(pair_.a)[block];
        const std::uint32_t stored = view_of(pair_.planes[plane]).at(block * ranks_.words().size() + rank);
        return {plane, block, rank, larger, spread(ranks_.words()[rank], larger), stored, expected};
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

    const Game& game_;
    const Layout& layout_;
    Pair pair_;
    Ranks ranks_;
    MovedCells moved_;
};

template <class Do>
auto with_checker(const Game& game, const Pair& pair, Do run) {
    if (pair.planes[0].width == 1) return run(PairChecker<std::uint8_t>(game, pair));
    return run(PairChecker<std::uint16_t>(game, pair));
}

}  // namespace

Codes::Codes(Kind kind) : codes_(65536) {
    for (auto& code : codes_) code.store(-1, std::memory_order_relaxed);
    if (kind == Kind::plain) {
        for (int code = 0; code < 256; ++code)
            values_[code] = static_cast<std::uint16_t>(code < 127    ? code
                                                       : code == 127 ? kDraw
                                                       : code == 128 ? kNotAnEntry
                                                                     : 65280 + code);  // 65535 - (255 - code)
        return;
    }
    for (int code = 0; code < 256; code += 4) {
        const std::uint16_t outcomes[4] = {kLost, kDraw, kWon, kNotAnEntry};
        std::copy_n(outcomes, 4, values_.begin() + code);
    }
    if (kind != Kind::plies) return;
    // Code 2 is a Win whose plies are not known yet; a Win in 0 plies gets a code of its own.
    codes_[kLost] = kLoss;
    codes_[kDraw] = kDrawn;
    used_ = 4;
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

Result check(const Game& game, const Pair& pair, const Blocks& blocks, bool wins_filled, int threads, Counts& counts) {
    Counts codes(65536);
    const Result result = with_checker(
        game, pair, [&](const auto& checker) { return checker.check(blocks, wins_filled, threads, codes); });
    const Plane& plane = pair.planes.at(blocks.plane);
    for (std::size_t code = 0; code < 65536; ++code)
        if (codes[code] != 0) counts[plane.width == 1 ? plane.codes->values()[code] : code] += codes[code];
    return result;
}

void fill_wins(const Game& game, const Pair& pair, const Blocks& blocks, int threads) {
    with_checker(game, pair, [&](const auto& checker) { checker.fill_wins(blocks, threads); });
}

std::uint64_t derive(const Game& game, const Pair& pair, const Blocks& blocks, int threads) {
    require(!pair.has_plies && pair.planes[0].width == 1, "only outcomes are derived");
    return PairChecker<std::uint8_t>(game, pair).derive(blocks, threads);
}

std::optional<Counterexample> find_underived(const Game& game, const Pair& pair) {
    require(!pair.has_plies && pair.planes[0].width == 1, "only outcomes are derived");
    return PairChecker<std::uint8_t>(game, pair).find_underived();
}

void mirror(const Game& game, const Pair& pair, std::uint64_t first, std::uint64_t last, int threads) {
    require(pair.a == pair.b, "only a pair with a = b has a plane that is not stored");
    with_checker(game, pair, [&](const auto& checker) { checker.mirror(first, last, threads); });
}

}  // namespace inarow::verify::quixo
