// Searches for what a table would know: forced wins and losses, and a guess where nothing is proven.
//
// wins(d) asks whether the side to move can force a win within d plies, loses(d) whether each of its moves lets the
// other side win within d - 1. Depths are tried in ascending order, so the first one at which something is proven is
// the number of plies of best play.
//
// Longer wins are proven by proof numbers (Allis's proof-number search, depth first after Nagai): the proof number of a
// position is the least number of open positions that must be won to prove it, the disproof number the least that must
// not be, and the search follows the position that both point to. That finds wins many plies deep in which the other
// side has few good replies, but not the shortest way. Where all of several positions have to be won, the largest of
// their numbers counts, and one for each of the others (weak proof numbers, after Ueda et al.): in the sum, positions
// that many ways lead to would be counted many times.
//
// Where an oracle knows who wins, but not how, less is to be proven: that the winner forces a new mark, or the end of
// the game, without giving the win away. Moves that add no mark can go round in circles for ever; a mark never leaves
// the board, so a winner who forces one after the other gets to the end.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "names.hpp"
#include "result.hpp"

namespace inarow::quixo {

template <class Mask>
class BasicSearch {
    using Names = quixo::Names<Mask>;
    using Key = typename Names::Key;

  public:
    using Word = typename Names::Word;

    static constexpr int never = 1 << 12;

    // What is known about the positions with so many marks of each side. Games that are over count as won or lost in 0.
    struct ClassFacts {
        int longest_win = never, longest_loss = never;
        bool has_draws = true;
        int score = 0;  // how good the class is for the side to move, from -1000 to 1000
    };

    // A position and what is known about it. On a small board its word has the marks of the side to move in its upper
    // half.
    struct Question {
        Word word;
        Outcome outcome = Outcome::missing;
        int plies = -1;  // of a win or a loss
    };

    // Tells the outcomes of positions, `missing` where it does not know one.
    using Oracle = std::function<void(std::span<const Word> words, std::span<Outcome> outcomes)>;

    // The facts of the class with m marks of the side to move and o of the other are at m * (cells + 1) + o; without
    // any, nothing is known. `by_class` tells whether a position is proven by them alone, if they are the same for its
    // whole class: that shows no way to win. `poll` is called now and then, and may throw. With an oracle, which may
    // throw too, `prove` is about new marks.
    explicit BasicSearch(
        const Rules& rules, std::vector<ClassFacts> facts = {}, bool by_class = true,
        std::function<void()> poll = [] {}, Oracle oracle = {})
        : board_(rules),
          poll_(std::move(poll)),
          oracle_(std::move(oracle)),
          facts_(std::move(facts)),
          by_class_(by_class) {
        const int cells = rules.cells();
        if (facts_.empty()) {
            for (int m = 0; m <= cells; ++m)
                for (int o = 0; o <= cells; ++o) facts_.push_back({never, never, true, score_of_marks(m, o)});
        }
        if (facts_.size() != static_cast<std::size_t>((cells + 1) * (cells + 1)))
            throw std::invalid_argument("facts are of every class, or of none");
        prepare_moves();
        prepare_completions();
    }

    // Ends the search that is running, and all later ones, as if their time was up. Another thread may call it.
    void stop() { stopped_ = true; }

    // Answers what is not known about the positions and takes so many plies, provided that this has been done for all
    // smaller depths. Returns whether that took no longer than so many seconds; if not, some answers may be missing.
    bool deepen(std::span<Question> questions, int depth, double seconds) {
        if (depth < 0 || depth > max_depth) throw std::invalid_argument("there is no such depth");
        limit(seconds, std::numeric_limits<std::uint64_t>::max());
        for (Question& question : questions) {
            if (!answered(question)) deepen(question, depth);
            if (time_is_up_) return false;
        }
        sort_moves();
        return true;
    }

