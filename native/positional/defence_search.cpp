#include "positional/defence_search.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <unordered_set>

#include "random.hpp"

namespace inarow::positional {
namespace {

constexpr std::uint64_t kReportEvery = 1 << 10;         // nodes
constexpr std::uint64_t kOne = std::uint64_t{1} << 32;  // the weight 1
constexpr std::uint32_t kInfinite = 1'000'000'000;
constexpr std::uint64_t kSlope = 64;  // proof number of a weight of 1
constexpr int kTries = 200;           // to pair up cells
constexpr int kPairedReplies = 12;    // of O, the heaviest ones, that are tried for pairs before they are searched
constexpr std::uint8_t kNoCell = 255;

// What X and O lack of the lines that they can still complete.
template <class Mask>
struct Lacking {
    std::vector<Mask> x;
    std::vector<Mask> o;
};

template <class Mask>
std::uint64_t weight_of(Mask lacking) {
    return std::max<std::uint64_t>(1, kOne >> std::min(count(lacking), 63));
}

enum class Side : std::uint8_t { X, O };

constexpr Side other(Side side) { return side == Side::X ? Side::O : Side::X; }

// How far the side to move and its opponent are from their aims: X's is a line, O's that X never gets one. 0: reached.
struct Numbers {
    std::uint32_t mine;
    std::uint32_t theirs;
    bool is_settled() const { return mine == 0 || theirs == 0; }
};
constexpr Numbers kReached{0, kInfinite};
constexpr Numbers kMissed{kInfinite, 0};

// A position up to symmetry and the side to move, as 128 bits of a hash: what is written down at the end is checked by
// another program.
struct Key {
    std::uint64_t first;
    std::uint64_t second;
    bool operator==(const Key&) const = default;
};

class Table {
  public:
    struct Entry {
        Key key{};
        Numbers numbers{};            // both 0: there is no entry
        std::uint8_t move = kNoCell;  // that reaches the aim
    };

    explicit Table(std::uint64_t memory_limit) : limit_(memory_limit), entries_(1 << 12) {}

    const Entry* find(const Key& key) const {
        const Entry& entry = entries_[place(entries_, key)];
        return is_free(entry) ? nullptr : &entry;
    }

    void insert(const Entry& entry) {
        if (3 * kept_ > 2 * entries_.size()) grow();
        Entry& at = entries_[place(entries_, entry.key)];
        kept_ += is_free(at);
        at = entry;
    }

    std::uint64_t kept() const { return kept_; }

  private:
    static bool is_free(const Entry& entry) { return entry.numbers.mine == 0 && entry.numbers.theirs == 0; }

    static std::size_t place(const std::vector<Entry>& entries, const Key& key) {
        std::size_t at = key.second & (entries.size() - 1);
        while (!is_free(entries[at]) && entries[at].key != key) at = (at + 1) & (entries.size() - 1);
        return at;
    }

    void grow() {
        // While entries move, both tables are in memory.
        if (3 * entries_.size() * sizeof(Entry) > limit_) throw std::bad_alloc();
        std::vector<Entry> larger(2 * entries_.size());
        for (const Entry& entry : entries_)
            if (!is_free(entry)) larger[place(larger, entry.key)] = entry;
        entries_.swap(larger);
    }

