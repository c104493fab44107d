// A second look at the length of Ultimate Tic-Tac-Toe, by a search that shares no code and no shortcut with inarow's
// prover.
//
// Does X, the first player, win by ply N, where a field that is won stays open until it is full? Positions are the same
// only if all their marks are, up to the eight symmetries; a branch ends when X needs more marks than it has moves
// left, and nothing else is skipped. For each first move, up to symmetry:
//
//     g++ -O3 -std=c++20 -o length docs/results/reproduce_ultimate_length.cpp
//     ./length 41 5       # plies, GiB for the table
//     ./length 43 5 44    # this first move only
//
// And which moves keep a win at ply 43, and not sooner, in all positions of such play, ply by ply:
//
//     ./length optimal 4                  # GiB for the table
//     ./length optimal 4 44 40 / 44 41    # from the positions after these moves
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

using u64 = std::uint64_t;

const int kLine[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
int turned[8][9];        // symmetries, of fields and of spots
int need_of[512][512];   // fewest marks to complete a line of the first mask, given the second; 99 if impossible
u64 word[3][8][9][512];  // hash words: marks of X, of O, or owner (as a mask of one bit) of a field, turned
u64 word_active[8][10];

void prepare() {
    u64 seed = 20200604;
    const auto random = [&seed] {  // splitmix64
        u64 z = seed += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    };
    for (int s = 0; s < 8; ++s)
        for (int i = 0; i < 9; ++i) {
            int r = i / 3, c = i % 3;
            for (int k = 0; k < s % 4; ++k) std::swap(r, c), c = 2 - c;
            turned[s][i] = 3 * r + (s < 4 ? c : 2 - c);
        }
    for (int mine = 0; mine < 512; ++mine)
        for (int theirs = 0; theirs < 512; ++theirs) {
            int fewest = 99;
            for (const auto& line : kLine) {
                int lacks = 0;
                for (int spot : line) lacks += theirs >> spot & 1 ? 99 : !(mine >> spot & 1);
                fewest = std::min(fewest, lacks);
            }
            need_of[mine][theirs] = fewest;
        }
    for (auto& kind : word) {
        u64 plain[9][9];
        for (auto& field : plain)
            for (u64& w : field) w = random();
        for (int s = 0; s < 8; ++s)
            for (int f = 0; f < 9; ++f)
                for (int mask = 0; mask < 512; ++mask) {
                    kind[s][f][mask] = 0;
                    for (int spot = 0; spot < 9; ++spot)
                        if (mask >> spot & 1) kind[s][f][mask] ^= plain[turned[s][f]][turned[s][spot]];
                }
    }
    u64 plain[10];
    for (u64& w : plain) w = random();
    for (int s = 0; s < 8; ++s)
        for (int a = 0; a < 10; ++a) word_active[s][a] = plain[a == 9 ? 9 : turned[s][a]];
}

int plies;     // the question: does X win by then?
u64 salt = 0;  // to tell questions apart in the table

struct Position {
    std::array<int, 9> marks[2] = {{}, {}};
    std::array<int, 9> owner{};  // 0: nobody, 1: X, 2: O
    int active = 9, ply = 0;     // 9: any field

    void play(int field, int spot) {
        const int side = ply % 2;
        marks[side][field] |= 1 << spot;
        if (!owner[field] && need_of[marks[side][field]][0] == 0) owner[field] = side + 1;
        active = (marks[0][spot] | marks[1][spot]) == 511 ? 9 : spot;
        ++ply;
    }
    int need(int side) const {
        std::array<int, 9> fields;
        for (int f = 0; f < 9; ++f)
            fields[f] = owner[f] ? (owner[f] == side + 1 ? 0 : 99) : need_of[marks[side][f]][marks[1 - side][f]];
        int fewest = 99;
        for (const auto& line : kLine) fewest = std::min(fewest, fields[line[0]] + fields[line[1]] + fields[line[2]]);
        return fewest;
    }
    u64 hash() const {
        u64 smallest = ~u64{0};
        for (int s = 0; s < 8; ++s) {
            u64 h = word_active[s][active];
            for (int f = 0; f < 9; ++f)
                h ^= word[0][s][f][marks[0][f]] ^ word[1][s][f][marks[1][f]] ^ word[2][s][f][owner[f]];
            smallest = std::min(smallest, h);
        }
        return smallest * 0x9e3779b97f4a7c15 ^ salt;
    }
};

u64 nodes = 0, buckets = 1;
u64* table;  // buckets of two: one that dear results hold, one that always gives way; the lowest bit is the result

// 0: X does not win in time, 1: X does, -1: unknown
int look_up(u64 hash) {
    const u64* bucket = table + 2 * (hash % buckets);
    for (int i = 0; i < 2; ++i)
        if (bucket[i] >> 7 == hash >> 7 && bucket[i]) return bucket[i] & 1;
    return -1;
}

void keep(u64 hash, bool wins, u64 cost) {
    u64* bucket = table + 2 * (hash % buckets);
    const u64 dear = std::min<u64>(std::bit_width(cost), 63);
    const bool first = !bucket[0] || bucket[0] >> 7 == hash >> 7 || dear >= (bucket[0] >> 1 & 63);
    bucket[first ? 0 : 1] = hash >> 7 << 7 | dear << 1 | u64{wins};
}

int judge(const Position& p) {
    if (p.need(0) == 0) return 1;
    return p.need(1) == 0 || p.need(0) > (plies + 1) / 2 - (p.ply + 1) / 2 ? 0 : -1;
}

bool wins(const Position& p, u64 hash) {
    const u64 before = nodes++;
    const bool x_moves = p.ply % 2 == 0;
    struct Child {
        int order;
        Position position;
        u64 hash;
    };
    std::vector<Child> children;
    for (int f = p.active == 9 ? 0 : p.active; f <= (p.active == 9 ? 8 : p.active); ++f)
        for (int s = 0; s < 9; ++s) {
            if ((p.marks[0][f] | p.marks[1][f]) >> s & 1) continue;
            Position next = p;
            next.play(f, s);
            int value = judge(next);
            u64 h = 0;
            if (value < 0) h = next.hash(), value = look_up(h);
            if (value == x_moves) {
                keep(hash, x_moves, nodes - before);
                return x_moves;
            }
            if (value >= 0) continue;
            const int a = next.active;
            const int room = a == 9 ? 40 : 9 - std::popcount(unsigned(next.marks[0][a] | next.marks[1][a]));
            children.push_back({x_moves ? -room - 20 * next.need(0) : -2 * room + (f == s), next, h});
        }
    std::stable_sort(children.begin(), children.end(), [](auto& a, auto& b) { return a.order > b.order; });
    for (const Child& child : children) {
        int value = look_up(child.hash);
        if (value < 0) value = wins(child.position, child.hash);
        if (value == x_moves) {
            keep(hash, x_moves, nodes - before);
            return x_moves;
        }
    }
    keep(hash, !x_moves, nodes - before);
    return !x_moves;
}

bool wins_by(int ply, const Position& p) {
    plies = ply;
    salt = ply == 41 ? 0x5851f42d4c957f2d : 0;
    const int value = judge(p);
    if (value >= 0) return value;
    const u64 hash = p.hash();
    const int known = look_up(hash);
    return known >= 0 ? known : wins(p, hash);
}

// The least image of a position: the same for all of its images.
std::array<int, 28> least_image(const Position& p) {
    std::array<int, 28> least;
    for (int s = 0; s < 8; ++s) {
        std::array<int, 28> image{};
        for (int f = 0; f < 9; ++f) {
            for (int side = 0; side < 2; ++side)
                for (int spot = 0; spot < 9; ++spot)
                    image[9 * side + turned[s][f]] |= (p.marks[side][f] >> spot & 1) << turned[s][spot];
            image[18 + turned[s][f]] = p.owner[f];
        }
        image[27] = p.active == 9 ? 9 : turned[s][p.active];
        if (s == 0 || image < least) least = image;
    }
    return least;
}

// Counts the positions, up to symmetry, that are won at ply 43 and not sooner as long as both sides keep to it; and
// their moves, and those of them that do.
void count_optimal(std::vector<Position> level) {
    while (!level.empty()) {
        std::vector<Position> next;
        std::set<std::array<int, 28>> seen;
        u64 legal = 0, kept = 0;
        const bool x_moves = level[0].ply % 2 == 0;
        for (const Position& p : level)
            for (int f = p.active == 9 ? 0 : p.active; f <= (p.active == 9 ? 8 : p.active); ++f)
                for (int s = 0; s < 9; ++s) {
                    if ((p.marks[0][f] | p.marks[1][f]) >> s & 1) continue;
                    Position after = p;
                    after.play(f, s);
                    ++legal;
                    if (wins_by(x_moves ? 43 : 41, after) != x_moves) continue;
                    ++kept;
                    if (after.need(0) > 0 && seen.insert(least_image(after)).second) next.push_back(after);
                }
        std::printf("ply %d, %c: %zu positions, %llu moves, %llu keep 43; %llu nodes\n", level[0].ply + 1,
                    x_moves ? 'X' : 'O', level.size(), static_cast<unsigned long long>(legal),
                    static_cast<unsigned long long>(kept), static_cast<unsigned long long>(nodes));
        std::fflush(stdout);
        level = std::move(next);
    }
}

int main(int count, char** arguments) {
    if (count < 3) return std::fprintf(stderr, "usage: length PLIES|optimal GIB [MOVE...]\n"), 2;
    plies = std::atoi(arguments[1]);
    while (32 * buckets <= static_cast<u64>(std::atof(arguments[2]) * (1 << 30))) buckets *= 2;
    table = static_cast<u64*>(std::calloc(2 * buckets, sizeof(u64)));
    prepare();
    if (std::string(arguments[1]) == "optimal") {
        std::vector<Position> begin(1);
        for (int i = 3; i < count; ++i)
            if (arguments[i][0] == '/')
                begin.emplace_back();
            else
                begin.back().play(arguments[i][0] - '0', arguments[i][1] - '0');
        return count_optimal(begin), 0;
    }
    for (int move = 0; move < 81; ++move) {
        bool least = true;
        for (const auto& to : turned) least = least && 9 * to[move / 9] + to[move % 9] >= move;
        const std::string name = std::to_string(move / 9) + std::to_string(move % 9);
        if (!least || (count > 3 && name != arguments[3])) continue;
        const u64 before = nodes;
        const auto began = std::chrono::steady_clock::now();
        Position p;
        p.play(move / 9, move % 9);
        const bool won = wins(p, p.hash());
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
        std::printf("%s: X %s by ply %d, %llu nodes, %.1f s\n", name.c_str(), won ? "wins" : "does not win", plies,
                    static_cast<unsigned long long>(nodes - before), seconds.count());
        std::fflush(stdout);
    }
}
