#include "data/answering.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/column_types.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = 64;  // rows of a word

// Rows begin and on, n <= kBlock of them; those behind are NaN, which answers no.
void read_numbers(const Column& column, std::size_t begin, std::size_t n, double* out) {
    const auto* base =
        static_cast<const std::byte*>(column.data) + static_cast<std::ptrdiff_t>(begin) * column.stride;
    with_type(column.type, [&](auto sample) {
        using Value = decltype(sample);
        for (std::size_t r = 0; r < n; ++r) {
            Value value;
            std::memcpy(&value, base + static_cast<std::ptrdiff_t>(r) * column.stride, sizeof value);
            out[r] = static_cast<double>(value);
        }
    });
    std::fill(out + n, out + kBlock, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

void answer_numbers(const Kernels& kernels, const Column& values, std::size_t n_rows,
                    const double* thresholds, std::size_t n_thresholds, Word* out) {
    const std::size_t n_words = (n_rows + kBlock - 1) / kBlock;
    double block[kBlock];
    for (std::size_t w = 0; w < n_words; ++w) {
        read_numbers(values, w * kBlock, std::min(kBlock, n_rows - w * kBlock), block);
        for (std::size_t i = 0; i < n_thresholds; ++i)
            out[i * n_words + w] = kernels.at_most(block, thresholds[i]);
    }
}

void answer_codes(const Kernels& kernels, const std::int32_t* codes, std::size_t n_rows,
                  const std::uint8_t* yes, std::size_t n_questions, std::size_t n_codes, Word* out) {
    for (std::size_t i = 0; i < n_rows; ++i)
        if (codes[i] >= 0 && static_cast<std::size_t>(codes[i]) >= n_codes)
            throw std::invalid_argument("code " + std::to_string(codes[i]) + " is not below " +
                                        std::to_string(n_codes) + ".");
    const std::size_t n_words = (n_rows + kBlock - 1) / kBlock;
    std::vector<Word> answers(n_codes +
                              1);  // of each code, question first + i in bit i; none for a missing one
    for (std::size_t first = 0; first < n_questions; first += kBlock) {
        const std::size_t n = std::min(kBlock, n_questions - first);
        std::fill(answers.begin(), answers.end(), Word{0});
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < n_codes; ++c)
                answers[c + 1] |= Word{yes[(first + i) * n_codes + c] != 0} << i;
        for (std::size_t w = 0; w < n_words; ++w) {
            const std::size_t rows = std::min(kBlock, n_rows - w * kBlock);
            const std::int32_t* code = codes + w * kBlock;
            Word block[kBlock] = {};
            for (std::size_t r = 0; r < rows; ++r)
                block[r] = answers[static_cast<std::size_t>(std::max<std::int64_t>(code[r], -1) + 1)];
            kernels.transpose(block);
            for (std::size_t i = 0; i < n; ++i) out[(first + i) * n_words + w] = block[i];
        }
    }
}

}  // namespace splitsecond
