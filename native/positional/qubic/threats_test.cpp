#include "positional/qubic/threats.hpp"

#include <doctest/doctest.h>

#include "positional/qubic/test_positions.hpp"

namespace inarow::qubic {
namespace {

// By the rules of threats and nothing else. O threatens the cell `must`, or none.
bool plain_forced_win(const Position& at, Cells must) {
    for (Cells rest = must != 0 ? must : ~(at.x | at.o); rest != 0; rest &= rest - 1) {
        const Cells x = at.x | (rest & -rest);
        const Cells threats = plain_threats(x, at.o);
        if (threats == 0) continue;
        if (several(threats)) return true;
        const Position next{x, at.o | threats};
        const Cells against = plain_threats(next.o, next.x);
        if (!several(against) && plain_forced_win(next, against)) return true;
    }
    return false;
}

// X's moves, with the replies they force, end in two threats at once.
bool is_forced_win(Position at, const ForcedWin& win) {
    for (int i = 0; i < win.count; ++i) {
        const Cells against = plain_threats(at.o, at.x), move = bit(win.moves[i]);
        if (((at.x | at.o) & move) != 0 || (against != 0 && against != move)) return false;
        at.x |= move;
        const Cells threats = plain_threats(at.x, at.o);
        if (i + 1 == win.count) return several(threats);
        if (threats == 0 || several(threats)) return false;
        at.o |= threats;
    }
    return false;
}

TEST_CASE("forced wins are those of a plain search, and end in two threats") {
    ThreatSearch search(12);
    int found = 0, quiet = 0;
    for (int marks = 3; marks <= 6; ++marks)
        for (const Position& position : random_positions(60, marks, 3)) {
            if (!is_quiet(position)) continue;
            ++quiet;
            const bool wins = search.find(Board(position));
            REQUIRE(wins == plain_forced_win(position, 0));
            if (!wins) continue;
            ++found;
            CHECK(is_forced_win(position, search.win()));
            CHECK(replay(Board(position), search.win()));
        }
    CHECK(found > 10);
    CHECK(found < quiet);
}

TEST_CASE("a long forced win, and none on the empty cube") {
    ThreatSearch search(16);
    CHECK_FALSE(search.find(Board()));
    // From games against Patashnik's dictionary.
    for (const char* text : {"x..x........x.............o.........................o..o........",
                             "x..x......o....x...o...........x...............o............o.ox",
                             "xo.x........x..o...ox.x.....x......x..o.oo..o......x..o.....x.o."}) {
        const Position position = parse(text);
        REQUIRE(is_quiet(position));
        REQUIRE(search.find(Board(position)));
        CHECK(search.win().count > 2);
        CHECK(is_forced_win(position, search.win()));
    }
    CHECK(search.nodes() > 0);
}

TEST_CASE("no forced win where a reply makes two threats of O's") {
    ThreatSearch search(16);
    for (const char* text : {"...............x.o.........o.........o...o........x.x..ox.....x.",
                             ".o..................x...o......ox....x...o...x....o......x......",
                             "....x......x.........o.x.o............oxx.....o......o.......ox."}) {
        const Position position = parse(text);
        REQUIRE(is_quiet(position));
        REQUIRE_FALSE(plain_forced_win(position, 0));
        CHECK_FALSE(search.find(Board(position)));
    }
}

TEST_CASE("a win is replayed where it still works, and only there") {
    // Rows 0 to 3 and column 0, 4, 8, 12 with two X's each cross at cell 0: a mark there threatens 3 and 12.
    const Position position{bit(1) | bit(2) | bit(4) | bit(8), bit(40) | bit(41) | bit(44) | bit(51)};
    REQUIRE(is_quiet(position));
    const ForcedWin win{1, {0}};
    REQUIRE(is_forced_win(position, win));
    CHECK(replay(Board(position), win));
    for (const int cell : {0, 3, 12}) {  // O in the way
        Board blocked(position);
        blocked.play_o(cell);
        CHECK_FALSE(replay(blocked, win));
    }
    Board elsewhere(position);
    elsewhere.play_o(63);
    CHECK(replay(elsewhere, win));
}

}  // namespace
}  // namespace inarow::qubic