    // Answers what is not known about the positions at all depths up to `plies`, while there is time and it is not
    // `enough`: with what is known of them, and to how many plies that is everything.
    template <class Enough>
    int find(std::span<Question> questions, int plies, double seconds, Enough enough) {
        using Clock = std::chrono::steady_clock;
        const auto all_answered = [&] { return std::ranges::all_of(questions, answered); };
        const auto begun = Clock::now();
        int depth = 0;
        while (depth <= plies && !all_answered() && !enough()) {
            const double spent = std::chrono::duration<double>(Clock::now() - begun).count();
            if (!deepen(questions, depth, seconds - spent)) break;
            ++depth;
        }
        return all_answered() ? plies : depth - 1;
    }

    // Tries to prove a position won, or lost, or either if its outcome is `missing`, however long that takes to play:
    // looks at up to so many nodes for each, and for up to so many seconds. What has been proven, and an upper bound of
    // its plies.
    Result prove(const Word& word, Outcome expected, std::uint64_t nodes, double seconds) {
        const Node node = node_of(word);
        for (const Role role : {attack, defend}) {
            if (expected == (role == attack ? Outcome::loss : Outcome::win)) continue;
            if (proven(word).outcome != Outcome::missing) break;
            limit(seconds, nodes);
            ++path_;
            if (role == attack)
                prove<attack>(node, unreachable, unreachable, 0);
            else
                prove<defend>(node, unreachable, unreachable, 0);
        }
        return proven(word);
    }

    // How many positions have to be won, at the least, to prove a position lost, as far as that is known.
    std::uint32_t left_to_prove(const Word& word) {
        const Node node = node_of(word);
        return ended(node) == Outcome::loss ? 0 : numbers<defend>(node).proof;
    }

    // What has been proven about a position so far.
    Result proven(const Word& word) {
        const Node node = node_of(word);
        if (const Outcome over = ended(node); over != Outcome::missing) return {over, over == Outcome::draw ? -1 : 0};
        if (const Numbers won = numbers<attack>(node); won.proof == 0) return {Outcome::win, won.plies};
        if (const Numbers lost = numbers<defend>(node); lost.proof == 0) return {Outcome::loss, lost.plies};
        return {Outcome::missing, -1};
    }

    // How good the position looks for the side to move after so many plies of search; a game that is not over.
    int guess(const Word& word, int plies) { return guess(node_of(word), plies, -decided, decided); }

  private:
    struct Node {
        Mask mover, other;
        int m, o;  // the numbers of marks
    };

    struct FastMove {
        Mask taken, pushed, segment, fixed;
        int left, right;

        Mask shift(Mask mask) const { return (mask & fixed) | ((mask & segment) << left >> right); }
    };

    // A move that completes a line of the side to move if that has all marks of `needed`.
    struct Completion {
        Mask needed;
        std::uint8_t move;
    };

    // What has been proven of a position: it is won within `won` plies, but not within `open`.
    struct Known {
        Key key;  // false if nothing is stored here
        std::int16_t open, won;
        std::uint8_t best;
    };
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    template <class Entry>
    using HashTable = std::unique_ptr<Entry[], Free>;

    // The proof and disproof numbers of a position, and an upper bound of the plies if it is proven.
    struct Numbers {
        std::uint32_t proof, disproof;
        int plies;
    };
    struct Tried {
        Key key;  // false if nothing is stored here
        Numbers numbers;
        std::uint32_t path;  // the number of the search on whose path it is
    };

    enum Role { attack, defend };

    static constexpr int place_bits = 20;
    static constexpr std::uint64_t nodes_between_polls = 1 << 9;
    static constexpr int max_depth = 100;
    static constexpr int decided = 100'000;
    static constexpr int no_move = most_moves<Mask>;
    static constexpr std::uint32_t unreachable = 1u << 30, hopeless = 1u << 20;
    static constexpr int max_proof_depth = 300;

    // --- Positions ---

    static Node node_of(const Word& word) {
        const Mask mover = Names::mover(word), other = Names::other(word);
        return {mover, other, std::popcount(mover), std::popcount(other)};
    }

