// Which positions of Quixo games can reach from the empty board, a bit for each: see reachable.py.
//
//     reachable ROWS COLUMNS LINE WINS MOST
//
// Layer by layer, those with few marks first: every position that is not reached yet looks for one before it that is,
// until nothing changes. MOST is the largest number of marks.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <mutex>

#include "quixo/layout.hpp"

using namespace inarow::quixo;
using Word = std::uint64_t;

struct Position {
    Mask mover, other;
};

enum Kind { no_predecessor, unreachable_predecessor, reachable };

struct Plane {
    std::vector<Word> bits;  // of the positions that are reached
    std::array<Word, 3> count{};
};

// A position that is not reached, and where it is.
struct Open {
    int x;
    std::size_t entry;

    auto operator<=>(const Open&) const = default;
};

class Walk {
  public:
    Walk(const Rules& rules, int most) : board_(rules), layout_(board_), most_(most) {
        lined_.resize(std::size_t{board_.full()} + 1);
        for (Mask mask = 0; mask <= board_.full(); ++mask) lined_[mask] = board_.has_line(mask);
    }

    void run() {
        for (marks_ = 0; marks_ <= most_; ++marks_) {
            if (isatty(2)) std::cerr << "\r" << marks_ << " marks " << std::flush;
            Open first[2] = {{board_.cells() + 1, 0}, {board_.cells() + 1, 0}};
            for (int a = (marks_ + 1) / 2; a <= marks_; ++a) reach(a, marks_ - a, first);
            for (int kind = 0; kind < 2; ++kind)
                if (first[kind].x <= board_.cells() && !found_[kind])
                    found_[kind] = true, examples_[kind] = position(first[kind].x, first[kind].entry);
            for (int x = 0; x < marks_; ++x) planes_[x][marks_ - 1 - x].bits = {};
        }
    }

    void print() const {
        std::cout << "{\"examples\": [";
        for (int kind = 0; kind < 2; ++kind) {
            if (kind) std::cout << ", ";
            if (found_[kind])
                std::cout << (Word{examples_[kind].mover} << 32 | examples_[kind].other);
            else
                std::cout << "null";
        }
        std::cout << "], \"classes\": [";
        for (int marks = 0; marks <= most_; ++marks)
            for (int x = 0; x <= marks; ++x) {
                const auto& count = planes_[x][marks - x].count;
                std::cout << (marks ? ", " : "") << "{\"x\": " << x << ", \"o\": " << marks - x
                          << ", \"reachable\": " << count[reachable]
                          << ", \"no_predecessor\": " << count[no_predecessor]
                          << ", \"unreachable_predecessor\": " << count[unreachable_predecessor] << "}";
            }
        std::cout << "]}\n";
    }

  private:
    Position position(int x, std::size_t entry) const {
        const int a = std::max(x, marks_ - x), b = marks_ - a;
        const std::uint32_t of_block = layout_.block_entries(a, b);
        const Mask larger = layout_.blocks(a)[entry / of_block];
        const Mask smaller = deposit(words(board_.cells() - a, b)[entry % of_block], board_.full() & ~larger);
        return x >= marks_ - x ? Position{larger, smaller} : Position{smaller, larger};
    }

    bool is_reached(const Position& at) const {
        const int x = std::popcount(at.mover), o = std::popcount(at.other);
        const std::size_t entry = x >= o ? layout_.entry(at.mover, at.other) : layout_.entry(at.other, at.mover);
        return __atomic_load_n(&planes_[x][o].bits[entry / 64], __ATOMIC_RELAXED) >> entry % 64 & 1;
    }

    // What leads to a position: a move of the other side, whose tile, pushed in, was its own or blank.
    Kind look_back(const Position& at) const {
        Kind found = no_predecessor;
        for (const Move& move : board_.moves()) {
            if (!(at.other >> move.pushed & 1)) continue;
            const Mask waiting = move.undo(at.mover), own = move.undo(at.other);
            if (lined_[waiting]) continue;
            for (const Mask mover : {own & ~(Mask{1} << move.taken), own}) {
                if (lined_[mover]) break;  // with its own tile there is a line too
                if (is_reached({mover, waiting})) return reachable;
                found = unreachable_predecessor;
            }
        }
        return found;
    }

