// Arrays of NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace inarow::bindings {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using ReadOnly = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Array<T> to_numpy(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

template <class T, class Free>
Array<T> owned(std::unique_ptr<T[], Free> values, std::size_t count) {
    auto* kept = new std::unique_ptr<T[], Free>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::unique_ptr<T[], Free>*>(p); });
    return Array<T>(kept->get(), {count}, owner);
}

inline void require_length(std::size_t found, std::size_t expected, const char* what) {
    if (found != expected)
        throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) + " entries, got " +
                                    std::to_string(found));
}

// Raises KeyboardInterrupt after Ctrl-C.
inline void raise_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace inarow::bindings
