// Reads a part of an open file, wherever other threads read it at the same time.
#pragma once

#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

namespace inarow {

// Fills `into` with the bytes from `begin` on, as far as there are any; returns how many. `name` is for the error.
inline std::size_t read_at(int file, std::uint64_t begin, std::span<std::uint8_t> into, const std::string& name) {
    std::size_t found = 0;
    while (found < into.size()) {
        const std::uint64_t at = begin + found;
        const std::size_t wanted = std::min<std::size_t>(into.size() - found, 1 << 30);
#if defined(_WIN32)
        OVERLAPPED place{};
        place.Offset = static_cast<DWORD>(at);
        place.OffsetHigh = static_cast<DWORD>(at >> 32);
        DWORD more = 0;
        const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
        if (!ReadFile(handle, into.data() + found, static_cast<DWORD>(wanted), &more, &place)) {
            const auto error = static_cast<int>(GetLastError());
            if (error != ERROR_HANDLE_EOF) throw std::system_error(error, std::system_category(), name);
        }
        if (more == 0) break;
        found += more;
#else
        const ssize_t more = pread(file, into.data() + found, wanted, static_cast<off_t>(at));
        if (more == 0) break;
        if (more > 0)
            found += static_cast<std::size_t>(more);
        else if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), name);
#endif
    }
    return found;
}

}  // namespace inarow
