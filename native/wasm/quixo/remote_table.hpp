// A table with plies on another host, of which the parts that are needed are fetched. docs/tablebase-format.md
// specifies it. Nothing is used that does not match the digests that the site has of its files: that of an index is
// compared by whoever fetches it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quixo/locator.hpp"
#include "quixo/packed.hpp"
#include "quixo/pieces.hpp"
#include "quixo/source.hpp"
#include "wasm/module.hpp"
#include "wasm/words.hpp"

namespace inarow::wasm {

class RemoteTable : public quixo::Source {
  public:
    // Of a list: the address, and then for each pair its marks, the entries of a plane, and for each of its two files
    // the bytes of a ply, the size, the digest and the header, the latter in hexadecimal.
    RemoteTable(quixo::Rules rules, Files& files, Words words)
        : quixo::Source(quixo::Origin::table, rules.cells(), rules.cells(), -1),
          files_(files),
          board_(rules),
          locator_(rules) {
        const std::string address(words.next());
        while (words.more()) {
            const int a = static_cast<int>(words.number()), b = static_cast<int>(words.number());
            Pair& pair = pairs_[{a, b}];
            pair.entries = static_cast<std::uint64_t>(words.number());
            for (File* file : {&pair.values, &pair.plies}) {
                file->name = address + "pair-" + two_digits(a) + "-" + two_digits(b) +
                             (file == &pair.values ? ".values" : ".plies");
                file->pieces = pair.pieces() * (a == b ? 1 : 2);
                file->width = static_cast<std::size_t>(words.number());
                file->size = static_cast<std::uint64_t>(words.number());
                file->digest = words.next();
                file->header = words.next();
            }
        }
    }

    // Of a win not the plies, unless its game is over.
    bool look_up(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        for (std::size_t i = 0; i < words.size(); ++i) {
            results[i] = stored(words[i]);
            const auto mover = static_cast<quixo::Mask>(words[i] >> 32), other = static_cast<quixo::Mask>(words[i]);
            if (results[i].outcome == quixo::Outcome::win && board_.ended(mover, other) != quixo::Outcome::missing)
                results[i].plies = 0;
        }
        return files_.needed().empty();
    }

    bool look_up_with_moves(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        bool complete = look_up(words, results);
        const auto there = results.subspan(1);
        if (results[0].outcome == quixo::Outcome::win && results[0].plies < 0) results[0].plies = shortest(there) + 1;
        // How long a move resists takes the moves after it as well: worth it only where nothing is better.
        for (std::size_t i = 0; results[0].outcome == quixo::Outcome::loss && i < there.size(); ++i) {
            if (there[i].plies >= 0) continue;
            std::vector<quixo::Result> after;
            quixo::each_successor(
                board_, static_cast<quixo::Mask>(words[i + 1] >> 32), static_cast<quixo::Mask>(words[i + 1]),
                [&](quixo::Mask mover, quixo::Mask other) { after.push_back(stored(quixo::word_of(mover, other))); });
            complete = files_.needed().empty();
            if (!std::ranges::all_of(after, [](const auto& its) { return its.outcome != quixo::Outcome::missing; }))
                there[i].outcome = quixo::Outcome::missing;
            there[i].plies = shortest(after) + 1;
        }
        return complete;
    }

  private:
    static int shortest(std::span<const quixo::Result> after) {
        int least = 1 << 30;
        for (const quixo::Result& its : after)
            if (its.outcome == quixo::Outcome::loss) least = std::min(least, its.plies);
        return least;
    }

