// The operations of lanes.hpp on entries of one byte, 64 in two vector registers.
//
// VPSHUFB looks up 16 bytes in each half of a register. One half has the low part of words, the other their high part:
// the bits of words are permuted a nibble at a time, and the ranks of parts of up to 6 bits are looked up 16 at a time.
// Which entries of a block pass a test is a table of bits, one or two registers for up to 512 entries, in which the
// ranks are looked up in turn. Words and blocks that are larger are looked up in memory.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>

#include "lanes.hpp"

namespace inarow::quixo {

struct Avx2Lanes {
    using Entry = std::uint8_t;
    using Part = std::uint8_t;
    using Word = SplitWord<Part>;

    struct Group {
        __m256i entries[2];
        explicit Group(Entry value) : entries{_mm256_set1_epi8(char(value)), _mm256_set1_epi8(char(value))} {}
        void store(Entry* to, Lanes64 lanes) const { write(to, lanes, entries); }
    };

    static Mask extract(Mask mask, Mask places) { return quixo::extract(mask, places); }
    static Mask deposit(Mask word, Mask places) { return quixo::deposit(word, places); }

    struct Permutation {
        Permutation() = default;
        // Sends bit j of a word of m bits to bit places[j] of a word of m_there bits, or nowhere if that is `dropped`.
        Permutation(const std::uint8_t* places, int m, int m_there) : images{} {
            const int split_there = low_bits<Part>(m_there);
            for (int j = 0; j < m; ++j) {
                if (places[j] == dropped) continue;
                const int part = places[j] >= split_there;
                images[part][j] = static_cast<std::uint8_t>(1u << (places[j] - part * split_there));
            }
        }

        std::uint8_t images[2][16];  // [to part][bit of a word]
    };

    static Lanes64 select_equal(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                const Target<Entry, Part>& target, Entry value) {
        const __m256i values = _mm256_set1_epi8(char(value));
        return select(from, g, lanes, to, target, [&](__m256i entries) { return _mm256_cmpeq_epi8(entries, values); });
    }
    static Lanes64 select_at_least(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                   const Target<Entry, Part>& target, Entry value) {
        const __m256i values = _mm256_set1_epi8(char(value));
        return select(from, g, lanes, to, target, [&](__m256i entries) { return at_least(entries, values); });
    }
    static void lower(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to, Word added,
                      const Target<Entry, Part>& target, Group& least) {
        __m256i found[2];
        if (!target.ranks->in_registers)
            look_up(from, g, lanes, to, added, target, found);
        else
            with_bits(*target.ranks, [&]<int bits>() __attribute__((always_inline)) {
                // A word may have a bit more than those it leads to.
                constexpr int nibbles = bits == 6 ? 4 : 3;
                const Images<nibbles> images(to, from, added);
                const Rank rank[2] = {ranked<bits>(from, g, 0, images, *target.ranks),
                                      ranked<bits>(from, g, 1, images, *target.ranks)};
                led_to(rank, target, found);
            });
        for (int half = 0; half < 2; ++half) {
            const __m256i kept = _mm256_or_si256(found[half], outside(lanes >> 32 * half));
            least.entries[half] = _mm256_min_epu8(least.entries[half], kept);
        }
    }
    static Lanes64 select_containing(const Ranks<Part>& from, int g, Word bits) {
        const __m256i low = _mm256_set1_epi8(char(bits.low)), high = _mm256_set1_epi8(char(bits.high));
        return both([&](int half) {
            const __m256i in_low = _mm256_cmpeq_epi8(_mm256_and_si256(words(from.low, g, half), low), low);
            const __m256i in_high = _mm256_cmpeq_epi8(_mm256_and_si256(words(from.high, g, half), high), high);
            return _mm256_and_si256(in_low, in_high);
        });
    }
    static Lanes64 select_equal(const Entry* entries, Lanes64 lanes, Entry value) {
        const __m256i values = _mm256_set1_epi8(char(value));
        return select(entries, lanes, [&](__m256i some) { return _mm256_cmpeq_epi8(some, values); });
    }
    static Lanes64 select_at_least(const Entry* entries, Lanes64 lanes, Entry value) {
        const __m256i values = _mm256_set1_epi8(char(value));
        return select(entries, lanes, [&](__m256i some) { return at_least(some, values); });
    }
    static Lanes64 select_undecided(const Entry* entries, Lanes64 lanes) {
        return select_equal(entries, lanes, Values<Entry>::draw);
    }
    static void assign(Entry* entries, Lanes64 lanes, Entry value) {
        const __m256i values[2] = {_mm256_set1_epi8(char(value)), _mm256_set1_epi8(char(value))};
        write(entries, lanes, values);
    }

