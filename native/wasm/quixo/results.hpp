// What was found by solving large games elsewhere, and ships with the site: facts about classes of positions, and the
// outcomes of a few positions. docs/site.md specifies the file.
#pragma once

#include <map>
#include <vector>

#include "quixo/result.hpp"
#include "quixo/search.hpp"
#include "wasm/words.hpp"

namespace inarow::wasm {

struct Results {
    Results() = default;
    Results(const quixo::Board& board, std::string_view text) {
        const int side = board.cells() + 1;
        facts.assign(static_cast<std::size_t>(side * side), {});
        Words words(text);
        const auto next = [&] { return static_cast<int>(words.number()); };
        for (int left = next(); left > 0 && words.more(); --left) {
            const int m = next(), o = next();
            const quixo::Search::ClassFacts found{next(), next(), next() != 0, next()};
            const int value = next();
            if (m < 0 || o < 0 || m >= side || o >= side) continue;
            facts[static_cast<std::size_t>(m * side + o)] = found;
            if (value != static_cast<int>(quixo::Outcome::missing)) values[{m, o}] = static_cast<quixo::Outcome>(value);
        }
        while (words.more()) {
            const auto word = static_cast<std::uint64_t>(words.number());
            const auto outcome = static_cast<quixo::Outcome>(next());
            outcomes[word] = {outcome, next()};
        }
    }

    std::vector<quixo::Search::ClassFacts> facts;          // as Search takes them
    std::map<std::pair<int, int>, quixo::Outcome> values;  // of classes whose games have one value unless they are over
    std::map<std::uint64_t, quixo::Result> outcomes;       // by the smallest word of the images of a position
};

}  // namespace inarow::wasm
