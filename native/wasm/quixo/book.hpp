// The book of a site: the values of positions with few marks, in files of some chunks each. docs/site.md specifies
// them. Chunks are unpacked before they get here.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "quixo/locator.hpp"
#include "quixo/source.hpp"
#include "wasm/module.hpp"
#include "wasm/words.hpp"

namespace inarow::wasm {

// What it says of a position with many marks takes large files.
inline constexpr int cheap_marks = 6;

class Book : public quixo::Source {
  public:
    // Of an index: marks with plies, marks with values, and then for each pair its marks, whether it has plies, the
    // blocks of a plane, of a chunk, the chunks of a file, and the wide entries that its codes stand for.
    Book(quixo::Rules rules, Files& files, std::string folder, Words words)
        : Book(rules, files, std::move(folder), static_cast<int>(words.number()), static_cast<int>(words.number()),
               words) {}

    bool look_up(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        std::ranges::transform(words, results.begin(), [&](std::uint64_t word) { return known(word); });
        return files_.needed().empty();
    }

  private:
    Book(quixo::Rules rules, Files& files, std::string folder, int plies_marks, int outcome_marks, Words words)
        : quixo::Source(quixo::Origin::book, outcome_marks, plies_marks, std::min(cheap_marks, outcome_marks)),
          files_(files),
          folder_(std::move(folder)),
          cells_(rules.cells()),
          locator_(rules) {
        while (words.more()) {
            const int a = static_cast<int>(words.number()), b = static_cast<int>(words.number());
            Pair& pair = pairs_[{a, b}];
            pair.has_plies = words.number() != 0;
            pair.blocks = static_cast<std::uint32_t>(words.number());
            pair.per_chunk = static_cast<std::uint32_t>(words.number());
            pair.per_file = static_cast<std::uint32_t>(words.number());
            for (std::int64_t left = words.number(); left > 0 && words.more(); --left)
                pair.alphabet.push_back(static_cast<std::uint16_t>(words.number()));
        }
    }

    // What the book knows; nothing also while a file is needed, and where one cannot be had.
    quixo::Result known(std::uint64_t word) {
        const auto at = locator_.locate(word);
        const auto found = at ? pairs_.find({at->a, at->b}) : pairs_.end();
        if (found == pairs_.end()) return {quixo::Outcome::missing, -1};
        const Pair& pair = found->second;
        const std::uint32_t of_plane = pair.of_plane();
        const std::uint32_t chunk = at->block / pair.per_chunk + static_cast<std::uint32_t>(at->plane) * of_plane;
        const std::uint32_t first = chunk % of_plane * pair.per_chunk;
        const std::size_t place = std::size_t{at->rank} * pair.width(chunk) + (at->block - first);
        const std::uint8_t* codes = chunk_of(*at, pair, chunk);
        if (!codes) return {quixo::Outcome::missing, -1};
        const std::size_t code = codes[place];
        if (code >= pair.alphabet.size()) return {quixo::Outcome::missing, -1};
        constexpr int top = 0xffff, draw = top / 2;
        const int entry = pair.alphabet[code];
        if (entry == draw) return {quixo::Outcome::draw, -1};
        const int plies = pair.has_plies ? std::min(entry, top - entry) : -1;
        return {entry < draw ? quixo::Outcome::loss : quixo::Outcome::win, plies};
    }

    struct Pair {
        bool has_plies;
        std::uint32_t blocks, per_chunk, per_file;
        std::vector<std::uint16_t> alphabet;

        std::uint32_t of_plane() const { return (blocks + per_chunk - 1) / per_chunk; }
        // The blocks of a chunk: the last one of a plane may have fewer.
        std::uint32_t width(std::uint32_t chunk) const {
            return std::min(per_chunk, blocks - chunk % of_plane() * per_chunk);
        }
    };

    // The codes of a chunk, which is in a file with others.
    const std::uint8_t* chunk_of(const quixo::Located& at, const Pair& pair, std::uint32_t chunk) {
        const std::uint32_t nth = chunk / pair.per_file, first = nth * pair.per_file;
        const std::uint32_t chunks = pair.of_plane() * (at.a == at.b ? 1 : 2);
        const Files::Content* file = files_.get(folder_ + std::to_string(at.a) + "-" + std::to_string(at.b) + "-" +
                                                std::to_string(nth) + ".chunks");
        const std::size_t ranks = quixo::binomial(cells_ - at.a, at.b);
        std::size_t begin = 0, size = 0;
        for (std::uint32_t each = first; each < std::min(first + pair.per_file, chunks); ++each) {
            if (each == chunk) begin = size;
            size += pair.width(each) * ranks;
        }
        return file && file->size() == size ? file->data() + begin : nullptr;
    }

    Files& files_;
    std::string folder_;
    int cells_;
    quixo::Locator locator_;
    std::map<std::pair<int, int>, Pair> pairs_;
};

}  // namespace inarow::wasm
