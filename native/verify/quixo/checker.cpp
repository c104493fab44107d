#include "verify/quixo/checker.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace inarow::verify::quixo {
namespace {

// What a position is worth to its mover if the child that is worst for the opponent is worth `child` to the opponent.
std::uint32_t value_above(std::uint32_t child) {
    if (child == kDraw) return kDraw;
    const std::uint32_t value = child < kDraw ? 65534 - child : 65536 - child;  // one ply more, for the other side
    return value == kDraw || value == kNotAnEntry ? kNoValue : value;
}

class PairChecker {
  public:
    PairChecker(const Game& game, const Pair& pair) : game_(game), layout_(Layout::of(game.rules())), pair_(pair) {
        require(pair.entries.data != nullptr, "a pair is missing");
        if (pair.a + pair.b == game.rules().cells()) return;
        require(pair.larger.data != nullptr, "a pair is missing");
        require(pair.a == pair.b || pair.smaller.data != nullptr, "a pair is missing");
    }

    std::uint64_t size() const { return layout_.entry_count(pair_.a, pair_.b); }

    std::optional<Counterexample> check_entry(std::uint64_t index) const {
        const std::uint32_t right = expected(position_at(index));
        if (stored(index) == right) return std::nullopt;
        return counterexample(index, right);
    }

    Counterexample counterexample(std::uint64_t index, std::uint32_t expected) const {
        const Place place = place_at(index);
        const Position at = position_at(index);
        const std::uint32_t ranks = layout_.ranks(pair_.a, pair_.b);
        const Mask larger = place.plane ? at.other : at.mover, smaller = place.plane ? at.mover : at.other;
        return {place.plane, place.index / ranks, place.index % ranks, larger, smaller, stored(index), expected};
    }

    std::uint32_t stored(std::uint64_t index) const {
        const Place place = place_at(index);
        return pair_.entries.at(place.plane, place.index);
    }

    // A Win with its plies, or kNotAnEntry.
    std::uint32_t win_at(std::uint64_t index) const {
        const Position position = position_at(index);
        if (game_.value_of_end(position) != kNoValue) return kWon;
        const std::uint32_t worst = worst_child(position);
        return worst < kDraw ? value_above(worst) : kNotAnEntry;
    }

    // Whether a Win or a Loss follows from the end of the game or from children for which known(place, in_pair) holds.
    template <class Known>
    bool follows(std::uint64_t index, Known known) const {
        const std::uint32_t value = stored(index);
        const Position position = position_at(index);
        const std::uint32_t end = game_.value_of_end(position);
        if (end != kNoValue) return end == value;
        bool some_lost = false, all_won = true;
        game_.each_successor(position, [&](const Position& child) {
            if (value > kDraw && some_lost) return;
            if (value < kDraw && !all_won) return;
            const Place place = layout_.place_of(child);
            const bool in_pair = place.a + place.b == pair_.a + pair_.b;
            const std::uint32_t of_child = entries_of(place).at(place.plane, place.index);
            const bool settled = of_child != kDraw && of_child != kNotAnEntry && (!in_pair || known(index_of(place)));
            some_lost |= settled && of_child < kDraw;
            all_won &= settled && of_child > kDraw;
        });
        return value > kDraw ? some_lost : all_won;
    }

  private:
    Place place_at(std::uint64_t index) const {
        const bool plane = index >= pair_.entries.of_plane;
        return {pair_.a, pair_.b, plane, index - (plane ? pair_.entries.of_plane : 0)};
    }

    std::uint64_t index_of(const Place& place) const {
        return place.index + (place.plane ? pair_.entries.of_plane : 0);
    }

    Position position_at(std::uint64_t index) const { return layout_.position_at(place_at(index)); }

    std::uint32_t expected(const Position& position) const {
        const std::uint32_t end = game_.value_of_end(position);
        if (end != kNoValue) return end;
        const std::uint32_t worst = worst_child(position);
        if (worst == kNoValue) return kNoValue;
        if (pair_.entries.width == 0) return worst == kDraw ? kDraw : worst < kDraw ? kWon : kLost;
        return value_above(worst);
    }

    // The least value of a child to its mover, the opponent: a larger entry is worth more.
    std::uint32_t worst_child(const Position& position) const {
        std::uint32_t worst = kNoValue;
        game_.each_successor(position, [&](const Position& child) {
            const Place place = layout_.place_of(child);
            worst = std::min(worst, entries_of(place).at(place.plane, place.index));
        });
        return worst;
    }

    const Entries& entries_of(const Place& child) const {
        if (child.a + child.b == pair_.a + pair_.b) return pair_.entries;
        return child.a > pair_.a ? pair_.larger : pair_.smaller;
    }

