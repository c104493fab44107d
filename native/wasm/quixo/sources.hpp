// The book of a site, and a table with plies on another host. docs/site.md specifies their lists.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "quixo/book.hpp"
#include "quixo/piece_reader.hpp"
#include "wasm/module.hpp"
#include "wasm/words.hpp"

namespace inarow::wasm {

// What a book says of a position with many marks takes large files.
inline constexpr int cheap_marks = 6;

// In files of some chunks each, which are unpacked before they get here.
class SiteBook : public quixo::Source {
  public:
    // Of an index: marks with plies, marks with values, and then for each pair its marks, whether it has plies, the
    // blocks of a plane, of a chunk, the chunks of a file, and the wide entries that its codes stand for.
    SiteBook(const quixo::Rules& rules, Files& files, std::string folder, Words words)
        : SiteBook(rules, files, std::move(folder), static_cast<int>(words.number()), static_cast<int>(words.number()),
                   words) {}

    bool look_up(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        book_.forget_what_is_gone();
        return book_.look_up(words, results);
    }

  private:
    SiteBook(const quixo::Rules& rules, Files& files, std::string folder, int plies_marks, int outcome_marks,
             Words words)
        : quixo::Source(quixo::Origin::book, outcome_marks, plies_marks, std::min(cheap_marks, outcome_marks)),
          files_(files),
          folder_(std::move(folder)),
          book_(rules, [this](const auto& chunks) { return fetch(chunks); }) {
        const auto next = [&] { return static_cast<int>(words.number()); };
        while (words.more()) {
            const int a = next(), b = next(), has_plies = next(), blocks = next(), per_chunk = next();
            per_file_[{a, b}] = static_cast<std::uint32_t>(std::max(1, next()));
            std::vector<std::uint16_t> alphabet;
            for (int left = next(); left > 0 && words.more(); --left)
                alphabet.push_back(static_cast<std::uint16_t>(next()));
            book_.add_pair(a, b, has_plies != 0, std::move(alphabet), static_cast<std::uint64_t>(blocks),
                           static_cast<std::uint64_t>(per_chunk));
        }
    }

    bool fetch(const std::set<quixo::Book::Chunk>& chunks) {
        std::set<std::string> given;
        for (const auto& wanted : chunks) {
            const auto& [a, b, number, size] = wanted;
            const std::uint32_t nth = number / per_file_[{a, b}], first = nth * per_file_[{a, b}];
            const std::string name =
                folder_ + std::to_string(a) + "-" + std::to_string(b) + "-" + std::to_string(nth) + ".chunks";
            if (given.contains(name)) continue;
            const Files::Content* found = files_.get(name);
            if (!found) {
                if (!files_.needed().contains(name)) book_.give_up(wanted);
                continue;
            }
            const std::uint32_t last = std::min(first + per_file_[{a, b}], book_.chunks(a, b));
            std::span left(*found);
            for (std::uint32_t each = first; each < last; ++each) {
                const auto chunk = book_.chunk(a, b, each);
                const auto codes = left.first(std::min(chunk.size, left.size()));
                if (!book_.give(chunk, codes)) book_.give_up(chunk);
                left = left.subspan(codes.size());
            }
            given.insert(name);
            files_.drop(name);
        }
        return files_.needed().empty();
    }

    Files& files_;
    std::string folder_;
    quixo::Book book_;
    std::map<std::pair<int, int>, std::uint32_t> per_file_;
};

// Its parts are asked for as "index HEADER DIGEST ADDRESS#BEGIN-END", which comes if it matches that digest, and as
// "zstd ADDRESS#BEGIN-END", which comes as the number of its bytes, these, and what they unpack to.
class RemoteTable : public quixo::Source {
  public:
    // Of a list: the address, and then for each pair its marks, the entries of a plane, and for each of its two files
    // the bytes of a ply, the size, the digest and the header, the latter in hexadecimal.
    RemoteTable(const quixo::Rules& rules, Files& files, Words words)
        : quixo::Source(quixo::Origin::table, rules.cells(), rules.cells(), -1),
          files_(files),
          reader_(rules, true, quixo::Reach::sparing,
                  {[this](const auto& parts, bool) { return fetch(parts); }, [](const auto&, auto) {}, [](auto) {}}) {
        const std::string address(words.next());
        const auto next = [&] { return static_cast<std::uint64_t>(words.number()); };
        const auto two_digits = [](int number) { return (number < 10 ? "-0" : "-") + std::to_string(number); };
        while (words.more()) {
            const int a = static_cast<int>(next()), b = static_cast<int>(next());
            const std::uint64_t entries = next();
            std::uint64_t width = 0, sizes[2] = {};
            std::vector<File> both;
            for (std::uint64_t& size : sizes) {
                const char* kind = &size == sizes ? ".values" : ".plies";
                width = next(), size = next();
                const std::string digest(words.next()), header(words.next());
                both.push_back({"index " + header + " " + digest + " ",
                                address + "pair" + two_digits(a) + two_digits(b) + kind + "#"});
            }
            if (reader_.add_pair(a, b, entries, sizes[0], sizes[1], static_cast<int>(width)))
                listed_.insert(listed_.end(), both.begin(), both.end());
        }
    }

    bool look_up(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        reader_.forget_what_is_gone();
        return reader_.look_up(words, results);
    }
    bool look_up_with_moves(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        reader_.forget_what_is_gone();
        return reader_.look_up_with_moves(words, results);
    }

  private:
    struct File {
        std::string index, address;  // what comes before the place of a part
    };

    bool fetch(const quixo::PieceReader::Parts& parts) {
        for (const auto& part : parts) {
            const File& file = listed_[2 * part.pair + part.plies];
            const std::string name = (part.piece < 0 ? file.index : "zstd ") + file.address +
                                     std::to_string(part.begin) + "-" + std::to_string(part.end);
            const Files::Content* found = files_.get(name);
            const std::size_t length = part.end - part.begin, before = part.piece < 0 ? 0 : 4;
            if (found && found->size() >= before + length) {
                const std::span all(*found);
                reader_.give(part, all.subspan(before, length), all.subspan(before + length));
                files_.drop(name);
            } else if (!files_.needed().contains(name)) {
                reader_.give_up(part);
            }
        }
        return files_.needed().empty();
    }

    Files& files_;
    quixo::PieceReader reader_;
    std::vector<File> listed_;  // of each pair its outcomes and its plies
};

}  // namespace inarow::wasm
