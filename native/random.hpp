// Random numbers from a seed, and from a text too if there is one: SplitMix64.
#pragma once

#include <cstdint>
#include <string_view>

namespace inarow {

inline std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    Random(std::uint64_t seed, std::string_view text) : state_(seed) {
        for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        next();
    }

    std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15); }
    int below(int bound) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(bound) >> 32); }

  private:
    std::uint64_t state_;
};

}  // namespace inarow