    const Game& game_;
    const Layout& layout_;
    Pair pair_;
};

// Calls visit(index) for a range of indices on some threads, in chunks that are handed out in order. Once visit returns
// false, chunks past that index are skipped.
template <class Visit>
void each_index(std::uint64_t first, std::uint64_t last, int threads, Visit visit) {
    require(threads >= 1, "threads must be at least 1");
    constexpr std::uint64_t kChunk = 4096;
    std::atomic<std::uint64_t> next{first};
    std::atomic<std::uint64_t> stop{std::numeric_limits<std::uint64_t>::max()};
    const auto work = [&] {
        for (;;) {
            const std::uint64_t begin = next.fetch_add(kChunk);
            if (begin >= last || begin > stop) return;
            const std::uint64_t end = std::min(begin + kChunk, last);
            for (std::uint64_t index = begin; index < end; ++index) {
                if (visit(index)) continue;
                std::uint64_t known = stop;
                while (index < known && !stop.compare_exchange_weak(known, index)) {
                }
                break;
            }
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
}

}  // namespace

Result check(const Game& game, const Pair& pair, std::uint64_t first, std::uint64_t last, int threads) {
    const PairChecker checker(game, pair);
    require(first <= last && last <= checker.size(), "the range must lie within the pair");
    // Every entry up to the first wrong one is looked at, so which one that is does not depend on the threads.
    std::mutex mutex;
    std::uint64_t wrong = std::numeric_limits<std::uint64_t>::max();
    std::optional<Counterexample> counterexample;
    each_index(first, last, threads, [&](std::uint64_t index) {
        const auto found = checker.check_entry(index);
        if (!found) return true;
        const std::lock_guard lock(mutex);
        if (index < wrong) wrong = index, counterexample = found;
        return false;
    });
    return {counterexample ? wrong - first + 1 : last - first, counterexample};
}

std::uint64_t derive(const Game& game, const Pair& pair, std::uint8_t* derived, std::uint64_t first, std::uint64_t last,
                     int threads) {
    const PairChecker checker(game, pair);
    require(first <= last && last <= checker.size(), "the range must lie within the pair");
    const auto byte = [derived](std::uint64_t index) { return std::atomic_ref(derived[index / 8]); };
    const auto marked = [&](std::uint64_t index) {
        return (byte(index).load(std::memory_order_relaxed) >> index % 8 & 1) != 0;
    };
    std::atomic<std::uint64_t> count{0};
    each_index(first, last, threads, [&](std::uint64_t index) {
        if (checker.stored(index) == kDraw || marked(index) || !checker.follows(index, marked)) return true;
        byte(index).fetch_or(static_cast<std::uint8_t>(1 << index % 8), std::memory_order_relaxed);
        count.fetch_add(1, std::memory_order_relaxed);
        return true;
    });
    return count;
}

std::optional<Counterexample> find_underived(const Game& game, const Pair& pair, const std::uint8_t* derived) {
    const PairChecker checker(game, pair);
    for (std::uint64_t index = 0; index < checker.size(); ++index)
        if (checker.stored(index) != kDraw && !(derived[index / 8] >> index % 8 & 1))
            return checker.counterexample(index, kDraw);
    return std::nullopt;
}

void fill_win_plies(const Game& game, const Pair& pair, std::uint16_t* entries, std::uint64_t first, std::uint64_t last,
                    int threads) {
    const PairChecker checker(game, pair);
    require(first <= last && last <= checker.size(), "the range must lie within the pair");
    require(pair.entries.data == entries && pair.entries.width == 2, "entries of two bytes, those of the pair");
    std::vector<std::uint16_t> wins(last - first);
    each_index(first, last, threads, [&](std::uint64_t index) {
        if (entries[index] > kDraw) wins[index - first] = static_cast<std::uint16_t>(checker.win_at(index));
        return true;
    });
    // Only now, as all threads read the entries.
    for (std::uint64_t index = first; index < last; ++index)
        if (entries[index] > kDraw) entries[index] = wins[index - first];
}

std::array<std::uint64_t, 3> count_outcomes(const Game& game, const Pair& pair, bool plane, std::uint64_t first_block,
                                            std::uint64_t last_block) {
    const Layout& layout = Layout::of(game.rules());
    const std::vector<std::uint8_t>& orbits = layout.orbits(pair.a);
    require(first_block <= last_block && last_block <= orbits.size(), "no such blocks");
    const std::uint32_t ranks = layout.ranks(pair.a, pair.b);
    std::array<std::uint64_t, 3> counts{};
    for (std::uint64_t block = first_block; block < last_block; ++block)
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const std::uint32_t value = pair.entries.at(plane, block * ranks + rank);
            counts[value < kDraw ? 0 : value == kDraw ? 1 : 2] += orbits[block];
        }
    return counts;
}

}  // namespace inarow::verify::quixo
