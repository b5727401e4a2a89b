#include "data/equal_rows.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "data/row_groups.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlock = RowGroups::kRows;  // of a word

// Calls visit with the number of every row there is.
template <class Visit>
void for_rows(const View& view, const Visit& visit) {
    for (std::size_t w = 0; w < view.n_words(); ++w)
        for (Word left = view.column(w, view.ones()); left != 0; left &= left - 1)
            visit(w * kBlock + static_cast<std::size_t>(std::countr_zero(left)));
}

// The groups of equal features that a view's rows are in.
class ViewGroups {
public:
    ViewGroups(const View& view, Limits& limits) : view_(view), limits_(limits), group_(limits) {}

    // At most, for all that is done here and in by_group().
    std::size_t bytes() const {
        const std::size_t n_rows = view_.n_words() * kBlock;
        return RowGroups::max_bytes(view_.n_features, n_rows) + 2 * n_rows * sizeof(std::uint32_t);
    }

    // False when stopped.
    bool find(const Kernels& kernels) {
        RowGroups groups(kernels, view_.n_features, view_.n_words() * kBlock, limits_);
        group_.resize(view_.n_words() * kBlock);
        for (std::size_t w = 0; w < view_.n_words(); ++w) {
            if (w % 64 == 0 && limits_.stop()) return false;
            const int n =
                std::popcount(view_.column(w, view_.ones()));  // they fill the word from its low end
            groups.add(view_.data.data() + w * view_.stride, static_cast<std::size_t>(n),
                       group_.data() + w * kBlock);
        }
        n_groups_ = groups.size();
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
    const View& view_;
    Limits& limits_;
    Buffer<std::uint32_t> group_;  // of each row
    std::size_t n_groups_ = 0;
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
    ViewGroups groups(view, limits);
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
