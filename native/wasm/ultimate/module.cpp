// Ultimate Tic-Tac-Toe for the explorer: the questions of the API, with the same records.
#include "wasm/module.hpp"

#include <chrono>

#include "ultimate/players/mcts.hpp"
#include "wasm/random.hpp"
#include "wasm/ultimate/strategy.hpp"

namespace inarow::wasm {

namespace {

constexpr std::uint64_t playouts = 20'000;  // of a search where the strategies have no move

void write_strategy(Json& json, const Game& game, const Explanation& found) {
    json.open('{').key("move").string(move_text(found.move)).key("phase").string(found.phase);
    json.key("why").string(found.why).key("at_most").number(most_plies - game.ply()).close('}');
}

void write_moves(Json& json, const std::vector<int>& moves) {
    json.open('[');
    for (const int move : moves) json.string(move_text(move));
    json.close(']');
}

void write_record(Json& json, const Game& game) {
    const auto mark = [](char side) { return side == ' ' ? std::string() : std::string(1, side); };
    json.open('{').key("position").string(game.text()).key("variant").string(game.board.closed ? "closed" : "open");
    json.key("turn").string(mark(game.turn())).key("fields").open('[');
    for (int field = 0; field < 9; ++field) {
        std::string spots;
        for (int spot = 0; spot < 9; ++spot) spots += game.mark(field, spot);
        json.string(spots);
    }
    json.close(']').key("field_winners").open('[');
    for (int field = 0; field < 9; ++field) json.string_or_null(mark(game.field_winner(field)));
    json.close(']').key("active_fields").open('[');
    for (int field = 0; field < 9; ++field)
        if (game.active_fields() >> field & 1) json.number(field);
    json.close(']').key("moves");
    write_moves(json, game.legal_moves());
    json.key("over").boolean(game.is_over()).key("winner").string_or_null(mark(game.winner()));
    json.key("winning_fields").open('[');
    const int won = game.winner() == 'x' ? game.board.won[0] : game.winner() == 'o' ? game.board.won[1] : 0;
    int winning = 0;
    for (const int line : kLines)
        if ((won & line) == line) winning |= line;
    for (int field = 0; field < 9; ++field)
        if (winning >> field & 1) json.number(field);
    json.close(']');

    std::variant<Explanation, OffStrategy> here = OffStrategy(), before = OffStrategy();
    const Game last = game.before();
    const bool resists = game.turn() == 'o' && !game.is_over() && !game.board.closed;
    if (game.board.closed && (game.turn() == 'o' || !game.is_over()))
        here = OffStrategy("the strategy is for the open variant, where a field that is won stays playable");
    else if (game.turn() == 'o')
        before = explain(last);
    else if (!game.is_over())
        here = explain(game);
    json.key("strategy");
    const Explanation* found = std::get_if<Explanation>(&here);
    found ? write_strategy(json, game, *found) : void(json.null());
    json.key("last_strategy");
    const Explanation* played = std::get_if<Explanation>(&before);
    played && played->move == game.moves.back() ? write_strategy(json, last, *played) : void(json.null());
    json.key("resistance");
    write_moves(json, resists ? lbs_choices(game) : std::vector<int>());
    for (const auto& tried : {here, before})
        if (const OffStrategy* off = std::get_if<OffStrategy>(&tried); off && !off->empty())
            json.key("reason").string(*off);
    json.close('}');
}

int searched_move(const Game& game, std::uint64_t seed) {
    ultimate::players::MctsOptions options;
    options.playouts = playouts;
    options.seed = seed + static_cast<std::uint64_t>(game.ply());
    options.memory = std::uint64_t{1} << 26;
    options.poll = [] {};
    return ultimate::players::mcts(game.board, options).moves.front().move;
}

// Xavier's strategy for X, LBS for O, and a search where they have no move.
int chosen_move(const Game& game, std::uint64_t seed) {
    if (game.board.closed) return searched_move(game, seed);
    if (game.turn() == 'o') {
        Random random(seed, game.text());
        const std::vector<int> choices = lbs_choices(game);
        return choices[random.below(choices.size())];
    }
    const auto found = explain(game);
    const Explanation* strategy = std::get_if<Explanation>(&found);
    return strategy ? strategy->move : searched_move(game, seed);
}

}  // namespace

void answer(const Question& question, Files&, Reply& reply) {
    const auto parsed = parse_game(question["position"], question["variant"] == "closed");
    if (const Refused* refused = std::get_if<Refused>(&parsed)) return reply.refuse(*refused);
    Game game = std::get<Game>(parsed);
    if (question.name() == "move") {
        if (game.is_over()) return reply.refuse({"the game is over"});
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        const auto seed = static_cast<std::uint64_t>(number(question["seed"], now));
        const int move = question["player"] == "search" ? searched_move(game, seed) : chosen_move(game, seed);
        reply.record.open('{').key("move").string(move_text(move)).close('}');
        return;
    }
    if (!question["move"].empty()) {
        const auto move = parse_move(code_points(question["move"]));
        if (const Refused* refused = std::get_if<Refused>(&move)) return reply.refuse(*refused);
        const int number = std::get<int>(move);
        if (const std::string why = game.why_illegal(number); !why.empty())
            return reply.refuse({"move " + move_text(number) + ": " + why});
        game.play(number);
    }
    write_record(reply.record, game);
}

}  // namespace inarow::wasm