    std::uint64_t limit_;
    std::vector<Entry> entries_;
    std::uint64_t kept_ = 0;
};

// --- Positions ---

template <class Mask>
void reduce(Lacking<Mask>& at) {
    for (auto* lines : {&at.x, &at.o}) {
        std::sort(lines->begin(), lines->end(), [](Mask a, Mask b) {
            const int sizes = count(a) - count(b);
            return sizes != 0 ? sizes < 0 : a < b;
        });
        drop_longer(*lines, [](Mask line) { return line; });
    }
    for (;;) {
        Mask once = 0, more = 0;
        for (const Mask line : at.x) {
            more |= once & line;
            once |= line;
        }
        for (const Mask line : at.o) more |= line;
        const Mask alone = once & ~more;
        if (std::erase_if(at.x, [alone](Mask line) { return count(line & alone) >= 2; }) == 0) return;
    }
}

template <class Mask>
void mark(Lacking<Mask>& at, Side side, Mask cell) {
    auto& own = side == Side::X ? at.x : at.o;
    auto& others = side == Side::X ? at.o : at.x;
    for (Mask& line : own) line &= ~cell;
    std::erase_if(others, [cell](Mask line) { return (line & cell) != 0; });
    reduce(at);
}

// The cells where one more mark completes a line.
template <class Mask>
Mask threats(const std::vector<Mask>& lines) {
    Mask cells = 0;
    for (const Mask line : lines)
        if (without_lowest(line) == 0) cells |= line;
    return cells;
}

template <class Mask>
std::uint64_t weight(const std::vector<Mask>& lines) {
    std::uint64_t sum = 0;
    for (const Mask line : lines) sum += weight_of(line);
    return sum;
}

enum class Equals : bool { FirstOnly, All };

// The cells that no other cell is better than, and of equally good ones the first or all.
template <class Mask>
Mask worth_trying(const Lacking<Mask>& at, Equals equals) {
    Mask cells = 0;
    for (const auto* lines : {&at.x, &at.o})
        for (const Mask line : *lines) cells |= line;
    std::array<Mask, kMaxCells> common;  // the cells that are in all lines of a cell
    for (Mask rest = cells; rest != 0; rest = without_lowest(rest)) common[lowest(rest)] = cells;
    for (const auto* lines : {&at.x, &at.o})
        for (const Mask line : *lines)
            for (Mask rest = line; rest != 0; rest = without_lowest(rest)) common[lowest(rest)] &= line;
    Mask worth = 0;
    for (Mask rest = cells; rest != 0; rest = without_lowest(rest)) {
        const int cell = lowest(rest);
        bool better = false;
        for (Mask others = common[cell] & ~bit<Mask>(cell); others != 0 && !better; others = without_lowest(others)) {
            const int other = lowest(others);
            const bool is_equal = (common[other] & bit<Mask>(cell)) != 0;
            better = !is_equal || (equals == Equals::FirstOnly && other < cell);
        }
        if (!better) worth |= bit<Mask>(cell);
    }
    return worth;
}

// --- Pairs ---

// Whether O, to move after any move of X, blocks lines by their weight.
template <class Mask>
bool is_light(const std::vector<Mask>& lines, Mask used) {
    std::array<std::uint64_t, kMaxCells> of_cell{};
    std::uint64_t sum = 0, heaviest = 0;
    for (const Mask line : lines) {
        const Mask free = line & ~used;
        const std::uint64_t w = weight_of(free);
        if ((sum += w) >= kOne) return false;
        for (Mask rest = free; rest != 0; rest = without_lowest(rest))
            heaviest = std::max(heaviest, of_cell[lowest(rest)] += w);
    }
    return sum + heaviest < kOne;
}

template <class Mask>
class Pairing {
  public:
    // Pairs with which O blocks all lines, if a few tries find them; X is to move.
    bool find(const std::vector<Mask>& lines) {
        tries_ = kTries;
        pairs.clear();
        return extend(lines, 0);
    }

    std::vector<Mask> pairs;

  private:
    bool extend(const std::vector<Mask>& open, Mask used) {
        if (tries_-- == 0) return false;
        const Mask line = tightest(open, used);
        if (line == 0 && !open.empty()) return false;
        if (is_light(open, used)) return true;
        std::vector<std::pair<int, Mask>> options;
        each_pair(line, open, [&](Mask pair, int held) { options.emplace_back(held, pair); });
        std::stable_sort(options.begin(), options.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [held, pair] : options) {
            std::vector<Mask> rest;
            for (const Mask line : open)
                if ((line & pair) != pair) rest.push_back(line);
            pairs.push_back(pair);
            if (extend(rest, used | pair)) return true;
            pairs.pop_back();
            if (tries_ <= 0) return false;
        }
        return false;
    }

    int tries_ = 0;
};

// --- The search ---

template <class Mask>
class Search final : public DefenceSearch {
  public:
    Search(const Game& game, std::uint64_t memory_limit)
        : board_(game),
          start_{board_.lines, game.maker_breaker ? std::vector<Mask>{} : board_.lines},
          table_(memory_limit) {
        reduce(start_);
    }

    bool defends() override {
        Numbers found = value_for_x(start_, true);
        if (!found.is_settled()) found = search(start_, Side::X, {kInfinite, kInfinite});
        return found.theirs == 0;
    }

