// The entries of a solved plane as bytes, so that the least one among the children of an entry is its seed.
//
// A lost child makes a win, due a ply after the one that is lost the soonest; a drawn one forbids a loss; if all are
// won, a loss is possible, not before a ply after the one that is won the latest:
//
//   code       0 ... 126            127       128 ... 255
//   child      lost, soonest first  drawn     won, latest first; 255 also if there is no child
//
// Plies go far beyond 126. But nearly always those of losses are 0, 1 or even, and those of wins 0 or odd, so that half
// of them are enough. Where that does not hold, there is a pass for losses and one for wins, each with a byte for
// itself, and where plies take two bytes there are several of each.
//
// Templates, so that each instruction set has its own.
#pragma once

#include "instructions.hpp"

namespace inarow::quixo {

// What the plies of a plane are like.
template <class Rows>
struct PliesSeen {
    int longest = 0;
    bool alternate = true;  // those of losses are 0, 1 or even, those of wins 0 or odd

    void add(unsigned outcome, int plies) {
        if (outcome == packed::draw) return;
        longest = std::max(longest, plies);
        if (plies > 1 && (plies & 1) != (outcome == packed::win)) alternate = false;
    }
    void add(const PliesSeen& other) {
        longest = std::max(longest, other.longest);
        alternate &= other.alternate;
    }
    // The entries from `first` up to `last`.
    void add(const StoredPlane& plane, std::size_t first, std::size_t last) {
        const auto outcome = [&](std::size_t i) { return plane.outcomes[i / 4] >> i % 4 * 2 & 3; };
        if (plane.plies.width > 1) {
            for (std::size_t i = first; i < last; ++i) add(outcome(i), static_cast<int>(plane.plies[i]));
            return;
        }
        bool seen[4][256] = {};
        const auto* plies = static_cast<const std::uint8_t*>(plane.plies.data);
        for (std::size_t i = first; i < last; ++i) seen[outcome(i)][plies[i]] = true;
        for (unsigned its = 0; its < 3; ++its)
            for (int i = 0; i < 256; ++i)
                if (seen[its][i]) add(its, i);
    }
};

enum class SeedKind : std::uint8_t { unknown, win, none, loss };

// What the least code says: a win is due in this round, a loss not before it; with `none` there is no loss.
struct Seed {
    SeedKind kind;
    int round;
};

template <class Rows>
class SeedCodes {
  public:
    // The passes by which seeds are found, one after the other: what one leaves unknown, the next may know.
    static std::vector<SeedCodes> passes(const PliesSeen<Rows>& seen) {
        if (seen.alternate && seen.longest <= 250) return {SeedCodes(true, true, 0)};
        std::vector<SeedCodes> all;
        for (int first = 0; first <= seen.longest; first += span) all.push_back(SeedCodes(true, false, first));
        for (int first = std::max(0, seen.longest - 1) / span * span; first >= 0; first -= span)
            all.push_back(SeedCodes(false, true, first));
        return all;
    }

    bool finds_wins() const { return losses_; }

    std::uint8_t code(unsigned outcome, int plies) const {
        const int steps = std::clamp(halved() ? plies / 2 + (plies > 0) : plies - first_, 0, 255);
        return static_cast<std::uint8_t>(outcome == packed::loss   ? steps & lost_
                                         : outcome == packed::draw ? drawn_
                                                                   : (255 - steps) | won_);
    }

    Seed seed(std::uint8_t code) const {
        const auto round = [&](int steps) { return 1 + (halved() ? steps : first_ + steps); };
        if (losses_ && code < (wins_ ? drawn_ : 255))
            return {SeedKind::win, halved() && code > 1 ? 2 * code - 1 : round(code)};
        if (!wins_) return {SeedKind::unknown, 0};
        if (code == drawn_) return {SeedKind::none, 0};
        const int steps = 255 - code;
        if (steps == 0 && first_ > 0) return {SeedKind::unknown, 0};
        return {SeedKind::loss, halved() && steps > 0 ? 2 * steps : round(steps)};
    }

    // The codes of so many entries. Writes up to 31 more bytes.
    void encode(const StoredPlane& plane, std::size_t at, std::size_t count, std::size_t past, std::uint8_t* to) const {
        for (std::size_t i = 0; i < count; i += together) {
            if (plane.plies.width == 1 && first_ == 0 && at + i + together + 4 <= past) {
                encode_together(plane, at + i, to + i);
                continue;
            }
            for (std::size_t j = at + i; j < std::min(at + count, at + i + together); ++j)
                to[j - at] = code(plane.outcomes[j / 4] >> j % 4 * 2 & 3, static_cast<int>(plane.plies[j]));
        }
    }

  private:
    static constexpr std::size_t together = 32;
    static constexpr int span = 254;  // plies of a pass
    using Bytes = std::uint8_t __attribute__((vector_size(together)));
    using Words = std::uint64_t __attribute__((vector_size(together)));

    SeedCodes(bool losses, bool wins, int first)
        : losses_(losses),
          wins_(wins),
          first_(first),
          lost_(losses ? 255 : 0),
          drawn_(!losses ? 0
                 : wins  ? 127
                         : 255),
          won_(wins ? 0 : 255) {}

    bool halved() const { return losses_ && wins_; }

    void encode_together(const StoredPlane& plane, std::size_t at, std::uint8_t* to) const {
        std::uint64_t outcomes;
        std::memcpy(&outcomes, plane.outcomes + at / 4, sizeof outcomes);
        if (const auto shift = at % 4 * 2; shift > 0)
            outcomes = outcomes >> shift | std::uint64_t{plane.outcomes[at / 4 + 8]} << (64 - shift);
        const Bytes eight = (Bytes)Words{outcomes, outcomes, outcomes, outcomes};
        // Each of them for the four entries whose outcomes it has.
        const Bytes four = __builtin_shufflevector(eight, eight, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 20, 20,
                                                   20, 20, 21, 21, 21, 21, 22, 22, 22, 22, 23, 23, 23, 23);
        constexpr std::uint64_t low_bits = 0x4010040140100401, high_bits = low_bits << 1;
        const Bytes low = (Bytes)Words{low_bits, low_bits, low_bits, low_bits};
        const Bytes high = (Bytes)Words{high_bits, high_bits, high_bits, high_bits};
        const Bytes drawn = (Bytes)((four & low) != 0), won = (Bytes)((four & high) != 0);
        Bytes steps;
        std::memcpy(&steps, static_cast<const std::uint8_t*>(plane.plies.data) + at, sizeof steps);
        if (halved()) steps = (steps >> 1) + (Bytes)((Bytes)(steps != 0) & 1);
        const Bytes codes = (won & (~steps | won_)) | (drawn & drawn_) | (~won & ~drawn & steps & lost_);
        std::memcpy(to, &codes, sizeof codes);
    }

    bool losses_, wins_;
    int first_;
    std::uint8_t lost_, drawn_, won_;
};

}  // namespace inarow::quixo
