// Times the inner loops and the processor's peaks, by turns, and prints a line of CSV for each.
//
// What:  a line has what was timed, the way, the bytes of its data, what it did in one call (words whose bits
//        were counted, bytes that had to be read), and the quartiles of the seconds of a call.
// Also:  every way of a kernel must give the same result; the program ends with an error if one does not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "peaks.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kStride = 64;  // columns
constexpr std::size_t kSizes[] = {std::size_t{1} << 14, std::size_t{1} << 18, std::size_t{1} << 22,
                                  std::size_t{1} << 27};
constexpr double kTurnSeconds = 0.002;

struct Bench {
    std::string what;
    std::string way;
    std::size_t size;              // bytes of the data
    double counted_words;          // of one call
    double read_bytes;             // of one call
    std::function<Word()> call;    // what it returns is not looked at, but cannot be left out
    std::function<Word()> result;  // of the last call, for comparison between ways; none for peaks
    std::vector<double> seconds{};
};

double seconds_of(const Bench& bench) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    volatile Word kept = 0;
    for (int calls = 1;; ++calls) {
        kept = bench.call();
        const double passed = std::chrono::duration<double>(Clock::now() - start).count();
        if (passed >= kTurnSeconds) return passed / calls;
    }
}

Word digest(const void* data, std::size_t n_bytes) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    Word hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < n_bytes; i += 61) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

// Everything the kernels work on, for the largest size.
struct Memory {
    std::vector<Word> data = random_words(kSizes[3] / 8);
    std::vector<Word> mask = random_words(data.size() / kStride);
    std::vector<Word> yes = std::vector<Word>(mask.size());
    std::vector<Word> no = yes;
    std::vector<Word> packed = std::vector<Word>(data.size() + 2 * kStride);
    std::vector<Count> counts = std::vector<Count>(2 * kStride);
    std::vector<Count> pairs = std::vector<Count>(kStride * kStride);
    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kSizes[3]);
    std::vector<double> entropies = std::vector<double>(kStride);
    // Counts as a node of 10,000 rows may have them.
    Count total[2] = {5000, 5000};
    std::vector<Count> single = std::vector<Count>(2 * kStride);
    std::vector<Count> made_pairs = pairs;
    std::vector<std::byte> scratch = std::vector<std::byte>(stump_scratch(kStride));
    std::vector<Cost> losses = std::vector<Cost>(2 * kStride);

    Memory() {
        for (std::size_t j = 0; j < single.size(); ++j) single[j] = static_cast<Count>(1000 + 17 * j);
        for (std::size_t i = 0; i < made_pairs.size(); ++i) made_pairs[i] = static_cast<Count>(i % 900);
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = (data[i / 8] >> (i % 8)) & 1;
    }

    static std::vector<Word> random_words(std::size_t n) {
        std::mt19937_64 engine(0);
        std::vector<Word> words(n);
        for (Word& word : words) word = engine();
        return words;
    }
};

void pack(const Kernels& kernels, Memory& memory, std::size_t n_bytes) {
    const std::uint8_t* rows[64];
    for (std::size_t begin = 0; begin < n_bytes; begin += 64 * kStride) {
        for (std::size_t r = 0; r < 64; ++r) rows[r] = memory.bytes.data() + begin + r * kStride;
        kernels.pack_bytes(rows, 64, kStride, memory.packed.data() + begin / 64);
    }
}

FeatureCounts features(const Memory& memory) {
    return {memory.single.data(), kStride, memory.total, 2, kStride};
}

void scan_stumps(const Kernels& kernels, Memory& memory) {
    const Objective objective;
    std::fill(memory.losses.begin(), memory.losses.end(), Cost{1} << 30);
    kernels.of(objective).best_stumps(objective,
                                      {features(memory), memory.made_pairs.data(),
                                       0,  // both classes have the same pairs
                                       kStride, memory.scratch.data()},
                                      memory.counts.data(), memory.losses.data(),
                                      memory.losses.data() + kStride);
}

void add_counting(const Kernels& kernels, Memory& memory, std::vector<Bench>& benches) {
    for (const std::size_t size : kSizes) {
        const std::size_t n_words = size / 8 / kStride;
        const double words = static_cast<double>(size / 8);
        const double bytes = static_cast<double>(size);
        const auto split = [&kernels, &memory, n_words] {
            std::fill(memory.counts.begin(), memory.counts.end(), 0);
            kernels.split_rows(memory.data.data(), kStride, n_words, memory.mask.data(), 0, 1, 1,
                               memory.yes.data(), memory.no.data(), memory.counts.data());
            return Word{0};
        };
        const auto count_pairs = [&kernels, &memory, n_words] {
            std::fill(memory.pairs.begin(), memory.pairs.end(), 0);
            const Stretch all{memory.data.data(), n_words, 1};
            kernels.pair_counts(&all, 1, kStride, 0, kStride, memory.pairs.data());
            return Word{0};
        };
        const auto counted = [&memory] { return digest(memory.counts.data(), kStride * sizeof(Count)); };
        const auto paired = [&memory] {  // of a row, above the diagonal
            return digest(memory.pairs.data() + 8 * kStride + 9, (kStride - 9) * sizeof(Count));
        };
        benches.push_back({"split_rows", kernels.name, size, words, bytes, split, counted});
        if (size < kSizes[3])  // it is bound by counting long before
            benches.push_back(
                {"pair_counts", kernels.name, size, words * (kStride + 1) / 2, bytes, count_pairs, paired});
    }
}

