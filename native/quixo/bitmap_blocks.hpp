// The blocks of a pair as bitmaps: how moves permute them, and how outcomes are packed and unpacked.
//
// What solving with plies (bitmap_plies.hpp) and without (bitmap_solver.hpp) have in common.
#pragma once

#include "instructions.hpp"

namespace inarow::quixo {

template <class Rows>
class BitmapBlocks {
  protected:
    using Row = typename Rows::Row;
    using RowArray = RowsOf<Rows>;
    using Words = typename Rows::Words;

    BitmapBlocks(const Layout& layout, Loops& loops, int a, int b, Interrupt& interrupt)
        : layout_(layout),
          board_(layout.board()),
          blocks_(layout.blocks(a)),
          a_(a),
          b_(b),
          moves_(static_cast<int>(board_.moves().size())),
          shape_(board_.cells() - a, b),
          members_(reinterpret_cast<const Row*>(shape_.members[0])),
          loops_(loops),
          interrupt_(interrupt) {
        for (const Move& move : board_.moves())
            for (int g = 0; g < board_.symmetries(); ++g)
                for (int cell = 0; cell < stride; ++cell)
                    images_.push_back(cell < board_.cells()
                                          ? static_cast<std::uint8_t>(board_.cell_image(g, move.image(cell)))
                                          : std::uint8_t{0});
        prepare();
        for (int i = 0; i < loops.threads(); ++i) {
            scratch_.push_back(std::make_unique<Scratch>(shape_.rows));
            scratch_.back()->thread = static_cast<std::uint32_t>(i);
        }
    }

    static constexpr int stride = 32;  // of tables with an entry for each cell
    static constexpr std::uint64_t low_bits = 0x5555555555555555, high_bits = ~low_bits;

    // Up to so many words are looked up one by one faster than whole bitmaps are permuted.
    int few() const { return 40 + 2 * shape_.rows; }

    // What is known about a plane. Whether an undecided entry can still be lost is kept in the bitmap of losses, at the
    // word with its lowest bit flipped: such a word has one mark more or less, so it is not the place of another entry.
    struct Bitmaps {
        RowArray won, lost;
        std::vector<std::uint16_t> won_at, lost_at;  // the pass or round in which a block last changed
        std::vector<std::uint8_t> open;              // what its undecided entries wait for; 0 if there are none
        std::unique_ptr<std::atomic<bool>[]> due;    // to be visited: a block that it leads to has changed
        std::vector<std::uint8_t> refuting;          // the move that showed the most entries not to be lost

        void resize(std::size_t blocks, std::size_t rows) {
            won = RowArray(blocks * rows);
            lost = RowArray(blocks * rows);
            for (auto* stamps : {&won_at, &lost_at}) stamps->assign(blocks, 0);
            open.assign(blocks, 0);
            due = std::make_unique<std::atomic<bool>[]>(blocks);
            refuting.assign(blocks, 0);
        }
    };
    struct alignas(64) Scratch {
        explicit Scratch(std::size_t rows) : undecided(rows), may_lose(rows), moved(rows), gained(rows) {}
        RowArray undecided, may_lose, moved, gained;
        std::vector<std::uint32_t> list;
        std::uint32_t thread = 0;
        // With plies. While seeding: bytes of a child's block, and of local words.
        RowArray codes, placed, shifted, least;
        std::vector<std::uint32_t> due, candidates;  // ranks in a block: due in a round; perhaps lost in it
        std::vector<std::uint32_t> wins, losses;     // words of a block that a round decided
        std::vector<std::uint32_t> listed[2];        // words that even and odd rounds decided
    };
    // A solved plane, as bitmaps.
    struct Solved {
        Shape shape;
        RowArray won, lost;
        std::vector<std::uint8_t> has_loss, all_won;  // for each block
    };
    struct BitWriter {
        std::uint8_t* to;
        std::uint64_t held = 0;
        int bits = 0;

