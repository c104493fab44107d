// Checks a certificate for Ultimate Tic-Tac-Toe: plays the policy of one side against every move of the other.
//
// Shares no code with the prover, and does without marks: a field is the lines that either side can still complete in
// it. A mark takes a spot and breaks the other side's lines through it; a line all of whose spots are taken and that
// was never broken is complete. It is meant to be trusted by reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace inarow::verify {

enum class Side : std::uint8_t { X, O };

// X: "whatever O plays, X has won by the ply"; O: "whatever X plays, X has not won by the ply".
struct UltimateClaim {
    Side side;
    int plies;
    std::vector<int> moves;  // that lead to where the claim is made: 9 * field + spot
};

struct UltimateWalk {
    std::uint64_t answered = 0;  // positions with the claim's side to move, up to symmetry and what cannot matter
    std::uint64_t opposed = 0;   // positions with the other side to move
    int longest = 0;             // plies after which the claim had come true everywhere
    std::string failure;         // why the claim does not hold; empty if it does
};

// The answers are in the order of docs/ultimate-certificate.md, one number for each position. `progress` gets the
// positions so far and the ply, and may throw to stop. std::invalid_argument if the claim is none: a move that cannot
// be played, a side or a ply that does not exist.
UltimateWalk check_ultimate(const UltimateClaim& claim, const std::uint8_t* answers, std::size_t count,
                            const std::function<void(std::uint64_t positions, int ply)>& progress);

}  // namespace inarow::verify
