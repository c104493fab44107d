#include "quixo/unpacked_pieces.hpp"

#include <doctest/doctest.h>

#include "quixo/table_reader.hpp"
#include "quixo/test_tables.hpp"

namespace inarow::quixo {
namespace {

// A solved board as pieces: its planes have no more entries than a piece.
struct Cut {
    explicit Cut(Rules rules) : solver(rules, 1, "portable"), table(solve_all<std::uint8_t>(solver)) {
        for (const auto& [pair, entries] : table) {
            const auto [a, b] = pair;
            const std::size_t in_plane = solver.layout().plane_entries(a, b);
            REQUIRE(in_plane <= UnpackedPieces::piece_entries);
            for (std::size_t plane = 0; plane * in_plane < entries.size(); ++plane) {
                Piece& piece = pieces[name(a, b, plane)];
                piece.entries = static_cast<std::uint32_t>(in_plane);
                piece.outcomes.resize(packed::bytes(in_plane));
                for (std::size_t i = 0; i < in_plane; ++i) {
                    const std::uint8_t entry = entries[plane * in_plane + i];
                    const unsigned value = entry < 127 ? packed::loss : entry == 127 ? packed::draw : packed::win;
                    piece.outcomes[i / 4] |= static_cast<std::uint8_t>(value << i % 4 * 2);
                    if (value == packed::loss) piece.plies.push_back(entry);
                }
            }
        }
    }

    static UnpackedPieces::Name name(int a, int b, std::size_t plane) {
        return static_cast<UnpackedPieces::Name>((std::uint64_t(a << 6 | b << 1) | plane)
                                                 << (UnpackedPieces::place_bits - UnpackedPieces::piece_bits));
    }

    // Answers with what is added on the way.
    UnpackedPieces::Answer ask(UnpackedPieces& unpacked, std::uint64_t word) const {
        UnpackedPieces::Answer answer = unpacked.probe_with_moves(word);
        for (int rounds = 0; answer.lacks_pieces(); ++rounds) {
            REQUIRE(rounds < 4);
            for (const auto name : answer.losses)
                if (pieces.at(name).plies.empty()) unpacked.add_without_losses(name);
            for (const auto* names : {&answer.outcomes, &answer.losses})
                for (const auto name : *names)
                    if (const Piece& its = pieces.at(name); names == &answer.outcomes || !its.plies.empty())
                        unpacked.add_outcomes(name, its.outcomes.data(), its.entries);
            for (const auto name : answer.plies) {
                const auto& plies = pieces.at(name).plies;
                REQUIRE(unpacked.losses(name) == plies.size());
                unpacked.add_plies(name, plies.data(), plies.size());
            }
            answer = unpacked.probe_with_moves(word);
        }
        return answer;
    }

    struct Piece {
        std::uint32_t entries = 0;
        std::vector<std::uint8_t> outcomes, plies;
    };

    Solver solver;
    Pairs<std::vector<std::uint8_t>> table;
    std::map<UnpackedPieces::Name, Piece> pieces;
};

TEST_CASE("a position and its moves in pieces are what they are in a table") {
    for (const bool double_line_wins : {false, true}) {
        const Rules rules = rules_in_a_row(3, 3, 3, double_line_wins);
        const Cut cut(rules);
        TableReader reader(rules);
        UnpackedPieces with_plies(rules, true), without(rules, false);
        for (const auto& [pair, entries] : cut.table) {
            reader.add(pair.first, pair.second, {entries.data(), 1});
            with_plies.add_pair(pair.first, pair.second);
            without.add_pair(pair.first, pair.second);
        }
        const std::vector<Move> moves = numbered_moves(reader.board());
        for (int x = 0; x <= 9; ++x)
            for (int o = 0; x + o <= 9; ++o) {
                const PositionClass all(9, x, o);
                all.each(0, all.size(), [&](std::uint64_t word) {
                    std::vector<std::uint64_t> words{word};
                    each_numbered_move(reader.board(), moves, word,
                                       [&](int, std::uint64_t after) { words.push_back(after); });
                    const auto found = cut.ask(with_plies, word), coarse = cut.ask(without, word);
                    REQUIRE_FALSE(found.wrong);
                    REQUIRE(found.results.size() == words.size());
                    for (std::size_t i = 0; i < words.size(); ++i) {
                        const Result expected = reader.probe(words[i]);
                        REQUIRE(found.results[i].outcome == expected.outcome);
                        REQUIRE(found.results[i].plies == expected.plies);
                        REQUIRE(coarse.results[i].outcome == expected.outcome);
                        REQUIRE(coarse.results[i].plies == (expected.plies == 0 ? 0 : -1));
                    }
                });
            }
        CHECK(with_plies.size() > 0);
        with_plies.clear();
        CHECK(with_plies.size() == 0);
    }
}

TEST_CASE("pieces that make no sense, and pairs that are not there") {
    const Rules rules = rules_in_a_row(3, 3, 3, false);
    const Cut cut(rules);
    UnpackedPieces pieces(rules, true);
    CHECK(pieces.probe_with_moves(0).results[0].outcome == Outcome::missing);
    pieces.add_pair(0, 0);
    pieces.add_pair(1, 0);
    REQUIRE_FALSE(cut.ask(pieces, 0).wrong);
    // The empty board is won, but nothing after it is lost.
    const std::vector<std::uint8_t> draws(3, 0x55), nonsense(3, 0xff);
    for (const int plane : {0, 1}) pieces.add_outcomes(Cut::name(1, 0, plane), draws.data(), 3);
    CHECK(pieces.probe_with_moves(0).wrong);
    for (const int plane : {0, 1}) pieces.add_outcomes(Cut::name(1, 0, plane), nonsense.data(), 3);
    CHECK(pieces.probe_with_moves(0).wrong);
    const std::uint8_t plies[] = {1, 2};
    CHECK_THROWS_AS(pieces.add_plies(Cut::name(1, 0, 0), plies, 2), std::invalid_argument);
    pieces.add_plies(Cut::name(9, 0, 0), plies, 2);  // it is not here, and nothing happens
    CHECK_FALSE(pieces.losses(Cut::name(9, 0, 0)));
}

}  // namespace
}  // namespace inarow::quixo