        // At most 40 bits at a time: a word of 64 has 20 members at most.
        void write(std::uint64_t value, int count) {
            held |= value << bits;
            bits += count;
            while (bits >= 8) {
                *to++ = static_cast<std::uint8_t>(held);
                held >>= 8;
                bits -= 8;
            }
        }
        void finish() {
            if (bits > 0) *to++ = static_cast<std::uint8_t>(held);
        }
    };

    static bool any(const Row& row) {
        if constexpr (requires { row.any(); }) return row.any();
        std::uint64_t all = 0;
        for (int i = 0; i < 8; ++i) all |= row[i];
        return all != 0;
    }
    static int count(const Row& row) {
        int bits = 0;
        for (int i = 0; i < 8; ++i) bits += std::popcount(row[i]);
        return bits;
    }

    static const std::uint64_t* words_of(const Row* rows) { return reinterpret_cast<const std::uint64_t*>(rows); }
    static std::uint64_t* words_of(Row* rows) { return reinterpret_cast<std::uint64_t*>(rows); }
    static bool has(const Row* rows, std::uint32_t word) { return words_of(rows)[word / 64] >> word % 64 & 1; }
    static void put(Row* rows, std::uint32_t word) { words_of(rows)[word / 64] |= std::uint64_t{1} << word % 64; }

    // The same words with their lowest bit flipped.
    static Row flipped(const Row& row) { return (row & low_bits) << 1 | (row >> 1 & low_bits); }

    bool is_full() const { return a_ + b_ == board_.cells(); }
    Mask free_of(std::size_t block) const { return layout_.full() & ~blocks_[block]; }

    template <class Visit>
    void for_each_block(Visit visit) {
        loops_.for_each(blocks_.size(), chunk(), [&](std::size_t i, int thread) {
            if (!interrupted(thread, shape_)) visit(i, *scratch_[thread]);
        });
    }

    bool interrupted(int thread, const Shape& shape) {
        return interrupt_.asked(thread, static_cast<std::size_t>(shape.rows) * 16);
    }

    // How many blocks a thread takes at a time: a cache line of bytes that are kept for each block, where there are so
    // many that no thread waits long for the last.
    std::size_t chunk() const {
        return std::max(std::clamp<std::size_t>(blocks_.size() >> 10, 1, 64), std::size_t{2048} / shape_.entries);
    }

    void prepare() {
        const std::size_t blocks = blocks_.size();
        same_.resize(blocks * moves_);
        before_.resize(blocks * moves_);
        grown_.resize(is_full() ? 0 : blocks * moves_);
        lined_.resize(blocks);
        cells_.resize(blocks * stride);
        for (int more = 0; more < 2 && a_ + more <= board_.cells(); ++more)
            locals_[more].resize(layout_.blocks(a_ + more).size() * stride);
        for (int more = 0; more < 2 && a_ + more <= board_.cells(); ++more)
            loops_.for_each(layout_.blocks(a_ + more).size(), 256, [&](std::size_t i, int) {
                const Mask larger = layout_.blocks(a_ + more)[i];
                std::uint8_t next = 0;
                for (int cell = 0; cell < board_.cells(); ++cell)
                    locals_[more][i * stride + cell] = larger >> cell & 1 ? 0 : next++;
            });
        loops_.for_each(blocks, 64, [&](std::size_t i, int) {
            const Mask larger = blocks_[i];
            lined_[i] = board_.has_line(larger);
            int next = 0;
            for (Mask rest = free_of(i); rest; rest &= rest - 1)
                cells_[i * stride + next++] = static_cast<std::uint8_t>(std::countr_zero(rest));
            for (int k = 0; k < moves_; ++k) {
                const Move& move = board_.moves()[k];
                same_[i * moves_ + k] = joined(layout_.canonical(move.apply(larger)));
                before_[i * moves_ + k] = joined(layout_.canonical(move.undo(larger)));
                if (!is_full() && !(larger >> move.taken & 1))
                    grown_[i * moves_ + k] = joined(layout_.canonical(move.apply(larger | Mask{1} << move.taken)));
            }
        });
    }

