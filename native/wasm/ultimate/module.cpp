// Ultimate Tic-Tac-Toe for the explorer: the questions of the API, with the same records.
#include "wasm/module.hpp"

#include <chrono>

#include "random.hpp"
#include "ultimate/players.hpp"
#include "ultimate/strategy.hpp"
#include "wasm/ultimate/rules.hpp"

namespace inarow::wasm {

namespace {

using ultimate::Explanation;
using ultimate::Moves;
using ultimate::OffStrategy;

constexpr std::uint64_t playouts = 20'000;  // of a search where the strategies have no move
constexpr int most_plies = 43;              // of a game that X plays by Xavier's strategy

std::string mark(char side) { return side == ' ' ? std::string() : std::string(1, side); }

void write_strategy(Json& json, const char* key, const Explanation* found, int ply) {
    json.key(key);
    if (!found) return void(json.null());
    json.open('{').key("move").string(move_text(found->move)).key("phase").string(found->phase);
    json.key("why").string(found->why).key("at_most").number(most_plies - ply).close('}');
}

void write_moves(Json& json, const char* key, const Moves& moves) {
    json.key(key).open('[');
    for (const int move : moves) json.string(move_text(move));
    json.close(']');
}

// The numbers of the fields in a mask.
void write_fields(Json& json, const char* key, unsigned mask) {
    json.key(key).open('[');
    for (; mask; mask &= mask - 1) json.number(std::countr_zero(mask));
    json.close(']');
}

void write_record(Json& json, const Game& game) {
    const Board& board = game.board;
    const bool over = board.is_over(), x_moves = board.x_to_move();
    json.open('{').key("position").string(game.text()).key("variant").string(board.closed ? "closed" : "open");
    json.key("turn").string(mark("xo"[board.turn()])).key("fields").open('[');
    for (int field = 0; field < 9; ++field) {
        std::string spots;
        for (int spot = 0; spot < 9; ++spot) spots += mark_at(board, field, spot);
        json.string(spots);
    }
    json.close(']').key("field_winners").open('[');
    for (int field = 0; field < 9; ++field) json.string_or_null(mark(field_winner(board, field)));
    json.close(']');
    write_fields(json, "active_fields", over ? 0 : board.playable_fields());
    write_moves(json, "moves", over ? Moves() : board.moves());
    json.key("over").boolean(over).key("winner").string_or_null(mark(winner_of(board)));
    unsigned winning = 0;
    for (const int side : {0, 1})
        for (const int line : ultimate::kLineMasks)
            if ((board.won[side] & line) == line) winning |= line;
    write_fields(json, "winning_fields", winning);

    // X's strategy, for the side to move or for the move before.
    std::variant<Explanation, OffStrategy> found = nullptr;
    if (board.closed && !(over && x_moves))
        found = "the strategy is for the open variant, where a field that is won stays playable";
    else if (!x_moves || !over)
        found = ultimate::explain(x_moves ? board : game.before());
    const Explanation* strategy = std::get_if<Explanation>(&found);
    write_strategy(json, "strategy", x_moves ? strategy : nullptr, board.ply);
    const bool followed = strategy && !x_moves && strategy->move == game.moves.back();
    write_strategy(json, "last_strategy", followed ? strategy : nullptr, board.ply - 1);
    const bool resists = !x_moves && !over && !board.closed;
    write_moves(json, "resistance", resists ? ultimate::lbs_choices(board) : Moves());
    if (const OffStrategy* off = std::get_if<OffStrategy>(&found); off && *off) json.key("reason").string(*off);
    json.close('}');
}

int searched_move(const Board& board, std::uint64_t seed) {
    const ultimate::MctsOptions options{
        .playouts = playouts, .seed = seed + board.ply, .memory = std::uint64_t{1} << 26, .poll = [] {}};
    return ultimate::mcts(board, options).moves.front().move;
}

// Xavier's strategy for X, LBS for O, and a search where they have no move.
int chosen_move(const Game& game, std::uint64_t seed) {
    if (game.board.closed) return searched_move(game.board, seed);
    if (!game.board.x_to_move()) {
        const Moves choices = ultimate::lbs_choices(game.board);
        return choices[Random(seed, game.text()).below(choices.size)];
    }
    const auto found = ultimate::explain(game.board);
    const Explanation* strategy = std::get_if<Explanation>(&found);
    return strategy ? strategy->move : searched_move(game.board, seed);
}

}  // namespace

void answer(const Question& question, Files&, Reply& reply) {
    const auto parsed = parse_game(question["position"], question["variant"] == "closed");
    if (const Refused* refused = std::get_if<Refused>(&parsed)) return reply.refuse(*refused);
    Game game = std::get<Game>(parsed);
    if (question.name() == "move") {
        if (game.board.is_over()) return reply.refuse({"the game is over"});
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        const auto seed = static_cast<std::uint64_t>(number(question["seed"], now));
        const int move = question["player"] == "search" ? searched_move(game.board, seed) : chosen_move(game, seed);
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