    static Word word_of(const Node& node) { return Names::word(node.mover, node.other); }

    Outcome ended(const Node& node) const { return board_.ended(node.mover, node.other); }

    // The same after a move that does not win at once.
    Outcome ended_by_move(const Node& child) const {
        const bool mover_has_line = board_.has_line(child.mover);
        if (own_line_wins_ && !mover_has_line) return Outcome::missing;
        return board_.ended(mover_has_line, board_.has_line(child.other));
    }

    bool loses_at_once(const Node& child) const {
        const Outcome over = ended_by_move(child);
        return over != Outcome::missing && over != Outcome::draw;
    }

    // Whether a move that does not win at once may end the game all the same.
    bool may_end(const Node& node) const {
        return nearly_has_line(node.other) || (!own_line_wins_ && nearly_has_line(node.mover));
    }

    static Node after(const Node& node, const FastMove& move) {
        return {move.shift(node.other), move.shift(node.mover) | move.pushed, node.o,
                node.m + !(node.mover & move.taken)};
    }

    // Whether a line lacks so few marks that a move may complete it: at most one, unless lines cross an edge.
    bool nearly_has_line(Mask mask) const {
        return usual_ ? nearly_has_line<true>(mask) : nearly_has_line<false>(mask);
    }
    template <bool usual>
    bool nearly_has_line(Mask mask) const {
        if (!usual && exchanged_ > 1) return true;
        for (const Mask line : board_.lines()) {
            const Mask missing = line & ~mask;
            if (!(missing & (missing - 1))) return true;
        }
        return false;
    }

    // Whether the side to move wins with its next move, in a game that is not over. `usual` is `usual_`: a look-up of
    // it, and what is behind it, would slow down loops over many positions.
    bool wins_now(const Node& node) const { return usual_ ? wins_now<true>(node) : wins_now<false>(node); }
    template <bool usual>
    bool wins_now(const Node& node) const {
        if constexpr (!usual) return wins_now_by_any_move(node);
        const Mask mover = node.mover, other = node.other;
        const auto& lines = board_.lines();
        for (std::size_t line = 0; line < lines.size(); ++line) {
            const Mask missing = lines[line] & ~mover;
            if (missing & (missing - 1)) continue;
            const auto [begin, end] =
                ranges_[line * most_cells<Mask> + static_cast<std::size_t>(std::countr_zero(missing))];
            for (int i = begin; i < end; ++i) {
                const Completion& completion = completions_[i];
                const FastMove& move = fast_[completion.move];
                if ((mover & completion.needed) != completion.needed || (other & move.taken)) continue;
                if (double_line_wins_ || !board_.has_line(move.shift(other))) return true;
            }
        }
        return false;
    }

    [[gnu::noinline]] bool wins_now_by_any_move(const Node& node) const {
        if (!nearly_has_line(node.mover) && !nearly_has_line(node.other)) return false;
        return std::any_of(fast_.begin(), fast_.end(), [&](const FastMove& move) {
            return !(node.other & move.taken) && ended(after(node, move)) == Outcome::loss;
        });
    }

    const ClassFacts& facts(const Node& node) const {
        return facts_[static_cast<std::size_t>(node.m * (board_.cells() + 1) + node.o)];
    }

    // Of a game that is not over, and not won with the next move.
    static bool may_win(const ClassFacts& facts) { return facts.longest_win > 1; }
    static bool may_lose(const ClassFacts& facts) { return facts.longest_loss > 0; }

    // --- Proofs ---

    static bool answered(const Question& question) {
        return question.outcome == Outcome::draw || (question.outcome != Outcome::missing && question.plies >= 0);
    }

