#include "data/column_filter.hpp"

#include <algorithm>
#include <map>

namespace splitsecond {
namespace {

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

}  // namespace

std::vector<std::uint32_t> distinct_columns(const View& view, bool keep_equal) {
    return ColumnFilter(view).kept(keep_equal);
}

}  // namespace splitsecond
