// Arithmetic on numbers of many words, against the same done bit by bit.
#include "sets/bignum.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/check.hpp"
#include "support/data.hpp"

namespace splitsecond {
namespace {

using Number = std::vector<Digit>;
using Bits = std::vector<int>;  // least significant first: a number as one adds and multiplies on paper

Bits bits_of(const Number& number) {
    Bits bits;
    for (const Digit digit : number)
        for (int i = 0; i < 64; ++i) bits.push_back(static_cast<int>(digit >> i & 1));
    return bits;
}

Number number_of(const Bits& bits, std::size_t n) {  // what does not fit is dropped
    Number number(n, 0);
    for (std::size_t i = 0; i < std::min(bits.size(), 64 * n); ++i)
        number[i / 64] |= static_cast<Digit>(bits[i]) << i % 64;
    return number;
}

Bits sum_of(const Bits& a, const Bits& b) {
    Bits sum;
    int carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
        const int all = carry + (i < a.size() ? a[i] : 0) + (i < b.size() ? b[i] : 0);
        sum.push_back(all & 1);
        carry = all >> 1;
    }
    return sum;
}

Bits product_of(const Bits& a, const Bits& b) {
    Bits product;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (b[i] == 0) continue;
        Bits shifted(i, 0);
        shifted.insert(shifted.end(), a.begin(), a.end());
        product = sum_of(product, shifted);
    }
    return product;
}

int compare(const Number& a, const Number& b) {
    const Bits left = bits_of(a), right = bits_of(b);
    for (std::size_t i = left.size(); i-- > 0;)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

// Words that carry, and words that do not.
Number random_number(Random& random, std::size_t n) {
    Number number(n, 0);
    const std::size_t used = random.between(0, n);
    for (std::size_t i = 0; i < used; ++i)
        number[i] = random.one_of<Digit>({0, 1, 2, 0xFFFFFFFFu, Digit{1} << 32, Digit{1} << 63, ~Digit{0},
                                          ~Digit{0} - 1, random.word(), random.word(), random.word() >> 40});
    return number;
}

void test_two_words() {
    for (const Digit a : {Digit{0}, Digit{1}, Digit{3}, Digit{0xFFFFFFFFu}, Digit{1} << 32, ~Digit{0}})
        for (const Digit b : {Digit{0}, Digit{1}, Digit{7}, Digit{0xFFFFFFFFu}, Digit{1} << 32, ~Digit{0}}) {
            Digit high = 0;
            const Digit low = multiply(a, b, high);
            CHECK((Number{low, high} == number_of(product_of(bits_of({a}), bits_of({b})), 2)));
        }
    Digit high = 0;
    CHECK_EQ(multiply(~Digit{0}, ~Digit{0}, high), 1u);
    CHECK_EQ(high, ~Digit{0} - 1);
}

void test_sums_and_products(Random& random) {
    for (int i = 0; i < 3000; ++i) {
        const std::size_t n = random.between(1, 4);
        const Number a = random_number(random, n), b = random_number(random, n), c = random_number(random, n);
        const check::Context context("numbers ", a, b, c);
        const auto fits = [&](const Bits& bits) {
            return is_zero(number_of(bits, 2 * n + 1).data() + n, n + 1);
        };
        Number sum = a;
        const Bits true_sum = sum_of(bits_of(a), bits_of(b));
        CHECK_EQ(add(sum.data(), b.data(), n), fits(true_sum));
        CHECK(sum == number_of(true_sum, n));
        subtract(sum.data(), b.data(), n);
        CHECK(sum == a);  // even where the sum did not fit
        add_one(sum.data(), n);
        CHECK(sum == number_of(sum_of(bits_of(a), {1}), n));
        Number product = c;
        const Bits true_product = sum_of(bits_of(c), product_of(bits_of(a), bits_of(b)));
        CHECK_EQ(multiply_add(product.data(), a.data(), b.data(), n), fits(true_product));
        CHECK(product == number_of(true_product, n));
    }
}

void test_comparisons(Random& random) {
    for (int i = 0; i < 3000; ++i) {
        const std::size_t n = random.between(1, 4);
        const Number a = random_number(random, n), b = random.chance(20) ? a : random_number(random, n);
        const check::Context context("numbers ", a, b);
        CHECK_EQ(less(a.data(), b.data(), n), compare(a, b) < 0);
        CHECK_EQ(less(b.data(), a.data(), n), compare(a, b) > 0);
        CHECK_EQ(is_zero(a.data(), n), compare(a, Number(n, 0)) == 0);
    }
}

// a = quotient * b + rest with rest < b: there is only one such pair.
void test_quotients(Random& random) {
    for (int i = 0; i < 3000; ++i) {
        const std::size_t n = random.between(1, 4);
        const Number a = random_number(random, n);
        Number b = random_number(random, n);
        if (is_zero(b.data(), n)) b[random.below(n)] = 1;
        const check::Context context("numbers ", a, b);
        Number rest = a, quotient(n, 99);
        divide(rest.data(), b.data(), quotient.data(), n);
        CHECK(compare(rest, b) < 0);
        const Bits whole = sum_of(product_of(bits_of(quotient), bits_of(b)), bits_of(rest));
        CHECK(number_of(whole, 2 * n + 1) == number_of(bits_of(a), 2 * n + 1));
    }
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    Random random(12);
    test_two_words();
    test_sums_and_products(random);
    test_comparisons(random);
    test_quotients(random);
    return check::report();
}