    // Where a line wins, wins mostly take an odd number of plies and losses an even one, so each depth looks for one of
    // them; where it is found, the depth before is tried too.
    void deepen(Question& question, int depth) {
        const Node node = node_of(question.word);
        const bool both = !own_line_wins_ || board_.ends().other == Outcome::win;
        const bool for_win = depth > 0 && (both || depth % 2 == 1), for_loss = depth > 0 && (both || depth % 2 == 0);
        if (const Outcome over = ended(node); over != Outcome::missing) {
            question.outcome = over;
            question.plies = over == Outcome::draw ? -1 : 0;
        } else if (for_win && question.outcome != Outcome::loss && wins(node, depth)) {
            question.outcome = Outcome::win;
            const bool sooner = depth > 1 && wins(node, depth - 1);
            if (sooner || !time_is_up_) question.plies = sooner ? depth - 1 : depth;
        } else if (for_loss && question.outcome != Outcome::win && loses(node, depth)) {
            question.outcome = Outcome::loss;
            const bool sooner = depth > 1 && loses(node, depth - 1);
            if (sooner || !time_is_up_) question.plies = sooner ? depth - 1 : depth;
        } else if (question.outcome == Outcome::missing && !time_is_up_) {
            // What remains of the class once short wins and losses are ruled out.
            const ClassFacts& known = facts(node);
            const bool may_win = known.longest_win >= depth, may_lose = known.longest_loss >= depth;
            if (depth > 0 && may_win + may_lose + known.has_draws == 1)
                question.outcome = may_win ? Outcome::win : may_lose ? Outcome::loss : Outcome::draw;
        }
    }

    // Whether the side to move, in a game that is not over, can force a win within so many plies. Once time is up, true
    // is still proven, and false says nothing: in `loses` as well.
    bool wins(const Node& node, int plies) {
        if (wins_now(node)) return true;
        if (plies <= 1 || !may_win(facts(node))) return false;
        pause_now_and_then();
        if (time_is_up_) return false;
        std::size_t best = no_move;
        if (const Known& found = known(node); found.key == key(node)) {
            if (plies >= found.won) return true;
            if (plies <= found.open) return false;
            best = found.best;
        }
        const bool may_end = this->may_end(node);
        const bool won = try_moves(
            attack, best, plies,
            [&](const FastMove& move) {
                if (node.other & move.taken) return false;
                const Node child = after(node, move);
                return !(may_end && ended_by_move(child) != Outcome::missing) && loses(child, plies - 1);
            },
            best);
        if (time_is_up_ && !won) return false;
        Known& place = known(node);
        if (place.key != key(node)) place = {key(node), 0, never, no_move};
        (won ? place.won : place.open) = static_cast<std::int16_t>(plies);
        place.best = static_cast<std::uint8_t>(best);
        return won;
    }

    // Whether every move of the side to move, in a game that is not over, loses at once or lets the other side win
    // within plies - 1.
    bool loses(const Node& node, int plies) {
        if (wins_now(node) || !may_lose(facts(node))) return false;
        const bool may_end = this->may_end(node);
        std::size_t best = no_move;
        return !try_moves(
            defend, no_move, plies,
            [&](const FastMove& move) {
                if (node.other & move.taken) return false;
                const Node child = after(node, move);
                const Outcome over = may_end ? ended_by_move(child) : Outcome::missing;
                if (over != Outcome::missing) return over == Outcome::draw;
                return plies < 2 || !wins(child, plies - 1);
            },
            best);
    }

    // Whether a move succeeds; likely ones are tried first, and `best` becomes the one that did.
    template <class Try>
    bool try_moves(Role role, std::size_t first, int plies, Try succeeds, std::size_t& best) {
        auto& killers = killers_[role][static_cast<std::size_t>(plies)];
        const std::array<std::size_t, 3> likely{first, killers[0], killers[1]};
        const auto note = [&](std::size_t move) {
            best = move;
            if (killers[0] != move) killers[1] = killers[0], killers[0] = static_cast<std::uint8_t>(move);
            history_[role][move] += static_cast<std::uint64_t>(plies);
            return true;
        };
        for (std::size_t i = 0; i < likely.size(); ++i) {
            if (likely[i] == no_move || std::find(likely.begin(), likely.begin() + i, likely[i]) != likely.begin() + i)
                continue;
            if (succeeds(fast_[likely[i]])) return note(likely[i]);
        }
        for (const std::size_t move : order_[role]) {
            if (std::find(likely.begin(), likely.end(), move) != likely.end()) continue;
            if (succeeds(fast_[move])) return note(move);
        }
        return false;
    }

