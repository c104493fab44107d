// One look at every move of every position of a solved pair: what the studies of passing, blank tiles and draws count.
// nvrtc compiles it too.
#pragma once

#include "gpu_work.hpp"

namespace inarow::quixo::gpu {

// The counts of a plane; study/survey.py names them in this order. A move keeps the value if the position is worth as
// much after it.
enum SurveyCount : u32 {
    unfinished,    // positions that are not over
    loss_to_draw,  // of these: lost, and drawn after passing
    loss_to_win,
    draw_to_win,
    with_choice,  // won or drawn, with blank tiles and own marks to take
    only_blanks,  // of these: nothing but taking a blank tile keeps the value
    only_own,     // nothing but taking an own mark keeps it
    blank_moves,  // their moves that take a blank tile
    blank_kept,   // of these: moves that keep the value
    own_moves,
    own_kept,
    drawn,
    drawn_moves,  // moves of drawn positions
    drawn_kept,   // of these: moves that keep the draw
    single,       // drawn positions of which a single move keeps the draw
    returning,    // drawn positions to which, whatever move keeps the draw, the other side can return
    survey_counts,
};

// Positions that are listed, each once up to symmetry, as mover << 32 | other.
enum SurveyList : u32 { list_better, list_returning, survey_lists };

struct Survey {
    u64* counts;
    u64* positions;  // `room` of each list
    u32* listed;     // how many there are of each; more than `room` are only counted
    u32 room;
};

template <class Group>
class Surveyor : public Visitor<Group> {
  public:
    struct Shared : Visitor<Group>::Shared {
        u32 counts[survey_counts];
        u32 border;  // the local word of border cells
        u8 state[Group::slice];
    };

    INAROW_DEVICE Surveyor(Group& group, Shared& shared, const Game& game, const Pair& pair, const Slice& at)
        : Visitor<Group>(group, shared, game, pair, at), shared_(shared) {}

    INAROW_DEVICE void look(const u8* orbits, const Survey& survey) {
        if (pair_.blocks.lined[at_.block]) return;  // all positions are over
        u32 border = 0, mine[survey_counts] = {};
        for (u32 move = 0; move < game_.moves; ++move) border |= 1u << game_.taken[move];
        group_.each(survey_counts, [&](int k) { shared_.counts[k] = 0; });
        group_.each(1, [&](int) { shared_.border = extract(border, at_.free); });
        this->find_local_lines();

        const u32 local = shared_.border;
        const bool larger_moves = at_.side == 0, larger_on_border = at_.larger & border;
        const u16* passed = pair_.entries[1 - at_.side] + static_cast<u64>(at_.block) * pair_.ranks.entries + at_.first;
        group_.scan(at_.entries, at_.count, [&](int i, u32 entry) {
            const u32 word = at_.words[i];
            shared_.list[i] = 0;
            shared_.state[i] = 0;
            if (this->has_local_line(word)) return;
            ++mine[unfinished];
            if (entry < won_from) {
                const u32 after = passed[i];  // for the other side
                const bool lost = entry < undecided_from, better = after < undecided_from || (lost && after == draw);
                mine[loss_to_draw] += lost && after == draw;
                mine[loss_to_win] += lost && after < undecided_from;
                mine[draw_to_win] += !lost && after < undecided_from;
                if (better) list(survey, list_better, word);
                if (lost) return;
            }
            const bool choice = ~word & local && (larger_moves ? larger_on_border : (word & local) != 0);
            shared_.state[i] = static_cast<u8>((entry == draw ? is_drawn : is_won) | (choice ? has_choice : 0));
        });
        const auto wanted = [&](int i) { return shared_.state[i] != 0; };
        const auto keeps = [&](int i, u32 child) {
            return shared_.state[i] & is_drawn ? child == draw : child < undecided_from;
        };
        this->look_at_new_marks(wanted, [&](int i, u32 child) {
            if (keeps(i, child)) ++shared_.list[i];
            mine[drawn_moves] += (shared_.state[i] & is_drawn) != 0;
            mine[blank_moves] += (shared_.state[i] & has_choice) != 0;
        });
        this->look_at_steps(wanted, [&](int i, u32 child) {
            if (keeps(i, child)) shared_.list[i] = static_cast<u16>(shared_.list[i] + 256);
            mine[drawn_moves] += (shared_.state[i] & is_drawn) != 0;
            mine[own_moves] += (shared_.state[i] & has_choice) != 0;
        });
        group_.each(at_.count, [&](int i) {
            const u32 state = shared_.state[i], blanks = shared_.list[i] & 255, own = shared_.list[i] >> 8;
            if (state & has_choice) {
                ++mine[with_choice];
                mine[only_blanks] += own == 0;
                mine[only_own] += blanks == 0;
                mine[blank_kept] += blanks;
                mine[own_kept] += own;
            }
            if (!(state & is_drawn)) return;
            ++mine[drawn];
            mine[drawn_kept] += blanks + own;
            mine[single] += blanks + own == 1;
            // Who takes a blank tile never returns.
            if (blanks || !can_return(at_.words[i])) return;
            ++mine[returning];
            list(survey, list_returning, at_.words[i]);
        });
        for (u32 k = 0; k < survey_counts; ++k)
            if (mine[k]) group_.add(&shared_.counts[k], mine[k]);
        group_.each(survey_counts, [&](int k) {
            if (shared_.counts[k]) group_.add(&survey.counts[k], u64{shared_.counts[k]} * orbits[at_.block]);
        });
    }

