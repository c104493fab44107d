#include "verify/positional/checker.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <thread>

#include "verify/positional/cells.hpp"

namespace inarow::verify {
namespace {

template <class Mask>
struct Position {
    Mask x;
    Mask o;

    bool operator==(const Position&) const = default;

    std::uint64_t hash() const {
        std::uint64_t h = 0;
        for (const Words& side : {to_words(x), to_words(o)}) {
            for (int w = 0; w < kWords<Mask>; ++w) {
                h = (h ^ side[w]) * 0x9E3779B97F4A7C15;
                h ^= h >> 32;
            }
        }
        return h * 0xD6E8FEB86659FD93;
    }
};

// --- The rules ---

template <class Mask>
struct Game {
    explicit Game(const GameData& game) : cells(game.cells), maker_breaker(game.maker_breaker), through(game.cells) {
        for (const Words& from : game.lines) {
            const Mask line = from_words<Mask>(from.data());
            require(line != 0 && (line & ~board<Mask>(cells)) == 0 && (kWords<Mask> == 2 || from[1] == 0),
                    "a line must have cells, and those of the board");
            lines.push_back(line);
        }
        std::sort(lines.begin(), lines.end());
        require(std::adjacent_find(lines.begin(), lines.end()) == lines.end(), "a line occurs twice");
        for (const Mask line : lines)
            for (Mask rest = line; rest != 0; rest = without_lowest(rest)) through[lowest(rest)].push_back(line);
    }

    // Whether O has won: with a line or, as the breaker, with a mark in every line.
    bool is_lost(Mask o) const {
        if (maker_breaker) return std::all_of(lines.begin(), lines.end(), [o](Mask line) { return (line & o) != 0; });
        return std::any_of(lines.begin(), lines.end(), [o](Mask line) { return (line & ~o) == 0; });
    }

    // The cells where one more mark completes a line.
    Mask threats(Mask mine, Mask theirs) const { return threats(mine, theirs, lines); }
    static Mask threats(Mask mine, Mask theirs, const std::vector<Mask>& among) {
        Mask result = 0;
        for (const Mask line : among) {
            const Mask lacking = line & ~mine;
            if ((lacking & theirs) == 0 && is_one(lacking)) result |= lacking;
        }
        return result;
    }

    int cells;
    bool maker_breaker;
    std::vector<Mask> lines;
    std::vector<std::vector<Mask>> through;  // [cell]: the lines it is in
};

// --- Symmetries ---

// The canonical image of a position has the least mask of X, and among those images, the least mask of O.
template <class Mask>
class Symmetries {
  public:
    Symmetries(const Game<Mask>& game, const std::vector<std::vector<std::uint8_t>>& permutations)
        : count_(permutations.size()), bits_(game.cells * permutations.size()) {
        require_symmetries(game.cells, game.lines, permutations);
        for (std::size_t s = 0; s < count_; ++s)
            for (int cell = 0; cell < game.cells; ++cell) bits_[cell * count_ + s] = bit<Mask>(permutations[s][cell]);
    }

    // The least image of X's cells, and all symmetries that give it.
    struct Least {
        Mask x;
        std::vector<int> symmetries;
        std::vector<Mask> images;  // a buffer
    };

    void find_least(Mask x, Least& least) const {
        least.images.assign(count_, 0);
        for (; x != 0; x = without_lowest(x)) {
            const Mask* of_cell = &bits_[lowest(x) * count_];
            for (std::size_t s = 0; s < count_; ++s) least.images[s] |= of_cell[s];
        }
        least.x = *std::min_element(least.images.begin(), least.images.end());
        least.symmetries.clear();
        for (std::size_t s = 0; s < count_; ++s)
            if (least.images[s] == least.x) least.symmetries.push_back(static_cast<int>(s));
    }

    Mask image(std::size_t symmetry, Mask mask) const {
        Mask result = 0;
        for (; mask != 0; mask = without_lowest(mask)) result |= bits_[lowest(mask) * count_ + symmetry];
        return result;
    }

    Mask image_of_cell(std::size_t symmetry, int cell) const { return bits_[cell * count_ + symmetry]; }