    static std::uint32_t joined(Canonical to) { return to.block << 3 | static_cast<std::uint32_t>(to.symmetry); }

    // How move k permutes the local words of block i: into the block `to` of as many marks, or of one more.
    Axes axes(std::size_t i, int k, std::uint32_t to, bool grown) const {
        Axes axes;
        axes.count = shape_.axes;
        axes.source_rows = row_count(shape_.m - grown);
        const std::uint8_t* image = &images_[(k * board_.symmetries() + (to & 7)) * stride];
        const std::uint8_t* local = &locals_[grown][std::size_t{to >> 3} * stride];
        const std::uint8_t* cells = &cells_[i * stride];
        for (int j = 0; j < shape_.m; ++j) axes.from[j] = local[image[cells[j]]];
        if (grown) axes.from[taken(i, k)] = static_cast<std::uint8_t>(shape_.m - 1);
        for (int j = shape_.m; j < axes.count; ++j) axes.from[j] = static_cast<std::uint8_t>(j);
        return axes;
    }

    // The local number of the cell that move k takes, if it is free.
    int taken(std::size_t i, int k) const {
        return locals_[0][i * stride + static_cast<std::size_t>(board_.moves()[k].taken)];
    }

    bool takes_own(std::size_t i, int k) const { return blocks_[i] >> board_.moves()[k].taken & 1; }

    // How move k inside the pair permutes the local words of block i, of which only those with the cell are needed.
    Axes step_axes(std::size_t i, int k, int cell) const {
        Axes how = axes(i, k, same_[i * moves_ + k], false);
        how.chosen = cell;
        how.chosen_bit = true;
        return how;
    }

    // Where move k of a side leads with a new mark, and how it permutes local words: those without the taken cell,
    // which the smaller side's then gets.
    std::uint32_t grown_to(int side, std::size_t i, int k) const {
        return (side == 0 ? grown_ : same_)[i * moves_ + k];
    }
    Axes grown_axes(int side, std::size_t i, int k) const {
        Axes how = axes(i, k, grown_to(side, i, k), side == 0);
        how.chosen = taken(i, k);
        if (side == 1) how.flipped = how.chosen;
        return how;
    }

    // The moves of a block inside the pair, a likely one first. Returns how many there are.
    int steps_of(int side, std::size_t i, int likely, std::uint8_t* steps) const {
        int found = 0;
        for (int n = 0; n < moves_; ++n) {
            const int k = n == 0 ? likely : n <= likely ? n - 1 : n;
            if (is_step(side, i, k)) steps[found++] = static_cast<std::uint8_t>(k);
        }
        return found;
    }

    // Whether move k stays inside the pair: the larger side takes its own tiles, the smaller side others.
    bool is_step(int side, std::size_t i, int k) const { return takes_own(i, k) == (side == 0); }

    // Visits the rows that have words with a bit set (or clear), and passes the set of these words.
    template <class Visit>
    static void rows_with(int rows, int axis, bool set, Visit visit) {
        if (axis < 0) {
            for (int r = 0; r < rows; ++r) visit(r, ~Row{});
        } else if (axis < row_axes) {
            Row places;
            std::memcpy(&places, axis_words[axis].data(), sizeof places);
            if (!set) places = ~places;
            for (int r = 0; r < rows; ++r) visit(r, places);
        } else {
            const int bit = 1 << (axis - row_axes);
            for (int first = set ? bit : 0; first < rows; first += 2 * bit)
                for (int r = first; r < first + bit; ++r) visit(r, ~Row{});
        }
    }

