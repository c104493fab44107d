#include "ultimate/essence.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "random.hpp"

namespace inarow::ultimate {

namespace {

using FieldCode = std::uint32_t;

constexpr int kFieldStates = 19683;  // 3^9: each spot free, X's or O's

// The number of a field's marks in base 3 is kBase3[x] + 2 * kBase3[o].
constexpr std::array<std::uint16_t, 512> kBase3 = [] {
    std::array<std::uint16_t, 512> values{};
    for (int mask = 0; mask < 512; ++mask)
        for (int spot = 0, power = 1; spot < 9; ++spot, power *= 3)
            if (mask >> spot & 1) values[mask] = static_cast<std::uint16_t>(values[mask] + power);
    return values;
}();

int state_of(Mask x, Mask o) { return kBase3[x] + 2 * kBase3[o]; }

constexpr FieldCode make_code(Mask taken, unsigned x_lines, unsigned o_lines, Owner owner) {
    return taken | x_lines << 9 | o_lines << 17 | static_cast<FieldCode>(owner) << 25;
}

// The marks that a line lacks for the side that has `mine`, kNever if it is blocked.
int lacking(Mask line, Mask mine, Mask theirs) { return theirs & line ? kNever : 3 - count(mine & line); }

// The useful lines: those that lack no more than the budget.
unsigned lines_within(int budget, Mask mine, Mask theirs) {
    unsigned lines = 0;
    for (int l = 0; l < 8; ++l)
        if (lacking(kLineMasks[l], mine, theirs) <= budget) lines |= 1U << l;
    return lines;
}

// Lines that would take the field from the other side before it completes one of its useful lines `others`. Lines that
// cross those do not count: the mark on the crossing blocks the other side's line in any case.
unsigned spoilers(unsigned others, int moves, Mask mine, Mask theirs) {
    unsigned lines = 0;
    for (int l = 0; l < 8; ++l)
        for (int k = 0; k < 8; ++k)
            if (others >> k & 1 && !(kLineMasks[l] & kLineMasks[k]) && lacking(kLineMasks[l], mine, theirs) <= moves)
                lines |= 1U << l;
    return lines;
}

FieldCode open_code(Mask x, Mask o, int x_budget, int o_budget, int x_moves, int o_moves) {
    const unsigned x_lines = lines_within(x_budget, x, o), o_lines = lines_within(o_budget, o, x);
    return make_code(x | o, x_lines | spoilers(o_lines, x_moves, x, o), o_lines | spoilers(x_lines, o_moves, o, x),
                     Owner::Nobody);
}

FieldCode code_image(FieldCode code, int symmetry) {
    FieldCode to = kMaskImages[symmetry][code & kFull] | (code & 3U << 25);
    for (int l = 0; l < 8; ++l) {
        const Mask line = kMaskImages[symmetry][kLineMasks[l]];
        for (int k = 0; k < 8; ++k)
            if (kLineMasks[k] == line) to |= (code >> (9 + l) & 1) << (9 + k) | (code >> (17 + l) & 1) << (17 + k);
    }
    return to;
}

// Everything about a single field, computed once.
struct Tables {
    std::array<std::array<std::uint8_t, kFieldStates>, 2> needs;
    std::vector<std::array<FieldCode, 8>> codes;           // [number of a code][symmetry]
    std::vector<std::array<std::uint64_t, 8>> hashes;      // of these codes
    std::vector<std::uint32_t> open;                       // [x budget 0-3][o budget 0-3][plies left 1-6][state]
    std::array<std::array<std::uint32_t, 512>, 3> owned;   // [owner][taken]; Nobody if the owner has no use for it
    std::array<std::array<std::uint64_t, 9>, 8> factors;   // [symmetry][field]
    std::array<std::array<std::uint64_t, 10>, 8> actives;  // [symmetry][active]

    Tables() : open(4 * 4 * 6 * kFieldStates) {
        std::unordered_map<FieldCode, std::uint32_t> numbers;
        const auto number = [&](FieldCode code) {
            const auto [at, added] = numbers.try_emplace(code, static_cast<std::uint32_t>(codes.size()));
            if (added) {
                auto& images = codes.emplace_back();
                for (int s = 0; s < 8; ++s) images[s] = code_image(code, s);
            }
            return at->second;
        };
        for (int owner = 0; owner < 3; ++owner)
            for (int taken = 0; taken < 512; ++taken)
                owned[owner][taken] = number(make_code(static_cast<Mask>(taken), 0, 0, static_cast<Owner>(owner)));
        for (Mask x = 0; x < 512; ++x)
            for (Mask o = 0; o < 512; ++o) {
                if (x & o) continue;
                const int state = state_of(x, o);
                needs[0][state] = needs[1][state] = kNever;
                for (const Mask line : kLineMasks) {
                    needs[0][state] = std::min<int>(needs[0][state], lacking(line, x, o));
                    needs[1][state] = std::min<int>(needs[1][state], lacking(line, o, x));
                }
                if (kHasLine[x] || kHasLine[o]) continue;
                for (int xb = 0; xb < 4; ++xb)
                    for (int ob = 0; ob < 4; ++ob)
                        for (int plies = 1; plies < 7; ++plies)
                            open[open_index(xb, ob, plies, state)] =
                                number(open_code(x, o, xb, ob, (plies + 1) / 2, plies / 2));
            }
        hashes.resize(codes.size());
        for (std::size_t i = 0; i < codes.size(); ++i)
            for (int s = 0; s < 8; ++s) hashes[i][s] = mixed(codes[i][s] + 1);
        for (int s = 0; s < 8; ++s) {
            for (std::uint64_t field = 0; field < 9; ++field)
                factors[s][field] = mixed(std::uint64_t{1} << 40 | kSymmetries[s][field]) | 1;
            for (std::uint64_t active = 0; active < 10; ++active)
                actives[s][active] =
                    mixed(std::uint64_t{1} << 41 | (active == kAnywhere ? kAnywhere : kSymmetries[s][active]));
        }
    }