    // The canonical image, and all symmetries that give it.
    std::pair<Position<Mask>, std::vector<int>> canonical(const Position<Mask>& position, Least& least) const {
        find_least(position.x, least);
        Mask o = ~Mask{0};
        std::vector<int> leading;
        for (const int s : least.symmetries) {
            const Mask found = image(s, position.o);
            if (leading.empty() || found < o) {
                o = found;
                leading.clear();
            }
            if (found == o) leading.push_back(s);
        }
        return {{least.x, o}, leading};
    }

  private:
    std::size_t count_;
    std::vector<Mask> bits_;  // [cell][symmetry]: where the cell goes
};

// --- Sets of positions ---

// Numbers positions from 0 in the order of insertion. Open addressing; at most half of the slots are taken.
template <class Mask>
class PositionSet {
  public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    PositionSet() : slots_(1 << 10, kNone) {}

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash >> shift_]); }

    std::uint32_t find(const Position<Mask>& position) const { return slots_[slot_of(position, position.hash())]; }

    // The number of a position, and whether it is new.
    std::pair<std::uint32_t, bool> insert(const Position<Mask>& position, std::uint64_t hash) {
        const std::size_t slot = slot_of(position, hash);
        if (slots_[slot] != kNone) return {slots_[slot], false};
        if (positions_.size() == kNone) throw std::bad_alloc();
        const std::uint32_t number = slots_[slot] = static_cast<std::uint32_t>(positions_.size());
        positions_.push_back(position);
        if (2 * positions_.size() > slots_.size()) grow();
        return {number, true};
    }

    std::vector<Position<Mask>> take() { return std::move(positions_); }

    std::uint64_t bytes() const {
        return positions_.capacity() * sizeof(Position<Mask>) + slots_.size() * sizeof(std::uint32_t);
    }

  private:
    std::size_t slot_of(const Position<Mask>& position, std::uint64_t hash) const {
        std::size_t slot = hash >> shift_;
        while (slots_[slot] != kNone && positions_[slots_[slot]] != position) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), kNone);
        --shift_;
        for (std::size_t number = 0; number < positions_.size(); ++number) {
            std::size_t slot = positions_[number].hash() >> shift_;
            while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(number);
        }
    }

    std::vector<Position<Mask>> positions_;
    std::vector<std::uint32_t> slots_;  // numbers of positions
    int shift_ = 64 - 10;               // the upper bits of a hash choose the slot
};

// --- Forced wins ---

struct ForcedWin {
    int move;
    int threats;
};

// Searches for a forced win by threats, depth first. The result does not depend on earlier searches.
template <class Mask>
class ThreatSearch {
  public:
    explicit ThreatSearch(const Game<Mask>& game) : game_(game), failures_(kFailures, kNoPosition) {}

    // X is to move, and neither side can complete a line at once.
    std::optional<ForcedWin> find(const Position<Mask>& at) {
        pairs_.clear();
        add_pairs(at, game_.lines, 0);
        return search(at, kAnywhere, 0);
    }

  private:
    // The two cells that X lacks in a line without O's: a move at one makes a threat at the other.
    struct Pair {
        std::uint8_t a;
        std::uint8_t b;
        bool operator==(const Pair&) const = default;
    };

    static constexpr int kAnywhere = -1;
    static constexpr std::size_t kFailures = 1 << 16;
    static constexpr Position<Mask> kNoPosition{~Mask{0}, ~Mask{0}};

    // Appends the pairs of some lines, except those that are already there from index `first` on.
    void add_pairs(const Position<Mask>& at, const std::vector<Mask>& among, std::size_t first) {
        for (const Mask line : among) {
            const Mask lacking = line & ~at.x;
            if ((line & at.o) != 0 || !is_two(lacking)) continue;
            const Pair pair{static_cast<std::uint8_t>(lowest(lacking)),
                            static_cast<std::uint8_t>(lowest(without_lowest(lacking)))};
            if (std::find(pairs_.begin() + first, pairs_.end(), pair) == pairs_.end()) pairs_.push_back(pair);
        }
    }

