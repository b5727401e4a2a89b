#include "data/row_hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "data/column_types.hpp"

namespace splitsecond {
namespace {

constexpr Word kMultiplier = 0x9E3779B97F4A7C15;  // odd, of splitmix64
constexpr Word kMissing = 0x7FF8000000000001;
constexpr std::size_t kLanes = 8;  // minima side by side, since each waits for the one before

Word mixed(Word hash, Word bits) {
    hash = (hash ^ bits) * kMultiplier;
    return hash ^ (hash >> 32);
}

// Minima and maxima leave NaN out: it is neither below nor above anything.
struct Lanes {
    std::array<double, kLanes> lowest, highest;
    std::array<std::uint8_t, kLanes> missing{}, other{};

    Lanes() {
        lowest.fill(std::numeric_limits<double>::infinity());
        highest.fill(-std::numeric_limits<double>::infinity());
    }

    void add(std::size_t lane, double value) {
        lowest[lane] = value < lowest[lane] ? value : lowest[lane];
        highest[lane] = value > highest[lane] ? value : highest[lane];
        missing[lane] |= value != value;
        other[lane] |= value == value && value != 0 && value != 1;
    }
};

template <class Read>
NumberFacts hash_values(std::size_t n, const Read& read, Word* hashes) {
    Lanes lanes;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = read(i) + 0.0;  // -0 becomes 0
        hashes[i] = mixed(hashes[i], value == value ? std::bit_cast<Word>(value) : kMissing);
        lanes.add(i % kLanes, value);
    }
    const auto any = [](const auto& flags) {
        return std::any_of(flags.begin(), flags.end(), [](std::uint8_t flag) { return flag != 0; });
    };
    return {*std::min_element(lanes.lowest.begin(), lanes.lowest.end()),
            *std::max_element(lanes.highest.begin(), lanes.highest.end()), any(lanes.missing),
            !any(lanes.other)};
}

}  // namespace

NumberFacts hash_numbers(const Column& values, std::size_t n_rows, Word* hashes) {
    return with_type(values.type, [&](auto example) {
        using Value = decltype(example);
        const auto* begin = static_cast<const std::byte*>(values.data);
        return hash_values(
            n_rows,
            [&](std::size_t i) {
                const std::byte* at = begin + static_cast<std::ptrdiff_t>(i) * values.stride;
                return static_cast<double>(*reinterpret_cast<const Value*>(at));
            },
            hashes);
    });
}

void hash_codes(const std::int32_t* codes, std::size_t n_rows, const Word* keys, std::size_t n_keys,
                Word* hashes) {
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::int32_t code = codes[i];
        if (code >= 0 && static_cast<std::size_t>(code) >= n_keys)
            throw std::invalid_argument("a code has no key.");
        hashes[i] = mixed(hashes[i], code < 0 ? kMissing : keys[code]);
    }
}

}  // namespace splitsecond