    // The outcome, and the plies of a loss; missing while files are needed, and if they cannot be had.
    quixo::Result stored(std::uint64_t word) {
        Files& files = files_;
        constexpr quixo::Result missing{quixo::Outcome::missing, -1};
        const auto at = locator_.locate(word);
        const auto found = at ? pairs_.find({at->a, at->b}) : pairs_.end();
        if (found == pairs_.end()) return missing;
        Pair& pair = found->second;
        const std::uint64_t place = locator_.place(*at), of_plane = pair.pieces();
        const std::uint64_t piece = static_cast<std::uint64_t>(at->plane) * of_plane + place / piece_entries;
        const auto within = static_cast<std::uint32_t>(place % piece_entries);
        const auto entries = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(piece_entries, pair.entries - place / piece_entries * piece_entries));
        // Both are asked for at once, though one may turn out to be of no use.
        const bool plies_ready = is_ready(files, pair.plies);
        if (!is_ready(files, pair.values) || !plies_ready) return missing;
        if (pair.plies.length(piece) > 1) stored(files, pair.plies, piece);
        const auto outcomes = unpacked(files, pair.values, piece, quixo::packed::bytes(entries));
        if (!outcomes) return missing;
        const int code = (*outcomes)[within / 4] >> within % 4 * 2 & 3;
        if (code == quixo::packed::draw) return {quixo::Outcome::draw, -1};
        if (code != quixo::packed::loss) return {quixo::Outcome::win, -1};
        const std::uint32_t before = quixo::count_lost(outcomes->data(), 0, within);
        const std::size_t width = pair.plies.width, losses = quixo::count_lost(outcomes->data(), 0, entries);
        const auto plies = unpacked(files, pair.plies, piece, losses * width);
        if (!plies) return missing;
        int count = (*plies)[before * width];
        if (width == 2) count |= (*plies)[before * width + 1] << 8;
        return {quixo::Outcome::loss, count};
    }

    static constexpr std::uint64_t piece_entries = 1 << 14;
    static constexpr std::uint64_t header_bytes = 32, digest_bytes = 32;

    struct File {
        std::string name, digest, header;
        std::uint64_t size = 0, pieces = 0;
        std::size_t width = 0;
        std::vector<std::uint64_t> offsets;  // where pieces begin, and the end; empty before the index is there
        std::vector<std::uint32_t> checksums;

        std::uint64_t length(std::uint64_t piece) const { return offsets[piece + 1] - offsets[piece]; }
        std::string part(std::uint64_t begin, std::uint64_t end) const {
            return name + "#" + std::to_string(begin) + "-" + std::to_string(end);
        }
    };
    struct Pair {
        std::uint64_t entries = 0;  // of a plane
        File values, plies;

        std::uint64_t pieces() const { return (entries + piece_entries - 1) / piece_entries; }
    };
    using Bytes = std::vector<std::uint8_t>;

    static std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

    static std::uint32_t four_bytes(const std::uint8_t* bytes) {
        return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
    }

    // With its index.
    static bool is_ready(Files& files, File& file) {
        if (!file.offsets.empty()) return true;
        const std::uint64_t end = file.size - digest_bytes, begin = end - 8 * file.pieces;
        const std::string part = "index " + file.header + " " + file.digest + " " + file.part(begin, end);
        const Files::Content* index = files.get(part);
        if (!index || index->size() != end - begin) return false;
        std::vector<std::uint64_t> offsets{header_bytes};
        for (std::uint64_t piece = 0; piece < file.pieces; ++piece) {
            offsets.push_back(offsets.back() + four_bytes(index->data() + 8 * piece));
            file.checksums.push_back(four_bytes(index->data() + 8 * piece + 4));
        }
        if (offsets.back() != begin) return false;
        file.offsets = std::move(offsets);
        files.drop(part);
        return true;
    }

    // A piece of two bytes and more, as it was fetched: the number of its bytes, these, and what they unpack to.
    static const Files::Content* stored(Files& files, const File& file, std::uint64_t piece) {
        const Files::Content* found = files.get("zstd " + file.part(file.offsets[piece], file.offsets[piece + 1]));
        if (!found) return nullptr;
        const std::size_t length = file.length(piece);
        const bool sound = found->size() >= 4 + length && four_bytes(found->data()) == length &&
                           quixo::crc32(found->data() + 4, length) == file.checksums[piece];
        return sound ? found : nullptr;
    }

    static std::optional<Bytes> unpacked(Files& files, const File& file, std::uint64_t piece, std::size_t size) {
        const std::uint64_t length = file.length(piece);
        if ((length == 0) != (size == 0)) return std::nullopt;
        if (length == 0) return Bytes();
        if (length == 1) {
            // One byte over and over, which its checksum tells.
            for (int value = 0; value < 256; ++value) {
                const auto byte = static_cast<std::uint8_t>(value);
                if (quixo::crc32(&byte, 1) == file.checksums[piece]) return Bytes(size, byte);
            }
            return std::nullopt;
        }
        const Files::Content* found = stored(files, file, piece);
        if (!found || found->size() != 4 + length + size) return std::nullopt;
        return Bytes(found->begin() + static_cast<std::ptrdiff_t>(4 + length), found->end());
    }

    Files& files_;
    quixo::Board board_;
    quixo::Locator locator_;
    std::map<std::pair<int, int>, Pair> pairs_;
};

}  // namespace inarow::wasm
