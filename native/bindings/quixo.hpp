// What the parts of the Python module inarow._native.quixo share.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>

#include "quixo/names.hpp"

// Ends work on other threads than the one that gets Ctrl-C.
struct Stop {
    std::atomic<bool> asked{false};
};

// A search, prober or player of a board of any size. Positions are two masks: of the side to move, and of the other.
template <template <class> class Of>
struct OfAnySize {
    std::unique_ptr<Of<inarow::quixo::Mask>> small;
    std::unique_ptr<Of<inarow::quixo::WideMask>> wide;

    template <class Work>
    auto with(Work work) const {
        return small ? work(*small) : work(*wide);
    }
};

template <class Mask>
auto word_of_masks(std::uint64_t mover, std::uint64_t other) {
    return inarow::quixo::Names<Mask>::word(static_cast<Mask>(mover), static_cast<Mask>(other));
}

void bind_prober(nanobind::module_& m);
