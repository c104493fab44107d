#include "wasm/quixo/prober.hpp"

#include <algorithm>
#include <tuple>

namespace inarow::wasm {

namespace {

using Clock = std::chrono::steady_clock;
using quixo::Search;

constexpr double aside_share = 0.1;  // of a search's time, for moves that cannot change value or plies of the position
constexpr std::uint64_t few_nodes = 1 << 10;  // of a first attempt at a proof
constexpr int guessed_plies = 3;
constexpr std::size_t kept_probes = 1024;
// Replies to moves are counted in positions with up to so many marks: the files of those are small.
constexpr int reply_marks = 6;
constexpr int far = 1 << 30;

Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
double left_until(Clock::time_point deadline) { return std::chrono::duration<double>(deadline - Clock::now()).count(); }

// What can be proven about positions to some depth, and to how many plies that is everything.
template <class Enough>
int deepen(Search& search, const std::vector<Position>& positions, std::vector<Result>& results, int plies,
           double seconds, Enough enough) {
    std::vector<Search::Question> questions;
    for (std::size_t i = 0; i < positions.size(); ++i)
        questions.push_back({positions[i].word(), results[i].outcome, results[i].plies});
    const auto all_complete = [&] { return std::all_of(results.begin(), results.end(), is_complete); };
    const auto deadline = after(seconds);
    int depth = 0;
    while (depth <= plies && !all_complete() && !enough()) {
        const bool finished = search.deepen(questions, depth, left_until(deadline));
        for (std::size_t i = 0; i < results.size(); ++i) results[i] = {questions[i].outcome, questions[i].plies};
        if (!finished) break;
        ++depth;
    }
    return all_complete() ? plies : depth - 1;
}

MoveProbe move_to(const quixo::Move* move, const Position& child, const Known& there) {
    const bool counted = is_known(there.result) && there.result.plies >= 0;
    return {move, {opposite(there.result.outcome), counted ? there.result.plies + 1 : -1}, child, there.source};
}

// Wins, the shortest first; draws; unknown values; losses, the longest first.
std::tuple<int, int> worth(const MoveProbe& move) {
    const int plies = move.result.plies < 0 ? far : move.result.plies;
    if (move.result.outcome == Outcome::loss) return {3, -plies};
    return {move.result.outcome == Outcome::win ? 0 : move.result.outcome == Outcome::draw ? 1 : 2, plies};
}
std::tuple<int, int> cells_of(const MoveProbe& move) { return {move.move->taken, move.move->pushed}; }

// What follows about a position from its moves, all of which were searched to so many plies from it.
Known implied(const std::vector<MoveProbe>& moves, int searched) {
    const MoveProbe& best = *std::min_element(moves.begin(), moves.end(), [](const MoveProbe& s, const MoveProbe& t) {
        return std::pair(worth(s), cells_of(s)) < std::pair(worth(t), cells_of(t));
    });
    const Outcome value = best.result.outcome;
    int rivals = 0, unknown = 0, counted = 0, shortest = far, longest = 0;
    for (const MoveProbe& move : moves) {
        const Outcome its = move.result.outcome;
        if (its != value && its != Outcome::missing) continue;
        ++rivals;
        unknown += its == Outcome::missing;
        if (move.result.plies < 0) continue;
        ++counted;
        shortest = std::min(shortest, move.result.plies);
        longest = std::max(longest, move.result.plies);
    }
    // An unknown move may be better than a draw, and faster than a win; losses sort behind unknown moves.
    if (value == Outcome::missing || (value == Outcome::draw && unknown)) return {};
    bool known = value == Outcome::loss && counted == rivals;
    if (value == Outcome::win) known = counted > 0 && (counted == rivals || shortest <= searched + 1);
    return {{value, known ? (value == Outcome::win ? shortest : longest) : -1}, best.source};
}

}  // namespace

Prober::Prober(Rules rules, Files& files) : board_(rules), files_(files) {
    for (const quixo::Move& move : board_.moves()) moves_.push_back(&move);
    std::sort(moves_.begin(), moves_.end(), [](const auto* s, const auto* t) {
        return std::pair(s->taken, s->pushed) < std::pair(t->taken, t->pushed);
    });
    if (rules.cells() <= quick_cells) {
        solved_ = std::make_unique<Solved>(rules);
        return;
    }
    const auto text = [&](const std::string& name) -> std::string_view {
        const Files::Content* content = files.get(name);
        return content ? std::string_view(reinterpret_cast<const char*>(content->data()), content->size())
                       : std::string_view{};
    };
    const std::string name = rules_name(rules);
    Words listed(text("quixo/index.txt"));
    while (listed.more()) {
        const std::string_view what = listed.next(), whose = listed.next();
        if (whose != name) continue;
        if (what == "results") results_ = Results(board_, text("quixo/" + name + "/results.txt"));
        const std::string folder = "quixo/" + name + "/book/";
        if (what == "table") table_ = std::make_unique<RemoteTable>(rules, text("quixo/" + name + "/table.txt"));
        if (what == "book") book_ = std::make_unique<Book>(rules, folder, text(folder + "index.txt"));
    }
}

std::vector<const quixo::Move*> Prober::legal_moves(const Position& position) const {
    std::vector<const quixo::Move*> found;
    if (position.winner(board_) != ' ') return found;
    for (const quixo::Move* move : moves_)
        if (!(position.other() >> move->taken & 1)) found.push_back(move);
    return found;
}

Probe Prober::probe(const Position& position) {
    // What the book knows with all moves takes fewer and smaller files.
    const bool booked = book_ && position.marks() < book_->plies_marks;
    if (table_ && !booked) {
        if (auto probe = by_table(position)) return *probe;
        if (!files_.needed().empty()) return {position, {Outcome::missing, -1}, {}, Source::table, ""};
    }
    if (!solved_) {
        const std::uint64_t key = position.word() << 1 | (position.turn == 'o');
        if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
        Probe probe = merged_sources(position);
        if (!files_.needed().empty()) return probe;
        if (kept_.size() >= kept_probes) kept_.clear();
        return kept_[key] = std::move(probe);
    }
    Probe probe{position, solved_->probe(position.word()), {}, Source::table, ""};
    for (const quixo::Move* move : legal_moves(position)) {
        const Position child = position.after(*move);
        probe.moves.push_back(move_to(move, child, {solved_->probe(child.word()), Source::table}));
    }
    std::sort(probe.moves.begin(), probe.moves.end(), [](const MoveProbe& s, const MoveProbe& t) {
        return std::pair(worth(s), cells_of(s)) < std::pair(worth(t), cells_of(t));
    });
    return probe;
}

std::optional<Probe> Prober::by_table(const Position& position) {
    const auto over = [&](const Position& it) { return it.winner(board_) != ' '; };
    const auto moves = legal_moves(position);
    Probe probe{position, table_->look_up(files_, position.word()), {}, Source::table, ""};
    std::vector<Known> there;
    bool all_known = is_known(probe.result);
    for (const quixo::Move* move : moves) {
        Known known{table_->look_up(files_, position.after(*move).word()), Source::table};
        // Plies of losses are stored; those of a win follow from its moves.
        if (known.result.outcome == Outcome::win && over(position.after(*move))) known.result.plies = 0;
        all_known = all_known && is_known(known.result);
        there.push_back(known);
    }
    if (!all_known) return std::nullopt;
    if (probe.result.outcome == Outcome::win) {
        int shortest = over(position) ? -1 : far;
        for (const Known& known : there)
            if (known.result.outcome == Outcome::loss) shortest = std::min(shortest, known.result.plies);
        probe.result.plies = shortest + 1;
    }
    // How long a move resists takes the moves after it as well: worth it only where nothing is better.
    for (std::size_t i = 0; probe.result.outcome == Outcome::loss && i < moves.size(); ++i) {
        Result& result = there[i].result;
        if (result.plies >= 0) continue;
        const Position child = position.after(*moves[i]);
        int shortest = far;
        quixo::each_successor(board_, child.mover(), child.other(), [&](Mask mover, Mask other) {
            const Result after = table_->look_up(files_, std::uint64_t{mover} << 32 | other);
            all_known = all_known && is_known(after);
            if (after.outcome == Outcome::loss) shortest = std::min(shortest, after.plies);
        });
        result.plies = shortest + 1;
    }
    if (!all_known) return std::nullopt;
    for (std::size_t i = 0; i < moves.size(); ++i)
        probe.moves.push_back(move_to(moves[i], position.after(*moves[i]), there[i]));
    std::sort(probe.moves.begin(), probe.moves.end(), [](const MoveProbe& s, const MoveProbe& t) {
        return std::pair(worth(s), cells_of(s)) < std::pair(worth(t), cells_of(t));
    });
    return probe;
}

std::vector<MoveProbe> Prober::decided_within(const Position& position, int plies) {
    const auto moves = legal_moves(position);
    std::vector<Position> children;
    for (const quixo::Move* move : moves) children.push_back(position.after(*move));
    std::vector<Result> results(children.size(), {Outcome::missing, -1});
    Search search(board_.rules(), results_.facts);
    deepen(search, children, results, plies - 1, seconds, [] { return false; });
    std::vector<MoveProbe> found;
    for (std::size_t i = 0; i < moves.size(); ++i)
        found.push_back(move_to(moves[i], children[i], {results[i], Source::search}));
    return found;
}

void Prober::count_replies(Probe& probe) {
    const bool at_hand =
        solved_ || (book_ && probe.position.marks() + 2 <= std::min(reply_marks, book_->outcome_marks));
    if (probe.result.outcome != Outcome::draw || !at_hand) return;
    for (MoveProbe& move : probe.moves) {
        if (move.result.outcome != Outcome::draw) continue;
        int replies = 0, losing = 0;
        bool all_known = true;
        quixo::each_successor(board_, move.position.mover(), move.position.other(), [&](Mask mover, Mask other) {
            const std::uint64_t word = std::uint64_t{mover} << 32 | other;
            const Outcome there = (solved_ ? solved_->probe(word) : book_->probe(files_, word)).outcome;
            ++replies;
            // A reply loses if the side that made the move wins after it.
            losing += there == Outcome::win;
            all_known = all_known && there != Outcome::missing;
        });
        move.losing_replies = all_known ? losing : -1;
        move.replies = replies;
    }
}

Known Prober::stored(const Position& position) {
    Known known;
    if (solved_) return {solved_->probe(position.word()), Source::table};
    if (book_) known = merged(known, {book_->probe(files_, position.word()), Source::book});
    if (!is_complete(known.result)) known = merged(known, {of_results(position), Source::results});
    return known;
}

Result Prober::of_results(const Position& position) const {
    std::uint64_t smallest = position.word();
    for (int g = 1; g < board_.symmetries(); ++g)
        smallest = std::min(smallest,
                            std::uint64_t{board_.image(g, position.mover())} << 32 | board_.image(g, position.other()));
    if (const auto found = results_.outcomes.find(smallest); found != results_.outcomes.end()) return found->second;
    const auto value = results_.values.find({std::popcount(position.mover()), std::popcount(position.other())});
    if (value == results_.values.end() || position.winner(board_) != ' ') return {Outcome::missing, -1};
    return {value->second, -1};
}

Known Prober::merged(const Known& known, const Known& more) {
    if (!is_known(more.result)) return known;
    if (!is_known(known.result)) return more;
    if (known.result.outcome != more.result.outcome)
        conflict_ = std::string("the ") + name_of(known.source) + " and the " + name_of(more.source) +
                    " disagree: one of them is wrong";
    return is_complete(more.result) && !is_complete(known.result) ? more : known;
}

Probe Prober::merged_sources(const Position& position) {
    const auto moves = legal_moves(position);
    std::vector<Position> children;
    for (const quixo::Move* move : moves) children.push_back(position.after(*move));
    Known here = stored(position);
    std::vector<Known> there;
    std::vector<Result> results;
    for (const Position& child : children) {
        there.push_back(stored(child));
        results.push_back(there.back().result);
    }
    Probe probe{position, here.result, {}, here.source, ""};
    if (!files_.needed().empty()) return probe;
    const Found found = searched(position, children, here.result, results);
    here = merged(here, {found.results[0], Source::search});
    for (std::size_t i = 0; i < moves.size(); ++i) {
        there[i] = merged(there[i], {found.results[i + 1], Source::search});
        probe.moves.push_back(move_to(moves[i], children[i], there[i]));
    }
    if (!is_complete(here.result) && !moves.empty()) here = merged(here, implied(probe.moves, found.plies));
    Search guesses(board_.rules(), results_.facts);
    std::map<const quixo::Move*, int> looks;
    for (MoveProbe& move : probe.moves) {
        // Every move of a lost position loses, whether its own position is known or not.
        if (here.result.outcome == Outcome::loss && move.result.outcome == Outcome::missing) {
            move.result.outcome = Outcome::loss;
            move.source = here.source;
        }
        if (move.position.winner(board_) == ' ') looks[move.move] = -guesses.guess(move.position.word(), guessed_plies);
    }
    // Of moves that are not all known, equals go by how they look, since one must be played. A loss of unknown length
    // is not longer than one that is known to be the longest.
    const auto key = [&](const MoveProbe& move) {
        const auto [group, plies] = worth(move);
        const bool optimal = here.result.plies >= 0 && move.result.outcome == here.result.outcome &&
                             move.result.plies == here.result.plies;
        return std::tuple(group, !optimal, plies, -looks[move.move], cells_of(move));
    };
    std::sort(probe.moves.begin(), probe.moves.end(),
              [&](const MoveProbe& s, const MoveProbe& t) { return key(s) < key(t); });
    probe.result = here.result;
    probe.source = here.source;
    probe.reason = reason(position, here, found.plies);
    return probe;
}

Prober::Found Prober::searched(const Position& position, const std::vector<Position>& children, const Result& here,
                               std::vector<Result> there) {
    const auto with_here = [&](const Result& result) {
        there.insert(there.begin(), result);
        return there;
    };
    if (is_complete(here) && std::all_of(there.begin(), there.end(), is_complete)) return {with_here(here), plies};
    Search search(board_.rules(), results_.facts);
    const auto never = [] { return false; };
    if (children.empty()) {
        std::vector<Result> alone{here};
        const int depth = deepen(search, {position}, alone, 0, seconds, never);
        return {alone, depth};
    }
    const auto deadline = after(seconds);
    int depth = 0;
    if (!is_complete(here)) {
        // A move to a lost position is a fastest win, as all moves are searched to the same depth.
        depth = 1 + deepen(search, children, there, plies - 1, seconds, [&] {
                    return std::any_of(there.begin(), there.end(), [](const Result& result) {
                        return result.outcome == Outcome::loss && is_complete(result);
                    });
                });
    }
    depth = std::max(depth, 1 + deepen(search, children, there, plies - 1, seconds * aside_share, never));
    if (here.outcome == Outcome::missing || here.outcome == Outcome::draw) prove(search, children, there, deadline);
    return {with_here(here), depth};
}

void Prober::prove(Search& search, const std::vector<Position>& children, std::vector<Result>& results,
                   Clock::time_point deadline) {
    const auto is_lost = [](const Result& result) { return result.outcome == Outcome::loss; };
    const auto is_open = [](const Result& result) { return !is_known(result); };
    for (std::uint64_t most = few_nodes; most <= nodes && std::any_of(results.begin(), results.end(), is_open);
         most *= 4)
        for (std::size_t i = 0; i < children.size(); ++i) {
            const double left = left_until(deadline);
            if (left <= 0 || std::any_of(results.begin(), results.end(), is_lost)) return;
            if (is_open(results[i]))
                results[i] = {search.prove(children[i].word(), Outcome::missing, most, left).outcome, -1};
        }
}

std::string Prober::reason(const Position& position, const Known& known, int searched) const {
    if (is_complete(known.result)) return "";
    const std::string within = std::to_string(searched) + " plies";
    if (is_known(known.result)) {
        const std::string more = "it takes more than " + within;
        if (known.source == Source::book && book_)
            return "the book has plies of up to " + std::to_string(book_->plies_marks) + " marks, the board has " +
                   std::to_string(position.marks()) + "; " + more;
        return "not all of its moves are known, and " + more;
    }
    const std::string where =
        book_ ? "the book ends at " + std::to_string(book_->outcome_marks) + " marks" : "there is no book";
    return where + ", and nobody wins by force within " + within;
}

}  // namespace inarow::wasm
