#include "data/packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = 64;  // rows packed together: one word of every column

template <class Visit>
auto with_type(Type type, Visit visit) {
    switch (type) {
        case Type::u8: return visit(std::uint8_t{});
        case Type::i8: return visit(std::int8_t{});
        case Type::u16: return visit(std::uint16_t{});
        case Type::i16: return visit(std::int16_t{});
        case Type::u32: return visit(std::uint32_t{});
        case Type::i32: return visit(std::int32_t{});
        case Type::u64: return visit(std::uint64_t{});
        case Type::i64: return visit(std::int64_t{});
        case Type::f32: return visit(float{});
        case Type::f64: break;
        case Type::bits: assert(false);  // have no values to visit
    }
    return visit(double{});
}

// Turns up to 64 rows of the table into one word per column.
class BlockReader {
public:
    BlockReader(const Kernels& kernels, const Table& table)
        : kernels_(kernels), table_(table), by_rows_(is_bytes_in_rows(table)) {}

    // out[j] gets column j of the rows, row rows[r] in bit r. Returns a cell that is not 0 or 1.
    std::optional<Cell> read(const std::size_t* rows, std::size_t n, Word* out) const {
        if (table_.row_begin != nullptr) return read_sparse(rows, n, out);
        return by_rows_ ? read_bytes(rows, n, out) : read_columns(rows, n, out);
    }

private:
    static bool is_bytes_in_rows(const Table& table) {
        if (std::endian::native != std::endian::little) return false;
        for (std::size_t j = 0; j < table.dense.size(); ++j) {
            const Column& column = table.dense[j];
            const auto* expected = static_cast<const std::uint8_t*>(table.dense[0].data) + j;
            if (column.type != Type::u8 || column.data != expected || column.stride != table.dense[0].stride)
                return false;
        }
        return !table.dense.empty();
    }

    std::optional<Cell> read_bytes(const std::size_t* rows, std::size_t n, Word* out) const {
        const auto* base = static_cast<const std::uint8_t*>(table_.dense[0].data);
        const std::uint8_t* starts[kBlock];
        for (std::size_t r = 0; r < n; ++r)
            starts[r] = base + static_cast<std::ptrdiff_t>(rows[r]) * table_.dense[0].stride;
        for (std::size_t first = 0; first < table_.n_columns; first += kBlock) {
            const std::size_t width = std::min(kBlock, table_.n_columns - first);
            if (!kernels_.pack_bytes(starts, n, width, out + first)) return find_in_bytes(rows, n);
            for (std::size_t r = 0; r < n; ++r) starts[r] += width;
        }
        return std::nullopt;
    }

    std::optional<Cell> find_in_bytes(const std::size_t* rows, std::size_t n) const {
        const auto* base = static_cast<const std::uint8_t*>(table_.dense[0].data);
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t j = 0; j < table_.n_columns; ++j)
                if (base[static_cast<std::ptrdiff_t>(rows[r]) * table_.dense[0].stride +
                         static_cast<std::ptrdiff_t>(j)] > 1)
                    return Cell{rows[r], j};
        return std::nullopt;
    }

    std::optional<Cell> read_columns(const std::size_t* rows, std::size_t n, Word* out) const {
        for (std::size_t j = 0; j < table_.n_columns; ++j) {
            const Column& column = table_.dense[j];
            if (column.type == Type::bits) {
                out[j] = read_bits(static_cast<const Word*>(column.data), rows, n);
                continue;
            }
            const auto* base = static_cast<const std::byte*>(column.data);
            const auto bad = with_type(column.type, [&](auto sample) -> std::optional<Cell> {
                using Value = decltype(sample);
                Word bits = 0;
                bool binary = true;
                for (std::size_t r = 0; r < n; ++r) {
                    Value value;
                    std::memcpy(&value, base + static_cast<std::ptrdiff_t>(rows[r]) * column.stride,
                                sizeof value);
                    const bool one = value == Value{1};
                    binary &= one || value == Value{0};
                    if (!binary) return Cell{rows[r], j};
                    bits |= static_cast<Word>(one) << r;
                }
                out[j] = bits;
                return std::nullopt;
            });
            if (bad) return bad;
        }
        return std::nullopt;
    }

    static Word read_bits(const Word* words, const std::size_t* rows, std::size_t n) {
        Word bits = 0;
        for (std::size_t r = 0; r < n; ++r) bits |= (words[rows[r] / 64] >> rows[r] % 64 & 1) << r;
        return bits;
    }

    std::optional<Cell> read_sparse(const std::size_t* rows, std::size_t n, Word* out) const {
        std::fill_n(out, table_.n_columns, Word{0});
        for (std::size_t r = 0; r < n; ++r)
            for (std::int64_t i = table_.row_begin[rows[r]]; i < table_.row_begin[rows[r] + 1]; ++i)
                out[table_.ones[i]] |= Word{1} << r;
        return std::nullopt;
    }

    const Kernels& kernels_;
    const Table& table_;
    const bool by_rows_;
};

