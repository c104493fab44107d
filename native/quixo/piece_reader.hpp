// Looks positions up in the files of a table, as docs/tablebase-format.md specifies them.
//
// It reads no files. It asks for the parts that it lacks; whoever fetches them, from a disk, over HTTP or through a
// page, unpacks what is packed and gives it, at once or before the question is asked again.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "locator.hpp"
#include "many.hpp"
#include "packed.hpp"
#include "pieces.hpp"
#include "source.hpp"

namespace inarow::quixo {

// What it costs to fetch a part. `far`: all that a few positions may need is asked for at once. `sparing`: and the
// plies of moves that give something away are left out.
enum class Reach { near, far, sparing };

// For one thread at a time; but while it waits for parts, another may ask.
class PieceReader {
  public:
    static constexpr int piece_bits = 14;
    static constexpr std::uint32_t piece_entries = 1 << piece_bits;
    static constexpr std::uint64_t most_entries = std::uint64_t{1} << 40;

    // A part of one of the two files of a pair.
    struct Part {
        std::uint32_t pair;  // in the order in which pairs were added
        bool plies;
        std::int64_t piece;        // -1 for the index, whose digest is for whoever fetches it to compare
        std::uint64_t begin, end;  // bytes of the file
        std::uint32_t most;        // bytes of a piece when it is unpacked
        std::uint32_t checksum;    // of what is stored of a piece

        auto operator<=>(const Part&) const = default;
    };

    using Parts = std::set<Part>;

    // Gives these parts and returns true, or false if they come later. Those that `may` be needed can be left out.
    using Fetch = std::function<bool(const Parts&, bool may)>;
    // Of what is wrong with a part. It may throw; if it does not, the part counts as one that cannot be had.
    using Damaged = std::function<void(const Part&, const char* why)>;
    // A position that is won, though no move wins it. It may throw.
    using Wrong = std::function<void(std::uint64_t word)>;
    struct Hooks {
        Fetch fetch;
        Damaged damaged;
        Wrong wrong;
    };

    // Keeps about so many pieces.
    PieceReader(const Rules& rules, bool has_plies, Reach reach, Hooks hooks, std::size_t kept = 1 << 14)
        : board_(rules), locator_(rules), has_plies_(has_plies), reach_(reach), hooks_(std::move(hooks)), kept_(kept) {
        for (auto& row : numbers_) row.fill(-1);
    }

    const Board& board() const { return board_; }

    // The table has this pair: entries of a plane, bytes of its files, and of a ply. False if these make no sense.
    bool add_pair(int a, int b, std::uint64_t entries, std::uint64_t values_size, std::uint64_t plies_size, int width) {
        if (b < 0 || a < b || a + b > board_.cells() || entries == 0 || entries > most_entries) return false;
        if (has_plies_ ? width != 1 && width != 2 : width != 0) return false;
        Pair pair{entries, {values_size, 0, {}, false}, {plies_size, width, {}, false}, a == b ? 1 : 2};
        if (!PieceIndex::begin_of(values_size, pair.pieces())) return false;
        if (has_plies_ && !PieceIndex::begin_of(plies_size, pair.pieces())) return false;
        numbers_[a][b] = static_cast<int>(pairs_.size());
        pairs_.push_back(std::move(pair));
        return true;
    }

    // A part that was asked for; of a piece what is stored, and what that unpacks to.
    void give(const Part& part, std::span<const std::uint8_t> stored, std::span<const std::uint8_t> unpacked) {
        Pair& pair = pairs_[part.pair];
        File& file = pair.file(part.plies);
        if (part.piece < 0) {
            file.index = PieceIndex::read(stored, part.begin);
            if (!file.index) hooks_.damaged(part, "is cut short, or longer than its pieces");
            file.gone = !file.index;
            return;
        }
        Piece& piece = pieces_[name(part)];
        if (!file.index->matches(static_cast<std::size_t>(part.piece), stored))
            return spoil(piece, part, "does not match its checksum");
        if (!part.plies && unpacked.size() != part.most) return spoil(piece, part, "has the wrong length");
        if (part.plies) {
            piece.plies.emplace(unpacked.begin(), unpacked.end());
        } else {
            piece.take({unpacked.begin(), unpacked.end()}, pair.entries_of(part.piece));
        }
    }

