// Bitmaps and their permutation (rows.hpp), on 64-bit words, perhaps several side by side in a register.
#pragma once

#include "rows.hpp"

namespace inarow::quixo {

// Exchanges axes within a word with axes that select the word, then permutes those within. Works on as many groups at a
// time as a register has words:
//
//   Words::Register, count                     what has the operators of a vector, and how many words it has
//   shift(bits), up(x, shift), down(x, shift)  shift every word
//   repeated(word)                             a word in all places
//   load(place), store(x, n, place)            word i from the pointer place(i); the first n words to place(i)
//   shuffles                                   whether there are
//   byte_index(index), bytes(x, index)         permute the bytes of every word: byte i becomes the one index[i] names
template <class Words>
class WordPermutation {
  public:
    explicit WordPermutation(const Axes& axes) { plan(axes); }
    WordPermutation(const WordPermutation&) = delete;

    // Between rows of any type.
    void operator()(const auto* from, auto* to) const {
        switch (slots_) {
            case 0:
                return run<0>(from, to);
            case 1:
                return run<1>(from, to);
            case 2:
                return run<2>(from, to);
            case 3:
                return run<3>(from, to);
            case 4:
                return run<4>(from, to);
            case 5:
                return run<5>(from, to);
            default:
                return run<6>(from, to);
        }
    }

  private:
    static constexpr int low = 6, swapped = Words::shuffles ? 3 : low;  // axes of a word; those that swaps permute
    using Register = typename Words::Register;
    struct Swap {
        decltype(Words::shift(0)) shift;
        Register places;
    };

    int slots_ = 0, groups_ = 1, swaps_ = 0, flip_within_ = -1;
    bool shuffles_ = false;
    Register shuffle_{};
    Swap exchange_[low], swap_[low];
    std::uint32_t slot_in_[1 << low], slot_out_[1 << low];
    std::uint32_t group_in_[1 << 8], group_out_[1 << 8];
    std::uint32_t *groups_in_ = group_in_, *groups_out_ = group_out_;
    std::vector<std::uint32_t> more_;
    std::uint32_t inside_, flip_ = 0, half_in_ = 0, half_out_ = 0;

    static Swap swap(int shift, std::uint64_t places) { return {Words::shift(shift), Words::repeated(places)}; }

    void plan(const Axes& axes) {
        int at[low];  // the axis of the source at each place within the word
        for (int i = 0; i < low; ++i) at[i] = i;
        std::uint32_t wanted = 0, target[32];
        for (int i = 0; i < low; ++i) wanted |= 1u << axes.from[i];
        for (int i = low; i < axes.count; ++i) target[axes.from[i]] = 1u << (i - low);
        slot_in_[0] = slot_out_[0] = 0;
        int place = 0;
        for (std::uint32_t rest = wanted >> low << low; rest; rest &= rest - 1, ++place, ++slots_) {
            const int entering = std::countr_zero(rest);
            while (wanted >> place & 1) ++place;
            exchange_[slots_] = swap(1 << place, ~axis_words[place][0]);
            const std::uint32_t here = 1u << (entering - low), there = target[place];
            for (int t = 0; t < 1 << slots_; ++t) {
                slot_in_[t | 1 << slots_] = slot_in_[t] | here;
                slot_out_[t | 1 << slots_] = slot_out_[t] | there;
            }
            at[place] = entering;
        }
        for (int i = 0; i < swapped; ++i)
            for (int j = i + 1; j < low; ++j)
                if (at[j] == axes.from[i]) {
                    swap_[swaps_++] = swap((1 << j) - (1 << i), axis_words[i][0] & ~axis_words[j][0]);
                    std::swap(at[i], at[j]);
                }
        const int flipped = axes.flipped;
        if constexpr (Words::shuffles) {
            std::uint8_t bytes[8];
            for (int byte = 0; byte < 8; ++byte) {
                bytes[byte] = 0;
                for (int i = swapped; i < low; ++i) {
                    int j = swapped;
                    while (at[j] != axes.from[i]) ++j;
                    const int bit = (byte >> (i - swapped) & 1) ^ (flipped == i);
                    bytes[byte] |= static_cast<std::uint8_t>(bit << (j - swapped));
                }
                shuffles_ |= bytes[byte] != byte;
            }
            std::uint64_t index;
            std::memcpy(&index, bytes, 8);
            shuffle_ = Words::byte_index(index);
        }
        flip_within_ = flipped >= 0 && flipped < swapped ? flipped : -1;
        if (flipped >= low) flip_ = 1u << (flipped - low);
        const int free_axes = axes.count - low - slots_;
        if (free_axes > 8) {
            more_.resize(std::size_t{2} << free_axes);
            groups_in_ = more_.data();
            groups_out_ = more_.data() + (std::size_t{1} << free_axes);
        }
        groups_in_[0] = groups_out_[0] = 0;
        for (int axis = low; axis < axes.count; ++axis) {
            if (wanted >> axis & 1) continue;
            const std::uint32_t here = 1u << (axis - low), there = target[axis];
            if (axes.is_halved(axis, low)) {
                half_in_ = axes.half() ? here : 0;
                half_out_ = axes.half() ? there : 0;
                continue;
            }
            for (int g = 0; g < groups_; ++g) {
                groups_in_[g + groups_] = groups_in_[g] | here;
                groups_out_[g + groups_] = groups_out_[g] | there;
            }
            groups_ *= 2;
        }
        inside_ = static_cast<std::uint32_t>(axes.source_rows) * 8 - 1;
    }

    template <int slots>
    void run(const auto* from, auto* to) const {
        const auto* in = reinterpret_cast<const std::uint64_t*>(from);
        auto* out = reinterpret_cast<std::uint64_t*>(to);
        const int step = std::min(groups_, Words::count);
        for (int g = 0; g < groups_; g += step) {
            Register x[1 << slots];
            // Where there are fewer groups than words, the last is there several times.
            for (int t = 0; t < 1 << slots; ++t)
                x[t] = Words::load([&](int n) {
                    return in + ((half_in_ | groups_in_[g + std::min(n, step - 1)] | slot_in_[t]) & inside_);
                });
#pragma GCC unroll 6
            for (int e = 0; e < slots; ++e) {
                const auto& [shift, zeros] = exchange_[e];
                for (int t = 0; t < 1 << slots; ++t) {
                    if (t >> e & 1) continue;
                    const Register a = x[t], b = x[t | 1 << e];
                    const Register other = (Words::down(a, shift) ^ b) & zeros;
                    x[t | 1 << e] = b ^ other;
                    x[t] = a ^ Words::up(other, shift);
                }
            }
            for (int s = 0; s < swaps_; ++s) {
                const auto& [shift, places] = swap_[s];
                for (auto& word : x) {
                    const Register other = (Words::down(word, shift) ^ word) & places;
                    word = word ^ (other | Words::up(other, shift));
                }
            }
            if constexpr (Words::shuffles)
                if (shuffles_)
                    for (auto& word : x) word = Words::bytes(word, shuffle_);
            if (flip_within_ >= 0) {
                const Register ones = Words::repeated(axis_words[flip_within_][0]);
                const auto shift = Words::shift(1 << flip_within_);
                for (auto& word : x) word = Words::down(word & ones, shift) | Words::up(word & ~ones, shift);
            }
            for (int t = 0; t < 1 << slots; ++t)
                Words::store(x[t], step,
                             [&](int n) { return out + ((half_out_ | groups_out_[g + n] | slot_out_[t]) ^ flip_); });
        }
    }
};

struct PortableRows : PlainRows {
    using Permutation = WordPermutation<PortableWords>;
};

}  // namespace inarow::quixo