    // The pairs of the position are those from index `first` on. `must` is the cell that O threatens, if any.
    std::optional<ForcedWin> search(const Position<Mask>& at, int must, std::size_t first) {
        const std::size_t last = pairs_.size();
        const Mask allowed = must == kAnywhere ? ~Mask{0} : bit<Mask>(must);
        Mask once = 0;
        Mask twice = 0;  // in two pairs: a move here makes two threats, of which O, who has none, can block one
        for (std::size_t i = first; i < last; ++i) {
            const Mask both = bit<Mask>(pairs_[i].a) | bit<Mask>(pairs_[i].b);
            twice |= once & both;
            once |= both;
        }
        if ((twice & allowed) != 0) return ForcedWin{lowest(twice & allowed), 1};
        if ((once & allowed) == 0) return std::nullopt;

        Position<Mask>& failure = failures_[at.hash() % kFailures];
        if (failure == at) return std::nullopt;
        for (std::size_t i = last; i-- > first;) {  // the newest first: the last move made them
            const Pair pair = pairs_[i];
            for (const auto& [move, reply] : {std::pair{pair.a, pair.b}, {pair.b, pair.a}}) {
                if ((allowed >> move & 1) == 0) continue;
                if (const auto found = after(at, move, reply, first, last)) return ForcedWin{move, found->threats + 1};
            }
        }
        failure = at;
        return std::nullopt;
    }

    // Continues after a move and the reply it forces.
    std::optional<ForcedWin> after(const Position<Mask>& at, int move, int reply, std::size_t first, std::size_t last) {
        const Position<Mask> next{at.x | bit<Mask>(move), at.o | bit<Mask>(reply)};
        int must = kAnywhere;
        if (!game_.maker_breaker) {  // O had no threat before, or X has just blocked it
            const Mask threats = game_.threats(next.o, next.x, game_.through[reply]);
            if (threats != 0) must = lowest(threats);
            if (without_lowest(threats) != 0) return std::nullopt;
        }
        // X cannot complete a line now: one that gained an X and lacks one cell lacks `reply`, which has an O.
        for (std::size_t i = first; i < last; ++i) {
            const Pair pair = pairs_[i];
            if (pair.a != move && pair.a != reply && pair.b != move && pair.b != reply) pairs_.push_back(pair);
        }
        add_pairs(next, game_.through[move], last);
        const auto found = search(next, must, last);
        pairs_.resize(last);
        return found;
    }

    const Game<Mask>& game_;
    std::vector<Pair> pairs_;  // of the current position, after those of the positions before it
    // Positions without a forced win, each at the index of its hash; newer ones overwrite older ones.
    std::vector<Position<Mask>> failures_;
};

// --- The dictionary ---

template <class Mask>
struct Dictionary {
    Dictionary(const Symmetries<Mask>& symmetries, const Answers& from, const Options& options) {
        require(from.count < PositionSet<Mask>::kNone, "too many answers");
        typename Symmetries<Mask>::Least room;
        for (std::size_t i = 0; i < from.count; ++i) {
            if (i % (1 << 16) == 0 && options.progress) options.progress(0, 0);
            const std::uint64_t* at = from.positions + i * 2 * kWords<Mask>;
            const auto [canonical, leading] =
                symmetries.canonical({from_words<Mask>(at), from_words<Mask>(at + kWords<Mask>)}, room);
            const auto [number, is_new] = positions.insert(canonical, canonical.hash());
            const int move = from.moves[i];
            if (is_new) {
                moves.push_back(static_cast<std::uint8_t>(lowest(symmetries.image_of_cell(leading[0], move))));
                answers.push_back(static_cast<std::uint32_t>(i));
            } else {
                const Mask known = bit<Mask>(moves[number]);
                if (std::none_of(leading.begin(), leading.end(),
                                 [&](int s) { return symmetries.image_of_cell(s, move) == known; }))
                    conflicts.emplace_back(i, answers[number]);
            }
        }
    }

    PositionSet<Mask> positions;         // canonical
    std::vector<std::uint8_t> moves;     // the move in each, in its canonical form
    std::vector<std::uint32_t> answers;  // the first answer to each
    std::vector<std::pair<std::size_t, std::size_t>> conflicts;
};

// --- Rolling out ---

struct Decision {
    Rule rule = Rule::Failed;
    Failure failure = Failure::Unanswered;
    std::uint8_t move = 0;
    bool won = false;          // the move completes a line
    int threats = 0;           // of a forced win
    std::uint32_t number = 0;  // of the position in the dictionary
};

template <class Mask>
class Player {
  public:
    Player(const Game<Mask>& game, const Dictionary<Mask>& dictionary, bool assisted)
        : game_(game), dictionary_(dictionary), assisted_(assisted), search_(game) {}

