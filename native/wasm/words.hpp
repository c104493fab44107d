// Reads a text word by word.
#pragma once

#include <string_view>

#include "wasm/text.hpp"

namespace inarow::wasm {

class Words {
  public:
    explicit Words(std::string_view text) : rest_(text) { skip(); }

    bool more() const { return !rest_.empty(); }
    // The next word; empty at the end.
    std::string_view next() {
        std::size_t end = 0;
        while (end < rest_.size() && !is_space(rest_[end])) ++end;
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(end);
        skip();
        return word;
    }
    std::int64_t number() { return wasm::number(next(), 0); }
    std::uint64_t hexadecimal() {
        std::uint64_t value = 0;
        for (const char c : next()) value = value << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
        return value;
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
    void skip() {
        while (!rest_.empty() && is_space(rest_[0])) rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

}  // namespace inarow::wasm
