#include "verify/positional/defence.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "verify/positional/cells.hpp"

namespace inarow::verify {
namespace {

using Cells = Wide;  // a set of cells: bit c is cell c

constexpr std::uint64_t kOne = std::uint64_t{1} << 62;  // the weight 1
constexpr std::uint64_t kReportEvery = 1 << 10;

template <class Visit>
void each_cell(Cells cells, Visit visit) {
    for (int word = 0; word < 2; ++word)
        for (auto rest = static_cast<std::uint64_t>(cells >> 64 * word); rest != 0; rest &= rest - 1)
            visit(64 * word + std::countr_zero(rest));
}

bool contains(Cells larger, Cells smaller) { return (smaller & ~larger) == 0; }

// Rounded up, so that many cells weigh too much rather than too little.
std::uint64_t weight(Cells lacking) { return std::max<std::uint64_t>(1, kOne >> std::min(count(lacking), 63)); }

using Lines = std::vector<Cells>;  // what each of them lacks, in ascending order, none twice

struct Position {
    Lines x;
    Lines o;
    bool operator==(const Position&) const = default;
};

struct Hash {
    std::size_t operator()(const Position& position) const {
        std::uint64_t h = position.x.size();
        for (const Lines* lines : {&position.x, &position.o})
            for (const Cells line : *lines)
                for (const auto word : {static_cast<std::uint64_t>(line), static_cast<std::uint64_t>(line >> 64)})
                    h = (std::rotl(h, 23) ^ word) * 0x9E3779B97F4A7C15;
        return h ^ h >> 32;
    }
};

void sort(Lines& lines) {
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

// --- The rules that drop lines and cells ---

void drop_longer(Lines& lines) {
    Lines kept;
    for (const Cells line : lines)
        if (std::none_of(lines.begin(), lines.end(),
                         [line](Cells other) { return other != line && contains(line, other); }))
            kept.push_back(line);
    lines.swap(kept);
}

// Drops one line of X with two cells that no other line lacks; whether there was one.
bool drop_alone(Position& at) {
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        Cells alone = at.x[i];
        for (std::size_t j = 0; j < at.x.size(); ++j)
            if (j != i) alone &= ~at.x[j];
        for (const Cells line : at.o) alone &= ~line;
        if (count(alone) < 2) continue;
        at.x.erase(at.x.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }
    return false;
}

void reduce(Position& at) {
    for (Lines* lines : {&at.x, &at.o}) {
        sort(*lines);
        drop_longer(*lines);
    }
    while (drop_alone(at)) {
    }
}

// The position after a mark in a cell: `own` are the lines of the side that marks it.
void mark(Lines& own, Lines& others, int cell) {
    for (Cells& line : own) line &= ~bit<Cells>(cell);
    std::erase_if(others, [cell](Cells line) { return (line & bit<Cells>(cell)) != 0; });
}

// The cells that X has to try: for any other cell, one of these is in all lines that lack that cell.
std::vector<int> worth_trying(const Position& at) {
    std::array<Cells, kMaxBoard> common;  // to all lines that lack a cell
    common.fill(~Cells{0});
    Cells cells = 0;
    for (const Lines* lines : {&at.x, &at.o})
        for (const Cells line : *lines) {
            cells |= line;
            each_cell(line, [&](int cell) { common[cell] &= line; });
        }
    std::vector<int> tried;
    each_cell(cells, [&](int cell) {
        bool better = false;
        each_cell(common[cell] & ~bit<Cells>(cell), [&](int other) {
            const bool equal = (common[other] & bit<Cells>(cell)) != 0;
            better = better || !equal || other < cell;
        });
        if (!better) tried.push_back(cell);
    });
    return tried;
}

// The cells where one mark completes a line.
Cells threats(const Lines& lines) {
    Cells cells = 0;
    for (const Cells line : lines)
        if (count(line) == 1) cells |= line;
    return cells;
}

// Whether lines weigh less than 1 once X has marked the cells `given` as well.
bool weighs_less_than_one(const Lines& lines, Cells given = 0) {
    std::uint64_t sum = 0;
    for (const Cells line : lines) {
        sum += weight(line & ~given);
        if (sum >= kOne) return false;
    }
    return true;
}

bool pairs_hold(const Lines& lines, const std::vector<Cells>& pairs) {
    Cells paired = 0;
    for (const Cells pair : pairs) {
        // Cells that no line lacks may be taken already.
        if (std::none_of(lines.begin(), lines.end(), [pair](Cells line) { return contains(line, pair); })) return false;
        if ((paired & pair) != 0) return false;
        paired |= pair;
    }
    Lines rest;
    Cells free = 0;
    for (const Cells line : lines) {
        if (std::any_of(pairs.begin(), pairs.end(), [line](Cells pair) { return contains(line, pair); })) continue;
        rest.push_back(line & ~paired);
        free |= line & ~paired;
    }
    bool hold = weighs_less_than_one(rest);
    each_cell(free, [&](int cell) { hold = hold && weighs_less_than_one(rest, bit<Cells>(cell)); });
    return hold;
}

// --- The walk ---

class Walk {
  public:
    Walk(const GameData& game, const std::vector<DefenceLine>& lines,
         const std::function<void(std::uint64_t)>& progress)
        : cells_(game.cells), maker_breaker_(game.maker_breaker), progress_(progress) {
        require(cells_ >= 1 && cells_ <= kMaxBoard, "a board has 1 to 128 cells");
        for (const Words& words : game.lines) {
            lines_.push_back(from_words<Cells>(words.data()));
            require(is_on_board(lines_.back()) && lines_.back() != 0, "a line is not on the board");
        }
        sort(lines_);
        require_symmetries(cells_, lines_, game.symmetries);
        for (const auto& to : game.symmetries) {
            to_.emplace_back(to.begin(), to.end());
            auto& from = from_.emplace_back(cells_);
            for (int cell = 0; cell < cells_; ++cell) from[to[cell]] = cell;
        }
        found_.used.assign(lines.size(), 0);
        for (std::size_t number = 0; number < lines.size(); ++number) add(lines[number], number);
    }

    DefenceWalk run() {
        const Position start = position(0, 0);
        if (start_) {
            found_.used[start_->number] = 1;
            if (!pairs_hold(start.x, start_->pairs)) fail(Breach::Pairs, start_->number);
        } else {
            x_to_move(start);
        }
        return std::move(found_);
    }

  private:
    // What a line says, turned as the canonical image of its position.
    struct Entry {
        std::size_t number;
        int answer;
        std::vector<Cells> pairs;
    };

    struct Canonical {
        Position position;
        std::size_t symmetry;  // that leads there
    };

    bool is_on_board(Cells cells) const { return contains(board<Cells>(cells_), cells); }

    void add(const DefenceLine& line, std::size_t number) {
        const std::string name = "line " + std::to_string(number);
        const Cells x = from_words<Cells>(line.x.data()), o = from_words<Cells>(line.o.data());
        require((x & o) == 0 && is_on_board(x | o), name + ": the marks are not those of a position");
        std::vector<Cells> pairs;
        for (const auto& [first, second] : line.pairs) {
            require(std::min(first, second) >= 0 && std::max(first, second) < cells_ && first != second,
                    name + ": a pair is not two cells of the board");
            pairs.push_back(bit<Cells>(first) | bit<Cells>(second));
        }
        if (!line.answer) {
            require((x | o) == 0, name + ": only on the empty board there may be no answer");
            if (!start_) start_ = Entry{number, -1, pairs};
            return;
        }
        require(*line.answer >= 0 && *line.answer < cells_ && ((x | o) & bit<Cells>(*line.answer)) == 0,
                name + ": the answer is not an empty cell");
        const auto [at, symmetry] = canonical(position(x, o));
        for (Cells& pair : pairs) pair = image(pair, to_[symmetry]);
        entries_.try_emplace(at, Entry{number, to_[symmetry][*line.answer], pairs});
    }

    Position position(Cells x, Cells o) const {
        Position at;
        for (const Cells line : lines_) {
            if ((line & o) == 0) at.x.push_back(line & ~x);
            if (!maker_breaker_ && (line & x) == 0) at.o.push_back(line & ~o);
        }
        reduce(at);
        return at;
    }

    static Cells image(Cells cells, const std::vector<int>& to) {
        Cells moved = 0;
        each_cell(cells, [&](int cell) { moved |= bit<Cells>(to[cell]); });
        return moved;
    }

    // The least of all images.
    Canonical canonical(const Position& at) const {
        Canonical least{at, 0};
        for (std::size_t s = 0; s < to_.size(); ++s) {
            Position turned;
            for (const Cells line : at.x) turned.x.push_back(image(line, to_[s]));
            for (const Cells line : at.o) turned.o.push_back(image(line, to_[s]));
            std::sort(turned.x.begin(), turned.x.end());
            std::sort(turned.o.begin(), turned.o.end());
            if (s == 0 || std::pair(turned.x, turned.o) < std::pair(least.position.x, least.position.o))
                least = {std::move(turned), s};
        }
        return least;
    }

    bool fail(Breach breach, std::optional<std::size_t> line = std::nullopt) {
        found_.counterexample = {moves_, breach, line};
        return false;
    }

    // Whether O holds; X is to move, and no pairs hold.
    bool x_to_move(const Position& at) {
        if (const Cells completing = threats(at.x); completing != 0) {
            moves_.push_back(lowest(completing));
            return fail(Breach::Completed);
        }
        const Cells must = threats(at.o);
        if (count(must) > 1) return true;  // X cannot block both, and O completes its line
        for (const int cell : must != 0 ? std::vector{lowest(must)} : worth_trying(at)) {
            Position next = at;
            mark(next.x, next.o, cell);
            reduce(next);
            moves_.push_back(cell);
            if (!o_to_move(next)) return false;
            moves_.pop_back();
        }
        return true;
    }

    // Whether O holds; O is to move.
    bool o_to_move(const Position& at) {
        if (threats(at.o) != 0) return true;  // O completes its line
        const Cells must = threats(at.x);
        if (count(must) > 1) return fail(Breach::TwoThreats);
        if (weighs_less_than_one(at.x)) return true;
        auto [least, symmetry] = canonical(at);
        const auto entry = entries_.find(least);
        if (!seen_.insert(std::move(least)).second) return true;
        if (seen_.size() % kReportEvery == 0) progress_(seen_.size());
        int answer = -1;
        if (entry != entries_.end()) {
            found_.used[entry->second.number] = 1;
            answer = from_[symmetry][entry->second.answer];
        } else if (must != 0) {
            answer = lowest(must);
            ++found_.forced;
        } else {
            return fail(Breach::Unanswered);
        }
        Position next = at;
        mark(next.o, next.x, answer);
        reduce(next);
        moves_.push_back(answer);
        if (entry != entries_.end() && !entry->second.pairs.empty()) {
            std::vector<Cells> pairs;
            for (const Cells pair : entry->second.pairs) pairs.push_back(image(pair, from_[symmetry]));
            if (!pairs_hold(next.x, pairs)) return fail(Breach::Pairs, entry->second.number);
            ++found_.paired;
        } else {
            found_.answered += entry != entries_.end();
            if (!x_to_move(next)) return false;
        }
        moves_.pop_back();
        return true;
    }

    int cells_;
    bool maker_breaker_;
    const std::function<void(std::uint64_t)>& progress_;
    Lines lines_;
    std::vector<std::vector<int>> to_;
    std::vector<std::vector<int>> from_;
    std::optional<Entry> start_;
    std::unordered_map<Position, Entry, Hash> entries_;
    std::unordered_set<Position, Hash> seen_;
    std::vector<int> moves_;
    DefenceWalk found_;
};

}  // namespace

DefenceWalk walk_defence(const GameData& game, const std::vector<DefenceLine>& lines,
                         const std::function<void(std::uint64_t)>& progress) {
    return Walk(game, lines, progress).run();
}

}  // namespace inarow::verify