    // At a canonical position with X to move and no line of X's.
    Decision decide(const Position<Mask>& at) {
        if (game_.is_lost(at.o)) return failed(Failure::Lost);
        const Mask empty = board<Mask>(game_.cells) & ~(at.x | at.o);
        if (empty == 0) return failed(Failure::Drawn);
        Decision decision = choose(at);
        if (decision.rule == Rule::Failed || decision.won) return decision;
        return is_one(empty) ? failed(Failure::Drawn) : decision;
    }

  private:
    static Decision failed(Failure failure) {
        Decision decision;
        decision.failure = failure;
        return decision;
    }

    Decision choose(const Position<Mask>& at) {
        Decision decision;
        const auto play = [&](Rule rule, int move, bool won) {
            decision.rule = rule;
            decision.move = static_cast<std::uint8_t>(move);
            decision.won = won;
            return decision;
        };
        const Mask wins = game_.threats(at.x, at.o);
        if (assisted_) {
            if (wins != 0) return play(Rule::Win, lowest(wins), true);
            const Mask blocks = game_.maker_breaker ? Mask{0} : game_.threats(at.o, at.x);
            if (is_one(blocks)) return play(Rule::Block, lowest(blocks), false);
            if (blocks != 0) return failed(Failure::TwoThreats);
        }
        decision.number = dictionary_.positions.find(at);
        if (decision.number != PositionSet<Mask>::kNone) {
            const int move = dictionary_.moves[decision.number];
            return play(Rule::Dictionary, move, (wins >> move & 1) != 0);
        }
        if (assisted_) {
            if (const auto found = search_.find(at)) {
                decision.threats = found->threats;
                return play(Rule::Forced, found->move, false);
            }
        }
        return decision;
    }

    const Game<Mask>& game_;
    const Dictionary<Mask>& dictionary_;
    const bool assisted_;
    ThreatSearch<Mask> search_;
};

// Proceeds from the positions after 2n plies to those after 2n + 2, so that each is met once, whatever games reach it.
template <class Mask>
class Roller {
  public:
    Roller(const GameData& data, const Answers& answers, const Options& options)
        : options_(options),
          game_(data),
          symmetries_(game_, data.symmetries),
          dictionary_(symmetries_, answers, options) {
        result_.used.assign(answers.count, 0);
        result_.conflicts = dictionary_.conflicts;
        result_.words = kWords<Mask>;
        for (int t = 0; t < std::max(1, options.threads); ++t)
            players_.emplace_back(game_, dictionary_, options.assisted);
    }

    RollOut run() {
        level_.assign(1, Position<Mask>{0, 0});
        parents_.assign(1, 0);
        std::uint64_t done = 0;
        for (int plies = 0; !level_.empty(); plies += 2) {
            past_.emplace_back();
            for (std::size_t first = 0; first < level_.size(); first += kAtOnce) {
                const std::size_t last = std::min(level_.size(), first + kAtOnce);
                decide(first, last);
                for (std::size_t i = first; i < last; ++i) take(i, decisions_[i - first], plies);
                if (options_.progress) options_.progress(done + last, plies);
                if (bytes() > options_.memory_limit) throw std::bad_alloc();
            }
            done += level_.size();
            level_ = next_.take();
            next_ = {};
            parents_ = std::move(next_parents_);
            next_parents_ = {};
        }
        return std::move(result_);
    }

  private:
    static constexpr std::size_t kAtOnce = 4096;

    // The positions of a level from which games continue.
    struct Past {
        std::vector<Position<Mask>> positions;
        std::vector<std::uint32_t> parents;  // in the level before
        std::vector<std::uint8_t> moves;
    };

    void decide(std::size_t first, std::size_t last) {
        decisions_.resize(last - first);
        std::atomic<std::size_t> next = first;
        std::vector<std::exception_ptr> errors(players_.size());
        const auto work = [&](std::size_t player) {
            try {
                constexpr std::size_t kStride = 64;
                for (std::size_t from; (from = next.fetch_add(kStride)) < last;)
                    for (std::size_t i = from; i < std::min(last, from + kStride); ++i)
                        decisions_[i - first] = players_[player].decide(level_[i]);
            } catch (...) {
                errors[player] = std::current_exception();
            }
        };
        {
            std::vector<std::jthread> others;
            if (last - first > 256)
                for (std::size_t p = 1; p < players_.size(); ++p) others.emplace_back(work, p);
            work(0);
        }
        for (const std::exception_ptr& error : errors)
            if (error) std::rethrow_exception(error);
    }

