// The entries of a pair in a file, read piece by piece when they are needed. A piece is compared with its checksum once
// and kept in memory: what is done to the file afterwards can neither change an answer nor fault.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pieces.hpp"

namespace inarow::quixo {

// A piece is not what was written.
struct DamagedPiece : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Threads may look into it at once.
class PairPieces {
  public:
    static constexpr int kShift = 12;
    static constexpr std::size_t kEntries = std::size_t{1} << kShift;  // of a piece; the last may have fewer

    // Fills a span with the bytes of the entries from `begin` on, and returns how many there were.
    using Read = std::function<std::size_t(std::uint64_t begin, std::span<std::uint8_t>)>;

    PairPieces() = default;
    // Errors say `name`. There is a checksum for each piece. Bytes that are kept are added to `held`.
    PairPieces(std::string name, int width, std::size_t entries, std::vector<std::uint32_t> checksums, Read read,
               std::atomic<std::size_t>& held)
        : name_(std::move(name)),
          width_(width),
          entries_(entries),
          checksums_(std::move(checksums)),
          read_(std::move(read)),
          held_(&held),
          kept_(std::make_unique<std::atomic<std::uint8_t*>[]>(checksums_.size())) {
        if (checksums_.size() != (entries + kEntries - 1) / kEntries)
            throw std::invalid_argument("expected a checksum for each piece");
    }
    PairPieces(PairPieces&&) = default;
    PairPieces& operator=(PairPieces&&) = default;
    ~PairPieces() { drop(); }

    // Throws DamagedPiece, or what `read` throws.
    std::uint32_t operator[](std::size_t i) const {
        const std::size_t number = i >> kShift, within = i & (kEntries - 1);
        const std::uint8_t* piece = kept_[number].load(std::memory_order_acquire);
        if (!piece) [[unlikely]]
            piece = load(number);
        if (width_ == 1) return piece[within];
        return piece[2 * within] | static_cast<std::uint32_t>(piece[2 * within + 1]) << 8;
    }
    std::uint32_t top() const { return width_ == 1 ? 0xff : 0xffff; }

    // Forgets all pieces. Nobody may be looking into them.
    void drop() const {
        if (!kept_) return;
        for (std::size_t number = 0; number < checksums_.size(); ++number)
            if (const std::uint8_t* piece = kept_[number].exchange(nullptr)) {
                delete[] piece;
                *held_ -= size(number);
            }
    }

  private:
    std::size_t size(std::size_t number) const { return std::min(kEntries, entries_ - number * kEntries) * width_; }

    const std::uint8_t* load(std::size_t number) const {
        auto piece = std::make_unique_for_overwrite<std::uint8_t[]>(size(number));
        const std::size_t found = read_(std::uint64_t{number} * kEntries * width_, {piece.get(), size(number)});
        if (found < size(number)) throw DamagedPiece(name_ + " is cut short");
        if (crc32(piece.get(), found) != checksums_[number])
            throw DamagedPiece(name_ + " is damaged: piece " + std::to_string(number) + " does not match its checksum");
        std::uint8_t* before = nullptr;
        if (!kept_[number].compare_exchange_strong(before, piece.get(), std::memory_order_acq_rel))
            return before;  // another thread was faster
        *held_ += size(number);
        return piece.release();
    }

    std::string name_;
    int width_ = 1;
    std::size_t entries_ = 0;
    std::vector<std::uint32_t> checksums_;
    Read read_;
    std::atomic<std::size_t>* held_ = nullptr;
    std::unique_ptr<std::atomic<std::uint8_t*>[]> kept_;
};

}  // namespace inarow::quixo