    // The plies left, 1 to 6, give the moves of both sides: X has the last one.
    static std::size_t open_index(int x_budget, int o_budget, int plies, int state) {
        return static_cast<std::size_t>(((x_budget * 4 + o_budget) * 6 + plies - 1) * kFieldStates + state);
    }

    // The number of a field's code. The budgets and the plies left decide which lines count.
    std::uint32_t number_of(const Board& board, int field, const Budgets& budgets, int plies) const {
        const Owner owner = board.owner(field);
        const int xb = budgets.of_side[0][field], ob = budgets.of_side[1][field];
        if (owner == Owner::Nobody) {
            const int state = state_of(board.marks[0][field], board.marks[1][field]);
            return open[open_index(std::clamp(xb, 0, 3), std::clamp(ob, 0, 3), std::clamp(plies, 1, 6), state)];
        }
        const bool of_use = owner == Owner::X ? xb >= 0 : ob >= 0;
        return owned[static_cast<int>(of_use ? owner : Owner::Nobody)][board.taken(field)];
    }
};

const Tables& tables() {
    static const Tables all;
    return all;
}

// How many marks a side can spend in each field, given how many moves it has left.
std::array<std::int8_t, 9> budgets_of(const std::array<std::uint8_t, 9>& needs, int moves) {
    std::array<std::int8_t, 9> best;
    best.fill(-1);
    for (const auto& line : kLines) {
        const int spare = moves - needs[line[0]] - needs[line[1]] - needs[line[2]];
        if (spare < 0) continue;
        for (const int field : line)
            best[field] = std::max(best[field], static_cast<std::int8_t>(spare + needs[field]));
    }
    return best;
}

}  // namespace

Needs Needs::of(const Board& board) {
    Needs needs;
    for (int field = 0; field < 9; ++field) needs.update(board, field);
    return needs;
}

void Needs::update(const Board& board, int field) {
    const int state = state_of(board.marks[0][field], board.marks[1][field]);
    for (int side = 0; side < 2; ++side)
        of_side[side][field] = !board.decided(field)          ? tables().needs[side][state]
                               : board.won[side] >> field & 1 ? 0
                                                              : kNever;
}

int Needs::to_win(int side) const {
    int fewest = kNever;
    const auto& needs = of_side[side];
    for (const auto& line : kLines) fewest = std::min(fewest, needs[line[0]] + needs[line[1]] + needs[line[2]]);
    return fewest;
}

Budgets::Budgets(const Board& board, const Needs& needs, const Question& question)
    : x_spare(question.moves_left(0, board.ply) - needs.to_win(0)) {
    for (int side = 0; side < 2; ++side)
        of_side[side] = budgets_of(needs.of_side[side], question.moves_left(side, board.ply));
}

Canonical canonical(const Board& board, const Budgets& budgets, const Question& question) {
    const int plies = question.plies - board.ply;
    std::array<const std::array<FieldCode, 8>*, 9> images;
    for (int field = 0; field < 9; ++field)
        images[field] = &tables().codes[tables().number_of(board, field, budgets, plies)];
    Canonical smallest{};
    for (int s = 0; s < 8; ++s) {
        Essence to;
        for (int field = 0; field < 9; ++field) to[kSymmetries[s][field]] = (*images[field])[s];
        to[9] = board.active == kAnywhere ? kAnywhere : static_cast<std::uint32_t>(kSymmetries[s][board.active]);
        if (s == 0 || to < smallest.essence) smallest = {to, s};
    }
    return smallest;
}

std::uint64_t key(const Board& board, const Budgets& budgets, const Question& question) {
    const Tables& all = tables();
    const int plies = question.plies - board.ply;
    std::array<std::uint64_t, 8> sums;
    for (int s = 0; s < 8; ++s) sums[s] = all.actives[s][board.active];
    for (int field = 0; field < 9; ++field) {
        const auto& hashes = all.hashes[all.number_of(board, field, budgets, plies)];
        for (int s = 0; s < 8; ++s) sums[s] += hashes[s] * all.factors[s][field];
    }
    // The minimum of eight sums is not uniform: mixing spreads it, and separates the questions.
    return mixed(*std::min_element(sums.begin(), sums.end()) +
                 static_cast<std::uint64_t>(question.plies) * 0x9e3779b97f4a7c15U);
}

}  // namespace inarow::ultimate