// Which runs a row of a given class and weight goes to.
//
// Few different weights in a class: a run for each, but none for a small weight that few rows have, as most of a
// bootstrap's have; those go to the runs of their bits. Many: a run for each bit of the weight, so that the
// number of runs stays below 31 a class whatever the weights are.
class RunPlan {
public:
    explicit RunPlan(const Table& table, const Target& target) : target_(target) {
        constexpr std::size_t kMostWeights = 8;
        std::vector<Tally> rows(target.n_classes);
        std::vector<bool> many(target.n_classes, false);
        for (std::size_t i = 0; target.weights != nullptr && i < table.n_rows; ++i) {
            const std::size_t cls = target.class_of(i);
            if (many[cls]) continue;
            add_row(rows[cls], target.weight_of(i));
            many[cls] = rows[cls].size() > kMostWeights;
        }
        for (std::size_t cls = 0; cls < target.n_classes; ++cls) {
            std::set<Count> weights;
            if (target.weights == nullptr) weights = {1};
            if (many[cls]) {
                weights = {0};
                for (int bit = 0; bit < 31; ++bit) weights.insert(Count{1} << bit);
            } else {
                add_few(rows[cls], weights);
            }
            first_.push_back(runs_.size());
            run_of_bit_.emplace_back();
            for (const Count weight : in_chains(weights)) {
                if (std::has_single_bit(static_cast<std::uint32_t>(weight)))
                    run_of_bit_[cls][static_cast<std::size_t>(
                        std::countr_zero(static_cast<std::uint32_t>(weight)))] = runs_.size();
                runs_.push_back({cls, weight, 0, 0});
            }
        }
        first_.push_back(runs_.size());
    }

    std::vector<Run>& runs() { return runs_; }

    // Calls visit(run) for every run that row i goes to. Rows of weight 0 go to a run of weight 0.
    template <class Visit>
    void for_runs_of(std::size_t i, Visit visit) const {
        const std::size_t cls = target_.class_of(i);
        const Count weight = target_.weight_of(i);
        std::size_t run = first_[cls];
        while (run < first_[cls + 1] && runs_[run].weight != weight) ++run;
        if (run < first_[cls + 1]) return visit(run);
        for (auto left = static_cast<std::uint32_t>(weight); left != 0; left &= left - 1)
            visit(run_of_bit_[cls][static_cast<std::size_t>(std::countr_zero(left))]);
    }

private:
    using Tally = std::vector<std::pair<Count, std::size_t>>;  // weights, and how many rows have them

    static void add_row(Tally& tally, Count weight) {
        auto known =
            std::find_if(tally.begin(), tally.end(), [&](const auto& each) { return each.first == weight; });
        if (known == tally.end()) known = tally.insert(tally.end(), {weight, 0});
        ++known->second;
    }

    static void add_few(const Tally& rows_of, std::set<Count>& weights) {
        constexpr Count kSmall = 16;
        constexpr std::size_t kFew = 32;  // less than one row in this many
        std::size_t all = 0;
        for (const auto& [weight, rows] : rows_of) all += weight == 0 ? 0 : rows;
        for (const auto& [weight, rows] : rows_of) {
            if (weight == 0 || weight >= kSmall || rows * kFew >= all)
                weights.insert(weight);
            else
                for (Count bit = 1; bit <= weight; bit *= 2)
                    if ((weight & bit) != 0) weights.insert(bit);
        }
    }

    // Weights that differ by a power of two follow each other, the largest first: their counts add up in one sum
    // (Kernels::pair_counts).
    static std::vector<Count> in_chains(const std::set<Count>& weights) {
        std::vector<Count> chains(weights.rbegin(), weights.rend());
        const auto odd_part = [](Count weight) { return weight == 0 ? 0 : weight / (weight & -weight); };
        std::stable_sort(chains.begin(), chains.end(),
                         [&](Count a, Count b) { return odd_part(a) > odd_part(b); });
        return chains;
    }

    const Target& target_;
    std::vector<std::size_t> first_;  // first run of each class
    std::vector<std::array<std::size_t, 32>> run_of_bit_;
    std::vector<Run> runs_;
};

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
                         View& view, bool keep_equal) {
    view.n_classes = target.n_classes;
    view.n_features = table.n_columns;
    view.stride = View::stride_for(table.n_columns);

    RunPlan plan(table, target);
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

    // Rows wait in their run's block until 64 are there; rows of weight 0 are checked and thrown away.
    const BlockReader reader(kernels, table);
    struct Waiting {
        std::size_t n = 0;
        std::size_t next_word = 0;
        std::size_t rows[kBlock];
    };
    std::vector<Waiting> waiting(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) waiting[r].next_word = runs[r].begin;
    std::vector<Word> thrown_away(view.stride);
    std::optional<Cell> bad;
    const auto flush = [&](std::size_t run) {
        Waiting& block = waiting[run];
        Word* words =
            runs[run].weight == 0 ? thrown_away.data() : view.data.data() + block.next_word++ * view.stride;
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
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        if (target.class_of(i) >= target.n_classes)
            throw std::invalid_argument("the class of row " + std::to_string(i) + " is not below " +
                                        std::to_string(target.n_classes) + ".");
        const Count weight = target.weight_of(i);
        if (weight < 0) throw std::invalid_argument("weight of row " + std::to_string(i) + " is negative.");
        total += weight;
    }
    if (total <= 0) throw std::invalid_argument("the weights of all rows are zero.");
    if (total > std::numeric_limits<Count>::max())
        throw std::invalid_argument("the weights add up to " + std::to_string(total) +
                                    "; at most 2^31 - 1 is possible.");
}

}  // namespace splitsecond
