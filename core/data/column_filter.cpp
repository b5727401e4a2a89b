#include "data/column_filter.hpp"

#include <algorithm>
#include <map>

namespace splitsecond {
namespace {

class ColumnFilter {
public:
    ColumnFilter(const View& view, Workers& workers) : view_(view), workers_(workers) {}

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

    static void mix(Word& hash, Word word) {
        const Word mixed = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash = mixed ^ (mixed >> 29);
    }

    // Of parts of the words, on all threads, and then of these hashes.
    std::vector<Word> hash() const {
        constexpr std::size_t kPart = 4096;
        const std::size_t n_words = view_.n_words(), stride = view_.stride;
        std::vector<Word> flips(stride);
        for (std::size_t j = 0; j < stride; ++j) flips[j] = flip(j);
        std::vector<std::vector<Word>> of_parts((n_words + kPart - 1) / kPart, std::vector<Word>(stride, 0));
        workers_.run(of_parts.size(), [&](std::size_t i, std::size_t) {
            Word* hashes = of_parts[i].data();
            const std::size_t end = std::min(n_words, (i + 1) * kPart);
            for (std::size_t w = i * kPart; w < end; ++w) {
                const Word present = view_.column(w, view_.ones());
                const Word* words = view_.data.data() + w * stride;
                for (std::size_t j = 0; j < stride; ++j) mix(hashes[j], words[j] ^ (flips[j] & present));
            }
        });
        for (std::size_t i = 1; i < of_parts.size(); ++i)
            for (std::size_t j = 0; j < stride; ++j) mix(of_parts[0][j], of_parts[i][j]);
        return std::move(of_parts[0]);
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
    Workers& workers_;
};

}  // namespace

std::vector<std::uint32_t> distinct_columns(const View& view, bool keep_equal, Workers& workers) {
    return ColumnFilter(view, workers).kept(keep_equal);
}

}  // namespace splitsecond