    // The words that contain a line of the smaller side.
    void add_lines(std::size_t i, Row* to) const {
        for (const Mask line : board_.lines()) {
            if (std::popcount(line) > b_) break;  // so are those that follow
            if (line & blocks_[i]) continue;
            Mask word = 0;
            for (Mask rest = line; rest; rest &= rest - 1)
                word |= Mask{1} << locals_[0][i * stride + std::countr_zero(rest)];
            Row within = ~Row{};
            for (int axis = 0; axis < row_axes; ++axis)
                if (word >> axis & 1) {
                    Row places;
                    std::memcpy(&places, axis_words[axis].data(), sizeof places);
                    within &= places;
                }
            const int above = static_cast<int>(word >> row_axes);
            for (int r = above; r < shape_.rows; r = (r + 1) | above) to[r] |= within;
        }
        for (int r = 0; r < shape_.rows; ++r) to[r] &= members_[r];
    }

    void list(const Row* rows, std::vector<std::uint32_t>& found) const {
        found.clear();
        for (int r = 0; r < shape_.rows; ++r) {
            if (!any(rows[r])) continue;
            for (int word = r * 8; word < r * 8 + 8; ++word)
                for (std::uint64_t rest = words_of(rows)[word]; rest; rest &= rest - 1)
                    found.push_back(static_cast<std::uint32_t>(word * 64 + std::countr_zero(rest)));
        }
    }

    // Hints that so many words of a block will be looked up soon, unless they are in few of its rows.
    void prefetch(const Row* rows, int words) const {
        if (words < shape_.rows / 4) return;
        for (int r = 0; r < shape_.rows; ++r) __builtin_prefetch(rows + r, 0, 2);
    }

    // Removes from a list the words from which a move leads into a set, or to a place that is not in it, and visits
    // them. If the move takes a cell of the smaller side, words that do not have it are kept.
    template <class Visit>
    void remove_leading(std::vector<std::uint32_t>& list, const Axes& how, int cell, const Row* there, bool into,
                        Visit visit) const {
        constexpr std::size_t batch = sizeof(Words) / sizeof(std::uint32_t);
        std::size_t kept = 0;
        for (std::size_t first = 0; first < list.size(); first += batch) {
            const std::size_t size = std::min(batch, list.size() - first);
            Words words{}, images{};
            std::memcpy(&words, &list[first], size * sizeof(std::uint32_t));
            for (int j = 0; j < shape_.m; ++j) images |= (words >> j & 1) << how.from[j];
            for (std::size_t n = 0; n < size; ++n) {
                const std::uint32_t word = words[n];
                const bool leading = (cell < 0 || word >> cell & 1) && has(there, images[n]) == into;
                list[kept] = word;
                kept += !leading;
                if (leading) visit(word);
            }
        }
        list.resize(kept);
    }

    // The entries that are over, and so decided: with lines of either side, or of both. Returns whether all are.
    bool decide_lines(int side, std::size_t i, Row* won, Row* lost) const {
        const auto ended = [&](bool larger, bool smaller) {
            return side == 0 ? board_.ended(larger, smaller) : board_.ended(smaller, larger);
        };
        std::memset(won, 0, sizeof(Row) * shape_.rows);
        std::memset(lost, 0, sizeof(Row) * shape_.rows);
        if (!lined_[i]) {
            add_lines(i, ended(false, true) == Outcome::win ? won : lost);
            return false;
        }
        // The words with a line of the smaller side too, first as if they were won. Those that are drawn stay neither
        // won nor lost.
        add_lines(i, won);
        const Outcome one = ended(true, false), both = ended(true, true);
        for (int r = 0; r < shape_.rows; ++r) {
            const Row with_both = won[r], with_one = members_[r] & ~with_both;
            won[r] = (one == Outcome::win ? with_one : Row{}) | (both == Outcome::win ? with_both : Row{});
            lost[r] = (one == Outcome::loss ? with_one : Row{}) | (both == Outcome::loss ? with_both : Row{});
        }
        return true;
    }

