#include "huge_pages.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

namespace inarow {
namespace {

#if defined(__linux__)

constexpr std::size_t kAll = ~std::size_t{0} / 2;

struct Filled {
    HugeArray<std::uint64_t> array;
    std::size_t count;
    std::uint64_t value;

    Filled(std::size_t size, std::uint64_t number) : array(make_huge<std::uint64_t>(size)), count(size), value(number) {
        std::fill_n(array.get(), count, value);
    }
    bool is_whole() const {
        for (std::size_t i = 0; i < count; ++i)
            if (array[i] != value) return false;
        return true;
    }
};

TEST_CASE("arrays of any size take the pages of others, and never those in use") {
    std::mt19937 random(1);
    const KeptPages keeps(kAll);
    std::vector<Filled> arrays;
    for (std::uint64_t i = 0; i < 200; ++i) {
        arrays.emplace_back(1 + random() % 3'000'000, i);
        REQUIRE(reinterpret_cast<std::uintptr_t>(arrays.back().array.get()) % 64 == 0);
        if (arrays.size() <= 5) continue;
        const std::size_t chosen = random() % arrays.size();
        REQUIRE(arrays[chosen].is_whole());
        arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    for (const Filled& filled : arrays) REQUIRE(filled.is_whole());
}

TEST_CASE("pages are kept as long as something asks for it") {
    HugePages& pages = HugePages::shared();
    const std::size_t before = pages.kept_bytes();
    constexpr std::size_t page = huge_page / sizeof(std::uint64_t);
    {
        const Filled forgotten(page, 1);
    }
    CHECK(pages.kept_bytes() == before);
    {
        const KeptPages keeps(kAll);
        {
            const KeptPages too(kAll);
            const Filled one(2 * page, 2), other(3 * page - 5, 3);
        }
        CHECK(pages.kept_bytes() == before + 5 * huge_page);
        {
            const Filled taken(4 * page, 4);
            CHECK(pages.kept_bytes() == before + huge_page);
            const Filled more(2 * page, 5);
            CHECK(pages.kept_bytes() == before);
            CHECK(taken.is_whole());
        }
        CHECK(pages.kept_bytes() == before + 6 * huge_page);
    }
    CHECK(pages.kept_bytes() == before);
}

TEST_CASE("no more pages are kept than is allowed, together with those in use") {
    HugePages& pages = HugePages::shared();
    constexpr std::size_t page = huge_page / sizeof(std::uint64_t);
    const KeptPages keeps(10 * huge_page);
    {
        const Filled one(6 * page, 1);
        {
            const Filled too_much(5 * page, 2);
        }
        CHECK(pages.kept_bytes() == 0);
        {
            const Filled other(4 * page, 3);
        }
        CHECK(pages.kept_bytes() == 4 * huge_page);
        CHECK(one.is_whole());
    }
    CHECK(pages.kept_bytes() == 10 * huge_page);
    {
        const Filled most(11 * page, 4);
        CHECK(pages.kept_bytes() == 0);
        CHECK(most.is_whole());
    }
    CHECK(pages.kept_bytes() == 0);
}

TEST_CASE("more than the machine has is refused, and nothing is lost") {
    const KeptPages keeps(kAll);
    {
        const Filled kept(huge_page, 1);
    }
    const std::size_t before = HugePages::shared().kept_bytes();
    CHECK_THROWS_AS(make_huge<std::byte>(std::size_t{1} << 46), std::bad_alloc);
    CHECK(HugePages::shared().kept_bytes() <= before);
    const Filled next(huge_page, 2);
    CHECK(next.is_whole());
}

#endif

}  // namespace
}  // namespace inarow
