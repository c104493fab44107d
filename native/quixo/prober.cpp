#include "prober.hpp"

#include <algorithm>
#include <tuple>

namespace inarow::quixo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double aside_share = 0.1;  // of a search's time, for moves that cannot change what is known of the position
constexpr std::uint64_t few_nodes = 1 << 10;  // of a first attempt at a proof
constexpr int guessed_plies = 3;
constexpr std::size_t kept_probes = 1024;
constexpr int far = 1 << 30;

double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

// A move to a position of which this is known.
template <class Mask>
BasicProbedMove<Mask> move_to(int number, const typename Names<Mask>::Word& word, const Known& there) {
    const Result& result = there.result;
    const int plies = is_known(result) && result.plies >= 0 ? result.plies + 1 : -1;
    return {number, word, {{opposite(result.outcome), plies}, there.origin}};
}

// Wins, the shortest first; draws; unknown values; losses, the longest first.
std::tuple<int, int> worth(const Result& result) {
    const int plies = result.plies < 0 ? far : result.plies;
    if (result.outcome == Outcome::loss) return {3, -plies};
    return {result.outcome == Outcome::win ? 0 : result.outcome == Outcome::draw ? 1 : 2, plies};
}

// The fuller of two answers about a position.
Known merged(const Known& known, const Known& more, std::optional<Contradiction>& contradiction) {
    if (!is_known(more.result)) return known;
    if (!is_known(known.result)) return more;
    if (known.result.outcome != more.result.outcome) contradiction = Contradiction{known, more};
    return is_complete(more.result) && !is_complete(known.result) ? more : known;
}

// What follows about a position from its moves, all of which were searched to so many plies from it.
template <class Mask>
Known implied(const std::vector<BasicProbedMove<Mask>>& moves, int searched) {
    const auto key = [](const auto& move) { return std::pair(worth(move.known.result), move.number); };
    const auto& best = *std::ranges::min_element(moves, {}, key);
    const Outcome value = best.known.result.outcome;
    int rivals = 0, unknown = 0, counted = 0, shortest = far, longest = 0;
    for (const auto& move : moves) {
        const Result& its = move.known.result;
        if (its.outcome != value && is_known(its)) continue;
        ++rivals;
        unknown += !is_known(its);
        if (its.plies < 0) continue;
        ++counted;
        shortest = std::min(shortest, its.plies);
        longest = std::max(longest, its.plies);
    }
    // An unknown move may be better than a draw, and faster than a win; losses sort behind unknown moves.
    if (value == Outcome::missing || (value == Outcome::draw && unknown)) return {};
    bool known = value == Outcome::loss && counted == rivals;
    if (value == Outcome::win) known = counted > 0 && (counted == rivals || shortest <= searched + 1);
    return {{value, known ? (value == Outcome::win ? shortest : longest) : -1}, best.known.origin};
}

// What the value of a position says about its unknown moves. All moves of a lost position lose. Of a won or drawn one
// some move keeps the value: if no known move does, and only one is unknown, it does.
template <class Mask>
void deduce(std::vector<BasicProbedMove<Mask>>& moves, const Known& here) {
    const Outcome value = here.result.outcome;
    const auto unknown = std::ranges::count_if(moves, [](const auto& move) { return !is_known(move.known.result); });
    const bool kept = std::ranges::any_of(moves, [&](const auto& move) { return move.known.result.outcome == value; });
    if (!is_known(here.result) || (value != Outcome::loss && (kept || unknown != 1))) return;
    for (auto& move : moves)
        if (!is_known(move.known.result))
            move.known = {{value, value == Outcome::win ? here.result.plies : -1}, here.origin};
}

// What follows from a table's entries after all moves: the fastest win, a draw, or the slowest loss.
Result best_of(std::span<const Result> there) {
    int shortest = far, longest = 0;
    bool won = false, drawn = false, counted = true;
    for (const auto& [outcome, plies] : there) {
        won |= outcome == Outcome::loss;
        drawn |= outcome == Outcome::draw;
        if (outcome == Outcome::loss && plies >= 0) shortest = std::min(shortest, plies);
        counted &= plies >= 0;
        longest = std::max(longest, plies);
    }
    if (won) return {Outcome::win, shortest < far ? shortest + 1 : -1};
    if (drawn) return {Outcome::draw, -1};
    return {Outcome::loss, counted ? longest + 1 : -1};
}

