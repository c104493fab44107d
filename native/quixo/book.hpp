// Looks positions with few marks up in a book, as docs/book-format.md specifies it. It reads and unpacks nothing: it
// asks for the chunks that it lacks, as PieceReader does for pieces.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "locator.hpp"
#include "source.hpp"

namespace inarow::quixo {

// For one thread at a time; but while it waits for chunks, another may ask.
class Book {
  public:
    struct Chunk {
        int a, b;
        std::uint32_t number;  // of the chunks of a pair
        std::size_t size;      // when it is unpacked

        auto operator<=>(const Chunk&) const = default;
    };
    // Gives these chunks and returns true, or false if they come later.
    using Fetch = std::function<bool(const std::set<Chunk>&)>;

    // Keeps about so many chunks; by default all.
    Book(const Rules& rules, Fetch fetch, std::size_t kept = std::numeric_limits<std::size_t>::max())
        : cells_(rules.cells()), locator_(rules), fetch_(std::move(fetch)), kept_(kept) {}

    // The book has this pair: the wide entries that codes stand for, the blocks of a plane and those of a chunk. False
    // if that makes no sense.
    bool add_pair(int a, int b, bool has_plies, std::vector<std::uint16_t> alphabet, std::uint64_t blocks,
                  std::uint64_t per_chunk) {
        if (b < 0 || a < b || a + b > cells_ || blocks != locator_.block_count(a)) return false;
        if (per_chunk == 0 || per_chunk > std::max<std::uint64_t>(blocks, most_chunk) || alphabet.size() > 256)
            return false;
        pairs_[{a, b}] = {has_plies, static_cast<std::uint32_t>(blocks), static_cast<std::uint32_t>(per_chunk),
                          std::move(alphabet)};
        return true;
    }

    // A pair's chunks, in all its planes.
    std::uint32_t chunks(int a, int b) const { return pairs_.at({a, b}).of_plane() * (a == b ? 1 : 2); }
    Chunk chunk(int a, int b, std::uint32_t number) const {
        return {a, b, number, pairs_.at({a, b}).width(number) * binomial(cells_ - a, b)};
    }

    // A chunk that was asked for, unpacked. False if it is not one.
    bool give(const Chunk& chunk, std::span<const std::uint8_t> codes) {
        const auto most = std::ranges::max_element(codes);
        if (codes.size() != chunk.size || (!codes.empty() && *most >= pairs_.at({chunk.a, chunk.b}).alphabet.size()))
            return false;
        kept_chunks_[name(chunk)].assign(codes.begin(), codes.end());
        return true;
    }
    // A chunk cannot be had, until that is forgotten.
    void give_up(const Chunk& chunk) { kept_chunks_[name(chunk)].clear(); }
    void forget_what_is_gone() {
        std::erase_if(kept_chunks_, [](const auto& its) { return its.second.empty(); });
    }

    // False if chunks come later.
    bool look_up(std::span<const std::uint64_t> words, std::span<Result> results) {
        for (bool fresh = true;; fresh = false) {
            if (fresh && kept_chunks_.size() > kept_) kept_chunks_.clear();
            std::set<Chunk> needs;
            for (std::size_t i = 0; i < words.size(); ++i) results[i] = known(words[i], needs);
            if (needs.empty()) return true;
            if (!fetch_(needs)) return false;
        }
    }

  private:
    static constexpr std::uint64_t most_chunk = 1 << 16;  // blocks

    struct Pair {
        bool has_plies;
        std::uint32_t blocks, per_chunk;
        std::vector<std::uint16_t> alphabet;

        std::uint32_t of_plane() const { return (blocks + per_chunk - 1) / per_chunk; }
        // The blocks of a chunk: the last one of a plane may have fewer.
        std::uint32_t width(std::uint32_t chunk) const {
            return std::min(per_chunk, blocks - chunk % of_plane() * per_chunk);
        }
    };
    using Name = std::tuple<int, int, std::uint32_t>;

    static Name name(const Chunk& chunk) { return {chunk.a, chunk.b, chunk.number}; }

    // What the book knows; nothing also while a chunk is needed, and where one cannot be had.
    Result known(std::uint64_t word, std::set<Chunk>& needs) {
        constexpr Result missing{Outcome::missing, -1};
        const auto at = locator_.locate(word);
        if (!at) return {Outcome::invalid, -1};
        const auto found = pairs_.find({at->a, at->b});
        if (found == pairs_.end()) return missing;
        const Pair& pair = found->second;
        const std::uint32_t number =
            at->block / pair.per_chunk + static_cast<std::uint32_t>(at->plane) * pair.of_plane();
        const auto codes = kept_chunks_.find({at->a, at->b, number});
        if (codes == kept_chunks_.end()) {
            needs.insert(chunk(at->a, at->b, number));
            return missing;
        }
        if (codes->second.empty()) return missing;
        const std::size_t place = std::size_t{at->rank} * pair.width(number) + at->block % pair.per_chunk;
        constexpr int top = 0xffff, draw = top / 2;
        const int entry = pair.alphabet[codes->second[place]];
        if (entry == draw) return {Outcome::draw, -1};
        return {entry < draw ? Outcome::loss : Outcome::win, pair.has_plies ? std::min(entry, top - entry) : -1};
    }

    int cells_;
    Locator locator_;
    Fetch fetch_;
    std::size_t kept_;
    std::map<std::pair<int, int>, Pair> pairs_;
    std::map<Name, std::vector<std::uint8_t>> kept_chunks_;  // empty if one cannot be had
};

}  // namespace inarow::quixo
