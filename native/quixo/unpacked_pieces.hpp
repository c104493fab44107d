// Looks up positions, and one with its moves, in pieces (docs/tablebase-format.md) that were
// unpacked before.
//
// It reads no files: pieces that it lacks it names, and once they were added it is asked again.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "locator.hpp"
#include "many.hpp"
#include "packed.hpp"
#include "result.hpp"

namespace inarow::quixo {

// For one thread at a time.
class UnpackedPieces {
  public:
    static constexpr int piece_bits = 14, place_bits = 40;
    static constexpr std::uint32_t piece_entries = 1 << piece_bits;

    // (a << 6 | b << 1 | plane) << place_bits | entry in the plane, without the bits of an entry in its piece.
    using Name = std::int64_t;

    struct Answer {
        std::vector<Result> results;  // of the position, and of those after its moves
        // Without these pieces there are no results: their outcomes; their outcomes, if there are losses among them;
        // the plies of their losses.
        std::unordered_set<Name> outcomes, losses, plies;
        bool wrong = false;  // pieces contradict each other, or have entries that mean nothing

        bool lacks_pieces() const { return !outcomes.empty() || !losses.empty() || !plies.empty(); }
    };

    UnpackedPieces(Rules rules, bool has_plies)
        : board_(rules), moves_(numbered_moves(board_)), locator_(rules), has_plies_(has_plies) {}

    // The table has this pair.
    void add_pair(int a, int b) { known_[a][b] = true; }

    // So many outcomes, packed.
    void add_outcomes(Name name, const std::uint8_t* packed, std::uint32_t entries) {
        Piece& piece = pieces_[name];
        piece.outcomes.assign(packed, packed + packed::bytes(entries));
        piece.lost_before.clear();
        std::uint32_t lost = 0;
        for (std::uint32_t first = 0; first < entries; first += run) {
            piece.lost_before.push_back(static_cast<std::uint16_t>(lost));
            lost += count_lost(piece.outcomes.data(), first, std::min(first + run, entries));
        }
        piece.losses = lost;
    }

    // Its outcomes are not known, but none is a loss.
    void add_without_losses(Name name) { pieces_.try_emplace(name); }

    // The number of losses in a piece; nothing if it is not here, or not any more.
    std::optional<std::uint32_t> losses(Name name) const {
        const auto found = pieces_.find(name);
        return found == pieces_.end() ? std::nullopt : std::optional(found->second.losses);
    }

    // The plies of the losses of a piece, in their order, if it is still here.
    template <class Plies>
    void add_plies(Name name, const Plies* plies, std::size_t count) {
        const auto found = pieces_.find(name);
        if (found == pieces_.end()) return;
        if (count != found->second.losses) throw std::invalid_argument("a piece has as many plies as losses");
        found->second.plies.assign(plies, plies + count);
    }

    std::size_t size() const { return pieces_.size(); }
    void clear() { pieces_.clear(); }

    // Of a position and of those after its moves, by taken and then by pushed cell.
    Answer probe_with_moves(std::uint64_t word) {
        Answer answer;
        std::vector<std::uint64_t> words{word};
        each_numbered_move(board_, moves_, word, [&](int, std::uint64_t after) { words.push_back(after); });
        for (const std::uint64_t its : words) answer.results.push_back(stored(its, answer));
        if (answer.outcomes.empty() && has_plies_)
            for (std::size_t i = 0; i < words.size(); ++i)
                if (answer.results[i].outcome == Outcome::win) answer.results[i].plies = win_plies(words[i], answer);
        return answer;
    }

    // The outcomes of positions alone, `missing` where the table lacks one. Words that are no positions are wrong.
    Answer outcomes(std::span<const std::uint64_t> words) {
        Answer answer;
        for (const std::uint64_t word : words) {
            answer.wrong |= !is_position(board_, word);
            if (answer.wrong) break;
            const auto at = place_of(word);
            const Piece* piece = at ? with_outcomes(*at, answer) : nullptr;
            answer.results.push_back({piece ? as_outcome(outcome(*piece, at->entry, answer)) : Outcome::missing, -1});
        }
        return answer;
    }

  private:
    static constexpr std::uint32_t run = 256;  // entries whose losses are counted together

    struct Piece {
        std::vector<std::uint8_t> outcomes;      // empty if they are not known
        std::vector<std::uint16_t> lost_before;  // for each run of entries: the losses before it
        std::uint32_t losses = 0;
        std::vector<std::uint16_t> plies;  // empty if they are not known
    };

    struct Place {
        Name name;
        std::uint32_t entry;
    };