    // By how often they succeeded.
    void sort_moves() {
        for (const Role role : {attack, defend})
            std::ranges::stable_sort(order_[role], std::greater{},
                                     [&](std::size_t move) { return history_[role][move]; });
    }

    void limit(double seconds, std::uint64_t nodes) {
        using namespace std::chrono;
        constexpr double longest = 1e6;
        deadline_ = steady_clock::now() +
                    duration_cast<steady_clock::duration>(duration<double>(std::clamp(seconds, 0.0, longest)));
        last_node_ = nodes < std::numeric_limits<std::uint64_t>::max() - nodes_ ? nodes_ + nodes : nodes;
        time_is_up_ = false;
    }

    void pause_now_and_then() {
        if (++nodes_ > last_node_) time_is_up_ = true;
        if (time_is_up_ || (nodes_ % nodes_between_polls && !oracle_)) return;  // an oracle may take its time
        poll_();
        time_is_up_ = stopped_ || std::chrono::steady_clock::now() > deadline_;
    }

    // --- Proof numbers ---

    // To attack is to prove that the side to move wins, to defend to prove that it loses.

    static constexpr Role opposite(Role role) { return role == attack ? defend : attack; }
    static constexpr Numbers proven_in(int plies) { return {0, unreachable, plies}; }
    static constexpr Numbers repeated{unreachable, 1, never};
    static constexpr Numbers disproven() { return {unreachable, 0, never}; }

    // The numbers as far as they have been found out.
    template <Role role>
    Numbers numbers(const Node& node) {
        const Tried& found = tried(proof_key<role>(node));
        return found.key == proof_key<role>(node) ? found.numbers : first_numbers<role>(node);
    }

    template <Role role>
    Numbers first_numbers(const Node& node) {
        return usual_ ? first_numbers<role, true>(node) : first_numbers<role, false>(node);
    }
    template <Role role, bool usual>
    Numbers first_numbers(const Node& node) {
        const ClassFacts& known = facts(node);
        if (!usual && ended(node) == Outcome::draw) return disproven();
        const bool won = wins_now<usual>(node);
        if constexpr (role == attack) {
            if (won) return proven_in(1);
            if (!may_win(known)) return disproven();
            if (by_class_ && !may_lose(known) && !known.has_draws) return proven_in(known.longest_win);
            return {1, 1, never};
        } else {
            if (won || !may_lose(known)) return disproven();
            if (by_class_ && !may_win(known) && !known.has_draws) return proven_in(known.longest_loss);
            // The replies that do not lose at once: those after which there is something left to prove.
            std::uint32_t replies = 0;
            bool drawn = false;
            each_child<usual>(node, [&](const Node& child) {
                if (!usual && ended(child) == Outcome::draw)
                    drawn = true;
                else
                    replies += !wins_now<usual>(child);
            });
            if (drawn) return disproven();
            return replies ? Numbers{replies, 1, never} : proven_in(2);
        }
    }

    // Calls visit(child) for every move after which the game is not over, or drawn. It is not won by one (see
    // `wins_now`), and one that loses at once says nothing new to either role.
    template <class Visit>
    void each_child(const Node& node, Visit visit) const {
        usual_ ? each_child<true>(node, visit) : each_child<false>(node, visit);
    }
    template <bool usual, class Visit>
    void each_child(const Node& node, Visit visit) const {
        const bool may_end = usual ? nearly_has_line<true>(node.other) : this->may_end(node);
        for (const FastMove& move : fast_) {
            if (node.other & move.taken) continue;
            const Node child = after(node, move);
            const bool skipped = may_end && (usual ? board_.has_line(child.mover) : loses_at_once(child));
            if (!skipped) visit(child);
        }
    }

