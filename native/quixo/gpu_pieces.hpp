// What a group of threads does to a piece of a plane: cuts it into what a table stores, and puts it together
// again. nvrtc compiles it too, so it includes nothing else. gpu_work.hpp says what groups and entries are.
#pragma once

#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

constexpr u32 piece_entries = 16384;  // as in table/pieces.py
constexpr u32 outcome_loss = 0, outcome_draw = 1, outcome_win = 2;

INAROW_DEVICE inline u32 pieces_of(u32 entries) { return (entries + piece_entries - 1) / piece_entries; }
INAROW_DEVICE inline u32 outcome_of(u32 entry) {
    return entry < draw ? outcome_loss : entry == draw ? outcome_draw : outcome_win;
}

// The plies of losses, of one or two bytes each.
struct Plies {
    u8* data;
    u32 width;

    INAROW_DEVICE u32 operator[](u32 i) const { return width == 1 ? data[i] : reinterpret_cast<const u16*>(data)[i]; }
    INAROW_DEVICE void set(u32 i, u32 plies) {
        if (width == 1)
            data[i] = static_cast<u8>(plies);
        else
            reinterpret_cast<u16*>(data)[i] = static_cast<u16>(plies);
    }
};

// One of the pieces that `entries` consecutive entries of a plane are cut into.
template <class Group>
class Piece {
  public:
    struct Shared {
        u32 lost[piece_entries / 64];  // in each part of a piece, then in all parts before
        u32 all;
    };

    INAROW_DEVICE Piece(Group& group, Shared& shared, u32 piece, u32 entries)
        : group_(group),
          shared_(shared),
          first_(piece * piece_entries),
          count_(entries - first_ < piece_entries ? entries - first_ : piece_entries) {}

    // Packs the outcomes, and counts the losses.
    INAROW_DEVICE void pack(const u16* entries, u8* packed, u32* lost) {
        group_.each(1, [&](int) { shared_.all = 0; });
        group_.each((count_ + 3) / 4, [&](u32 i) {
            u32 byte = 0, losses = 0;
            for (u32 k = 0; k < 4 && 4 * i + k < count_; ++k) {
                const u32 outcome = outcome_of(entries[first_ + 4 * i + k]);
                byte |= outcome << 2 * k;
                losses += outcome == outcome_loss;
            }
            packed[first_ / 4 + i] = static_cast<u8>(byte);
            if (losses) group_.add(&shared_.all, losses);
        });
        group_.each(1, [&](int) { *lost = shared_.all; });
    }

    // Gathers the plies of the losses from the place `begin` on.
    INAROW_DEVICE void gather(const u16* entries, u32 begin, Plies plies) {
        each_loss([&](u32 i) { return entries[i] < draw; },
                  [&](u32 i, u32 nth) { plies.set(begin + nth, entries[i]); });
    }

    // Restores entries, all wins as if in 0 plies.
    INAROW_DEVICE void restore(const u8* packed, u32 begin, Plies plies, u16* entries) {
        const auto outcome = [&](u32 i) { return packed[i / 4] >> 2 * (i % 4) & 3u; };
        each_loss([&](u32 i) { return outcome(i) == outcome_loss; },
                  [&](u32 i, u32 nth) { entries[i] = static_cast<u16>(plies[begin + nth]); });
        group_.each(count_, [&](u32 i) {
            const u32 other = outcome(first_ + i);
            if (other != outcome_loss) entries[first_ + i] = static_cast<u16>(other == outcome_draw ? draw : top);
        });
    }

  private:
    static constexpr u32 part = 64;  // entries that one thread looks at

    // Calls work(i, n) for the n-th loss of the piece, entry i.
    template <class IsLost, class Work>
    INAROW_DEVICE void each_loss(IsLost is_lost, Work work) {
        const u32 parts = (count_ + part - 1) / part;
        const auto each_of = [&](u32 at, auto found) {
            const u32 last = first_ + ((at + 1) * part < count_ ? (at + 1) * part : count_);
            for (u32 i = first_ + at * part; i < last; ++i)
                if (is_lost(i)) found(i);
        };
        group_.each(parts, [&](u32 at) {
            u32 lost = 0;
            each_of(at, [&](u32) { ++lost; });
            shared_.lost[at] = lost;
        });
        group_.each(1, [&](int) {
            u32 before = 0;
            for (u32 at = 0; at < parts; ++at) {
                const u32 lost = shared_.lost[at];
                shared_.lost[at] = before;
                before += lost;
            }
        });
        group_.each(parts, [&](u32 at) {
            u32 nth = shared_.lost[at];
            each_of(at, [&](u32 i) { work(i, nth++); });
        });
    }

    Group& group_;
    Shared& shared_;
    const u32 first_, count_;
};

}  // namespace inarow::quixo::gpu