    // Marks the blocks that lead to this one as due, if their entries wait for such a change.
    void call_parents(int side, std::size_t i, Bitmaps& parents, std::uint8_t change = 1) const {
        for (int k = 0; k < moves_; ++k) {
            // Where the smaller side is to move, the larger side moved last, and pushed in a tile of its own.
            if ((blocks_[i] >> board_.moves()[k].pushed & 1) != (side == 1)) continue;
            const std::uint32_t parent = before_[i * moves_ + k] >> 3;
            // Written only if that changes it, so that threads do not take the cache line from each other.
            if ((parents.open[parent] & change) && !parents.due[parent].load(std::memory_order_relaxed))
                parents.due[parent].store(true, std::memory_order_relaxed);
        }
    }

    // Moves from one set to another the entries that one of these moves leads from to a loss; there are `left` of them.
    // Returns how many.
    int find_wins(int side, std::size_t i, std::span<const std::uint8_t> moves, const Bitmaps& children, int left,
                  Row* undecided, Row* gained, Scratch& scratch) const {
        const int before = left;
        Row* moved = scratch.moved[0];
        bool listed = false;
        const auto lost_after = [&](std::size_t n) {
            return children.lost[std::size_t{same_[i * moves_ + moves[n]] >> 3} * shape_.rows];
        };
        for (std::size_t n = 0; n < moves.size() && left > 0; ++n) {
            const int cell = side == 0 ? -1 : taken(i, moves[n]);
            const Axes how = step_axes(i, moves[n], cell);
            const Row* there = lost_after(n);
            if (n + 1 < moves.size()) prefetch(lost_after(n + 1), left);
            if (left <= few()) {
                if (!listed) list(undecided, scratch.list);
                listed = true;
                remove_leading(scratch.list, how, cell, there, true, [&](std::uint32_t word) {
                    put(gained, word);
                    words_of(undecided)[word / 64] &= ~(std::uint64_t{1} << word % 64);
                });
                left = static_cast<int>(scratch.list.size());
            } else {
                typename Rows::Permutation{how}(there, moved);
                rows_with(shape_.rows, cell, true, [&](int r, const Row& places) {
                    const Row more = moved[r] & undecided[r] & places;
                    if (!any(more)) return;
                    gained[r] |= more;
                    undecided[r] ^= more;
                    left -= count(more);
                });
            }
        }
        return before - left;
    }

    // Leaves in `may_lose` those entries all of whose children are won, and visits the others with the move after which
    // they are not: refuted(k, row, entries) or refuted(k, word).
    template <class Refuted>
    bool find_losses(int side, std::size_t i, Bitmaps& plane, const Bitmaps& children, Scratch& scratch,
                     Refuted refuted) const {
        Row *may_lose = scratch.may_lose[0], *moved = scratch.moved[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) left += count(may_lose[r]);
        bool listed = false;
        int most = 0, best = plane.refuting[i];
        std::uint8_t steps[max_moves];
        const int count_of_steps = steps_of(side, i, plane.refuting[i], steps);
        const auto won_after = [&](int n) {
            return children.won[std::size_t{same_[i * moves_ + steps[n]] >> 3} * shape_.rows];
        };
        for (int n = 0; n < count_of_steps && left > 0; ++n) {
            const int k = steps[n], cell = side == 0 ? -1 : taken(i, k);
            const Axes how = step_axes(i, k, cell);
            const Row* there = won_after(n);
            if (n + 1 < count_of_steps) prefetch(won_after(n + 1), left);
            int kept = left;
            if (left <= few()) {
                if (!listed) list(may_lose, scratch.list);
                listed = true;
                remove_leading(scratch.list, how, cell, there, false, [&](std::uint32_t word) { refuted(k, word); });
                kept = static_cast<int>(scratch.list.size());
            } else {
                typename Rows::Permutation{how}(there, moved);
                rows_with(shape_.rows, cell, true, [&](int r, const Row& places) {
                    const Row not_won = may_lose[r] & ~moved[r] & places;
                    if (!any(not_won)) return;
                    may_lose[r] ^= not_won;
                    kept -= count(not_won);
                    refuted(k, r, not_won);
                });
            }
            if (left - kept > most) {
                most = left - kept;
                best = k;
            }
            left = kept;
        }
        plane.refuting[i] = static_cast<std::uint8_t>(best);
        if (listed) {
            std::memset(may_lose, 0, sizeof(Row) * shape_.rows);
            for (const std::uint32_t word : scratch.list) put(may_lose, word);
        }
        return left > 0;
    }

