#include "data/packing.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/block_reader.hpp"
#include "data/column_filter.hpp"
#include "data/run_plan.hpp"
#include "runtime/workers.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = BlockReader::kRows;

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

// Rows of a table on their way into a view's runs. Chunks of rows are packed by any thread: a word belongs to the chunk of
// its first row, and the rows that other chunks have of it are put there afterwards.
class Packer {
public:
    Packer(const Kernels& kernels, const Table& table, const Target& target, Limits& limits, View& view)
        : table_(table),
          limits_(limits),
          view_(view),
          reader_(kernels, table),
          plan_(table, target, view.counts_rows),
          chunk_rows_(std::max(kChunkRows, (table.n_rows / kMaxChunks + kBlock) / kBlock * kBlock)),
          chunks_((table.n_rows + chunk_rows_ - 1) / chunk_rows_) {}

    // Returns a cell that is not binary, if there is one. Throws LimitReached.
    std::optional<Cell> pack(Workers& workers) {
        for_chunks(workers, [&](std::size_t c) { count(c); });
        place_runs();
        for_chunks(workers, [&](std::size_t c) { fill(c); });
        for (Chunk& chunk : chunks_)
            for (const Head& head : chunk.heads) add_head(chunk, head);
        for (const Chunk& chunk : chunks_)
            if (chunk.not_binary) return chunk.not_binary;
        std::vector<Run>& runs = plan_.runs();
        std::erase_if(runs, [](const Run& run) { return run.begin == run.end; });
        view_.runs = std::move(runs);
        return std::nullopt;
    }

private:
    static constexpr std::size_t kChunkRows = 16384, kMaxChunks = 256;

    struct Head {  // the first rows that a chunk has of a run, which begin amid a word
        std::size_t run;
        std::size_t place;  // of the first, in the run
        std::vector<std::size_t> rows;
    };
    struct Chunk {
        std::vector<std::size_t> rows_in;  // each run; then the place of the next row in it
        std::vector<Head> heads;
        std::optional<Cell> not_binary;
    };
    struct Waiting {  // for a word to be full
        std::size_t n = 0;
        std::size_t rows[kBlock];
    };

    template <class Work>
    void for_chunks(Workers& workers, const Work& work) {
        workers.run(chunks_.size(), [&](std::size_t c, std::size_t) {
            if (!limits_.stop()) limits_.completes([&] { work(c); });
        });
        if (limits_.stopped()) throw LimitReached{};
    }

    template <class Visit>
    void for_rows(std::size_t chunk, const Visit& visit) const {
        const std::size_t begin = chunk * chunk_rows_, end = std::min(table_.n_rows, begin + chunk_rows_);
        for (std::size_t i = begin; i < end; ++i) {
            if (i % 1024 == 0 && limits_.stop()) return;
            visit(i);
        }
    }

    void count(std::size_t c) {
        std::vector<std::size_t> rows_in(plan_.runs().size(), 0);
        for_rows(c, [&](std::size_t i) { plan_.for_runs_of(i, [&](std::size_t run) { ++rows_in[run]; }); });
        chunks_[c].rows_in = std::move(rows_in);
    }

    void place_runs() {
        std::size_t n_words = 0;
        std::vector<Run>& runs = plan_.runs();
        for (std::size_t r = 0; r < runs.size(); ++r) {
            std::size_t rows = 0;
            for (Chunk& chunk : chunks_) rows += std::exchange(chunk.rows_in[r], rows);
            runs[r].begin = n_words;
            runs[r].end = n_words += runs[r].weight == 0 ? 0 : (rows + kBlock - 1) / kBlock;
        }
        view_.data.resize(n_words * view_.stride);
    }

    void fill(std::size_t c) {
        Chunk& chunk = chunks_[c];
        std::vector<Waiting> waiting(plan_.runs().size());
        std::vector<Word> discarded(view_.stride);
        const auto flush = [&](std::size_t run) {
            Waiting& block = waiting[run];
            const std::size_t place = chunk.rows_in[run];
            chunk.rows_in[run] += block.n;
            if (plan_.runs()[run].weight == 0)
                read(chunk, block.rows, block.n, discarded.data());
            else if (place % kBlock == 0)
                read(chunk, block.rows, block.n, words_at(run, place));
            else
                chunk.heads.push_back({run, place, {block.rows, block.rows + block.n}});
            block.n = 0;
        };
        for_rows(c, [&](std::size_t i) {
            plan_.for_runs_of(i, [&](std::size_t run) {
                Waiting& block = waiting[run];
                block.rows[block.n++] = i;
                if (block.n + chunk.rows_in[run] % kBlock == kBlock) flush(run);
            });
        });
        for (std::size_t run = 0; run < waiting.size(); ++run)
            if (waiting[run].n != 0) flush(run);
    }

