// Checks a certificate for Ultimate Tic-Tac-Toe: plays the policy of one side against every move of the other.
//
// It shares no code with the prover, and stores no marks: a field is the lines that either side can still complete in
// it. A mark takes a spot and breaks the other side's lines through it; a line whose spots are all taken, and that was
// never broken, is complete. It is written to be read: its correctness is what all claims rest on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace inarow::verify::ultimate {

enum class Side : std::uint8_t { X, O };

// X: "whatever O plays, X has won by the ply"; O: "whatever X plays, X has not won by the ply".
struct Claim {
    Side side;
    int plies;
    std::vector<int> moves;  // that lead to the position of the claim: 9 * field + spot
};

struct Report {
    std::uint64_t answered =
        0;                      // positions with the claim's side to move, up to symmetry and what can no longer matter
    std::uint64_t opposed = 0;  // positions with the other side to move
    int longest = 0;            // the most plies until the claim was settled
    std::string failure;        // why the answers do not show the claim; empty if they do
};

// The answers are in the order of docs/ultimate-certificate.md, one number for each position. `progress` gets the
// number of answers used so far and the ply, and may throw to stop. Throws std::invalid_argument if the claim makes no
// sense: a move cannot be played, or the ply does not exist.
Report check_claim(const Claim& claim, const std::uint8_t* answers, std::size_t count,
                   const std::function<void(std::uint64_t answers, int ply)>& progress);

}  // namespace inarow::verify::ultimate