    // Nothing if the table lacks the position.
    std::optional<Place> place_of(std::uint64_t word) {
        const auto at = locator_.locate(word);
        if (!at || !known_[at->a][at->b]) return std::nullopt;
        const std::uint64_t place = locator_.place(*at);
        const auto plane = static_cast<std::uint64_t>(at->a << 6 | at->b << 1 | at->plane);
        return Place{static_cast<Name>((plane << place_bits | place) >> piece_bits),
                     static_cast<std::uint32_t>(place % piece_entries)};
    }

    static unsigned outcome(const Piece& piece, std::uint32_t entry, Answer& answer) {
        if (entry / 4 >= piece.outcomes.size()) {
            answer.wrong = true;
            return packed::draw;
        }
        const unsigned value = piece.outcomes[entry / 4] >> entry % 4 * 2 & 3;
        answer.wrong |= value > packed::win;
        return value;
    }

    // Of an entry that is a loss; nothing if they are lacking.
    std::optional<std::int32_t> lost_plies(const Piece& piece, Place at, Answer& answer) const {
        if (piece.plies.empty()) {
            answer.plies.insert(at.name);
            return std::nullopt;
        }
        const std::uint32_t first = at.entry / run * run;
        return piece.plies[piece.lost_before[at.entry / run] + count_lost(piece.outcomes.data(), first, at.entry)];
    }

    // What the table has of a position: of a win not the plies.
    Result stored(std::uint64_t word, Answer& answer) {
        const auto at = place_of(word);
        if (!at) return {Outcome::missing, -1};
        const Piece* piece = with_outcomes(*at, answer);
        if (!piece) return {Outcome::missing, -1};
        const unsigned value = outcome(*piece, at->entry, answer);
        std::int32_t plies = -1;
        if (has_plies_ && value == packed::loss) plies = lost_plies(*piece, *at, answer).value_or(-1);
        if (!has_plies_ && value != packed::draw && is_over(word)) plies = 0;
        return {as_outcome(value), plies};
    }

    static Outcome as_outcome(unsigned value) {
        return value == packed::draw ? Outcome::draw : value == packed::loss ? Outcome::loss : Outcome::win;
    }

    // The piece of an entry; null, and noted, if its outcomes are lacking.
    const Piece* with_outcomes(Place at, Answer& answer) const {
        const auto found = pieces_.find(at.name);
        if (found != pieces_.end() && !found->second.outcomes.empty()) return &found->second;
        answer.outcomes.insert(at.name);
        return nullptr;
    }

    bool is_over(std::uint64_t word) const {
        return board_.has_line(static_cast<Mask>(word >> 32)) || board_.has_line(static_cast<Mask>(word));
    }

    // One more than the fewest plies of a lost position after a win; 0 if the game is over.
    std::int32_t win_plies(std::uint64_t word, Answer& answer) {
        if (is_over(word)) return 0;
        after_.clear();
        bool at_once = false;  // by a move that ends the game: it needs no look-up
        each_successor(board_, static_cast<Mask>(word >> 32), static_cast<Mask>(word), [&](Mask mover, Mask other) {
            at_once |= board_.ended(mover, other) == Outcome::loss;
            after_.push_back(word_of(mover, other));
        });
        if (at_once) return 1;
        // First where all are, so that the memory is on its way when it is read.
        found_.clear();
        for (const std::uint64_t its : after_) {
            const auto at = place_of(its);
            if (!at) continue;
            const auto piece = pieces_.find(at->name);
            if (piece == pieces_.end()) {
                answer.losses.insert(at->name);
            } else if (piece->second.losses > 0) {
                found_.push_back({&piece->second, *at});
                __builtin_prefetch(piece->second.outcomes.data() + at->entry / 4);
            }
        }
        std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
        for (const auto& [piece, at] : found_)
            if (outcome(*piece, at.entry, answer) == packed::loss)
                if (const auto plies = lost_plies(*piece, at, answer)) fewest = std::min(fewest, *plies);
        if (fewest < std::numeric_limits<std::int32_t>::max()) return fewest + 1;
        answer.wrong |= !answer.lacks_pieces();
        return -1;
    }

    Board board_;
    std::vector<Move> moves_;
    Locator locator_;
    bool has_plies_;
    std::array<std::array<bool, max_cells + 1>, max_cells + 1> known_{};
    std::unordered_map<Name, Piece> pieces_;
    // Of one win, kept so that their memory is.
    std::vector<std::uint64_t> after_;
    std::vector<std::pair<const Piece*, Place>> found_;
};

}  // namespace inarow::quixo
