// Quixo for the explorer: the questions of the API, with the same records.
#include "wasm/module.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "quixo/player.hpp"
#include "quixo/results.hpp"
#include "quixo/threats.hpp"
#include "wasm/quixo/notation.hpp"
#include "wasm/quixo/solved.hpp"
#include "wasm/quixo/sources.hpp"

namespace inarow::wasm {

namespace {

using quixo::Known;
using quixo::Origin;
using quixo::Outcome;
using quixo::Player;
using quixo::Probe;
using quixo::ProbedMove;
using quixo::Prober;
using quixo::Result;

const char* name_of(Outcome outcome) {
    return outcome == Outcome::win ? "win" : outcome == Outcome::draw ? "draw" : outcome == Outcome::loss ? "loss" : "";
}

const char* name_of(Origin origin) {
    constexpr const char* names[] = {"table", "book", "search", "results"};
    return names[static_cast<int>(origin)];
}

// The prober of a game, and what it looks positions up in.
class Game {
  public:
    // Files may be needed first; then it knows less than it could.
    Game(const Rules& rules, Files& files) : rules_(rules) {
        std::vector<std::shared_ptr<quixo::Source>> sources;
        std::vector<quixo::Search::ClassFacts> facts;
        if (rules.cells() <= quick_cells) {
            sources.push_back(solved_ = std::make_shared<Solved>(rules));
        } else {
            const auto text = [&](const std::string& name) {
                const Files::Content* content = files.get(name);
                return Words(content ? std::string_view(reinterpret_cast<const char*>(content->data()), content->size())
                                     : std::string_view{});
            };
            const std::string name = rules_name(rules), folder = "quixo/" + name;
            std::shared_ptr<quixo::Source> results, table;
            for (Words listed = text("quixo/index.txt"); listed.more();) {
                const std::string_view what = listed.next(), whose = listed.next();
                if (whose != name) continue;
                if (what == "results") results = results_of(text(folder + "/results.txt"), facts);
                if (what == "table") table = std::make_shared<RemoteTable>(rules, files, text(folder + "/table.txt"));
                if (what == "book")
                    book_ =
                        std::make_shared<SiteBook>(rules, files, folder + "/book/", text(folder + "/book/index.txt"));
            }
            for (const std::shared_ptr<quixo::Source>& source : {std::shared_ptr<quixo::Source>(book_), results, table})
                if (source) sources.push_back(source);
            has_results_ = !facts.empty();
            has_table_ = table != nullptr;
        }
        prober_ = std::make_unique<Prober>(rules, std::move(sources), std::move(facts), quixo::SearchLimits());
    }

    Prober& prober() { return *prober_; }
    const Solved* solved() const { return solved_.get(); }
    bool has_results() const { return has_results_; }

    // Why something is not known.
    std::string reason(const Position& position, const Probe& probe) const {
        const Result& here = probe.known.result;
        if (is_complete(here)) return "";
        const std::string within = std::to_string(probe.searched) + " plies";
        if (is_known(here)) {
            const std::string more = "it takes more than " + within;
            if (probe.known.origin == Origin::book && book_)
                return "the book has plies of up to " + std::to_string(book_->plies_marks) + " marks, the board has " +
                       std::to_string(position.marks()) + "; " + more;
            return "not all of its moves are known, and " + more;
        }
        const std::string where =
            book_ ? "the book ends at " + std::to_string(book_->outcome_marks) + " marks" : "there is no book";
        return where + ", and nobody wins by force within " + within;
    }