    void add_head(Chunk& chunk, const Head& head) {
        std::vector<Word> words(view_.stride);
        read(chunk, head.rows.data(), head.rows.size(), words.data());
        Word* to = words_at(head.run, head.place);
        for (std::size_t j = 0; j < view_.stride; ++j) to[j] |= words[j] << head.place % kBlock;
    }

    Word* words_at(std::size_t run, std::size_t place) {
        return view_.data.data() + (plan_.runs()[run].begin + place / kBlock) * view_.stride;
    }

    void read(Chunk& chunk, const std::size_t* rows, std::size_t n, Word* words) const {
        if (const auto bad = reader_.read(rows, n, words); bad && !chunk.not_binary) chunk.not_binary = bad;
        words[view_.ones()] = ~Word{0} >> (kBlock - n);
        std::fill(words + view_.unavoidable(), words + view_.stride, Word{0});
    }

    const Table& table_;
    Limits& limits_;
    View& view_;
    const BlockReader reader_;
    RunPlan plan_;
    const std::size_t chunk_rows_;
    std::vector<Chunk> chunks_;
};

std::optional<Cell> pack_rows(const Kernels& kernels, const Table& table, const Target& target,
                              Workers& workers, Limits& limits, View& view, bool keep_equal) {
    if (const auto bad = Packer(kernels, table, target, limits, view).pack(workers)) return bad;
    keep_columns(
        view, view.runs.empty() ? std::vector<std::uint32_t>{} : distinct_columns(view, keep_equal, workers));
    return std::nullopt;
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
                         View& view, const PackOptions& options) {
    view.n_classes = target.n_classes;
    view.counts_rows = options.count_rows && target.is_weighted();  // otherwise each row weighs 1
    view.n_features = table.n_columns;
    view.stride = View::stride_for(table.n_columns);
    Workers workers(options.n_threads, limits);
    MergedTable merged(table, target, view.counts_rows, limits);
    const bool few = options.merging == Merging::when_it_pays && table.n_rows < options.many_rows;
    if (!few && merged.merge(kernels, options.merging, workers))
        return pack_rows(kernels, merged.table(), merged.target(), workers, limits, view, options.keep_equal);
    if (merged.not_binary()) return merged.not_binary();
    merged.clear();
    return pack_rows(kernels, table, target, workers, limits, view, options.keep_equal);
}

namespace {

// Loops without a way out, which take a fraction of the time of a search; then the row to name.
template <class Value>
bool all_below(const Value* values, std::size_t n, std::size_t limit) {
    Value highest = 0, lowest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        highest = std::max(highest, values[i]);
        lowest = std::min(lowest, values[i]);
    }
    return lowest == 0 && static_cast<std::size_t>(highest) < limit;
}

// Returns the weight of all rows.
std::int64_t check_classes(const Table& table, const Target& target) {
    const bool known = target.classes != nullptr
                           ? all_below(target.classes, table.n_rows, target.n_classes)
                           : all_below(target.wide_classes, table.n_rows, target.n_classes);
    for (std::size_t i = 0; !known && i < table.n_rows; ++i)
        if (target.class_of(i) >= target.n_classes)
            throw std::invalid_argument("the class of row " + std::to_string(i) + " is not below " +
                                        std::to_string(target.n_classes) + ".");
    if (target.weights == nullptr) return static_cast<std::int64_t>(table.n_rows);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        const Count weight = target.weights[i];
        if (weight < 0) throw std::invalid_argument("weight of row " + std::to_string(i) + " is negative.");
        total += weight;
    }
    return total;
}

}  // namespace

void check(const Table& table, const Target& target) {
    std::int64_t total = 0;
    for (std::size_t i = 0; target.sums != nullptr && i < target.n_classes * table.n_rows; ++i) {
        if (target.sums[i] < 0) throw std::invalid_argument("a sum is negative.");
        if (i >= table.n_rows && target.sums[i] > 0 && target.sums[i % table.n_rows] == 0)
            throw std::invalid_argument("a row without weight has sums.");
        total += target.sums[i];
    }
    if (target.sums == nullptr) total = check_classes(table, target);
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