// Searches positions to some depth.
template <class Search, class Enough>
int find(Search& search, const std::vector<typename Search::Word>& words, std::span<Result> results, int plies,
         double seconds, Enough enough) {
    std::vector<typename Search::Question> questions;
    for (std::size_t i = 0; i < words.size(); ++i)
        questions.push_back({words[i], results[i].outcome, results[i].plies});
    const auto take = [&] {
        for (std::size_t i = 0; i < results.size(); ++i) results[i] = {questions[i].outcome, questions[i].plies};
    };
    const int searched = search.find(questions, plies, seconds, [&] {
        take();
        return enough();
    });
    take();
    return searched;
}

constexpr auto never_enough = [] { return false; };

class Held {
  public:
    explicit Held(std::atomic_flag& flag) : flag_(flag) {
        while (flag_.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Held() { flag_.clear(std::memory_order_release); }

  private:
    std::atomic_flag& flag_;
};

bool is_lost(const Result& result) { return result.outcome == Outcome::loss; }

}  // namespace

template <class Mask>
std::size_t BasicProbe<Mask>::best() const {
    std::size_t count = 0;
    while (count < moves.size() && moves[count].known.result.outcome == moves[0].known.result.outcome &&
           moves[count].known.result.plies == moves[0].known.result.plies)
        ++count;
    return count;
}

template <class Mask>
std::optional<BasicProbe<Mask>> probe_in(BasicSource<Mask>& table, const BasicBoard<Mask>& board,
                                         const std::vector<BasicMove<Mask>>& moves,
                                         const typename Names<Mask>::Word& word) {
    std::vector<int> numbers;
    std::vector<typename Names<Mask>::Word> words{word};
    each_numbered_move(board, moves, word, [&](int number, const auto& after) {
        numbers.push_back(number);
        words.push_back(after);
    });
    std::vector<Result> results(words.size());
    if (!table.look_up_with_moves(words, results)) return std::nullopt;
    BasicProbe<Mask> probe{word, {{Outcome::missing, -1}, table.origin}, {}, -1, {}};
    if (!std::ranges::all_of(results, is_known)) return probe;
    probe.known.result = results[0];
    for (std::size_t i = 0; i < numbers.size(); ++i)
        probe.moves.push_back(move_to<Mask>(numbers[i], words[i + 1], {results[i + 1], table.origin}));
    // They are in the order of their numbers, and equals stay so.
    sort_few(probe.moves, [](const auto& move) { return worth(move.known.result); });
    Result& here = probe.known.result;
    const Outcome ended = board.ended(Names<Mask>::mover(word), Names<Mask>::other(word));
    const bool drawn = ended == Outcome::draw || ended == Outcome::missing;
    const Result best = !numbers.empty() ? best_of(std::span<const Result>(results).subspan(1))
                        : drawn          ? Result{Outcome::draw, -1}
                                         : Result{ended, 0};
    if (here.outcome != best.outcome || (here.plies >= 0 && best.plies >= 0 && here.plies != best.plies))
        probe.contradiction =
            Contradiction{probe.known, {best, table.origin}, numbers.empty() ? -1 : probe.moves[0].number};
    // Nothing is faster than a win with the next move, which shows without plies too.
    if (here.outcome == Outcome::win && best.plies == 1) here.plies = 1;
    return probe;
}

template <class Mask>
BasicProber<Mask>::BasicProber(Rules rules, std::vector<std::shared_ptr<Source>> sources,
                               std::vector<typename Search::ClassFacts> facts, SearchLimits limits, Poll poll)
    : board_(rules),
      moves_(numbered_moves(board_)),
      sources_(std::move(sources)),
      facts_(std::move(facts)),
      limits_(limits),
      poll_(std::move(poll)) {}

template <class Mask>
bool BasicProber<Mask>::knows_outcomes() const {
    return std::ranges::any_of(sources_, [&](const auto& source) { return source->outcome_marks >= board_.cells(); });
}

template <class Mask>
auto BasicProber<Mask>::search(bool by_class, typename Search::Oracle oracle) const -> std::unique_ptr<Search> {
    const auto itself = std::make_shared<Search*>();
    const auto poll = [this, itself] {
        if (stopped_ || poll_()) (*itself)->stop();
    };
    // What is true of a whole class does not show the way to a new mark, which an oracle is for.
    auto search = std::make_unique<Search>(board_.rules(), oracle ? std::vector<typename Search::ClassFacts>{} : facts_,
                                           by_class, poll, std::move(oracle));
    *itself = search.get();
    return search;
}

// The table that knows all of a position and its moves, unless another source that is nearer does too.
template <class Mask>
auto BasicProber<Mask>::table_for(const Word& word) const -> Source* {
    const int marks = marks_of<Mask>(word) + 1;
    for (const auto& source : sources_) {
        if (source->plies_marks < std::min(marks, board_.cells())) continue;
        return source->origin == Origin::table ? source.get() : nullptr;
    }
    return nullptr;
}

template <class Mask>
auto BasicProber<Mask>::probe(const Word& word) -> std::optional<Probe> {
    if (Source* table = table_for(word)) {
        // What cannot be had of a table elsewhere may be known here.
        if (auto found = probe_in(*table, board_, moves_, word); !found || is_known(found->known.result)) return found;
    }
    {
        const Held held(keeping_);
        if (const auto found = kept_.find(word); found != kept_.end()) return found->second;
    }
    auto probe = by_all(word);
    if (probe && !stopped_ && !poll_()) {  // it was not cut short
        const Held held(keeping_);
        if (kept_.size() >= kept_probes) kept_.clear();
        kept_.insert_or_assign(word, *probe);
    }
    return probe;
}

template <class Mask>
auto BasicProber<Mask>::by_all(const Word& word) -> std::optional<Probe> {
    Probe probe{word, {}, {}, -1, {}};
    std::vector<Word> words{word}, children;
    std::vector<int> numbers;
    each_numbered_move(board_, moves_, word, [&](int number, const Word& after) {
        numbers.push_back(number);
        children.push_back(after);
        words.push_back(after);
    });
    auto known = stored(words, probe.contradiction);
    if (!known) return std::nullopt;
    std::vector<Result> there;
    for (const Known& each : std::span(*known).subspan(1)) there.push_back(each.result);
    Known& here = probe.known = known->front();
    if (children.empty()) {
        std::vector<Result> alone{here.result};
        probe.searched = find(*search(), words, alone, 0, limits_.seconds, never_enough);
        here = merged(here, {alone[0], Origin::search}, probe.contradiction);
        return probe;
    }
    probe.searched = search_moves(children, here.result, there);
    for (std::size_t i = 0; i < children.size(); ++i)
        probe.moves.push_back(move_to<Mask>(numbers[i], children[i],
                                            merged((*known)[i + 1], {there[i], Origin::search}, probe.contradiction)));
    if (!is_complete(here.result)) here = merged(here, implied(probe.moves, probe.searched), probe.contradiction);
    deduce(probe.moves, here);
    // Equals go by how they look, since one must be played. A loss of unknown length is not longer than one that is
    // known to be the longest.
    const auto guesses = search();
    std::map<int, int> looks;
    for (const ProbedMove& move : probe.moves)
        if (board_.ended(Names<Mask>::mover(move.word), Names<Mask>::other(move.word)) == Outcome::missing)
            looks[move.number] = guesses->guess(move.word, guessed_plies);
    sort_few(probe.moves, [&](const ProbedMove& move) {
        const Result& its = move.known.result;
        const auto [group, plies] = worth(its);
        // In a won position an unknown move may win, and a draw does not.
        const bool hopeless = here.result.outcome == Outcome::win && is_known(its) && its.outcome != Outcome::win;
        const bool optimal =
            here.result.plies >= 0 && its.outcome == here.result.outcome && its.plies == here.result.plies;
        return std::tuple(hopeless, group, !optimal, plies, looks[move.number], move.number);
    });
    return probe;
}

template <class Mask>
std::optional<std::vector<Known>> BasicProber<Mask>::stored(std::span<const Word> words,
                                                            std::optional<Contradiction>& contradiction) {
    std::vector<Known> known(words.size());
    for (const auto& source : sources_) {
        std::vector<std::size_t> open;
        std::vector<Word> asked;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (!is_complete(known[i].result)) {
                open.push_back(i);
                asked.push_back(words[i]);
            }
        if (open.empty()) break;
        std::vector<Result> results(open.size(), {Outcome::missing, -1});
        if (!source->look_up(asked, results)) return std::nullopt;
        for (std::size_t i = 0; i < open.size(); ++i)
            known[open[i]] = merged(known[open[i]], {results[i], source->origin}, contradiction);
    }
    return known;
}

template <class Mask>
int BasicProber<Mask>::search_moves(const std::vector<Word>& children, const Result& here,
                                    std::vector<Result>& there) const {
    if (is_complete(here) && std::ranges::all_of(there, is_complete)) return limits_.plies;
    const auto searching = search();
    const auto begun = Clock::now();
    int searched = 0;
    if (!is_complete(here))
        // A move to a lost position is a fastest win, as all moves are searched to the same depth.
        searched = 1 + find(*searching, children, there, limits_.plies - 1, limits_.seconds, [&] {
                       return std::ranges::any_of(
                           there, [](const Result& result) { return is_lost(result) && is_complete(result); });
                   });
    searched = std::max(searched, 1 + find(*searching, children, there, limits_.plies - 1,
                                           limits_.seconds * aside_share, never_enough));
    if (here.outcome == Outcome::missing || here.outcome == Outcome::draw)
        prove(*searching, children, there, limits_.seconds - seconds_since(begun));
    return searched;
}

// Finds values that can be proven, until a child is lost or time is up.
template <class Mask>
void BasicProber<Mask>::prove(Search& search, const std::vector<Word>& children, std::vector<Result>& there,
                              double seconds) const {
    const auto begun = Clock::now();
    const auto is_open = [](const Result& result) { return !is_known(result); };
    for (std::uint64_t nodes = few_nodes; nodes <= limits_.nodes && std::ranges::any_of(there, is_open); nodes *= 4)
        for (std::size_t i = 0; i < children.size(); ++i) {
            const double left = seconds - seconds_since(begun);
            if (left <= 0 || std::ranges::any_of(there, is_lost)) return;
            if (is_open(there[i])) there[i] = {search.prove(children[i], Outcome::missing, nodes, left).outcome, -1};
        }
}

template <class Mask>
bool BasicProber<Mask>::outcomes(std::span<const Word> words, std::span<Outcome> outcomes) {
    std::ranges::fill(outcomes, Outcome::missing);
    for (const auto& source : sources_) {
        std::vector<std::size_t> open;
        std::vector<Word> asked;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (outcomes[i] == Outcome::missing && marks_of<Mask>(words[i]) <= source->many_marks) {
                open.push_back(i);
                asked.push_back(words[i]);
            }
        std::vector<Result> results(open.size(), {Outcome::missing, -1});
        if (!open.empty() && !source->look_up(asked, results)) return false;
        for (std::size_t i = 0; i < open.size(); ++i) outcomes[open[i]] = results[i].outcome;
    }
    return true;
}

template <class Mask>
bool BasicProber<Mask>::count_replies(Probe& probe) {
    const bool cheap = std::ranges::any_of(sources_, [&](const auto& source) {
        return marks_of<Mask>(probe.word) + 2 <= std::min(source->many_marks, source->outcome_marks);
    });
    if (probe.known.result.outcome != Outcome::draw || !cheap) return true;
    for (ProbedMove& move : probe.moves) {
        if (move.known.result.outcome != Outcome::draw) continue;
        std::vector<Word> after;
        each_numbered_move(board_, moves_, move.word, [&](int, const Word& its) { after.push_back(its); });
        std::vector<Outcome> there(after.size());
        if (!outcomes(after, there)) return false;
        move.replies = static_cast<int>(after.size());
        // A reply loses if the side that made the move wins after it.
        if (std::ranges::find(there, Outcome::missing) == there.end())
            move.losing_replies = static_cast<int>(std::ranges::count(there, Outcome::win));
    }
    return true;
}

template <class Mask>
auto BasicProber<Mask>::decided_within(const Word& word, int plies) -> std::optional<std::vector<ProbedMove>> {
    if (const Source* table = table_for(word); table && table->many_marks >= board_.cells()) {
        auto found = probe(word);
        if (!found) return std::nullopt;
        return std::move(found->moves);
    }
    std::vector<ProbedMove> moves;
    std::vector<Word> children;
    each_numbered_move(board_, moves_, word, [&](int number, const Word& after) {
        moves.push_back({number, after, {}});
        children.push_back(after);
    });
    std::vector<Result> there(children.size(), {Outcome::missing, -1});
    find(*search(), children, there, plies - 1, limits_.seconds, never_enough);
    for (std::size_t i = 0; i < moves.size(); ++i)
        moves[i] = move_to<Mask>(moves[i].number, children[i], {there[i], Origin::search});
    return moves;
}

template struct BasicProbe<Mask>;
template class BasicProber<Mask>;
template std::optional<Probe> probe_in(Source&, const Board&, const std::vector<Move>&, const std::uint64_t&);
#ifndef __wasm__  // pages show boards that can be solved
template struct BasicProbe<WideMask>;
template class BasicProber<WideMask>;
#endif

}  // namespace inarow::quixo