    // How a player plays.
    std::string describe(const quixo::Strength& strength) const {
        if (strength.kind == quixo::Kind::level) {
            const int plies = quixo::levels[static_cast<std::size_t>(strength.level - 1)];
            return "Level " + std::to_string(strength.level) + ": sees what is decided within " +
                   std::to_string(plies) + (plies == 1 ? " ply" : " plies") + ", and plays any move beyond that.";
        }
        if (strength.kind == quixo::Kind::weaker)
            return "Makes " + std::to_string(static_cast<int>(100 * strength.mistakes + 0.5)) +
                   "% of its moves at random.";
        if (solved_ || has_table_)
            return std::string("Plays perfectly: takes the fastest win and ") +
                   (strength.kind == quixo::Kind::trap ? "hopes for mistakes where it is losing" : "the slowest loss") +
                   ", and sets traps in a draw.";
        const quixo::SearchLimits limits;
        return std::string("Plays by ") + (book_ ? "the book and a search" : "a search") + " of " +
               std::to_string(limits.plies) + " plies and more, up to 2 seconds a move. That is not perfect.";
    }

  private:
    // Of a file of the site, which docs/site.md specifies.
    std::shared_ptr<quixo::Results> results_of(Words words, std::vector<quixo::Search::ClassFacts>& facts) const {
        const int side = rules_.cells() + 1;
        facts.assign(static_cast<std::size_t>(side * side), {});
        std::map<std::pair<int, int>, Outcome> classes;
        std::map<std::uint64_t, Result> kept;
        const auto next = [&] { return static_cast<int>(words.number()); };
        for (int left = next(); left > 0 && words.more(); --left) {
            const int m = next(), o = next();
            const quixo::Search::ClassFacts found{next(), next(), next() != 0, next()};
            const int value = next();
            if (m < 0 || o < 0 || m >= side || o >= side) continue;
            facts[static_cast<std::size_t>(m * side + o)] = found;
            if (value != static_cast<int>(Outcome::missing)) classes[{m, o}] = static_cast<Outcome>(value);
        }
        while (words.more()) {
            const auto word = static_cast<std::uint64_t>(words.number());
            const auto outcome = static_cast<Outcome>(next());
            kept[word] = {outcome, next()};
        }
        return std::make_shared<quixo::Results>(Board(rules_), std::move(classes), std::move(kept));
    }