  private:
    using Visitor<Group>::group_;
    using Visitor<Group>::game_;
    using Visitor<Group>::pair_;
    using Visitor<Group>::at_;

    static constexpr u32 is_won = 1, is_drawn = 2, has_choice = 4;

    INAROW_DEVICE void list(const Survey& survey, u32 which, u32 word) {
        const u32 smaller = deposit(word, at_.free);
        for (u32 fixing = pair_.blocks.fixing[at_.block]; fixing; fixing &= fixing - 1)
            if (turned(game_, lowest_of(fixing), smaller) < smaller) return;  // another image is listed
        const u32 number = group_.add(&survey.listed[which], 1);
        if (number >= survey.room) return;
        const u64 larger = at_.larger;
        survey.positions[u64{which} * survey.room + number] =
            at_.side == 0 ? larger << 32 | smaller : u64{smaller} << 32 | larger;
    }

    // Whether the other side can return to this drawn position after every move of an own mark that keeps the draw.
    INAROW_DEVICE bool can_return(u32 word) const {
        const u32 smaller = deposit(word, at_.free), mover = at_.side == 0 ? at_.larger : smaller;
        for (u32 move = 0; move < game_.moves; ++move) {
            if (!(mover >> game_.taken[move] & 1)) continue;
            const u32 larger_there = moved(game_, move, at_.larger), smaller_there = moved(game_, move, smaller);
            const u32 place = pair_.where[larger_there], block = place >> 3;
            const u32 rank = rank_among(game_, turned(game_, place & 7, smaller_there),
                                        below(game_.cells) & ~pair_.blocks.masks[block]);
            const u32 child = pair_.entries[1 - at_.side][static_cast<u64>(block) * pair_.ranks.entries + rank];
            if (child == draw && !leads_back(larger_there, smaller_there, smaller)) return false;
        }
        return true;
    }
    INAROW_DEVICE bool leads_back(u32 larger_there, u32 smaller_there, u32 smaller) const {
        const u32 replier = at_.side == 0 ? smaller_there : larger_there;
        for (u32 move = 0; move < game_.moves; ++move) {
            if (!(replier >> game_.taken[move] & 1)) continue;
            const u32 larger = moved(game_, move, larger_there), place = pair_.where[larger];
            if (place >> 3 != at_.block) continue;
            // The symmetry takes `larger` to this block's A; those that leave A as it is may follow.
            const u32 back = turned(game_, place & 7, moved(game_, move, smaller_there));
            for (u32 fixing = pair_.blocks.fixing[at_.block]; fixing; fixing &= fixing - 1)
                if (turned(game_, lowest_of(fixing), back) == smaller) return true;
        }
        return false;
    }

    Shared& shared_;
};

}  // namespace inarow::quixo::gpu