    // Looks at a position that is not reached yet.
    Kind look_at(int x, std::size_t entry, const Position& at) {
        const Kind kind = at.mover | at.other ? look_back(at) : reachable;
        if (kind == reachable)
            __atomic_fetch_or(&planes_[x][marks_ - x].bits[entry / 64], Word{1} << entry % 64, __ATOMIC_RELAXED);
        return kind;
    }

    void reach(int a, int b, Open first[2]) {
        std::vector<Open> open;
        for (const int x : {a, b}) {
            planes_[x][marks_ - x].bits.resize(layout_.plane_entries(a, b) / 64 + 1);
            if (a == b) break;
        }
        for (const int x : {a, b}) {
            look_at_all(x, open, first[no_predecessor]);
            if (a == b) break;
        }
        const std::vector<Mask> local = words(board_.cells() - a, b);
        for (std::size_t before = open.size() + 1; open.size() < before;) {
            before = open.size();
#pragma omp parallel for schedule(dynamic, 4096)
            for (Open& it : open) {
                const Mask larger = layout_.blocks(a)[it.entry / local.size()];
                const Mask smaller = deposit(local[it.entry % local.size()], board_.full() & ~larger);
                if (look_at(it.x, it.entry, it.x == a ? Position{larger, smaller} : Position{smaller, larger}) ==
                    reachable) {
                    count(it, a, local.size(), reachable);
                    it.x = -1;
                }
            }
            std::erase_if(open, [](const Open& it) { return it.x < 0; });
        }
        for (const Open& it : open) {
            count(it, a, local.size(), unreachable_predecessor);
            first[unreachable_predecessor] = std::min(first[unreachable_predecessor], it);
        }
    }

    void count(const Open& it, int a, std::size_t of_block, Kind kind) {
        const Word images = layout_.orbit(a, static_cast<std::uint32_t>(it.entry / of_block));
        __atomic_fetch_add(&planes_[it.x][marks_ - it.x].count[kind], images, __ATOMIC_RELAXED);
    }

    // The first look at a class. Those to which moves lead, but none yet from a position that is reached, stay open.
    void look_at_all(int x, std::vector<Open>& open, Open& first) {
        const int a = std::max(x, marks_ - x), b = marks_ - a;
        const std::vector<Mask> local = words(board_.cells() - a, b);
        const auto& blocks = layout_.blocks(a);
        std::mutex mutex;
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            std::array<Word, 3> count{};
            std::vector<Open> here;
            Open closed{board_.cells() + 1, 0};
            for (std::size_t i = 0; i < local.size(); ++i) {
                const Mask smaller = deposit(local[i], board_.full() & ~blocks[block]);
                const Open it{x, block * local.size() + i};
                const Kind kind =
                    look_at(x, it.entry, x == a ? Position{blocks[block], smaller} : Position{smaller, blocks[block]});
                if (kind == unreachable_predecessor)
                    here.push_back(it);
                else
                    ++count[kind];
                if (kind == no_predecessor) closed = std::min(closed, it);
            }
            const std::lock_guard lock(mutex);
            for (int kind = 0; kind < 3; ++kind)
                planes_[x][marks_ - x].count[kind] += count[kind] * layout_.orbit(a, static_cast<std::uint32_t>(block));
            open.insert(open.end(), here.begin(), here.end());
            first = std::min(first, closed);
        }
    }

    Board board_;
    Layout layout_;
    int most_, marks_ = 0;
    std::vector<bool> lined_;
    std::array<std::array<Plane, max_cells + 1>, max_cells + 1> planes_;  // by marks of the mover and of the other
    bool found_[2] = {};
    Position examples_[2] = {};  // of those that are not reached, with fewest marks
};

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    const auto number = [&](int i) { return std::atoi(argv[i]); };
    Walk walk(rules_in_a_row(number(1), number(2), number(3), number(4) != 0), number(5));
    walk.run();
    walk.print();
}