    // Counts a position, and adds those after O's replies to the next level.
    void take(std::size_t i, const Decision& decision, int plies) {
        const Position<Mask> at = level_[i];
        ++result_.positions[static_cast<int>(decision.rule)];
        if (options_.kept >> static_cast<int>(decision.rule) & 1) {
            for (const Words& side : {to_words(at.x), to_words(at.o)})
                result_.kept_positions.insert(result_.kept_positions.end(), side.begin(), side.begin() + kWords<Mask>);
            result_.kept_moves.push_back(decision.move);
        }
        if (decision.rule == Rule::Failed) {
            if (!result_.counterexample) result_.counterexample = game_to(at, parents_[i], decision.failure);
            return;
        }
        if (decision.rule == Rule::Dictionary) result_.used[dictionary_.answers[decision.number]] = 1;
        if (decision.rule == Rule::Forced)
            result_.longest_threats = std::max(result_.longest_threats, decision.threats);
        const bool proved = decision.rule == Rule::Forced && options_.proof_only;
        if (decision.won || proved) {
            result_.longest_game = std::max(result_.longest_game, plies + 2 * decision.threats + 1);
            return;
        }
        reply(at, decision.move, static_cast<std::uint32_t>(past_.back().positions.size()));
        past_.back().positions.push_back(at);
        past_.back().parents.push_back(parents_[i]);
        past_.back().moves.push_back(decision.move);
    }

    void reply(const Position<Mask>& at, int move, std::uint32_t parent) {
        const Mask x = at.x | bit<Mask>(move);
        const Mask empty = board<Mask>(game_.cells) & ~(x | at.o);
        symmetries_.find_least(x, least_);
        replies_.assign(count(empty), ~Mask{0});  // for each, the least image of O's cells
        for (const int s : least_.symmetries) {
            const Mask o = symmetries_.image(s, at.o);
            auto reply = replies_.begin();
            for (Mask rest = empty; rest != 0; rest = without_lowest(rest), ++reply)
                *reply = std::min(*reply, o | symmetries_.image_of_cell(s, lowest(rest)));
        }
        hashes_.clear();
        for (const Mask o : replies_) {
            hashes_.push_back(Position<Mask>{least_.x, o}.hash());
            next_.prefetch(hashes_.back());
        }
        for (std::size_t r = 0; r < replies_.size(); ++r)
            if (next_.insert({least_.x, replies_[r]}, hashes_[r]).second) next_parents_.push_back(parent);
    }

    // A game that reaches a position, or an image of it. The positions on the way are canonical, each an image under
    // some symmetry, so that the game is replayed from the empty board.
    Counterexample game_to(const Position<Mask>& last, std::uint32_t parent, Failure failure) const {
        std::vector<std::pair<Position<Mask>, int>> way;  // positions and X's moves there, the last one first
        for (std::size_t level = past_.size() - 1; level-- > 0;) {
            way.emplace_back(past_[level].positions[parent], past_[level].moves[parent]);
            parent = past_[level].parents[parent];
        }
        typename Symmetries<Mask>::Least room;
        Counterexample result{{}, failure};
        Position<Mask> at{0, 0};
        for (std::size_t i = way.size(); i-- > 0;) {
            const auto turned = symmetries_.canonical(at, room).second[0];
            int move = 0;
            while (symmetries_.image_of_cell(turned, move) != bit<Mask>(way[i].second)) ++move;
            at.x |= bit<Mask>(move);
            const Position<Mask>& goal = i == 0 ? last : way[i - 1].first;
            const auto leads_there = [&](int cell) {
                return ((at.x | at.o) >> cell & 1) == 0 &&
                       symmetries_.canonical({at.x, at.o | bit<Mask>(cell)}, room).first == goal;
            };
            int reply = 0;
            while (reply < game_.cells && !leads_there(reply)) ++reply;
            require(reply < game_.cells, "the symmetries are not a group");
            at.o |= bit<Mask>(reply);
            result.moves.insert(result.moves.end(), {move, reply});
        }
        return result;
    }

