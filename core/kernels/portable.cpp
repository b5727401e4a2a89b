// Kernels for any processor, and the table of x*log2(x) that every path reads.
#include <bit>
#include <memory>

#include "kernels/kernels.hpp"

namespace splitsecond {
namespace {

struct Vector {
    static constexpr std::size_t lanes = 1;
    static constexpr int tile_rows = 4;
    Word word;

    static Vector zero() { return {0}; }
    static Vector load(const Word* p) { return {*p}; }
    static Vector broadcast(Word w) { return {w}; }
    void add_popcount_of_and(Vector a, Vector b) {
        word += static_cast<Word>(std::popcount(a.word & b.word));
    }
    void multiply(Count factor) { word *= static_cast<Word>(factor); }
    void add_to(Count* out, Count multiplier) const { *out += multiplier * static_cast<Count>(word); }
};

}  // namespace
}  // namespace splitsecond

#include "kernels/portable_bits.hpp"
#include "kernels/portable_stumps.hpp"

#include "kernels/body.hpp"

namespace splitsecond {

extern const Kernels portable_kernels;
const Kernels portable_kernels = make_kernels("portable", Losses{});

const double* entropy_table() {
    static const std::unique_ptr<const double[]> table = [] {
        auto values = std::make_unique<double[]>(kEntropyTableSize);
        for (Count x = 0; x < kEntropyTableSize; ++x)
            values[static_cast<std::size_t>(x)] = x_log2_x(static_cast<double>(x));
        return values;
    }();
    return table.get();
}

}  // namespace splitsecond