void add_packing(const Kernels& kernels, Memory& memory, std::vector<Bench>& benches) {
    for (const std::size_t size : kSizes) {
        const std::size_t n_words = size / 8 / kStride;
        const auto compress = [&kernels, &memory, n_words] {
            kernels.compress(memory.data.data(), kStride, memory.mask.data(), n_words, nullptr, kStride,
                             memory.packed.data(), kStride, 0);
            return Word{0};
        };
        const auto pack_bytes = [&kernels, &memory, size] {
            pack(kernels, memory, size);
            return Word{0};
        };
        const auto packed = [&memory, size] { return digest(memory.packed.data(), size / 8); };
        const double bytes = static_cast<double>(size);
        benches.push_back({"compress", kernels.name, size, 0, bytes, compress, packed});
        benches.push_back({"pack_bytes", kernels.name, size, 0, bytes, pack_bytes, packed});
    }
}

void add_scoring(const Kernels& kernels, Memory& memory, std::vector<Bench>& benches) {
    const auto stumps = [&kernels, &memory] {
        scan_stumps(kernels, memory);
        return Word{0};
    };
    const auto best = [&memory] { return digest(memory.losses.data(), 2 * kStride * sizeof(Cost)); };
    const auto entropies = [&kernels, &memory] {
        const Objective objective;
        kernels.of(objective).split_criteria(objective, features(memory), memory.entropies.data());
        return Word{0};
    };
    const auto found = [&memory] { return digest(memory.entropies.data(), kStride * sizeof(double)); };
    const double read = 6 * sizeof(Count) * kStride * (kStride - 1) / 2;  // two pairs, singles, bests
    benches.push_back(
        {"best_stumps", kernels.name, kStride * kStride * sizeof(Count), 0, read, stumps, best});
    benches.push_back({"split_entropies", kernels.name, 2 * kStride * sizeof(Count), 0, 0, entropies, found});
}

void add_peaks(const Peaks& peaks, const Memory& memory, std::vector<Bench>& benches) {
    for (const std::size_t size : kSizes)
        benches.push_back({"peak of reading", peaks.name, size, 0, static_cast<double>(size),
                           [read = peaks.read, &memory, size] { return read(memory.data.data(), size / 8); },
                           nullptr});
    constexpr std::size_t kWords = 1 << 16;
    if (peaks.count != nullptr)
        benches.push_back({"peak of counting", peaks.name, 0, kWords, 0,
                           [count = peaks.count] { return count(kWords); }, nullptr});
}

int run(int rounds) {
    Memory memory;
    std::vector<Bench> benches;
    for (const Peaks& peaks : available_peaks()) add_peaks(peaks, memory, benches);
    for (const Kernels* kernels : available_kernels()) {
        add_counting(*kernels, memory, benches);
        add_packing(*kernels, memory, benches);
        add_scoring(*kernels, memory, benches);
    }
    std::map<std::pair<std::string, std::size_t>, Word> results;
    for (int round = 0; round <= rounds; ++round)
        for (Bench& bench : benches) {
            const double seconds = seconds_of(bench);
            if (round > 0) bench.seconds.push_back(seconds);  // the first warms up
            if (bench.result == nullptr) continue;
            const Word result = bench.result();
            if (results.emplace(std::pair(bench.what, bench.size), result).first->second != result) {
                std::fprintf(stderr, "%s gives another result by %s\n", bench.what.c_str(),
                             bench.way.c_str());
                return 1;
            }
        }
    std::printf("what,way,size,counted_words,read_bytes,quartile_1,median,quartile_3\n");
    for (Bench& bench : benches) {
        std::sort(bench.seconds.begin(), bench.seconds.end());
        const auto at = [&](double share) {
            return bench
                .seconds[static_cast<std::size_t>(share * static_cast<double>(bench.seconds.size() - 1))];
        };
        std::printf("%s,%s,%zu,%.0f,%.0f,%.9g,%.9g,%.9g\n", bench.what.c_str(), bench.way.c_str(), bench.size,
                    bench.counted_words, bench.read_bytes, at(0.25), at(0.5), at(0.75));
    }
    return 0;
}

}  // namespace
}  // namespace splitsecond

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    return splitsecond::run(rounds > 0 ? rounds : 1);
}
