// Answers to questions about numbers and categories, against comparisons one by one.
#include "data/answering.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

const std::vector<std::size_t> kSizes = {0, 1, 63, 64, 65, 200, 1000};

template <class Value>
void check_numbers(const Kernels& kernels, Type type, const std::vector<Value>& values, std::size_t step,
                   const std::vector<double>& thresholds) {
    const std::size_t n = values.size() / step, n_words = (n + 63) / 64;
    std::vector<Word> out(thresholds.size() * n_words, 0xABABABABABABABABu);
    answer_numbers(kernels, {values.data(), type, static_cast<std::ptrdiff_t>(step * sizeof(Value))}, n,
                   thresholds.data(), thresholds.size(), out.data());
    for (std::size_t i = 0; i < thresholds.size(); ++i)
        for (std::size_t r = 0; r < 64 * n_words; ++r) {
            const bool expected = r < n && static_cast<double>(values[r * step]) <= thresholds[i];
            CHECK_EQ((out[i * n_words + r / 64] >> r % 64) & 1, Word{expected});
        }
}

void test_numbers(const Kernels& kernels, Random& random) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::nan("");
    const std::vector<double> special = {0.0,       -0.0, 0.1,    infinity,
                                         -infinity, nan,  5e-324, 9007199254740993.0};
    for (const std::size_t n : kSizes)
        for (const std::size_t step : {1, 3}) {
            const check::Context context(kernels.name, ": ", n, " values, each ", step);
            std::vector<double> doubles;
            std::vector<float> floats;
            std::vector<std::int64_t> integers;
            std::vector<std::uint8_t> bytes;
            for (std::size_t i = 0; i < n * step; ++i) {
                const double value =
                    random.chance(30) ? random.one_of(special) : static_cast<double>(random.below(20)) / 10;
                doubles.push_back(value);
                floats.push_back(static_cast<float>(value));
                integers.push_back((std::int64_t{1} << 53) + static_cast<std::int64_t>(random.below(5)));
                bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
            }
            std::vector<double> thresholds = special;
            for (int i = 0; i < 8; ++i) thresholds.push_back(static_cast<double>(random.below(20)) / 10);
            check_numbers(kernels, Type::f64, doubles, step, thresholds);
            check_numbers(kernels, Type::f32, floats, step, thresholds);
            check_numbers(kernels, Type::i64, integers, step, {0x1p53, 0x1p53 + 2, 0x1p53 + 4, 7});
            check_numbers(kernels, Type::u8, bytes, step, {-1, 0, 127.5, 255});
            check_numbers(kernels, Type::f64, doubles, step, {});
        }
}

void test_codes(const Kernels& kernels, Random& random) {
    for (const std::size_t n : kSizes)
        for (const std::size_t n_questions : {0, 1, 5, 64, 70})
            for (const std::size_t n_codes : {0, 1, 7, 300}) {
                const check::Context context(kernels.name, ": ", n, " codes below ", n_codes, ", ",
                                             n_questions, " questions");
                std::vector<std::int32_t> codes;
                for (std::size_t i = 0; i < n; ++i)
                    codes.push_back(n_codes == 0 || random.chance(20)
                                        ? -1 - static_cast<std::int32_t>(random.below(3))
                                        : static_cast<std::int32_t>(random.below(n_codes)));
                std::vector<std::uint8_t> yes(n_questions * n_codes);
                for (auto& each : yes) each = static_cast<std::uint8_t>(random.below(3));
                const std::size_t n_words = (n + 63) / 64;
                std::vector<Word> out(n_questions * n_words, 0xABABABABABABABABu);
                answer_codes(kernels, codes.data(), n, yes.data(), n_questions, n_codes, out.data());
                for (std::size_t i = 0; i < n_questions; ++i)
                    for (std::size_t r = 0; r < 64 * n_words; ++r) {
                        const bool expected = r < n && codes[r] >= 0 &&
                                              yes[i * n_codes + static_cast<std::size_t>(codes[r])] != 0;
                        CHECK_EQ((out[i * n_words + r / 64] >> r % 64) & 1, Word{expected});
                    }
            }
}

void test_refused_codes() {
    const std::int32_t codes[] = {0, 2, 1};
    const std::uint8_t yes[] = {1, 0};
    Word out;
    CHECK_THROWS(answer_codes(find_kernels("auto"), codes, 3, yes, 1, 2, &out), std::invalid_argument);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(30);
    for (const Kernels* kernels : available_kernels()) {
        test_numbers(*kernels, random);
        test_codes(*kernels, random);
    }
    test_refused_codes();
    return check::report();
}