    // A part cannot be had: what takes it is not known, until that is forgotten.
    void give_up(const Part& part) {
        if (part.piece < 0)
            pairs_[part.pair].file(part.plies).gone = true;
        else
            pieces_[name(part)].gone = true;
    }
    void forget_what_is_gone() {
        for (Pair& pair : pairs_) pair.values.gone = pair.plies.gone = false;
        std::erase_if(pieces_, [](const auto& piece) { return piece.second.gone; });
    }

    // False if parts come later. `invalid` for words that are no positions.
    bool look_up(std::span<const std::uint64_t> words, std::span<Result> results) {
        const Running running(running_);
        if (reach_ == Reach::far && words.size() <= few && !fetch_around(words)) return false;
        if (!stored(words, results, has_plies_, false)) return false;
        std::vector<std::size_t> won;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (results[i].outcome != Outcome::win && (has_plies_ || results[i].outcome != Outcome::loss)) continue;
            if (is_over(words[i]))
                results[i].plies = 0;
            else if (has_plies_ && reach_ != Reach::sparing)
                won.push_back(i);
        }
        return add_win_plies(words, results, won);
    }

    // Of a position and of those after its moves.
    bool look_up_with_moves(std::span<const std::uint64_t> words, std::span<Result> results) {
        if (!look_up(words, results)) return false;
        if (reach_ != Reach::sparing || !has_plies_) return true;
        const Running running(running_);
        std::vector<std::size_t> won;
        // Past the first, wins are moves that lose: how long they resist matters only where nothing is better.
        for (std::size_t i = 0; i < words.size() && (i == 0 || results[0].outcome == Outcome::loss); ++i)
            if (results[i].outcome == Outcome::win && results[i].plies < 0) won.push_back(i);
        return add_win_plies(words, results, won);
    }

    // The outcomes alone.
    bool look_up_outcomes(std::span<const std::uint64_t> words, std::span<Result> results) {
        const Running running(running_);
        return stored(words, results, false, false);
    }

  private:
    static constexpr std::size_t few = 64;  // positions: one with all its moves
    static constexpr std::size_t wins_at_once = 1 << 14;
    static constexpr std::size_t pieces_at_once = 1 << 13;  // 32 MiB
    static constexpr std::uint32_t run = 256;               // entries whose losses are counted together

    using Name = std::uint64_t;  // the pair, and the number of the piece

    struct File {
        std::uint64_t size;
        int width;
        std::optional<PieceIndex> index;
        bool gone;
    };
    struct Pair {
        std::uint64_t entries;  // of a plane
        File values, plies;
        int planes;

        std::uint64_t of_plane() const { return (entries + piece_entries - 1) >> piece_bits; }
        std::uint64_t pieces() const { return of_plane() * static_cast<std::uint64_t>(planes); }
        std::uint32_t entries_of(std::int64_t piece) const {
            const std::uint64_t before = static_cast<std::uint64_t>(piece) % of_plane() << piece_bits;
            return static_cast<std::uint32_t>(std::min<std::uint64_t>(piece_entries, entries - before));
        }
        File& file(bool of_plies) { return of_plies ? plies : values; }
    };
    struct Piece {
        std::vector<std::uint8_t> outcomes;      // empty if they are not known
        std::vector<std::uint16_t> lost_before;  // for each run of entries: the losses before it
        std::uint32_t losses = 0;
        std::optional<std::vector<std::uint8_t>> plies;  // of the losses, if they are known
        bool gone = false;