    // If both sides have the same number of marks, B to move is A to move with the marks exchanged. Calls visit(word,
    // block, word there) for each of some words of a block, after prefetch(block, word there) for some of those that
    // follow.
    template <class Prefetch, class Visit>
    void each_mirrored(std::size_t i, std::span<const std::uint32_t> list, Prefetch prefetch, Visit visit) const {
        struct At {
            Mask smaller;
            std::size_t block;
            std::uint32_t there;
        } batch[32];
        const Mask free = free_of(i), larger = blocks_[i];
        for (; !list.empty(); list = list.subspan(std::min<std::size_t>(32, list.size()))) {
            const std::size_t size = std::min<std::size_t>(32, list.size());
            for (std::size_t n = 0; n < size; ++n) {
                batch[n].smaller = static_cast<Mask>(Rows::deposit(list[n], free));
                layout_.prefetch(batch[n].smaller);
            }
            for (At& at : std::span(batch, size)) {
                const auto [block, symmetry] = layout_.canonical(at.smaller);
                at.block = block;
                at.there = static_cast<std::uint32_t>(Rows::extract(board_.image(symmetry, larger), free_of(block)));
                prefetch(at.block, at.there);
            }
            for (std::size_t n = 0; n < size; ++n) visit(list[n], batch[n].block, batch[n].there);
        }
    }

    // A solved plane, not filled; perhaps without the words lost.
    Solved room_for(int a, int b, bool losses) const {
        Solved solved;
        solved.shape = Shape(board_.cells() - a, b);
        const std::size_t blocks = layout_.blocks(a).size();
        solved.won = RowArray(blocks * solved.shape.rows);
        if (losses) solved.lost = RowArray(blocks * solved.shape.rows);
        for (auto* flags : {&solved.has_loss, &solved.all_won}) flags->resize(blocks);
        return solved;
    }

    // Fills it from packed outcomes.
    void fill(Solved& solved, const std::uint8_t* plane) {
        const Shape& shape = solved.shape;
        const std::size_t blocks = solved.has_loss.size();
        const bool losses = solved.lost[0];
        const std::size_t bytes = packed::bytes(blocks * shape.entries);
        loops_.for_each(blocks, std::max<std::size_t>(1, 4096 / shape.entries), [&](std::size_t i, int thread) {
            if (interrupted(thread, shape)) return;
            std::size_t at = i * shape.entries;
            const auto* members = words_of(reinterpret_cast<const Row*>(shape.members[0]));
            auto* won = words_of(solved.won[i * shape.rows]);
            auto* lost = losses ? words_of(solved.lost[i * shape.rows]) : nullptr;
            std::uint64_t any_lost = 0, not_won = 0;
            for (int word = 0; word < shape.rows * 8; ++word) {
                const std::uint64_t places = members[word];
                won[word] = 0;
                if (losses) lost[word] = 0;
                if (!places) continue;
                // At most 40 bits are needed, which begin in the first byte, at bit 6 at the latest.
                std::uint64_t bits = 0;
                const std::size_t byte = at / 4;
                std::memcpy(&bits, plane + byte, std::min<std::size_t>(8, bytes - byte));
                bits >>= at % 4 * 2;
                at += std::popcount(places);
                const std::uint64_t is_win = Rows::extract(bits, high_bits);
                won[word] = Rows::deposit(is_win, places);
                not_won |= places & ~won[word];
                const std::uint64_t loss = Rows::deposit(~(is_win | Rows::extract(bits, low_bits)), places);
                if (losses) lost[word] = loss;
                any_lost |= loss;
            }
            solved.has_loss[i] = any_lost != 0;
            solved.all_won[i] = not_won == 0;
        });
    }

