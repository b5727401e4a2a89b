// What a pass over a table in blocks needs: answers to questions, and counts of the patterns of these answers.
#include <mutex>
#include <stdexcept>

#include "bindings.hpp"
#include "data/answering.hpp"
#include "data/pattern_counts.hpp"
#include "data/row_hash.hpp"

namespace splitsecond {
namespace {

// ---- answers --------------------------------------------------------------------------------------

// Bits of the rows, a row of words for each question.
using Answers = nb::ndarray<nb::numpy, Word, nb::ndim<2>>;

template <class Work>
Answers answered(std::size_t n_questions, std::size_t n_rows, const Work& work) {
    const std::size_t n_words = (n_rows + 63) / 64;
    auto* words = new std::vector<Word>(n_questions * n_words);
    nb::capsule owner(words, [](void* p) noexcept { delete static_cast<std::vector<Word>*>(p); });
    {
        const nb::gil_scoped_release release;
        work(words->data());
    }
    return {words->data(), {n_questions, n_words}, owner};
}

Answers numbers_answered(const nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>& values,
                         const Array<double>& thresholds) {
    const auto size = static_cast<std::ptrdiff_t>(values.itemsize());
    const Column column{values.data(), type_of(values.dtype()), values.stride(0) * size};
    return answered(thresholds.size(), values.size(), [&](Word* out) {
        answer_numbers(find_kernels("auto"), column, values.size(), thresholds.data(), thresholds.size(),
                       out);
    });
}

Answers codes_answered(
    const Array<std::int32_t>& codes,
    const nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& yes) {
    return answered(yes.shape(0), codes.size(), [&](Word* out) {
        answer_codes(find_kernels("auto"), codes.data(), codes.size(), yes.data(), yes.shape(0), yes.shape(1),
                     out);
    });
}

// ---- hashes of rows -------------------------------------------------------------------------------

using Hashes = nb::ndarray<Word, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple numbers_hashed(const Hashes& hashes,
                         const nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>& values) {
    if (hashes.size() != values.size()) throw std::invalid_argument("every row must have a hash.");
    const auto size = static_cast<std::ptrdiff_t>(values.itemsize());
    const Column column{values.data(), type_of(values.dtype()), values.stride(0) * size};
    NumberFacts facts{};
    {
        const nb::gil_scoped_release release;
        facts = hash_numbers(column, values.size(), hashes.data());
    }
    return nb::make_tuple(facts.lowest, facts.highest, facts.has_missing, facts.is_binary);
}

void codes_hashed(const Hashes& hashes, const Array<std::int32_t>& codes, const Array<Word>& keys) {
    if (hashes.size() != codes.size()) throw std::invalid_argument("every row must have a hash.");
    const nb::gil_scoped_release release;
    hash_codes(codes.data(), codes.size(), keys.data(), keys.size(), hashes.data());
}

// ---- counts of patterns ---------------------------------------------------------------------------

// Counts, and the memory they may take. One thread at a time works on them.
class HeldCounts {
public:
    HeldCounts(std::size_t n_columns, std::size_t n_sums, std::optional<std::size_t> memory_limit)
        : limits_(Limits::kNoDeadline, memory_limit.value_or(Limits::kNoBudget)),
          counts_(find_kernels("auto"), n_columns, n_sums, limits_) {}

    void add(const std::vector<Array<std::uint64_t>>& words, std::size_t n_rows,
             const Array<std::int32_t>& keys, const std::vector<std::optional<Array<std::int64_t>>>& sums) {
        if (words.size() != counts_.n_columns() || sums.size() != counts_.n_sums())
            throw std::invalid_argument("there must be as many columns and sums as are counted.");
        std::vector<const Word*> columns;
        for (const auto& each : words) {
            if (each.size() != (n_rows + 63) / 64)
                throw std::invalid_argument("every column must have a bit for each row.");
            columns.push_back(each.data());
        }
        if (keys.size() != n_rows) throw std::invalid_argument("there must be a key for each row.");
        std::vector<const std::int64_t*> values;
        for (const auto& each : sums) {
            if (each && each->size() != n_rows)
                throw std::invalid_argument("there must be a value for each row.");
            values.push_back(each ? each->data() : nullptr);
        }
        locked([&] { counts_.add(columns.data(), n_rows, keys.data(), values.data()); });
    }