    struct Child {
        Node node;
        Numbers numbers;
    };

    // Proves what leads to a new mark at once, and rules out what gives the win away.
    template <Role role>
    void ask_oracle(const Node& node, std::span<Child> children) {
        const int marks = node.m + node.o;
        std::vector<Asked> asked;
        for (std::size_t i = 0; i < children.size(); ++i) {
            auto& [child, numbers] = children[i];
            if (numbers.proof == 0 || numbers.disproof == 0) continue;
            if constexpr (role == attack) {
                asked.push_back({word_of(child), i});
            } else if (child.m + child.o > marks && !(draws_at_once_ && ended(child) == Outcome::draw)) {
                numbers = proven_in(0);  // the loser's own new mark
            } else if (tried(proof_key<attack>(child)).key != proof_key<attack>(child)) {
                each_child(child, [&](const Node& next) {
                    if (next.m + next.o > marks) asked.push_back({word_of(next), i});
                });
            }
        }
        if constexpr (role == attack) {
            const std::vector<Outcome> outcomes = ask(asked);
            for (std::size_t n = 0; n < asked.size(); ++n) {
                auto& [child, numbers] = children[asked[n].child];
                if (outcomes[n] != Outcome::loss)
                    numbers = disproven();
                else if (child.m + child.o > marks)
                    numbers = proven_in(0);
            }
        } else {
            // One new mark that keeps the win is enough, and often one of the first does: an answer takes long.
            std::vector<Asked> now, later;
            for (std::size_t most = 1; !asked.empty(); most *= 2) {
                now.clear();
                later.clear();
                for (std::size_t n = 0, of_child = 0; n < asked.size(); ++n) {
                    of_child = n > 0 && asked[n].child == asked[n - 1].child ? of_child + 1 : 0;
                    (of_child < most ? now : later).push_back(asked[n]);
                }
                const std::vector<Outcome> outcomes = ask(now);
                for (std::size_t n = 0; n < now.size(); ++n)
                    if (outcomes[n] == Outcome::loss) children[now[n].child].numbers = proven_in(1);
                std::erase_if(later, [&](const Asked& one) { return children[one.child].numbers.proof == 0; });
                asked.swap(later);
            }
        }
    }

    // A position that the oracle is asked about, for one of the children.
    struct Asked {
        Word word;
        std::size_t child;
    };

    std::vector<Outcome> ask(std::span<const Asked> asked) const {
        std::vector<Word> words;
        for (const Asked& one : asked) words.push_back(one.word);
        std::vector<Outcome> outcomes(words.size(), Outcome::missing);
        if (!words.empty()) oracle_(words, outcomes);
        return outcomes;
    }