    Rules rules_;
    std::shared_ptr<Solved> solved_;  // null unless the game is small
    std::shared_ptr<SiteBook> book_;
    bool has_results_ = false, has_table_ = false;
    std::unique_ptr<Prober> prober_;
};

void write_move(Json& json, const Prober& prober, const Position& position, const ProbedMove& move) {
    const quixo::Move& its = prober.moves()[static_cast<std::size_t>(move.number)];
    json.key("move").string(move_text(position.rules, its));
    json.key("value").string_or_null(name_of(move.known.result.outcome));
    json.key("plies").count_or_null(move.known.result.plies);
    json.key("position").string(position.after(its).text());
    json.key("source").string(name_of(move.known.origin));
    json.key("losing_replies").count_or_null(move.losing_replies);
    json.key("replies").count_or_null(move.replies);
}

void write_threats(Json& json, const Board& board, const Position& position) {
    const Rules& rules = position.rules;
    const auto write_moves = [&](const std::vector<const quixo::Move*>& moves) {
        json.open('[');
        for (const quixo::Move* move : moves) json.string(move_text(rules, *move));
        json.close(']');
    };
    const auto write_side = [&](const char* name, const std::vector<quixo::Threat>& threats) {
        json.key(name).open('[');
        for (const quixo::Threat& threat : threats) {
            json.open('{').key("line").open('[');
            for (Mask line = threat.line; line; line &= line - 1) json.string(cell_text(rules, std::countr_zero(line)));
            json.close(']').key("moves");
            write_moves(threat.moves);
            json.close('}');
        }
        json.close(']');
    };
    const quixo::Threats found = quixo::threats_of(board, position.mover(), position.other());
    json.key("threats").open('{');
    write_side("x", position.turn == 'x' ? found.mover : found.other);
    write_side("o", position.turn == 'x' ? found.other : found.mover);
    json.key("blocks");
    found.other.empty() ? void(json.null()) : write_moves(found.blocks);
    json.close('}');
}

void write_probe(Json& json, Game& game, const Position& position, const Probe& probe) {
    const Board& board = game.prober().board();
    json.open('{').key("position").string(position.text());
    json.key("value").string_or_null(name_of(probe.known.result.outcome));
    json.key("plies").count_or_null(probe.known.result.plies);
    json.key("source").string(name_of(probe.known.origin));
    json.key("reason").string_or_null(game.reason(position, probe));
    json.key("moves").open('[');
    std::map<std::uint64_t, int> alike;  // by the canonical image of the position after a move
    for (const ProbedMove& move : probe.moves) {
        json.open('{');
        write_move(json, game.prober(), position, move);
        const auto known = alike.emplace(quixo::canonical_word(board, move.word), static_cast<int>(alike.size())).first;
        json.key("alike").number(known->second).close('}');
    }
    json.close(']');
    const char winner = position.winner(board);
    json.key("winner").string_or_null(winner == ' ' ? "" : std::string(1, winner));
    json.key("winning_cells").open('[');
    // Of a draw those of all lines; where a line loses for its owner they are the loser's.
    Mask cells = 0;
    const bool misere = position.rules.variant.misere;
    for (const Mask line : board.lines())
        for (const char side : {'x', 'o'})
            if ((winner == ' ' || (winner == side) != misere) &&
                ((side == 'x' ? position.x : position.o) & line) == line)
                cells |= line;
    for (; cells; cells &= cells - 1) json.string(cell_text(position.rules, std::countr_zero(cells)));
    json.close(']');
    write_threats(json, board, position);
    json.close('}');
}

void write_stats(Json& json, const Rules& rules, const Solved& solved) {
    const Result start = solved.probe(0);
    json.open('{').key("game").string("quixo").key("rows").number(rules.rows).key("columns").number(rules.columns);
    const Variant& its = rules.variant;
    json.key("line").number(its.line).key("double_line").string(its.double_line);
    if (its.misere) json.key("misere").boolean(true);
    if (its.wrap) json.key("wrap").boolean(true);
    if (!its.diagonals) json.key("diagonals").boolean(false);
    json.key("value").string(name_of(start.outcome)).key("plies").count_or_null(start.plies);
    std::map<int, std::pair<std::int64_t, std::int64_t>> by_plies;
    std::int64_t win = 0, loss = 0, draw = 0;
    for (const auto& counts : solved.classes()) {
        draw += counts.draw;
        for (const auto& row : counts.by_plies) {
            win += row.win;
            loss += row.loss;
            by_plies[row.plies].first += row.win;
            by_plies[row.plies].second += row.loss;
        }
    }
    json.key("states").open('{').key("win").number(win).key("loss").number(loss).key("draw").number(draw).close('}');
    json.key("by_plies").open('[');
    for (int plies = 0; plies <= (by_plies.empty() ? -1 : by_plies.rbegin()->first); ++plies) {
        const auto [won, lost] = by_plies[plies];
        json.open('{').key("plies").number(plies).key("win").number(won).key("loss").number(lost).close('}');
    }
    json.close(']').key("classes").open('[');
    for (const auto& counts : solved.classes()) {
        std::int64_t won = 0, lost = 0;
        for (const auto& row : counts.by_plies) won += row.win, lost += row.loss;
        json.open('{').key("x").number(counts.m).key("o").number(counts.o).key("win").number(won);
        json.key("loss").number(lost).key("draw").number(counts.draw);
        json.key("max_plies").count_or_null(counts.by_plies.empty() ? -1 : counts.by_plies.back().plies).close('}');
    }
    json.close(']').close('}');
}

// Each game that was asked about; null while files are needed first.
Game* game_of(const Rules& rules, Files& files) {
    constexpr std::size_t most = 8;  // of some 10 MB each
    static std::map<std::string, std::unique_ptr<Game>> games;
    const std::string key = rules_name(rules);
    if (const auto found = games.find(key); found != games.end()) return found->second.get();
    auto game = std::make_unique<Game>(rules, files);
    if (!files.needed().empty()) return nullptr;
    if (games.size() == most) games.clear();
    return (games[key] = std::move(game)).get();
}

void answer_stats(const Rules& rules, Files& files, Reply& reply) {
    const Game* game = game_of(rules, files);
    if (!game) return;
    if (game->solved()) return write_stats(reply.record, rules, *game->solved());
    if (!game->has_results()) return reply.refuse({"no results of Quixo " + rules_text(rules) + " are kept"});
    if (const Files::Content* stats = files.get("quixo/" + rules_name(rules) + "/stats.json"))
        reply.record.raw({reinterpret_cast<const char*>(stats->data()), stats->size()});
    else
        reply.refuse({"the results of this game cannot be had"});
}

// What comes with inarow as a file: "puzzles" or "openings".
void answer_file(const std::string& what, const Rules& rules, Files& files, Reply& reply) {
    if (const Files::Content* found = files.get("quixo/" + rules_name(rules) + "/" + what + ".json"))
        reply.record.raw({reinterpret_cast<const char*>(found->data()), found->size()});
    else
        reply.refuse({"no " + what + " of this game come with inarow"});
}

void answer_move(const Question& question, const Position& position, Game& game, Reply& reply) {
    if (game.prober().board().ended(position.mover(), position.other()) != Outcome::missing)
        return reply.refuse({"the game is over"});
    constexpr std::string_view kinds[] = {"best", "trap", "level", "weaker"};
    const auto kind = std::ranges::find(kinds, question["player"]) - std::begin(kinds);
    quixo::Strength strength;
    if (kind < std::ssize(kinds)) strength.kind = static_cast<quixo::Kind>(kind);
    strength.level = std::clamp(static_cast<int>(number(question["level"], strength.level)), 1, strength.level);
    if (strength.kind == quixo::Kind::weaker)
        strength.mistakes = static_cast<double>(number(question["mistakes"], 35)) / 100;
    if (!question["seed"].empty()) strength.seed = static_cast<std::uint64_t>(number(question["seed"], 0));
    const auto chosen = Player(game.prober(), strength).choose(position.word());
    if (!chosen) return;
    reply.record.open('{');
    write_move(reply.record, game.prober(), position, *chosen);
    reply.record.key("player").string(game.describe(strength)).close('}');
}

}  // namespace

void answer(const Question& question, Files& files, Reply& reply) {
    const Variant variant{static_cast<int>(number(question["line"], 0)), question["double_line"],
                          question["misere"] == "true", question["wrap"] == "true", question["diagonals"] != "false"};
    if (question.name() == "stats" || question.name() == "puzzles" || question.name() == "openings") {
        const auto rules = rules_of(static_cast<int>(number(question["rows"], 0)),
                                    static_cast<int>(number(question["columns"], 0)), variant);
        if (const Refused* refused = std::get_if<Refused>(&rules)) return reply.refuse(*refused);
        if (question.name() == "stats") return answer_stats(std::get<Rules>(rules), files, reply);
        return answer_file(question.name(), std::get<Rules>(rules), files, reply);
    }
    const auto parsed = parse_position(question["position"], variant);
    if (const Refused* refused = std::get_if<Refused>(&parsed)) return reply.refuse(*refused);
    const Position& position = std::get<Position>(parsed);
    Game* game = game_of(position.rules, files);
    if (!game) return;
    constexpr auto most = static_cast<std::int64_t>(1000 * quixo::SearchLimits().seconds);
    game->prober().limit(static_cast<double>(number(question["milliseconds"], most)) / 1000);
    if (question.name() == "move") return answer_move(question, position, *game, reply);
    auto probe = game->prober().probe(position.word());
    if (!probe || !game->prober().count_replies(*probe)) return;
    if (const auto& its = probe->contradiction)
        return reply.refuse({std::string("the ") + name_of(its->first.origin) + " and the " +
                             name_of(its->second.origin) + " disagree: one of them is wrong"});
    write_probe(reply.record, *game, position, *probe);
}

}  // namespace inarow::wasm