  private:
    // --- Lanes and entries ---

    static __m256i at_least(__m256i entries, __m256i values) {
        return _mm256_cmpeq_epi8(_mm256_max_epu8(entries, values), entries);
    }

    // The lanes whose byte is set, of the two registers that `half` returns.
    template <class Half>
    [[gnu::always_inline]] static Lanes64 both(Half half) {
        const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(half(0)));
        const auto high = static_cast<std::uint32_t>(_mm256_movemask_epi8(half(1)));
        return low | Lanes64{high} << 32;
    }

    // All bits of the bytes of the lanes that are not among these 32.
    [[gnu::always_inline]] static __m256i outside(Lanes64 lanes) {
        const __m256i each =
            _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(lanes)),
                                _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
        const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
        return _mm256_cmpeq_epi8(_mm256_and_si256(each, bit), _mm256_setzero_si256());
    }

    // The first n of 32 entries and zeros; the others may not be anybody's to read.
    [[gnu::always_inline]] static __m256i load(const Entry* entries, int n) {
        if (n >= 32) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries));
        const __m256i four = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), whole = _mm256_set1_epi32(n / 4);
        const __m256i found =
            _mm256_maskload_epi32(reinterpret_cast<const int*>(entries), _mm256_cmpgt_epi32(whole, four));
        if (n % 4 == 0) return found;
        const Entry* left = entries + n / 4 * 4;
        const int rest = left[0] | (n % 4 > 1 ? left[1] << 8 : 0) | (n % 4 > 2 ? left[2] << 16 : 0);
        return _mm256_or_si256(found, _mm256_and_si256(_mm256_set1_epi32(rest), _mm256_cmpeq_epi32(whole, four)));
    }

    template <class Test>
    static Lanes64 select(const Entry* entries, Lanes64 lanes, Test test) {
        const int n = std::bit_width(lanes);
        const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(test(load(entries, n))));
        if (n <= 32) return low & lanes;
        const auto high = static_cast<std::uint32_t>(_mm256_movemask_epi8(test(load(entries + 32, n - 32))));
        return (low | Lanes64{high} << 32) & lanes;
    }

    // Entries before the last of the lanes are of the same block, and may be written as they are.
    static void write(Entry* to, Lanes64 lanes, const __m256i* values) {
        const int n = std::bit_width(lanes);
        for (int half = 0; half < 2 && lanes >> 32 * half; ++half) {
            const auto some = static_cast<std::uint32_t>(lanes >> 32 * half);
            Entry* there = to + 32 * half;
            if (n >= 32 * half + 32) {
                auto* all = reinterpret_cast<__m256i*>(there);
                _mm256_storeu_si256(all, _mm256_blendv_epi8(values[half], _mm256_loadu_si256(all), outside(some)));
            } else {
                alignas(32) Entry each[32];
                _mm256_store_si256(reinterpret_cast<__m256i*>(each), values[half]);
                each_lane(some, [&](int i) { there[i] = each[i]; });
            }
        }
    }

    // --- Words ---

    static __m256i words(const std::vector<Part>& parts, int g, int half) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&parts[g * 64 + half * 32]));
    }

    [[gnu::always_inline]] static __m256i in_both_halves(const void* sixteen) {
        return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(sixteen)));
    }

    // How nibbles of a word are permuted: for each nibble the images of its 16 values, low parts and high parts.
    template <int nibbles>
    struct Images {
        __m256i of[nibbles];

        [[gnu::always_inline]] Images(const Permutation& to, const Ranks<Part>& from, Word added) {
            const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(to.images));
            for (int nibble = 0; nibble < nibbles; ++nibble) {
                const auto image = [&](int j) __attribute__((always_inline)) {
                    const void* places = image_of_bit[4 * nibble + j].data();
                    return _mm256_shuffle_epi8(bits, _mm256_loadu_si256(static_cast<const __m256i*>(places)));
                };
                of[nibble] = _mm256_or_si256(_mm256_or_si256(image(0), image(1)), _mm256_or_si256(image(2), image(3)));
            }
            // Bits that are set in all words have the same image in all of them.
            for (unsigned rest = added.low | unsigned{added.high} << from.split; rest; rest &= rest - 1) {
                const int bit = std::countr_zero(rest);
                const __m128i low = _mm_set1_epi8(char(to.images[0][bit])),
                              high = _mm_set1_epi8(char(to.images[1][bit]));
                of[0] = _mm256_or_si256(of[0], _mm256_set_m128i(high, low));
            }
        }
    };
    // For each bit of a word and value of its nibble: where VPSHUFB finds the image, or 128 if the bit is not set.
    static constexpr auto image_of_bit = [] {
        std::array<std::array<std::uint8_t, 32>, 16> of{};
        for (int bit = 0; bit < 16; ++bit)
            for (int value = 0; value < 32; ++value)  // twice 16, for both halves
                of[bit][value] = static_cast<std::uint8_t>(value >> bit % 4 & 1 ? bit : 128);
        return of;
    }();

    // Words 16 quarter … 16 quarter + 15 of group g, permuted: low parts in the lower half, high parts in the upper.
    template <int nibbles>
    [[gnu::always_inline]] static __m256i permuted(const Ranks<Part>& from, int g, int quarter,
                                                   const Images<nibbles>& images) {
        __m256i found = _mm256_setzero_si256();
        for (int n = 0; n < nibbles; ++n) {
            const __m256i four = in_both_halves(&from.nibbles[(n * from.groups + g) * 64 + quarter * 16]);
            found = _mm256_or_si256(found, _mm256_shuffle_epi8(images.of[n], four));
        }
        return found;
    }

    // --- Ranks ---

    // Of 32 words: the low byte of their ranks, and whether the rank is 256 or more in the highest bit of a byte.
    struct Rank {
        __m256i byte, above;
    };

    // What a table says of parts, 16 of its bytes in each register.
    template <int bits>
    [[gnu::always_inline]] static __m256i of_part(__m256i part, const __m256i* table) {
        const auto sixteen = [&](int which) { return _mm256_shuffle_epi8(table[which], part); };
        if constexpr (bits == 4) return sixteen(0);
        const __m256i bit4 = _mm256_slli_epi16(part, 3), bit5 = _mm256_slli_epi16(part, 2);
        const __m256i low = _mm256_blendv_epi8(sixteen(0), sixteen(1), bit4);
        if constexpr (bits == 5) return low;
        return _mm256_blendv_epi8(low, _mm256_blendv_epi8(sixteen(2), sixteen(3), bit4), bit5);
    }

    // `bits` of the parts of the words that are ranked.
    template <int bits, int nibbles>
    [[gnu::always_inline]] static Rank ranked(const Ranks<Part>& from, int g, int half, const Images<nibbles>& images,
                                              const Ranks<Part>& there) {
        constexpr int registers = 1 << (bits - 4);
        __m256i table[registers];
        for (int i = 0; i < registers; ++i)
            table[i] = _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(there.low_rank) + i)),
                _mm_load_si128(reinterpret_cast<const __m128i*>(there.high_rank_low_byte) + i), 1);
        const __m256i first = permuted(from, g, 2 * half, images), second = permuted(from, g, 2 * half + 1, images);
        const __m256i first_ranks = of_part<bits>(first, table), second_ranks = of_part<bits>(second, table);
        const __m256i low = _mm256_permute2x128_si256(first_ranks, second_ranks, 0x20);
        const __m256i rank = _mm256_add_epi8(low, _mm256_permute2x128_si256(first_ranks, second_ranks, 0x31));
        if (bits < 6 || there.entries <= 256) return {rank, _mm256_setzero_si256()};
        for (int i = 0; i < registers; ++i) table[i] = in_both_halves(there.high_rank_high_byte + 16 * i);
        const __m256i above = of_part<bits>(_mm256_permute2x128_si256(first, second, 0x31), table);
        const __m256i no_carry = _mm256_cmpeq_epi8(_mm256_max_epu8(rank, low), rank);
        const __m256i below = _mm256_and_si256(_mm256_cmpeq_epi8(above, _mm256_setzero_si256()), no_carry);
        return {rank, _mm256_xor_si256(below, _mm256_set1_epi8(-1))};
    }

    // --- What words lead to ---

    // The lanes whose words lead to entries that pass a test: it sets the bytes of a register.
    template <class Test>
    [[gnu::always_inline]] static Lanes64 select(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                                 const Target<Entry, Part>& target, Test test) {
        const Ranks<Part>& there = *target.ranks;
        if (!there.in_registers) {
            __m256i found[2];
            look_up(from, g, lanes, to, {0, 0}, target, found);
            return both([&](int half) { return test(found[half]); }) & lanes;
        }
        Lanes64 found = 0;
        with_bits(there, [&]<int bits>() __attribute__((always_inline)) {
            found = select_ranked<bits>(from, g, lanes, to, target, test);
        });
        return found & lanes;
    }

    // Calls work<bits>() with the bits of the parts of words that are ranked.
    template <class Work>
    [[gnu::always_inline]] static void with_bits(const Ranks<Part>& there, Work work) {
        if (there.split == 4)
            work.template operator()<4>();
        else if (there.split == 5)
            work.template operator()<5>();
        else
            work.template operator()<6>();
    }

    template <int bits, class Test>
    [[gnu::always_inline]] static Lanes64 select_ranked(const Ranks<Part>& from, int g, Lanes64 lanes,
                                                        const Permutation& to, const Target<Entry, Part>& target,
                                                        Test test) {
        const Ranks<Part>& there = *target.ranks;
        const int entries = static_cast<int>(there.entries);
        const __m256i powers = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
        const Images<bits == 4 ? 2 : 3> images(to, from, {0, 0});
        // Often few lanes are left, and all in one half.
        const auto both_halves = [&](auto passes) __attribute__((always_inline)) {
            const auto half_passes = [&](int half) __attribute__((always_inline)) {
                const __m256i found = passes(ranked<bits>(from, g, half, images, there));
                return static_cast<std::uint32_t>(_mm256_movemask_epi8(found));
            };
            Lanes64 found = 0;
            if (static_cast<std::uint32_t>(lanes)) found = half_passes(0);
            if (lanes >> 32) found |= Lanes64{half_passes(1)} << 32;
            return found;
        };
        const auto has_bit = [&](__m256i bytes, __m256i which) __attribute__((always_inline)) {
            const __m256i bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(which, _mm256_set1_epi8(7)));
            return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
        };
        if (entries <= 128) {
            const __m256i passed = few_passing(target.entries, entries, test);
            return both_halves([&](const Rank& rank) __attribute__((always_inline)) {
                return has_bit(_mm256_shuffle_epi8(passed, rank.byte), _mm256_srli_epi16(rank.byte, 4));
            });
        }
        const __m256i passed = passing(target.entries, std::min(entries, 256), test);
        const __m256i above = bits == 6 && entries > 256 ? passing(target.entries + 256, entries - 256, test) : passed;
        return both_halves([&](const Rank& rank) __attribute__((always_inline)) {
            __m256i found = of_five_bits(rank.byte, passed);
            if (bits == 6 && entries > 256)
                found = _mm256_blendv_epi8(found, of_five_bits(rank.byte, above), rank.above);
            return has_bit(found, _mm256_srli_epi16(rank.byte, 5));
        });
    }

    // Which of up to 128 entries pass a test: entry i has bit i / 16 of byte i % 16, in both halves.
    template <class Test>
    [[gnu::always_inline]] static __m256i few_passing(const Entry* entries, int count, Test test) {
        __m256i passed = _mm256_setzero_si256();
        __m256i bit = _mm256_set_m128i(_mm_set1_epi8(2), _mm_set1_epi8(1));
        for (; count > 0; count -= 32, entries += 32, bit = _mm256_slli_epi16(bit, 2))
            passed = _mm256_or_si256(passed, _mm256_and_si256(test(load(entries, std::min(count, 32))), bit));
        return _mm256_or_si256(passed, _mm256_permute2x128_si256(passed, passed, 0x01));
    }

    // Which of up to 256 entries pass a test: entry i has bit i / 32 of byte i % 32.
    template <class Test>
    [[gnu::always_inline]] static __m256i passing(const Entry* entries, int count, Test test) {
        __m256i passed = _mm256_setzero_si256(), bit = _mm256_set1_epi8(1);
        for (; count >= 32; count -= 32, entries += 32, bit = _mm256_add_epi8(bit, bit))
            passed = _mm256_or_si256(passed, _mm256_and_si256(test(load(entries, 32)), bit));
        if (count > 0) passed = _mm256_or_si256(passed, _mm256_and_si256(test(load(entries, count)), bit));
        return passed;
    }

    // What a table of 32 bytes says of the lower five bits of bytes.
    [[gnu::always_inline]] static __m256i of_five_bits(__m256i bytes, __m256i table) {
        const __m256i four = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
        const __m256i low = _mm256_shuffle_epi8(_mm256_permute2x128_si256(table, table, 0x00), four);
        const __m256i high = _mm256_shuffle_epi8(_mm256_permute2x128_si256(table, table, 0x11), four);
        return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(bytes, 3));
    }

    // The entries with these ranks.
    [[gnu::always_inline]] static void led_to(const Rank* rank, const Target<Entry, Part>& target, __m256i* found) {
        struct Found {
            __m256i half[2];
        };
        const int entries = static_cast<int>(target.ranks->entries);
        const auto run = [&](int first) __attribute__((always_inline)) {
            const __m256i some = load(target.entries + first, std::min(32, entries - first));
            return Found{of_five_bits(rank[0].byte, some), of_five_bits(rank[1].byte, some)};
        };
        // Bits of a rank, in the highest bit of a byte, choose between runs of 32, 64 and 128 entries.
        const auto choose = [&](int bit, Found& a, const Found& b) __attribute__((always_inline)) {
            for (int half = 0; half < 2; ++half)
                a.half[half] =
                    _mm256_blendv_epi8(a.half[half], b.half[half], _mm256_slli_epi16(rank[half].byte, 7 - bit));
        };
        const auto two = [&](int first) __attribute__((always_inline)) {
            Found its = run(first);
            if (entries > first + 32) choose(5, its, run(first + 32));
            return its;
        };
        const auto four = [&](int first) __attribute__((always_inline)) {
            Found its = two(first);
            if (entries > first + 64) choose(6, its, two(first + 64));
            return its;
        };
        const auto eight = [&](int first) __attribute__((always_inline)) {
            Found its = four(first);
            if (entries > first + 128) choose(7, its, four(first + 128));
            return its;
        };
        Found all = eight(0);
        if (entries > 256) {
            const Found more = eight(256);
            for (int half = 0; half < 2; ++half)
                all.half[half] = _mm256_blendv_epi8(all.half[half], more.half[half], rank[half].above);
        }
        for (int half = 0; half < 2; ++half) found[half] = all.half[half];
    }

    // The same one by one, in memory; what is outside of `lanes` is unspecified.
    [[gnu::noinline]] static void look_up(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                          Word added, const Target<Entry, Part>& target, __m256i* found) {
        alignas(32) Part words[4][2][16];
        alignas(32) Entry entries[64] = {};
        const Images<4> images(to, from, added);
        for (int quarter = 0; quarter < 4; ++quarter)
            _mm256_store_si256(reinterpret_cast<__m256i*>(words[quarter]), permuted(from, g, quarter, images));
        each_lane(lanes, [&](int i) {
            entries[i] = target.entries[target.ranks->rank({words[i / 16][0][i % 16], words[i / 16][1][i % 16]})];
        });
        for (int half = 0; half < 2; ++half)
            found[half] = _mm256_load_si256(reinterpret_cast<const __m256i*>(entries + 32 * half));
    }
};

}  // namespace inarow::quixo
