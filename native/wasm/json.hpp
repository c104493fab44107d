// Writes JSON, one value after the other; commas come by themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace inarow::wasm {

class Json {
  public:
    Json& open(char bracket) {
        separate();
        text_ += bracket;
        fresh_ = true;
        return *this;
    }
    Json& close(char bracket) {
        text_ += bracket;
        fresh_ = false;
        return *this;
    }
    Json& key(std::string_view name) {
        string(name);
        text_ += ':';
        fresh_ = true;
        return *this;
    }

    Json& string(std::string_view value) {
        separate();
        text_ += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') text_ += '\\';
            if (static_cast<unsigned char>(c) >= 0x20) {
                text_ += c;
            } else {
                text_ += c < 0x10 ? "\\u000" : "\\u001";
                text_ += "0123456789abcdef"[c & 15];
            }
        }
        text_ += '"';
        return *this;
    }
    Json& number(std::int64_t value) { return raw(std::to_string(value)); }
    Json& boolean(bool value) { return raw(value ? "true" : "false"); }
    Json& null() { return raw("null"); }
    // Text that is JSON already.
    Json& raw(std::string_view json) {
        separate();
        text_ += json;
        return *this;
    }

    Json& string_or_null(std::string_view value) { return value.empty() ? null() : string(value); }
    // Null if it is negative.
    Json& count_or_null(std::int64_t value) { return value < 0 ? null() : number(value); }
    template <class Numbers>
    Json& numbers(const Numbers& all) {
        open('[');
        for (const auto value : all) number(value);
        return close(']');
    }

    const std::string& text() const { return text_; }

  private:
    void separate() {
        if (!fresh_) text_ += ',';
        fresh_ = false;
    }

    std::string text_;
    bool fresh_ = true;
};

}  // namespace inarow::wasm
