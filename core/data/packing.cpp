#include "data/packing.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/block_reader.hpp"
#include "data/run_plan.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = BlockReader::kRows;

// Leaves out columns that can never be chosen. Equal hashes are only a hint: columns are compared whole.
class ColumnFilter {
public:
    explicit ColumnFilter(const View& view) : view_(view) {}

    std::vector<std::uint32_t> kept(bool keep_equal) const {
        const std::vector<Word> hashes = keep_equal ? std::vector<Word>(view_.stride, 0) : hash();
        std::multimap<Word, std::uint32_t> seen;
        std::vector<std::uint32_t> columns;
        for (std::uint32_t j = 0; j < view_.n_features; ++j) {
            if (same_split(j, view_.ones())) continue;
            const auto [begin, end] = seen.equal_range(hashes[j]);
            if (!keep_equal &&
                std::any_of(begin, end, [&](const auto& other) { return same_split(j, other.second); }))
                continue;
            if (!keep_equal) seen.emplace(hashes[j], j);
            columns.push_back(j);
        }
        return columns;
    }

private:
    // All ones where the first row has a one: a column and its complement then look alike.
    Word flip(std::size_t j) const { return Word{0} - (view_.column(0, j) & 1); }

    std::vector<Word> hash() const {
        std::vector<Word> hashes(view_.stride, 0), flips(view_.stride);
        for (std::size_t j = 0; j < view_.stride; ++j) flips[j] = flip(j);
        for (std::size_t w = 0; w < view_.n_words(); ++w) {
            const Word present = view_.column(w, view_.ones());
            const Word* words = view_.data.data() + w * view_.stride;
            for (std::size_t j = 0; j < view_.stride; ++j) {
                const Word mixed = (hashes[j] ^ words[j] ^ (flips[j] & present)) * 0x9E3779B97F4A7C15u;
                hashes[j] = mixed ^ (mixed >> 29);
            }
        }
        return hashes;
    }

    bool same_split(std::size_t a, std::size_t b) const {
        const Word flip_both = flip(a) ^ flip(b);
        for (std::size_t w = 0; w < view_.n_words(); ++w) {
            const Word differ = view_.column(w, a) ^ view_.column(w, b);
            if (differ != (flip_both & view_.column(w, view_.ones()))) return false;
        }
        return true;
    }

    const View& view_;
};

void keep_columns(View& view, std::vector<std::uint32_t> columns) {
    view.features = columns;
    if (columns.size() == view.n_features) return;
    columns.push_back(static_cast<std::uint32_t>(view.ones()));
    columns.push_back(static_cast<std::uint32_t>(view.unavoidable()));
    view.n_features = view.features.size();
    const std::size_t stride = View::stride_for(view.n_features);
    // Much smaller: give the old memory back. Otherwise in place: the target never passes the source.
    Buffer<Word> smaller(view.data.limits());
    const std::size_t size = view.n_words() * stride;
    const bool move = 2 * size <= view.data.size() && view.data.limits().has_room(size * sizeof(Word));
    if (move) smaller.resize(size);
    Word* target = move ? smaller.data() : view.data.data();
    for (std::size_t w = 0; w < view.n_words(); ++w) {
        Word* to = target + w * stride;
        const Word* from = view.data.data() + w * view.stride;
        for (std::size_t j = 0; j < columns.size(); ++j) to[j] = from[columns[j]];
        std::fill(to + columns.size(), to + stride, Word{0});
    }
    if (move) view.data = std::move(smaller);
    view.stride = stride;
}

}  // namespace

std::optional<Cell> find_non_binary(const Kernels& kernels, const Table& table) {
    const BlockReader reader(kernels, table);
    std::vector<Word> words(table.n_columns);
    std::size_t rows[kBlock];
    for (std::size_t first = 0; first < table.n_rows; first += kBlock) {
        const std::size_t n = std::min(kBlock, table.n_rows - first);
        for (std::size_t r = 0; r < n; ++r) rows[r] = first + r;
        if (const auto bad = reader.read(rows, n, words.data())) return bad;
    }
    return std::nullopt;
}