    // Searches on from a position until one of its numbers reaches its limit, or time is up: then nothing is kept.
    template <Role role>
    Numbers prove(const Node& node, std::uint32_t proof_limit, std::uint32_t disproof_limit, int depth) {
        constexpr Numbers nothing{1, 1, never};
        pause_now_and_then();
        if (time_is_up_) return nothing;
        std::array<Child, most_moves<Mask>> children;
        std::size_t count = 0;
        each_child(node, [&](const Node& child) { children[count++] = {child, numbers<opposite(role)>(child)}; });
        if (oracle_) ask_oracle<role>(node, std::span(children).first(count));
        const Key here = proof_key<role>(node);
        if (Tried& place = tried(here); place.key != here || place.path != path_) place = {here, nothing, path_};
        Numbers found;
        while (true) {
            // To attack, one child must be proven; to defend, all of them.
            std::uint32_t lowest = unreachable, second = unreachable;
            std::uint32_t most = 0, open = 0;
            int shortest = never, longest = 1;
            std::size_t best = 0;
            for (std::size_t i = 0; i < count; ++i) {
                Child& child = children[i];
                const Key there = proof_key<opposite(role)>(child.node);
                if (const Tried& known = tried(there); known.key == there)
                    // A position that is repeated proves nothing, here: another way to it may.
                    child.numbers = known.path == path_ && known.numbers.proof ? repeated : known.numbers;
                const auto [proof, disproof, plies] = child.numbers;
                const std::uint32_t number = role == attack ? proof : disproof;
                const std::uint32_t other = role == attack ? disproof : proof;
                most = std::max(most, other);
                open += other != 0;
                if (proof == 0) shortest = std::min(shortest, plies + 1), longest = std::max(longest, plies + 1);
                if (number < lowest)
                    second = lowest, lowest = number, best = i;
                else
                    second = std::min(second, number);
            }
            // Not the sum of the others: what many ways lead to would be counted many times.
            const std::uint32_t others = open ? open - 1 : 0, total = std::min(most + others, unreachable);
            found = role == attack ? Numbers{lowest, total, shortest} : Numbers{total, lowest, longest};
            if (found.proof == 0)
                found = proven_in(std::min(found.plies, never));
            else if (found.disproof == 0)
                found = disproven();
            else
                found.plies = never;
            if (found.proof >= proof_limit || found.disproof >= disproof_limit || !found.proof || !found.disproof ||
                depth >= max_proof_depth)
                break;
            // The child's own number may grow a little beyond the second best one, so that the search does not jump.
            Child& child = children[best];
            const std::uint32_t near = second == unreachable ? second : second + second / 4 + 1;
            child.numbers = role == attack ? prove<opposite(role)>(child.node, std::min(proof_limit, near),
                                                                   disproof_limit - others, depth + 1)
                                           : prove<opposite(role)>(child.node, proof_limit - others,
                                                                   std::min(disproof_limit, near), depth + 1);
            if (time_is_up_) return nothing;
        }
        if (found.disproof != 0) found.proof = std::min(found.proof, hopeless);
        // Another position may have taken the place in the meantime; a proof is worth more than numbers.
        if (Tried& place = tried(here); place.key == here || place.numbers.proof != 0 || found.proof == 0)
            place = {here, found, 0};
        return found;
    }

    // --- A guess ---

    static int score_of_marks(int m, int o) { return std::clamp(250 * (m - o) + 125, -1000, 1000); }

    int guess(const Node& node, int plies, int alpha, int beta) {
        if (wins_now(node)) return decided + plies;
        if (plies < 1) return looks(node);
        const bool may_end = this->may_end(node);
        int best = -decided - plies;
        for (const std::size_t which : order_[attack]) {
            const FastMove& move = fast_[which];
            if (node.other & move.taken) continue;
            const Node child = after(node, move);
            const Outcome over = may_end ? ended_by_move(child) : Outcome::missing;
            if (over == Outcome::draw) best = std::max(best, 0);
            if (over == Outcome::missing)
                best = std::max(best, -guess(child, plies - 1, -beta, -std::max(alpha, best)));
            if (best >= beta) break;
        }
        return best;
    }

    // How a position looks for the side to move: the marks of both, and how many are in line.
    int looks(const Node& node) const {
        int in_line = 0;
        for (const Mask line : board_.lines()) {
            const int mine = std::popcount(node.mover & line), theirs = std::popcount(node.other & line);
            in_line += mine * mine - theirs * theirs;
        }
        return facts(node).score + in_line;
    }

    // --- What is worked out once ---