    std::uint64_t bytes() const {
        std::uint64_t sum = next_.bytes() + dictionary_.positions.bytes();
        for (const auto* numbers : {&parents_, &next_parents_}) sum += numbers->capacity() * sizeof(std::uint32_t);
        sum += level_.capacity() * sizeof(Position<Mask>);
        for (const Past& past : past_) sum += past.positions.capacity() * (sizeof(Position<Mask>) + 5);
        sum += result_.kept_positions.capacity() * 8 + result_.kept_moves.capacity();
        return sum;
    }

    const Options& options_;
    const Game<Mask> game_;
    const Symmetries<Mask> symmetries_;
    const Dictionary<Mask> dictionary_;
    std::vector<Player<Mask>> players_;  // one for each thread
    RollOut result_;

    std::vector<Position<Mask>> level_;
    std::vector<std::uint32_t> parents_;  // in past_ of the level before
    PositionSet<Mask> next_;
    std::vector<std::uint32_t> next_parents_;
    std::vector<Past> past_;

    std::vector<Decision> decisions_;  // these four are buffers
    typename Symmetries<Mask>::Least least_;
    std::vector<Mask> replies_;
    std::vector<std::uint64_t> hashes_;
};

template <class Mask>
std::optional<std::string> fault_of(int cells, const std::uint64_t* position, int move) {
    const Mask x = from_words<Mask>(position);
    const Mask o = from_words<Mask>(position + kWords<Mask>);
    if (((x | o) & ~board<Mask>(cells)) != 0)
        return "a mark is not on the board of " + std::to_string(cells) + " cells";
    if ((x & o) != 0) return "a cell has both marks";
    if (count(x) != count(o))
        return std::to_string(count(x)) + " x and " + std::to_string(count(o)) + " o: X is not to move";
    if (move >= cells) return "the move is not on the board of " + std::to_string(cells) + " cells";
    if (((x | o) >> move & 1) != 0) return "the move is to a cell that is taken";
    return std::nullopt;
}

template <class Mask>
std::vector<std::optional<std::pair<int, int>>> find_forced(const GameData& data, std::size_t count,
                                                            const std::uint64_t* positions) {
    const Game<Mask> game(data);
    ThreatSearch<Mask> search(game);
    std::vector<std::optional<std::pair<int, int>>> result;
    for (std::size_t i = 0; i < count; ++i, positions += 2 * kWords<Mask>) {
        const Position<Mask> at{from_words<Mask>(positions), from_words<Mask>(positions + kWords<Mask>)};
        require((at.x & at.o) == 0 && ((at.x | at.o) & ~board<Mask>(game.cells)) == 0, "no such position");
        require(game.threats(at.x, at.o) == 0 && (game.maker_breaker || game.threats(at.o, at.x) == 0),
                "a line can be completed at once");
        const auto found = search.find(at);
        result.push_back(found ? std::optional{std::pair{found->move, found->threats}} : std::nullopt);
    }
    return result;
}

}  // namespace

std::optional<std::pair<std::size_t, std::string>> fault(int cells, const Answers& answers) {
    const int stride = 2 * word_count(cells);
    const auto check = word_count(cells) == 1 ? fault_of<std::uint64_t> : fault_of<Wide>;
    for (std::size_t i = 0; i < answers.count; ++i)
        if (const auto found = check(cells, answers.positions + i * stride, answers.moves[i])) return {{i, *found}};
    return std::nullopt;
}

RollOut roll_out(const GameData& game, const Answers& answers, const Options& options) {
    require(game.cells >= 1 && game.cells <= kMaxBoard, "a board has 1 to 128 cells");
    if (const auto found = fault(game.cells, answers))
        throw std::invalid_argument("answer " + std::to_string(found->first) + ": " + found->second);
    if (word_count(game.cells) == 1) return Roller<std::uint64_t>(game, answers, options).run();
    return Roller<Wide>(game, answers, options).run();
}

std::vector<std::optional<std::pair<int, int>>> forced_wins(const GameData& game, std::size_t count,
                                                            const std::uint64_t* positions) {
    require(game.cells >= 1 && game.cells <= kMaxBoard, "a board has 1 to 128 cells");
    const auto find = word_count(game.cells) == 1 ? find_forced<std::uint64_t> : find_forced<Wide>;
    return find(game, count, positions);
}

}  // namespace inarow::verify
