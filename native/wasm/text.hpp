// Characters of texts that people typed, and numbers in texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace inarow::wasm {

inline std::u32string code_points(std::string_view utf8) {
    std::u32string text;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto first = static_cast<unsigned char>(utf8[i++]);
        const int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        char32_t point = more == 0 ? first : first & (0x3f >> more);
        for (int n = 0; n < more && i < utf8.size(); ++n)
            point = point << 6 | (static_cast<unsigned char>(utf8[i++]) & 0x3f);
        text += point;
    }
    return text;
}

inline std::string utf8(char32_t point) {
    if (point < 0x80) return std::string(1, static_cast<char>(point));
    std::string bytes;
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    bytes += static_cast<char>((more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0) | point >> 6 * more);
    for (int n = more; n-- > 0;) bytes += static_cast<char>(0x80 | (point >> 6 * n & 0x3f));
    return bytes;
}

inline char32_t lower(char32_t point) { return point >= U'A' && point <= U'Z' ? point + 32 : point; }

// A character for people to read, in quotes.
inline std::string quoted(char32_t point) {
    if (point == U'\'') return "\"'\"";
    if (point == U'\\') return "'\\\\'";
    if (point == U'\n') return "'\\n'";
    if (point == U'\r') return "'\\r'";
    if (point == U'\t') return "'\\t'";
    if (point < 0x20 || point == 0x7f) {
        constexpr char digits[] = "0123456789abcdef";
        return {'\'', '\\', 'x', digits[point >> 4], digits[point & 15], '\''};
    }
    return "'" + utf8(point) + "'";
}

inline std::int64_t number(std::string_view text, std::int64_t fallback) {
    std::int64_t value = 0;
    if (text.empty()) return fallback;
    const bool negative = text[0] == '-';
    for (const char c : text.substr(negative)) {
        if (c < '0' || c > '9') return fallback;
        value = value * 10 + (c - '0');
    }
    return negative ? -value : value;
}

// 12345 as "12,345".
inline std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    for (int at = static_cast<int>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) digits.insert(at, ",");
    return digits;
}

}  // namespace inarow::wasm
