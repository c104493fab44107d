// Unpacks raw LZMA2, in which the chunks of a book are packed. Wrong input is recognised or gives wrong bytes; nothing
// is read or written outside the two buffers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace inarow::wasm {

class Lzma2 {
  public:
    // Whether the input unpacks to exactly the bytes of `out`.
    static bool unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) { return Lzma2(in, out).run(); }

  private:
    using Probability = std::uint16_t;

    static constexpr int states = 12, length_states = 4, align_bits = 4, end_of_models = 14;
    static constexpr Probability even = 1 << 10;

    struct Lengths {
        Probability choice[2], low[16][8], middle[16][8], high[256];
    };
    struct Model {
        Probability is_match[states][16], is_rep[states], is_rep0[states], is_rep1[states], is_rep2[states];
        Probability is_rep0_long[states][16], slots[length_states][64], distances[115], align[1 << align_bits];
        Lengths lengths, rep_lengths;
    };

    Lzma2(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) : in_(in), out_(out) {}

    bool run() {
        while (!failed_) {
            const unsigned control = byte();
            if (control == 0) return !failed_ && read_ == in_.size() && written_ == out_.size();
            if (control >= 0x80) {
                const std::size_t size = (std::size_t{control & 0x1f} << 16) + two_bytes() + 1;
                const std::size_t packed = std::size_t{two_bytes()} + 1;
                const unsigned reset = control >> 5 & 3;
                if (reset >= 2) properties(byte());
                if (reset >= 1) reset_state();
                const std::size_t end = read_ + packed;
                if (literals_.empty() || end > in_.size() || size > out_.size() - written_) return false;
                begin_range();
                decode(written_ + size);
                if (read_ != end) return false;
            } else if (control <= 2) {
                const std::size_t size = std::size_t{two_bytes()} + 1;
                if (size > in_.size() - read_ || size > out_.size() - written_) return false;
                std::memcpy(out_.data() + written_, in_.data() + read_, size);
                read_ += size;
                written_ += size;
            } else {
                return false;
            }
        }
        return false;
    }

    unsigned byte() {
        if (read_ < in_.size()) return in_[read_++];
        failed_ = true;
        return 0;
    }
    unsigned two_bytes() {
        const unsigned high = byte();
        return high << 8 | byte();
    }

    void properties(unsigned packed) {
        literal_context_ = packed % 9;
        literal_position_ = packed / 9 % 5;
        position_ = packed / 45;
        if (position_ > 4 || literal_context_ + literal_position_ > 4) failed_ = true;
        literals_.assign(failed_ ? 0 : std::size_t{0x300} << (literal_context_ + literal_position_), even);
    }

    void reset_state() {
        auto* all = reinterpret_cast<Probability*>(&model_);
        std::fill_n(all, sizeof model_ / sizeof *all, even);
        std::fill(literals_.begin(), literals_.end(), even);
        state_ = 0;
        distances_.fill(0);
    }

    // --- The range decoder ---

    void begin_range() {
        range_ = ~0u;
        code_ = 0;
        byte();
        for (int i = 0; i < 4; ++i) code_ = code_ << 8 | byte();
    }

    void normalize() {
        if (range_ >= 1u << 24) return;
        range_ <<= 8;
        code_ = code_ << 8 | byte();
    }

    unsigned bit(Probability& zero) {
        normalize();
        const std::uint32_t bound = (range_ >> 11) * zero;
        if (code_ < bound) {
            range_ = bound;
            zero = static_cast<Probability>(zero + ((2048 - zero) >> 5));
            return 0;
        }
        range_ -= bound;
        code_ -= bound;
        zero = static_cast<Probability>(zero - (zero >> 5));
        return 1;
    }

    unsigned direct_bits(int count) {
        unsigned value = 0;
        while (count-- > 0) {
            normalize();
            range_ >>= 1;
            const unsigned one = code_ >= range_;
            if (one) code_ -= range_;
            value = value << 1 | one;
        }
        return value;
    }

    unsigned tree(Probability* probabilities, int bits) {
        unsigned symbol = 1;
        for (int i = 0; i < bits; ++i) symbol = symbol << 1 | bit(probabilities[symbol]);
        return symbol - (1u << bits);
    }

    unsigned reverse_tree(Probability* probabilities, int bits) {
        unsigned symbol = 1, value = 0;
        for (int i = 0; i < bits; ++i) {
            const unsigned one = bit(probabilities[symbol]);
            symbol = symbol << 1 | one;
            value |= one << i;
        }
        return value;
    }

    // --- Literals and matches ---

    void decode(std::size_t end) {
        while (written_ < end && !failed_) {
            const std::size_t place = written_ & ((std::size_t{1} << position_) - 1);
            if (!bit(model_.is_match[state_][place])) {
                literal();
                continue;
            }
            std::size_t length;
            if (!bit(model_.is_rep[state_])) {
                std::copy_backward(distances_.begin(), distances_.end() - 1, distances_.end());
                length = this->length(model_.lengths, place);
                state_ = state_ < 7 ? 7 : 10;
                distances_[0] = distance(length);
            } else if (!bit(model_.is_rep0[state_])) {
                if (!bit(model_.is_rep0_long[state_][place])) {
                    state_ = state_ < 7 ? 9 : 11;
                    copy(1, end);
                    continue;
                }
                length = repeated(0, place);
            } else if (!bit(model_.is_rep1[state_])) {
                length = repeated(1, place);
            } else {
                length = repeated(bit(model_.is_rep2[state_]) ? 3 : 2, place);
            }
            copy(length + 2, end);
        }
        normalize();
    }

    std::size_t repeated(int which, std::size_t place) {
        std::rotate(distances_.begin(), distances_.begin() + which, distances_.begin() + which + 1);
        const std::size_t found = length(model_.rep_lengths, place);
        state_ = state_ < 7 ? 8 : 11;
        return found;
    }

    void literal() {
        const unsigned before = written_ ? out_[written_ - 1] : 0;
        const std::size_t context = ((written_ & ((std::size_t{1} << literal_position_) - 1)) << literal_context_) +
                                    (before >> (8 - literal_context_));
        Probability* probabilities = literals_.data() + 0x300 * context;
        unsigned symbol = 1;
        if (state_ >= 7) {
            if (distances_[0] >= written_) {
                failed_ = true;
                return;
            }
            unsigned match = out_[written_ - distances_[0] - 1];
            while (symbol < 0x100) {
                const unsigned expected = match >> 7 & 1;
                match <<= 1;
                const unsigned one = bit(probabilities[((1 + expected) << 8) + symbol]);
                symbol = symbol << 1 | one;
                if (expected != one) break;
            }
        }
        while (symbol < 0x100) symbol = symbol << 1 | bit(probabilities[symbol]);
        out_[written_++] = static_cast<std::uint8_t>(symbol);
        state_ = state_ < 4 ? 0 : state_ < 10 ? state_ - 3 : state_ - 6;
    }

    std::size_t length(Lengths& model, std::size_t place) {
        if (!bit(model.choice[0])) return tree(model.low[place], 3);
        if (!bit(model.choice[1])) return 8 + tree(model.middle[place], 3);
        return 16 + tree(model.high, 8);
    }

    std::size_t distance(std::size_t length) {
        const unsigned slot = tree(model_.slots[std::min<std::size_t>(length, length_states - 1)], 6);
        if (slot < 4) return slot;
        const int bits = static_cast<int>(slot >> 1) - 1;
        std::uint32_t found = (2 | (slot & 1)) << bits;
        if (slot < end_of_models) return found + reverse_tree(model_.distances + found - slot, bits);
        found += direct_bits(bits - align_bits) << align_bits;
        return found + reverse_tree(model_.align, align_bits);
    }

    void copy(std::size_t count, std::size_t end) {
        if (distances_[0] >= written_ || count > end - written_) {
            failed_ = true;
            return;
        }
        for (; count > 0; --count, ++written_) out_[written_] = out_[written_ - distances_[0] - 1];
    }

    std::span<const std::uint8_t> in_;
    std::span<std::uint8_t> out_;
    std::size_t read_ = 0, written_ = 0;
    bool failed_ = false;
    unsigned literal_context_ = 0, literal_position_ = 0, position_ = 0, state_ = 0;
    std::uint32_t range_ = 0, code_ = 0;
    std::array<std::size_t, 4> distances_{};
    Model model_;
    std::vector<Probability> literals_;
};

}  // namespace inarow::wasm
