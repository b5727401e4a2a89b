#include "data/equal_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = 64;  // rows of a word
constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
constexpr std::size_t kFirstSlots = 64;

// Calls visit with the number of every row there is.
template <class Visit>
void for_rows(const View& view, const Visit& visit) {
    for (std::size_t w = 0; w < view.n_words(); ++w)
        for (Word left = view.column(w, view.ones()); left != 0; left &= left - 1)
            visit(w * kBlock + static_cast<std::size_t>(std::countr_zero(left)));
}

// Rows of a view in groups of equal features: an open-addressing table of each group's first row, compared whole.
class RowGroups {
public:
    RowGroups(const View& view, Limits& limits)
        : view_(view),
          limits_(limits),
          chunks_((view.n_features + kBlock - 1) / kBlock),
          features_(limits),
          first_rows_(limits),
          group_(limits) {}

    // At most, for all that is done here and in by_group().
    std::size_t bytes() const {
        const std::size_t n_rows = view_.n_words() * kBlock;
        const std::size_t slots = std::max(kFirstSlots, std::bit_ceil(2 * n_rows + 2));
        return n_rows * std::max<std::size_t>(chunks_, 1) * sizeof(Word) +
               (n_rows + slots + slots / 2) * sizeof(std::uint32_t);
    }

    // False when stopped.
    bool find(const Kernels& kernels) {
        if (!transpose(kernels)) return false;
        first_rows_.resize(kFirstSlots);
        first_rows_.fill(kEmpty);
        group_.resize(view_.n_words() * kBlock);
        for (std::size_t w = 0; w < view_.n_words(); ++w) {
            if (w % 64 == 0 && limits_.stop()) return false;
            for (Word left = view_.column(w, view_.ones()); left != 0; left &= left - 1)
                if (!add(w * kBlock + static_cast<std::size_t>(std::countr_zero(left)))) return false;
        }
        features_.free();
        first_rows_.free();
        return true;
    }

    // Rows by group (a counting sort): those of group g are rows[end[g - 1]] .. rows[end[g] - 1].
    void by_group(Buffer<std::uint32_t>& end, Buffer<std::uint32_t>& rows) const {
        end.resize(n_groups_ + 1);
        end.fill(0);
        rows.resize(group_.size());
        for_rows(view_, [&](std::size_t r) { ++end[group_[r] + 1]; });
        for (std::size_t g = 0; g < n_groups_; ++g) end[g + 1] += end[g];
        for_rows(view_, [&](std::size_t r) { rows[end[group_[r]]++] = static_cast<std::uint32_t>(r); });
    }

    std::size_t n_groups() const { return n_groups_; }

private:
    // Row r's features, chunk by chunk, at features_[r * chunks_]: the transpose of the packed columns.
    bool transpose(const Kernels& kernels) {
        features_.resize(view_.n_words() * kBlock * std::max<std::size_t>(chunks_, 1));
        features_.fill(0);
        for (std::size_t w = 0; w < view_.n_words(); ++w) {
            if (w % 64 == 0 && limits_.stop()) return false;
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                Word block[kBlock] = {};
                const std::size_t width = std::min(kBlock, view_.n_features - chunk * kBlock);
                std::copy_n(view_.data.data() + w * view_.stride + chunk * kBlock, width, block);
                kernels.transpose(block);
                for (std::size_t r = 0; r < kBlock; ++r)
                    features_[(w * kBlock + r) * chunks_ + chunk] = block[r];
            }
        }
        return true;
    }

    // The slot of the first row that is equal to r, or an empty one.
    std::uint32_t& slot_of(std::size_t r) {
        const Word* row = features_.data() + r * chunks_;
        Word hash = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            hash = (hash ^ row[chunk]) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 32;
        }
        const std::size_t mask = first_rows_.size() - 1;
        std::size_t slot = hash & mask;
        while (first_rows_[slot] != kEmpty &&
               !std::equal(row, row + chunks_, features_.data() + first_rows_[slot] * chunks_))
            slot = (slot + 1) & mask;
        return first_rows_[slot];
    }

    bool add(std::size_t r) {
        std::uint32_t& first = slot_of(r);
        if (first != kEmpty) {
            group_[r] = group_[first];
            return true;
        }
        first = static_cast<std::uint32_t>(r);
        group_[r] = n_groups_++;
        return 2 * n_groups_ < first_rows_.size() || grow();
    }

    bool grow() {
        if (limits_.stop()) return false;
        Buffer<std::uint32_t> smaller(limits_);
        std::swap(smaller, first_rows_);
        first_rows_.resize(2 * smaller.size());
        first_rows_.fill(kEmpty);
        for (std::size_t i = 0; i < smaller.size(); ++i)
            if (smaller[i] != kEmpty) slot_of(smaller[i]) = smaller[i];
        return true;
    }

    const View& view_;
    Limits& limits_;
    const std::size_t chunks_;
    Buffer<Word> features_;
    Buffer<std::uint32_t> first_rows_;
    Buffer<std::uint32_t> group_;  // of each row
    std::uint32_t n_groups_ = 0;
};

// What is best for a group, given the classes that are in it: there may be thousands of others.
template <class LossType>
std::size_t best_label(const LossType& loss, const std::vector<Count>& weight,
                       const std::vector<std::size_t>& classes) {
    if constexpr (LossType::says_class)
        return classes[loss.prediction(classes.size(), [&](std::size_t i) { return weight[classes[i]]; })];
    else
        return loss.prediction(weight.size(), [&](std::size_t c) { return weight[c]; });
}

}  // namespace

void mark_unavoidable(const Kernels& kernels, const Objective& objective, View& view, Limits& limits) {
    RowGroups groups(view, limits);
    if (!limits.has_room(groups.bytes()) || !groups.find(kernels)) return;
    Buffer<std::uint32_t> end(limits), rows(limits);
    groups.by_group(end, rows);
    if (limits.stop()) return;

    std::vector<const Run*> run_of(view.n_words());
    for (const Run& run : view.runs)
        std::fill(run_of.begin() + static_cast<std::ptrdiff_t>(run.begin),
                  run_of.begin() + static_cast<std::ptrdiff_t>(run.end), &run);
    std::vector<Count> weight(view.n_classes, 0);
    std::vector<std::size_t> classes;  // of a group
    objective.with_loss([&](const auto& loss) {
        for (std::size_t g = 0; g < groups.n_groups(); ++g) {
            const std::uint32_t* first = rows.data() + (g == 0 ? 0 : end[g - 1]);
            const std::uint32_t* last = rows.data() + end[g];
            classes.clear();
            for (const std::uint32_t* r = first; r != last; ++r) {
                const Run& run = *run_of[*r / kBlock];
                if (run.channel == view.n_classes) continue;  // counted with its class
                if (weight[run.channel] == 0) classes.push_back(run.channel);
                weight[run.channel] += run.weight;
            }
            const std::size_t predicted = best_label(loss, weight, classes);
            for (const std::size_t cls : classes) weight[cls] = 0;
            for (const std::uint32_t* r = first; r != last; ++r) {
                const std::size_t channel = run_of[*r / kBlock]->channel;
                if (channel < view.n_classes && loss.is_unavoidable(channel, predicted))
                    view.data[*r / kBlock * view.stride + view.unavoidable()] |= Word{1} << *r % kBlock;
            }
        }
    });
}

}  // namespace splitsecond