std::optional<Cell> pack(const Kernels& kernels, const Table& table, const Target& target, Limits& limits,
                         View& view, bool keep_equal, bool count_rows) {
    view.n_classes = target.n_classes;
    view.counts_rows = count_rows && target.is_weighted();  // otherwise each row weighs 1
    view.n_features = table.n_columns;
    view.stride = View::stride_for(table.n_columns);

    RunPlan plan(table, target, view.counts_rows);
    std::vector<Run>& runs = plan.runs();
    std::vector<std::size_t> rows_in(runs.size(), 0);
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        if (i % 1024 == 0 && limits.stop()) return std::nullopt;
        plan.for_runs_of(i, [&](std::size_t run) { ++rows_in[run]; });
    }
    std::size_t n_words = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::size_t words = runs[r].weight == 0 ? 0 : (rows_in[r] + kBlock - 1) / kBlock;
        runs[r].begin = n_words;
        runs[r].end = n_words += words;
    }
    view.data.resize(n_words * view.stride);

    // Rows wait in their run's block until 64 are there; rows of weight 0 are checked and discarded.
    const BlockReader reader(kernels, table);
    struct Waiting {
        std::size_t n = 0;
        std::size_t next_word = 0;
        std::size_t rows[kBlock];
    };
    std::vector<Waiting> waiting(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) waiting[r].next_word = runs[r].begin;
    std::vector<Word> discarded(view.stride);
    std::optional<Cell> bad;
    const auto flush = [&](std::size_t run) {
        Waiting& block = waiting[run];
        Word* words =
            runs[run].weight == 0 ? discarded.data() : view.data.data() + block.next_word++ * view.stride;
        bad = reader.read(block.rows, block.n, words);
        words[view.ones()] = block.n == kBlock ? ~Word{0} : (Word{1} << block.n) - 1;
        std::fill(words + view.unavoidable(), words + view.stride, Word{0});
        block.n = 0;
    };
    for (std::size_t i = 0; i < table.n_rows && !bad; ++i) {
        if (i % 1024 == 0 && limits.stop()) return std::nullopt;
        plan.for_runs_of(i, [&](std::size_t run) {
            Waiting& block = waiting[run];
            block.rows[block.n++] = i;
            if (block.n == kBlock && !bad) flush(run);
        });
    }
    for (std::size_t r = 0; r < runs.size() && !bad; ++r)
        if (waiting[r].n != 0) flush(r);
    if (bad) return bad;

    std::erase_if(runs, [](const Run& run) { return run.begin == run.end; });
    view.runs = std::move(runs);
    keep_columns(view,
                 view.runs.empty() ? std::vector<std::uint32_t>{} : ColumnFilter(view).kept(keep_equal));
    return std::nullopt;
}

void check(const Table& table, const Target& target) {
    std::int64_t total = 0;
    for (std::size_t i = 0; target.sums != nullptr && i < target.n_classes * table.n_rows; ++i) {
        if (target.sums[i] < 0) throw std::invalid_argument("a sum is negative.");
        if (i >= table.n_rows && target.sums[i] > 0 && target.sums[i % table.n_rows] == 0)
            throw std::invalid_argument("a row without weight has sums.");
        total += target.sums[i];
    }
    for (std::size_t i = 0; target.sums == nullptr && i < table.n_rows; ++i) {
        if (target.class_of(i) >= target.n_classes)
            throw std::invalid_argument("the class of row " + std::to_string(i) + " is not below " +
                                        std::to_string(target.n_classes) + ".");
        const Count weight = target.weight_of(i);
        if (weight < 0) throw std::invalid_argument("weight of row " + std::to_string(i) + " is negative.");
        total += weight;
    }
    std::int64_t rows = 0;
    for (std::size_t i = 0; target.rows != nullptr && i < table.n_rows; ++i) {
        if (target.rows[i] < 1) throw std::invalid_argument("every row must stand for one at least.");
        rows += target.rows[i];
    }
    total = std::max(total, rows);
    if (total <= 0) throw std::invalid_argument("the weights of all rows are zero.");
    if (total > std::numeric_limits<Count>::max())
        throw std::invalid_argument("the weights add up to " + std::to_string(total) +
                                    "; at most 2^31 - 1 is possible.");
}

}  // namespace splitsecond
