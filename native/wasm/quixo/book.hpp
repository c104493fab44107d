// The book of a site: the values of positions with few marks, in files of some chunks each. docs/site.md specifies
// them.
#pragma once

#include <map>
#include <string>

#include "quixo/locator.hpp"
#include "quixo/pieces.hpp"
#include "quixo/result.hpp"
#include "wasm/module.hpp"
#include "wasm/quixo/lzma2.hpp"
#include "wasm/words.hpp"

namespace inarow::wasm {

class Book {
  public:
    // Of an index: marks with plies, marks with values, and then for each pair its marks, whether it has plies, the
    // blocks of a plane, of a chunk, the chunks of a file, and the wide entries that its codes stand for.
    Book(quixo::Rules rules, std::string folder, std::string_view index)
        : folder_(std::move(folder)), cells_(rules.cells()), locator_(rules) {
        Words words(index);
        plies_marks = static_cast<int>(words.number());
        outcome_marks = static_cast<int>(words.number());
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

    int plies_marks = 0, outcome_marks = 0;

    // What the book knows; nothing also while a file is needed, and where one cannot be had.
    quixo::Result probe(Files& files, std::uint64_t word) {
        const auto at = locator_.locate(word);
        const auto found = at ? pairs_.find({at->a, at->b}) : pairs_.end();
        if (found == pairs_.end()) return {quixo::Outcome::missing, -1};
        const Pair& pair = found->second;
        const std::uint32_t of_plane = (pair.blocks + pair.per_chunk - 1) / pair.per_chunk;
        const std::uint32_t chunk = at->block / pair.per_chunk + static_cast<std::uint32_t>(at->plane) * of_plane;
        const std::uint32_t first = chunk % of_plane * pair.per_chunk;
        const std::uint32_t width = std::min(pair.per_chunk, pair.blocks - first);
        const std::size_t size = std::size_t{width} * quixo::binomial(cells_ - at->a, at->b);
        const auto* codes = unpacked(files, at->a, at->b, pair, chunk, size);
        if (!codes) return {quixo::Outcome::missing, -1};
        const std::size_t code = (*codes)[std::size_t{at->rank} * width + (at->block - first)];
        if (code >= pair.alphabet.size()) return {quixo::Outcome::missing, -1};
        constexpr int top = 0xffff, draw = top / 2;
        const int entry = pair.alphabet[code];
        if (entry == draw) return {quixo::Outcome::draw, -1};
        const int plies = pair.has_plies ? std::min(entry, top - entry) : -1;
        return {entry < draw ? quixo::Outcome::loss : quixo::Outcome::win, plies};
    }

  private:
    struct Pair {
        bool has_plies;
        std::uint32_t blocks, per_chunk, per_file;
        std::vector<std::uint16_t> alphabet;
    };
    using Codes = std::vector<std::uint8_t>;

    static constexpr std::size_t kept = 512;  // unpacked chunks: of some 64 KB each

    // A file has the number of its chunks and the length of each, then the chunks, and a CRC-32 of all that.
    const Codes* unpacked(Files& files, int a, int b, const Pair& pair, std::uint32_t chunk, std::size_t size) {
        const std::string name = folder_ + std::to_string(a) + "-" + std::to_string(b) + "-" +
                                 std::to_string(chunk / pair.per_file) + ".bin";
        const auto key = std::pair(name, chunk);
        if (const auto found = chunks_.find(key); found != chunks_.end()) return &found->second;
        const Files::Content* file = files.get(name);
        if (!file) return nullptr;
        const auto read = [&](std::size_t at) {
            std::uint32_t value = 0;
            for (int i = 3; i >= 0; --i) value = value << 8 | (*file)[at + i];
            return value;
        };
        if (file->size() < 8 || read(file->size() - 4) != quixo::crc32(file->data(), file->size() - 4)) return nullptr;
        const std::uint32_t count = read(0), which = chunk % pair.per_file;
        std::size_t begin = 4 + 4 * std::size_t{count};
        if (which >= count || begin + 4 > file->size()) return nullptr;
        for (std::uint32_t before = 0; before < which; ++before) begin += read(4 + 4 * before);
        const std::size_t length = read(4 + 4 * which);
        if (begin + length + 4 > file->size()) return nullptr;
        Codes codes(size);
        if (!Lzma2::unpack(std::span(*file).subspan(begin, length), codes)) return nullptr;
        if (chunks_.size() >= kept) chunks_.clear();
        return &(chunks_[key] = std::move(codes));
    }

    std::string folder_;
    int cells_;
    quixo::Locator locator_;
    std::map<std::pair<int, int>, Pair> pairs_;
    std::map<std::pair<std::string, std::uint32_t>, Codes> chunks_;
};

}  // namespace inarow::wasm