        void take(std::vector<std::uint8_t> packed, std::uint32_t entries) {
            outcomes = std::move(packed);
            lost_before.clear();
            losses = 0;
            for (std::uint32_t first = 0; first < entries; first += run) {
                lost_before.push_back(static_cast<std::uint16_t>(losses));
                losses += count_lost(outcomes.data(), first, std::min(first + run, entries));
            }
        }
    };
    // An entry to be read, for one of the results.
    struct Wanted {
        Name name;
        std::uint32_t entry, nth;
        Piece* piece = nullptr;
    };
    struct Running {
        int& count;
        explicit Running(int& its_count) : count(its_count) { ++count; }
        ~Running() { --count; }
        Running(const Running&) = delete;
    };

    static Name name(const Part& part) { return Name{part.pair} << 32 | static_cast<std::uint64_t>(part.piece); }

    bool is_over(std::uint64_t word) const {
        return board_.has_line(static_cast<Mask>(word >> 32)) || board_.has_line(static_cast<Mask>(word));
    }

    void spoil(Piece& piece, const Part& part, const char* why) {
        hooks_.damaged(part, why);
        piece.gone = true;
    }

    Part part_of(Name name, bool plies) {
        const auto number = static_cast<std::uint32_t>(name >> 32);
        const auto piece = static_cast<std::int64_t>(name & 0xffffffff);
        Pair& pair = pairs_[number];
        const PieceIndex& index = *pair.file(plies).index;
        const auto at = static_cast<std::size_t>(piece);
        const std::uint32_t entries = pair.entries_of(piece);
        const auto most = plies ? entries * static_cast<std::uint32_t>(pair.plies.width)
                                : static_cast<std::uint32_t>(packed::bytes(entries));
        return {number, plies, piece, index.begin(at), index.end(at), most, index.checksum(at)};
    }

    // Whether the indexes of a pair are there; if not, they are needed.
    bool has_indexes(std::uint32_t number, Parts& needs) {
        Pair& pair = pairs_[number];
        bool there = true;
        for (const bool plies : {false, true}) {
            File& file = pair.file(plies);
            if (file.index || (plies && !has_plies_)) continue;
            there = false;
            const std::uint64_t begin = *PieceIndex::begin_of(file.size, pair.pieces());
            if (!file.gone) needs.insert({number, plies, -1, begin, file.size - PieceIndex::digest_bytes, 0, 0});
        }
        return there;
    }