    void prepare_moves() {
        for (const auto& move : board_.moves()) {
            const Mask taken = Mask{1} << move.taken;
            const int step = move.step();
            fast_.push_back({taken, Mask{1} << move.pushed, move.segment(), ~(move.segment() | taken) & board_.full(),
                             std::max(-step, 0), std::max(step, 0)});
        }
        for (auto& order : order_) {
            order.resize(fast_.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
        }
        for (auto& of_role : killers_)
            for (auto& killers : of_role) killers.fill(no_move);
    }

    // A move exchanges one cell of a line that it changes for another one, or fills the last cell: so a line that can
    // be completed lacks one cell, and the moves that do it are listed by line and cell. Of a line that crosses an edge
    // of the board, a move along it may exchange several.
    void prepare_completions() {
        const auto& lines = board_.lines();
        for (const auto& move : board_.moves())
            for (const Mask line : lines)
                exchanged_ = std::max(exchanged_, std::popcount(line & ~(move.undo(line) & ~(Mask{1} << move.taken))));
        const Ends& ends = board_.ends();
        own_line_wins_ = ends.own == Outcome::win;
        double_line_wins_ = ends.both == Outcome::win;
        draws_at_once_ = ends.both == Outcome::draw;
        usual_ = own_line_wins_ && ends.other == Outcome::loss && !draws_at_once_ && exchanged_ <= 1;
        ranges_.assign(lines.size() * most_cells<Mask>, {0, 0});
        for (std::size_t line = 0; line < lines.size(); ++line)
            for (int cell = 0; cell < board_.cells(); ++cell) {
                const int begin = static_cast<int>(completions_.size());
                for (std::size_t which = 0; which < fast_.size(); ++which) {
                    const Mask taken = fast_[which].taken;
                    const Mask needed = board_.moves()[which].undo(lines[line]) & ~taken;
                    if ((lines[line] & ~needed) == Mask{1} << cell)
                        completions_.push_back({needed, static_cast<std::uint8_t>(which)});
                }
                ranges_[line * most_cells<Mask> + static_cast<std::size_t>(cell)] = {
                    begin, static_cast<int>(completions_.size())};
            }
    }

    // --- What has been proven ---

    static Key key(const Node& node) { return Names::key(node.mover, node.other, false); }
    template <Role role>
    static Key proof_key(const Node& node) {
        return Names::key(node.mover, node.other, role == defend);
    }

    Known& known(const Node& node) { return entry(known_, key(node)); }
    Tried& tried(const Key& key) { return entry(tried_, key); }

    template <class Entry>
    static Entry& entry(HashTable<Entry>& table, const Key& key) {
        if (!table) {
            // From calloc, so that memory is taken only as it is used.
            table.reset(static_cast<Entry*>(std::calloc(std::size_t{1} << place_bits, sizeof(Entry))));
            if (!table) throw std::bad_alloc();
        }
        return table[Names::hash(key) >> (64 - place_bits)];
    }

    BasicBoard<Mask> board_;
    std::function<void()> poll_;
    Oracle oracle_;
    std::vector<ClassFacts> facts_;
    bool by_class_;
    std::vector<FastMove> fast_;
    std::vector<Completion> completions_;
    struct Range {
        int begin, end;
    };
    std::vector<Range> ranges_;  // of completions, by line and the cell it lacks
    int exchanged_ = 0;          // cells of a line that a move exchanges, at the most
    bool own_line_wins_ = true, double_line_wins_ = false, draws_at_once_ = false;
    bool usual_ = true;  // a line wins, unless there are lines of both; and moves exchange one cell of a line
    std::array<std::vector<std::size_t>, 2> order_;
    std::array<std::array<std::uint64_t, most_moves<Mask>>, 2> history_{};
    std::array<std::array<std::array<std::uint8_t, 2>, max_depth + 1>, 2> killers_;
    HashTable<Known> known_;
    HashTable<Tried> tried_;
    std::uint32_t path_ = 0;
    std::uint64_t nodes_ = 0, last_node_ = 0;
    bool time_is_up_ = false;
    std::chrono::steady_clock::time_point deadline_;
    std::atomic<bool> stopped_ = false;
};

using Search = BasicSearch<Mask>;
using WideSearch = BasicSearch<WideMask>;

}  // namespace inarow::quixo