    std::vector<DefenceLine> lines() override {
        struct Waiting {
            Mask x;
            Mask o;
            Lines at;  // X is to move
        };
        struct Hash {
            std::size_t operator()(const Key& key) const { return key.first; }
        };
        std::vector<DefenceLine> written;
        std::unordered_set<Key, Hash> seen;
        std::vector<Waiting> waiting;
        // Writes the answer that led to a position, and keeps the position unless pairs close it.
        const auto write = [&](Waiting next, int answer, bool is_forced) {
            const bool is_closed = pairing_.find(next.at.x) && !pairing_.pairs.empty();
            if (is_closed || (answer != DefenceLine::kNone && !is_forced)) {
                DefenceLine line{to_words(next.x), to_words(next.o), answer, {}};
                if (is_closed)
                    for (const Mask pair : pairing_.pairs)
                        line.pairs.emplace_back(lowest(pair), lowest(without_lowest(pair)));
                written.push_back(std::move(line));
            }
            if (is_closed) return;
            if (answer != DefenceLine::kNone) next.o |= bit<Mask>(answer);
            waiting.push_back(std::move(next));
        };
        write({0, 0, start_}, DefenceLine::kNone, false);
        while (!waiting.empty()) {
            const Waiting here = std::move(waiting.back());
            waiting.pop_back();
            if (without_lowest(threats(here.at.o)) != 0) continue;
            // Which of equally good cells is the first depends on how the board is turned.
            for (const int move : moves(here.at, Side::X, Equals::All)) {
                Waiting next{here.x | bit<Mask>(move), here.o, here.at};
                mark(next.at, Side::X, bit<Mask>(move));
                if (threats(next.at.o) != 0 || weight(next.at.x) < kOne) continue;
                if (!seen.insert(key_of(next.at, Side::O).first).second) continue;
                const bool is_forced = threats(next.at.x) != 0;
                const int answer = reply(next.at);
                mark(next.at, Side::O, bit<Mask>(answer));
                write(std::move(next), answer, is_forced);
            }
        }
        return written;
    }

    Statistics statistics() const override { return {nodes_, table_.kept(), 0}; }

  private:
    using Lines = Lacking<Mask>;

    struct Child {
        Lines at;
        Numbers numbers;
        int move;
    };

    std::pair<Key, std::size_t> key_of(const Lines& at, Side to_move) const {
        constexpr std::uint64_t kOfX = 0x9E3779B97F4A7C15, kOfO = 0xD6E8FEB86659FD93, kSecond = 0xC2B2AE3D27D4EB4F;
        const auto hash = [&at](const Permutation<Mask>& to, std::uint64_t seed) {
            std::uint64_t sum = seed;
            const auto add = [&](Mask line, std::uint64_t salt) {
                const Words words = to_words(to(line));
                sum += mixed(mixed(words[0] + seed + salt) + words[1]);
            };
            for (const Mask line : at.x) add(line, kOfX);
            for (const Mask line : at.o) add(line, kOfO);
            return sum;
        };
        const auto seed = static_cast<std::uint64_t>(to_move);
        std::size_t which = 0;
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t s = 0; s < board_.symmetries.size(); ++s)
            if (const std::uint64_t image = hash(board_.symmetries[s], seed); image < least) {
                least = image;
                which = s;
            }
        return {{least, hash(board_.symmetries[which], kSecond + seed)}, which};
    }

    Numbers value_for_x(const Lines& at, bool look_for_pairs) {
        if (threats(at.x) != 0) return kReached;
        const Mask must = threats(at.o);
        if (at.x.empty() || without_lowest(must) != 0) return kMissed;
        const Key key = key_of(at, Side::X).first;
        if (const Table::Entry* found = table_.find(key)) return found->numbers;
        if (must == 0) {
            Mask once = 0;  // in a line that lacks two cells
            for (const Mask line : at.x) {
                if (count(line) > 2) break;
                if ((once & line) != 0) return kReached;
                once |= line;
            }
        }
        if (look_for_pairs && pairing_.find(at.x)) {
            table_.insert({key, kMissed});
            return kMissed;
        }
        return {1, static_cast<std::uint32_t>(1 + kSlope * weight(at.x) / kOne)};
    }

    Numbers value_for_o(const Lines& at) {
        if (threats(at.o) != 0) return kReached;
        if (without_lowest(threats(at.x)) != 0) return kMissed;
        const std::uint64_t heavy = weight(at.x);
        if (heavy < kOne) return kReached;
        if (const Table::Entry* found = table_.find(key_of(at, Side::O).first)) return found->numbers;
        return {static_cast<std::uint32_t>(1 + kSlope * (heavy - kOne) / kOne), 1};
    }