    // Finds where positions are stored. Of those that are not, results say why; with `lost_only` those are left out
    // that are in pieces without losses.
    void locate(std::span<const std::uint64_t> words, std::span<Result> results, bool lost_only,
                std::vector<Wanted>& wanted, Parts& needs) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto at = locator_.locate(words[i]);
            results[i] = {at ? Outcome::missing : Outcome::invalid, -1};
            const int number = at ? numbers_[at->a][at->b] : -1;
            if (number < 0 || !has_indexes(static_cast<std::uint32_t>(number), needs)) continue;
            const Pair& pair = pairs_[static_cast<std::size_t>(number)];
            const std::uint64_t place = locator_.place(*at);
            if (place >= pair.entries) continue;
            const std::uint64_t piece = static_cast<std::uint64_t>(at->plane) * pair.of_plane() + (place >> piece_bits);
            if (lost_only && has_plies_ && pair.plies.index->length(piece) == 0) continue;
            wanted.push_back({Name(number) << 32 | piece, static_cast<std::uint32_t>(place % piece_entries),
                              static_cast<std::uint32_t>(i)});
        }
    }

    // The values of positions, and the plies of losses.
    bool stored(std::span<const std::uint64_t> words, std::span<Result> results, bool with_plies, bool lost_only) {
        std::vector<Wanted> wanted;
        wanted.reserve(words.size());
        Parts needs;
        do {
            needs.clear(), wanted.clear();
            locate(words, results, lost_only, wanted, needs);
        } while (!needs.empty() && hooks_.fetch(needs, false));
        if (!needs.empty()) return false;
        // Where some are lacking, each is asked for once, and not too many at a time.
        if (!std::ranges::all_of(wanted, [&](const Wanted& its) { return pieces_.contains(its.name); })) {
            std::ranges::make_heap(wanted, {}, &Wanted::name);
            std::ranges::sort_heap(wanted, {}, &Wanted::name);
        }
        for (std::size_t first = 0, last = 0; first < wanted.size(); first = last) {
            std::size_t pieces = 0;
            for (; last < wanted.size(); ++last)
                if ((last == first || wanted[last].name != wanted[last - 1].name) && ++pieces > pieces_at_once) break;
            if (pieces_.size() > (running_ > 1 ? 4 * kept_ : kept_)) pieces_.clear();
            const std::span some(wanted.data() + first, last - first);
            do {
                needs.clear();
                read(some, results, with_plies, needs);
            } while (!needs.empty() && hooks_.fetch(needs, false));
            if (!needs.empty()) return false;
        }
        return true;
    }

    void read(std::span<Wanted> wanted, std::span<Result> results, bool with_plies, Parts& needs) {
        // First where all are, so that the memory is on its way when it is read.
        for (Wanted& its : wanted) {
            its.piece = with_outcomes(its.name, with_plies, needs);
            if (its.piece) __builtin_prefetch(its.piece->outcomes.data() + its.entry / 4);
        }
        for (const auto& [name, entry, nth, piece] : wanted) {
            Result& result = results[nth];
            if (!piece || piece->gone) continue;
            const unsigned value = piece->outcomes[entry / 4] >> entry % 4 * 2 & 3;
            if (value > packed::win) {
                spoil(*piece, part_of(name, false), "has entries that mean nothing");
                continue;
            }
            result.outcome = static_cast<Outcome>(static_cast<int>(value) - 1);
            if (value != packed::loss || !with_plies) continue;
            const auto plies = lost_plies(*piece, name, entry, needs);
            if (!plies) result.outcome = Outcome::missing;
            result.plies = plies.value_or(-1);
        }
    }

    // The piece, if its outcomes are there; else it is needed, unless it cannot be had.
    Piece* with_outcomes(Name name, bool with_plies, Parts& needs) {
        const auto found = pieces_.find(name);
        if (found != pieces_.end() && (found->second.gone || !found->second.outcomes.empty())) return &found->second;
        const Part part = part_of(name, false);
        const PieceIndex& index = *pairs_[part.pair].values.index;
        const auto number = static_cast<std::size_t>(part.piece);
        if (part.end - part.begin > 1) {
            needs.insert(part);
            // Both at once, though the plies may turn out to be of no use.
            if (with_plies && reach_ == Reach::sparing && pairs_[part.pair].plies.index->length(number) > 1)
                needs.insert(part_of(name, true));
            return nullptr;
        }
        Piece& piece = pieces_[name];
        if (const auto byte = index.only_byte(number))
            piece.take(std::vector<std::uint8_t>(part.most, *byte), pairs_[part.pair].entries_of(part.piece));
        else
            spoil(piece, part, part.end == part.begin ? "has the wrong length" : "does not match its checksum");
        return &piece;
    }

    // The plies of an entry that is a loss; nothing if they are lacking.
    std::optional<std::int32_t> lost_plies(Piece& piece, Name name, std::uint32_t entry, Parts& needs) {
        const Pair& pair = pairs_[name >> 32];
        const auto width = static_cast<std::size_t>(pair.plies.width);
        if (!piece.plies) {
            const Part part = part_of(name, true);
            if (part.end - part.begin > 1) {
                needs.insert(part);
                return std::nullopt;
            }
            const auto byte = pair.plies.index->only_byte(static_cast<std::size_t>(part.piece));
            if (part.end > part.begin && !byte) return spoil(piece, part, "does not match its checksum"), std::nullopt;
            piece.plies.emplace(byte ? piece.losses * width : 0, byte.value_or(0));
        }
        if (piece.plies->size() != piece.losses * width)
            return spoil(piece, part_of(name, true), "has the wrong length"), std::nullopt;
        const std::uint32_t first = entry / run * run;
        const std::size_t at =
            (piece.lost_before[entry / run] + count_lost(piece.outcomes.data(), first, entry)) * width;
        return (*piece.plies)[at] | (width == 2 ? (*piece.plies)[at + 1] << 8 : 0);
    }

    // Some wins: one more than the fewest plies of a lost position after each.
    bool add_win_plies(std::span<const std::uint64_t> words, std::span<Result> results,
                       std::span<const std::size_t> won) {
        std::vector<std::uint64_t> after;
        std::vector<Result> found;
        std::vector<std::size_t> ends;
        for (; !won.empty(); won = won.subspan(ends.size())) {
            after.clear(), ends.clear();
            for (const std::size_t i : won.first(std::min(won.size(), wins_at_once))) {
                const std::size_t begin = after.size();
                bool at_once = false;  // by a move that ends the game: it needs no look-up
                each_successor(board_, static_cast<Mask>(words[i] >> 32), static_cast<Mask>(words[i]),
                               [&](Mask mover, Mask other) {
                                   at_once |= board_.ended(mover, other) == Outcome::loss;
                                   after.push_back(word_of(mover, other));
                               });
                if (at_once) after.resize(begin), results[i].plies = 1;
                ends.push_back(after.size());
            }
            found.resize(after.size());
            if (!stored(after, found, true, true)) return false;
            for (std::size_t n = 0, at = 0; n < ends.size(); ++n) {
                std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
                for (; at < ends[n]; ++at)
                    if (found[at].outcome == Outcome::loss) fewest = std::min(fewest, found[at].plies);
                Result& result = results[won[n]];
                if (result.plies == 1) continue;
                if (fewest < std::numeric_limits<std::int32_t>::max())
                    result.plies = fewest + 1;
                else
                    hooks_.wrong(words[won[n]]);
            }
        }
        return true;
    }

    // Which positions are won, and so need the plies of what follows them, is not known yet: all are taken to be.
    bool fetch_around(std::span<const std::uint64_t> words) {
        std::vector<std::uint64_t> after;
        for (const std::uint64_t word : words)
            if (has_plies_ && is_position(board_, word))
                each_successor(board_, static_cast<Mask>(word >> 32), static_cast<Mask>(word),
                               [&](Mask mover, Mask other) { after.push_back(word_of(mover, other)); });
        std::vector<Result> unused(std::max(words.size(), after.size()));
        for (int round = 0; round < 2; ++round) {  // indexes, then pieces
            std::vector<Wanted> wanted;
            Parts needs;
            locate(words, std::span(unused).first(words.size()), false, wanted, needs);
            locate(after, std::span(unused).first(after.size()), true, wanted, needs);
            if (needs.empty())
                for (const Wanted& its : wanted)
                    for (const bool plies : {false, true}) {
                        if (plies && !has_plies_) continue;
                        const auto found = pieces_.find(its.name);
                        const bool there = found != pieces_.end() &&
                                           (plies ? found->second.plies.has_value() : !found->second.outcomes.empty());
                        const Part part = part_of(its.name, plies);
                        if (!there && part.end - part.begin > 1) needs.insert(part);
                    }
            if (!needs.empty() && !hooks_.fetch(needs, true)) return false;
        }
        return true;
    }

    Board board_;
    Locator locator_;
    bool has_plies_;
    Reach reach_;
    Hooks hooks_;
    std::size_t kept_;
    int running_ = 0;
    std::array<std::array<int, max_cells + 1>, max_cells + 1> numbers_;  // of pairs, -1 for one that the table lacks
    std::vector<Pair> pairs_;
    std::unordered_map<Name, Piece> pieces_;
};

}  // namespace inarow::quixo