    // Writes a plane's outcomes, packed. Returns how many positions are lost, drawn and won.
    std::vector<std::uint64_t> pack(const Bitmaps& plane, std::uint8_t* out) {
        std::vector<std::array<std::uint64_t, 3>> counts(loops_.threads());
        constexpr std::size_t together = packed::blocks_together;
        const std::size_t parts = (blocks_.size() + together - 1) / together;
        loops_.for_each(parts, 1, [&](std::size_t part, int thread) {
            std::uint8_t* to = out + part * together * shape_.entries / 4;
            BitWriter writer{to};
            const std::size_t last = std::min(blocks_.size(), (part + 1) * together);
            for (std::size_t i = part * together; i < last; ++i) {
                const auto* wins = words_of(plane.won[i * shape_.rows]);
                const auto* losses = words_of(plane.lost[i * shape_.rows]);
                const auto* members = words_of(members_);
                std::uint64_t won = 0, lost = 0;
                for (int word = 0; word < shape_.rows * 8; ++word) {
                    const std::uint64_t places = members[word];
                    if (!places) continue;
                    const std::uint64_t win = wins[word] & places, loss = losses[word] & places;
                    won += std::popcount(win);
                    lost += std::popcount(loss);
                    writer.write(Rows::deposit(Rows::extract(win, places), high_bits) |
                                     Rows::deposit(Rows::extract(places & ~win & ~loss, places), low_bits),
                                 2 * std::popcount(places));
                }
                const auto weight = static_cast<std::uint64_t>(layout_.orbit(a_, static_cast<std::uint32_t>(i)));
                counts[thread][packed::loss] += weight * lost;
                counts[thread][packed::draw] += weight * (shape_.entries - won - lost);
                counts[thread][packed::win] += weight * won;
            }
            writer.finish();
        });
        std::vector<std::uint64_t> all(3);
        for (const auto& of_thread : counts)
            for (int value = 0; value < 3; ++value) all[value] += of_thread[value];
        return all;
    }

    // The bytes of solving a pair, with so many bitmaps of the planes that its children with a new mark are in.
    static std::size_t memory(const Layout& layout, int a, int b, int of_children) {
        const int cells = layout.board().cells();
        const auto bitmap = [&](int marks) {
            return layout.blocks(marks).size() * row_count(cells - marks) * sizeof(Row);
        };
        const std::size_t larger = a + b < cells ? bitmap(a + 1) : 0;
        const std::size_t smaller = a + b < cells && a > b ? bitmap(a) : 0;
        const std::size_t steps = layout.blocks(a).size() * (layout.board().moves().size() * 12 + 3 * stride);
        return 4 * bitmap(a) + std::max(larger, smaller) * of_children + steps;
    }

    const Layout& layout_;
    const Board& board_;
    const std::vector<Mask>& blocks_;
    const int a_, b_, moves_;
    const Shape shape_;
    const Row* const members_;
    std::vector<std::uint8_t> images_;         // [move][symmetry][cell]
    std::vector<std::uint8_t> locals_[2];      // [block][cell]: the local number of a free cell, for a and for a + 1
    std::vector<std::uint8_t> cells_;          // [block][local number]: the inverse
    std::vector<std::uint8_t> lined_;          // [block]: A has a line
    std::vector<std::uint32_t> same_, grown_;  // [block][move]: block << 3 | symmetry it leads to; with A's new mark
    std::vector<std::uint32_t> before_;        // [block][move]: likewise, from which it leads here
    Loops& loops_;
    Interrupt& interrupt_;
    std::vector<std::unique_ptr<Scratch>> scratch_;  // of each thread
};

}  // namespace inarow::quixo