    void merge(const HeldCounts& other) {
        if (this == &other) throw std::invalid_argument("counts cannot be merged into themselves.");
        within_memory([&] {
            const std::scoped_lock lock(mutex_, other.mutex_);
            counts_.merge(other.counts_);
        });
    }

    Patterns result() const {
        Patterns patterns;
        locked([&] { patterns = counts_.result(); });
        return patterns;
    }

    std::size_t n_entries() const {
        std::size_t n = 0;
        locked([&] { n = counts_.n_entries(); });
        return n;
    }
    std::size_t n_bytes() const { return limits_.used_bytes(); }

private:
    template <class Work>
    void locked(const Work& work) const {
        within_memory([&] {
            const std::lock_guard lock(mutex_);
            work();
        });
    }
    // Without the interpreter's lock, which who holds the mutex may wait for.
    template <class Work>
    static void within_memory(const Work& work) {
        try {
            const nb::gil_scoped_release release;
            work();
        } catch (const LimitReached&) {
            PyErr_SetString(PyExc_MemoryError, "the patterns take more memory than is allowed, or there is.");
            throw nb::python_error();
        }
    }

    Limits limits_;
    PatternCounts counts_;
    mutable std::mutex mutex_;
};

std::vector<SharedArray<Word>> pattern_columns(const nb::handle& self) {
    const auto& patterns = nb::cast<const Patterns&>(self);
    const std::size_t n_words = patterns.n_words();
    std::vector<SharedArray<Word>> columns;
    for (std::size_t j = 0; j < patterns.n_columns; ++j)
        columns.push_back(share(patterns.columns.data() + j * n_words, n_words, self));
    return columns;
}

std::vector<SharedArray<std::int64_t>> pattern_sums(const nb::handle& self) {
    const auto& patterns = nb::cast<const Patterns&>(self);
    const std::size_t n = patterns.n_entries();
    std::vector<SharedArray<std::int64_t>> sums;
    for (std::size_t s = 0; s < patterns.n_sums; ++s)
        sums.push_back(share(patterns.sums.data() + s * n, n, self));
    return sums;
}

}  // namespace

void bind_blocks(nb::module_& m) {
    m.def("answer_numbers", &numbers_answered, "values"_a, "thresholds"_a,
          "Bits of rows, 64 a word, for each threshold: whether the value is at most that.");
    m.def("answer_codes", &codes_answered, "codes"_a, "yes"_a,
          "Bits of rows, 64 a word, for each question: yes[question, code]; no for negative codes.");
    m.def("hash_numbers", &numbers_hashed, "hashes"_a, "values"_a,
          "Takes a column of numbers into the hashes of rows; returns the lowest and the highest value, "
          "whether some "
          "are missing, and whether all others are 0 or 1.");
    m.def("hash_codes", &codes_hashed, "hashes"_a, "codes"_a, "keys"_a,
          "Takes a column of categories into the hashes of rows, by the hashes of their keys; negative codes "
          "are "
          "missing.");

    nb::class_<Patterns>(m, "Patterns")
        .def_prop_ro("n_entries", &Patterns::n_entries)
        .def_prop_ro("columns", &pattern_columns, "Each column: bits of the entries, 64 a word.")
        .def_prop_ro(
            "keys",
            [](const nb::handle& self) {
                const auto& keys = nb::cast<const Patterns&>(self).keys;
                return share(keys.data(), keys.size(), self);
            },
            "The key of each entry.")
        .def_prop_ro("sums", &pattern_sums, "Each sum: a number for each entry.");

    nb::class_<HeldCounts>(m, "PatternCounts")
        .def(nb::init<std::size_t, std::size_t, std::optional<std::size_t>>(), "n_columns"_a, "n_sums"_a,
             nb::kw_only(), "memory_limit"_a.none() = nb::none())
        .def(
            "add", &HeldCounts::add, "words"_a, "n_rows"_a, "keys"_a, "sums"_a,
            "Adds a block: columns of bits, 64 rows a word; rows of a negative key are left out. Each of the "
            "sums adds up a value a row; None: 1.")
        .def("merge", &HeldCounts::merge, "other"_a)
        .def_prop_ro("n_entries", &HeldCounts::n_entries)
        .def_prop_ro("n_bytes", &HeldCounts::n_bytes)
        .def("result", &HeldCounts::result,
             "The entries, in an order that does not depend on that of the blocks.");
}

}  // namespace splitsecond