    // Works on the most promising move until a number reaches its limit. For the opponent's number all moves count: the
    // largest of theirs and how many there are stand for their sum, which would count shared positions many times.
    Numbers search(const Lines& at, Side to_move, Numbers limits) {
        if (++nodes_ % kReportEvery == 0 && report) report();
        const auto [key, symmetry] = key_of(at, to_move);
        const auto settled = [&, symmetry = symmetry, key = key](Numbers numbers, int move) {
            const int image = move == kNoCell ? kNoCell : lowest(board_.symmetries[symmetry](bit<Mask>(move)));
            table_.insert({key, numbers, static_cast<std::uint8_t>(image)});
            return numbers;
        };
        if (to_move == Side::X && table_.find(key) == nullptr && pairing_.find(at.x)) return settled(kMissed, kNoCell);
        std::vector<Child> children;
        int tried = 0;
        for (const int move : moves(at, to_move)) {
            Child child{at, {}, move};
            mark(child.at, to_move, bit<Mask>(move));
            child.numbers =
                to_move == Side::X ? value_for_o(child.at) : value_for_x(child.at, tried++ < kPairedReplies);
            if (child.numbers.theirs == 0) return settled(kReached, move);
            if (child.numbers.mine != 0) children.push_back(std::move(child));
        }
        for (;;) {
            std::erase_if(children, [](const Child& child) { return child.numbers.mine == 0; });
            if (children.empty()) return settled(kMissed, kNoCell);
            Child* best = nullptr;
            std::uint32_t hardest = 0, second = kInfinite;
            for (Child& child : children) {
                hardest = std::max(hardest, child.numbers.mine);
                if (best == nullptr || child.numbers.theirs < best->numbers.theirs ||
                    (child.numbers.theirs == best->numbers.theirs && child.numbers.mine > best->numbers.mine)) {
                    if (best != nullptr) second = std::min(second, best->numbers.theirs);
                    best = &child;
                } else {
                    second = std::min(second, child.numbers.theirs);
                }
            }
            if (best->numbers.theirs == 0) return settled(kReached, best->move);
            const auto others = static_cast<std::uint32_t>(children.size() - 1);
            const Numbers now{best->numbers.theirs, std::min(kInfinite - 1, hardest + others)};
            if (now.mine >= limits.mine || now.theirs >= limits.theirs) return settled(now, kNoCell);
            best->numbers = search(best->at, other(to_move),
                                   {limits.theirs == kInfinite ? kInfinite : limits.theirs - others,
                                    std::min(limits.mine, second + std::max(1U, second / 4))});
        }
    }

    // The cells worth trying, the heaviest first; only one where the opponent would complete a line.
    std::vector<int> moves(const Lines& at, Side to_move, Equals equals = Equals::FirstOnly) const {
        const Mask must = threats(to_move == Side::X ? at.o : at.x);
        std::vector<int> order;
        for (Mask rest = must != 0 ? must : worth_trying(at, equals); rest != 0; rest = without_lowest(rest))
            order.push_back(lowest(rest));
        std::array<std::uint64_t, kMaxCells> heavy{};
        for (const Mask line : at.x)
            for (Mask rest = line; rest != 0; rest = without_lowest(rest)) heavy[lowest(rest)] += weight_of(line);
        std::stable_sort(order.begin(), order.end(), [&heavy](int a, int b) { return heavy[a] > heavy[b]; });
        return order;
    }

    // O's answer to a position in which it defends.
    int reply(const Lines& at) {
        const auto [key, symmetry] = key_of(at, Side::O);
        const Table::Entry* found = table_.find(key);
        if (found == nullptr || found->numbers.mine != 0) {
            // The tries found pairs for an image of an earlier position, but not for that position itself.
            search(at, Side::O, {kInfinite, kInfinite});
            found = table_.find(key);
        }
        require(found != nullptr && found->numbers.mine == 0, "there is no defence");
        return lowest(board_.back[symmetry](bit<Mask>(found->move)));
    }

    Board<Mask> board_;
    Lines start_;
    Table table_;
    Pairing<Mask> pairing_;
    std::uint64_t nodes_ = 0;
};

}  // namespace

std::unique_ptr<DefenceSearch> make_defence_search(const Game& game, std::uint64_t memory_limit) {
    require(game.cells >= 1 && game.cells <= kMaxCells, "a board has 1 to 128 cells");
    if (game.cells <= 64) return std::make_unique<Search<std::uint64_t>>(game, memory_limit);
    return std::make_unique<Search<Wide>>(game, memory_limit);
}

}  // namespace inarow::positional
