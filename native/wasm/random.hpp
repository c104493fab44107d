// Random numbers from a seed and a text: SplitMix64.
#pragma once

#include <cstdint>
#include <string_view>

namespace inarow::wasm {

class Random {
  public:
    Random(std::uint64_t seed, std::string_view text) : state_(seed) {
        for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        next();
    }

    std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        return mixed ^ mixed >> 31;
    }
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

  private:
    std::uint64_t state_;
};

}  // namespace inarow::wasm
