// Qubic for the explorer: the questions of the API, with the same records. The player of the proof is the one of
// inarow/positional/dictionary/player.py.
#include "wasm/module.hpp"

#include <chrono>
#include <optional>

#include "random.hpp"
#include "wasm/qubic/rules.hpp"
#include "wasm/words.hpp"

namespace inarow::wasm {

namespace {

// X's moves of the proof, by the positions of X and O.
class Dictionary {
  public:
    struct Hit {
        int line, cell;
    };

    // Lines of "x o options move number", masks in hexadecimal: each option is a further O.
    explicit Dictionary(std::string_view text) {
        Words words(text);
        for (int index = 0; words.more(); ++index) {
            const Cells x = words.hexadecimal(), o = words.hexadecimal(), options = words.hexadecimal();
            const int move = static_cast<int>(words.number());
            numbers_.push_back(static_cast<int>(words.number()));
            if (!options) entries_.emplace(std::pair(x, o), Entry{index, move});
            for (Cells rest = options; rest; rest &= rest - 1)
                entries_.emplace(std::pair(x, o | (rest & -rest)), Entry{index, move});
        }
    }

    // The first line counts, whichever image of the position it contains.
    std::optional<Hit> look_up(const QubicPosition& position) const {
        std::optional<Entry> best;
        std::array<int, kCells> best_image{};
        for (int symmetry = 0; symmetry < qubic::kSymmetries; ++symmetry) {
            std::array<int, kCells> image{};
            for (int cell = 0; cell < kCells; ++cell)
                image[cell] = qubic::lowest(qubic::kGeometry.images[cell][symmetry]);
            const auto found = entries_.find({masked(position.x, image), masked(position.o, image)});
            if (found == entries_.end()) continue;
            const Entry& entry = found->second;
            if (best && std::pair(best->index, best_image) < std::pair(entry.index, image)) continue;
            best = entry;
            best_image = image;
        }
        if (!best) return std::nullopt;
        const auto cell = std::find(best_image.begin(), best_image.end(), best->move) - best_image.begin();
        return Hit{numbers_[static_cast<std::size_t>(best->index)], static_cast<int>(cell)};
    }

  private:
    struct Entry {
        int index, move;
    };

    static Cells masked(Cells cells, const std::array<int, kCells>& image) {
        Cells found = 0;
        for (; cells; cells &= cells - 1) found |= bit(image[qubic::lowest(cells)]);
        return found;
    }

    std::map<std::pair<Cells, Cells>, Entry> entries_;
    std::vector<int> numbers_;
};

struct Answer {
    int cell = -1;  // none
    const char* reason = "";
    std::string why;  // or why there is no answer
    int line_number = -1;
    std::vector<int> sequence;
};

Answer proof_answer(const Dictionary& dictionary, const QubicPosition& position) {
    if (const Cells wins = threats().winning(position.x, position.o))
        return {qubic::lowest(wins), "win", "This completes a line and wins.", -1, {}};
    const Cells blocks = threats().blocking(position.x, position.o);
    if (several(blocks)) {
        std::string cells;
        for (Cells rest = blocks; rest; rest &= rest - 1)
            cells += (rest == blocks ? "" : several(rest) ? ", " : " and ") + std::to_string(qubic::lowest(rest));
        return {-1, "", "O threatens the cells " + cells + ", and X can block only one of them", -1, {}};
    }
    if (blocks) return {qubic::lowest(blocks), "block", "O would complete a line here, so X must block.", -1, {}};
    if (const auto hit = dictionary.look_up(position))
        return {hit->cell,
                "dictionary",
                "Line " + grouped(hit->line) + " of the dictionary has X's answer to this position.",
                hit->line,
                {}};
    const std::vector<int> forced = threats().forced_win(position.x, position.o);
    if (forced.empty()) return {-1, "", "the dictionary has no answer, and threats do not force a win", -1, {}};
    const std::size_t count = forced.size() / 2;
    const std::string many = count == 1 ? "one threat" : std::to_string(count) + " threats";
    return {forced[0], "forced", "A forced win: " + many + ", each of which O must answer, and then a line.", -1,
            forced};
}

void write_record(Json& json, const Dictionary& dictionary, const QubicPosition& position) {
    const bool x_to_move = position.turn() == 'x', over = position.is_over();
    const Cells mine = over ? 0 : threats().winning(position.x, position.o);
    const Cells theirs = over ? 0 : threats().blocking(position.x, position.o);
    const char winner = position.winner();
    json.open('{').key("position").string(position.text());
    json.key("turn").string(std::string(1, position.turn())).key("over").boolean(over);
    json.key("winner").string_or_null(winner == ' ' ? "" : std::string(1, winner));
    const Cells lines = winner == ' ' ? 0 : QubicPosition::in_lines(winner == 'x' ? position.x : position.o);
    json.key("winning_cells").numbers(cells_of(lines));
    json.key("moves").numbers(cells_of(over ? 0 : ~(position.x | position.o)));
    json.key("threats").open('{').key("x").numbers(cells_of(x_to_move ? mine : theirs));
    json.key("o").numbers(cells_of(x_to_move ? theirs : mine)).close('}');
    const std::vector<int> forced = over ? std::vector<int>{} : threats().forced_win(position.x, position.o);
    json.key("forced");
    forced.empty() ? json.null() : json.numbers(forced);
    const Answer answer = x_to_move && !over ? proof_answer(dictionary, position) : Answer{};
    json.key("answer");
    if (answer.cell < 0) {
        json.null();
        if (!answer.why.empty()) json.key("reason").string(answer.why);
    } else {
        json.open('{').key("cell").number(answer.cell).key("reason").string(answer.reason);
        json.key("why").string(answer.why).key("line_number").count_or_null(answer.line_number).key("sequence");
        answer.sequence.empty() ? json.null() : json.numbers(answer.sequence);
        json.close('}');
    }
    json.close('}');
}

// inarow's: the proof's for X; otherwise one that looks best.
int chosen_move(const Dictionary& dictionary, const QubicPosition& position, Random& random) {
    if (position.turn() == 'x')
        if (const Answer answer = proof_answer(dictionary, position); answer.cell >= 0) return answer.cell;
    const Cells cells = threats().promising(position.x, position.o);
    return cells_of(cells)[random.below(std::popcount(cells))];
}

}  // namespace

void answer(const Question& question, Files& files, Reply& reply) {
    const auto parsed = QubicPosition::parse(question["position"]);
    if (const Refused* refused = std::get_if<Refused>(&parsed)) return reply.refuse(*refused);
    QubicPosition position = std::get<QubicPosition>(parsed);
    static std::optional<Dictionary> dictionary;
    if (!dictionary) {
        const Files::Content* text = files.get("qubic/dictionary.txt");
        if (!files.needed().empty()) return;
        if (!text) return reply.refuse({"the dictionary cannot be had"});
        dictionary.emplace(std::string_view(reinterpret_cast<const char*>(text->data()), text->size()));
    }
    if (question.name() == "move") {
        if (position.is_over()) return reply.refuse({"the game is over"});
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        Random random(static_cast<std::uint64_t>(number(question["seed"], now)), position.text());
        reply.record.open('{').key("move").number(chosen_move(*dictionary, position, random)).close('}');
        return;
    }
    if (!question["move"].empty()) {
        const int cell = static_cast<int>(number(question["move"], -1));
        if (const std::string why = position.why_not(cell); !why.empty()) return reply.refuse({why});
        position = position.after(cell);
    }
    write_record(reply.record, *dictionary, position);
}

}  // namespace inarow::wasm
