// Quixo for the explorer: the questions of the API, with the same records.
#include "wasm/module.hpp"

#include <map>
#include <memory>
#include <tuple>

#include "quixo/threats.hpp"
#include "wasm/quixo/player.hpp"
#include "wasm/quixo/prober.hpp"

namespace inarow::wasm {

namespace {

const char* name_of(Outcome outcome) {
    return outcome == Outcome::win ? "win" : outcome == Outcome::draw ? "draw" : outcome == Outcome::loss ? "loss" : "";
}

void write_move(Json& json, const Rules& rules, const MoveProbe& move) {
    json.key("move").string(move_text(rules, *move.move));
    json.key("value").string_or_null(name_of(move.result.outcome));
    json.key("plies").count_or_null(move.result.plies);
    json.key("position").string(move.position.text());
    json.key("source").string(name_of(move.source));
    json.key("losing_replies").count_or_null(move.losing_replies);
    json.key("replies").count_or_null(move.replies);
}

// The smallest word among the images of a position.
std::uint64_t canonical(const Board& board, const Position& position) {
    std::uint64_t least = ~std::uint64_t{0};
    for (int g = 0; g < board.symmetries(); ++g)
        least =
            std::min(least, std::uint64_t{board.image(g, position.mover())} << 32 | board.image(g, position.other()));
    return least;
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

void write_probe(Json& json, const Board& board, const Probe& probe) {
    const Position& position = probe.position;
    json.open('{').key("position").string(position.text());
    json.key("value").string_or_null(name_of(probe.result.outcome));
    json.key("plies").count_or_null(probe.result.plies);
    json.key("source").string(name_of(probe.source));
    json.key("reason").string_or_null(probe.reason);
    json.key("moves").open('[');
    std::map<std::uint64_t, int> alike;  // by the canonical image of the position after a move
    for (const MoveProbe& move : probe.moves) {
        json.open('{');
        write_move(json, position.rules, move);
        const auto known = alike.emplace(canonical(board, move.position), static_cast<int>(alike.size())).first;
        json.key("alike").number(known->second).close('}');
    }
    json.close(']');
    const char winner = position.winner(board);
    json.key("winner").string_or_null(winner == ' ' ? "" : std::string(1, winner));
    json.key("winning_cells").open('[');
    Mask cells = 0;
    const Mask marks = winner == 'x' ? position.x : position.o;
    for (const Mask line : board.lines())
        if (winner != ' ' && (marks & line) == line) cells |= line;
    for (; cells; cells &= cells - 1) json.string(cell_text(position.rules, std::countr_zero(cells)));
    json.close(']');
    write_threats(json, board, position);
    json.close('}');
}

void write_stats(Json& json, const Rules& rules, const Solved& solved) {
    const Result start = solved.probe(0);
    json.open('{').key("game").string("quixo").key("rows").number(rules.rows).key("columns").number(rules.columns);
    json.key("line").number(rules.line).key("double_line").string(rules.double_line_wins ? "wins" : "loses");
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

// The prober of each game that was asked about; null while files are needed to make it.
Prober* prober_of(const Rules& rules, Files& files) {
    constexpr std::size_t most = 8;  // of some 10 MB each
    static std::map<std::tuple<int, int, int, bool>, std::unique_ptr<Prober>> probers;
    const std::tuple key(rules.rows, rules.columns, rules.line, rules.double_line_wins);
    if (const auto found = probers.find(key); found != probers.end()) return found->second.get();
    auto prober = std::make_unique<Prober>(rules, files);
    if (!files.needed().empty()) return nullptr;
    if (probers.size() == most) probers.clear();
    return (probers[key] = std::move(prober)).get();
}

void answer_stats(const Rules& rules, Files& files, Reply& reply) {
    const Prober* prober = prober_of(rules, files);
    if (!prober) return;
    if (prober->solved()) return write_stats(reply.record, rules, *prober->solved());
    if (!prober->has_results())
        return reply.refuse({"no results of Quixo " + size_text(rules.rows, rules.columns) + ", line " +
                             std::to_string(rules.line) + ", double line " +
                             (rules.double_line_wins ? "wins" : "loses") + " are kept"});
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

void answer_move(const Question& question, const Position& position, Prober& prober, Files& files, Reply& reply) {
    if (position.winner(prober.board()) != ' ') return reply.refuse({"the game is over"});
    const std::string_view name = question["player"];
    const Kind kind = name == "weaker"  ? Kind::weaker
                      : name == "level" ? Kind::level
                      : name == "trap"  ? Kind::trap
                                        : Kind::best;
    const int percent = static_cast<int>(number(question["mistakes"], 35));
    const int level = static_cast<int>(number(question["level"], static_cast<int>(levels.size())));
    std::optional<std::uint64_t> seed;
    if (!question["seed"].empty()) seed = static_cast<std::uint64_t>(number(question["seed"], 0));
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    Random random(seed.value_or(static_cast<std::uint64_t>(now)), position.text());
    Player player(prober, kind, level, percent, seed);
    const auto chosen = player.choose(position, random);
    if (!chosen || !files.needed().empty()) return;
    reply.record.open('{');
    write_move(reply.record, position.rules, *chosen);
    reply.record.key("player").string(player.describe()).close('}');
}

}  // namespace

void answer(const Question& question, Files& files, Reply& reply) {
    const int line = static_cast<int>(number(question["line"], 0));
    const bool double_line_wins = question["double_line"] == "wins";
    if (question.name() == "stats" || question.name() == "puzzles" || question.name() == "openings") {
        const auto rules = rules_of(static_cast<int>(number(question["rows"], 0)),
                                    static_cast<int>(number(question["columns"], 0)), line, double_line_wins);
        if (const Refused* refused = std::get_if<Refused>(&rules)) return reply.refuse(*refused);
        if (question.name() == "stats") return answer_stats(std::get<Rules>(rules), files, reply);
        return answer_file(question.name(), std::get<Rules>(rules), files, reply);
    }
    const auto parsed = parse_position(question["position"], line, double_line_wins);
    if (const Refused* refused = std::get_if<Refused>(&parsed)) return reply.refuse(*refused);
    const Position& position = std::get<Position>(parsed);
    Prober* prober = prober_of(position.rules, files);
    if (!prober) return;
    if (question.name() == "move") return answer_move(question, position, *prober, files, reply);
    Probe probe = prober->probe(position);
    if (!files.needed().empty()) return;
    prober->count_replies(probe);
    if (!prober->conflict().empty()) return reply.refuse({prober->conflict()});
    write_probe(reply.record, prober->board(), probe);
}

}  // namespace inarow::wasm
