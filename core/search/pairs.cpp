#include "search/pairs.hpp"

namespace splitsecond {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;  // data that stays in the second-level cache meanwhile

}  // namespace

void PairMatrix::reshape(std::size_t n_channels, std::size_t n_rows, std::size_t stride) {
    n_channels_ = n_channels;
    n_rows_ = n_rows;
    stride_ = stride;
    counts_.resize(n_channels_ * class_step());
}

template <class Visit>
bool PairMatrix::for_rows(const Problem& problem, std::size_t n_rows, const Visit& visit) const {
    for (std::size_t c = 0; c < n_channels_; ++c) {
        if (is_large() && problem.limits.stop()) return false;
        for (std::size_t i = 0; i < n_rows; ++i) visit(c, i);
    }
    return true;
}

bool PairMatrix::count(const Problem& problem, const View& view) {
    if (problem.limits.stop()) return false;
    reshape(view.n_channels(), view.n_features + 1, view.stride);
    const std::size_t tiled = (n_rows_ + kLanes - 1) / kLanes * kLanes;  // as the kernel goes over them
    const auto clear = [&](std::size_t c, std::size_t i) {
        std::fill(row_of(c, i) + begin_of(i), row_of(c, i) + stride_, 0);
    };
    if (!for_rows(problem, tiled, clear)) return false;
    const std::size_t block = std::max<std::size_t>(1, kBlockBytes / (stride_ * sizeof(Word)));
    const auto add = [&](std::size_t channel, const std::vector<Stretch>& stretches) {
        for (std::size_t row = 0; row < n_rows_; row += 64) {
            if (is_large() && problem.limits.stop()) return false;
            problem.kernels().pair_counts(stretches.data(), stretches.size(), stride_, row,
                                          std::min(n_rows_, row + 64),
                                          counts_.data() + channel * class_step());
        }
        return true;
    };
    std::vector<Stretch> stretches;  // of one channel, a block in all
    std::size_t room = block;
    for (std::size_t r = 0; r < view.runs.size(); ++r) {
        const Run& run = view.runs[r];
        for (std::size_t begin = run.begin; begin < run.end;) {
            const std::size_t n = std::min(room, run.end - begin);
            stretches.push_back({view.data.data() + begin * stride_, n, run.weight});
            begin += n;
            room -= n;
            const bool last =
                begin == run.end && (r + 1 == view.runs.size() || view.runs[r + 1].channel != run.channel);
            if (room > 0 && !last) continue;
            if (!add(run.channel, stretches)) return false;
            stretches.clear();
            room = block;
        }
    }
    return true;
}

bool PairMatrix::subtract(const Problem& problem, const PairMatrix& parent, const PairMatrix& sibling) {
    reshape(parent.n_channels_, parent.n_rows_, parent.stride_);
    return for_rows(problem, n_rows_, [&](std::size_t c, std::size_t i) {
        const std::size_t begin = begin_of(i);
        problem.kernels().subtract(parent.row(c, i) + begin, sibling.row(c, i) + begin, stride_ - begin,
                                   row_of(c, i) + begin);
    });
}

bool PairMatrix::subtract(const Problem& problem, const PairMatrix& parent, const PairMatrix& sibling,
                          const std::vector<std::uint32_t>& columns) {
    reshape(parent.n_channels_, sibling.n_rows_, sibling.stride_);
    return for_rows(problem, n_rows_, [&](std::size_t c, std::size_t i) {
        const Count* all = parent.row(c, columns[i]);
        const Count* part = sibling.row(c, i);
        Count* rest = row_of(c, i);
        std::fill(rest + begin_of(i), rest + i, 0);  // read in whole vectors when subtracted in turn
        for (std::size_t j = i; j < columns.size(); ++j) rest[j] = all[columns[j]] - part[j];
        std::fill(rest + columns.size(), rest + stride_, 0);
    });
}

void PairMatrix::counts_of(std::size_t i, Count* out) const {
    for (std::size_t c = 0; c < n_channels_; ++c) {
        for (std::size_t j = 0; j < i; ++j) out[c * stride_ + j] = row(c, j)[i];
        std::copy(row(c, i) + i, row(c, i) + stride_, out + c * stride_ + i);
    }
}

FeatureCounts StumpScan::run_leaves(const Problem& problem, const View& layout, const Count* counts) {
    with.resize(layout.n_features);
    leaf_yes.resize(layout.n_features);
    leaf_no.resize(layout.n_features);
    const FeatureCounts singles = totals.counts_of(problem, layout, counts);
    problem.loss_kernels().leaf_losses(problem.objective, singles, with.data(), leaf_yes.data(),
                                       leaf_no.data());
    return singles;
}

void StumpScan::run(const Problem& problem, const View& layout, const Count* counts,
                    const PairMatrix& pairs) {
    const FeatureCounts singles = run_leaves(problem, layout, counts);
    scratch.resize(stump_scratch(layout.n_features));
    yes = leaf_yes;  // to begin with
    no = leaf_no;
    problem.loss_kernels().best_stumps(
        problem.objective, {singles, pairs.row(0, 0), pairs.class_step(), pairs.row_step(), scratch.data()},
        with.data(), yes.data(), no.data());
}

Bounds solve_two_levels(const Problem& problem, const View& layout, const Count* counts,
                        const PairMatrix& pairs, StumpScan& scan) {
    scan.run(problem, layout, counts, pairs);
    const Admissible admissible(problem, layout, counts);
    Cost best = leaf_cost(problem, layout, counts);
    std::int32_t feature = -1;
    for (std::size_t f = 0; f < layout.n_features; ++f) {
        if (!admissible(f, scan.with[f])) continue;  // with lambda = 0 a split of nothing could tie with one
        const Cost yes = std::min(problem.cost(scan.leaf_yes[f], 1), problem.cost(scan.yes[f], 2));
        const Cost no = std::min(problem.cost(scan.leaf_no[f], 1), problem.cost(scan.no[f], 2));
        if (yes + no < best) {
            best = yes + no;
            feature = static_cast<std::int32_t>(layout.features[f]);
        }
    }
    return {best, best, feature};
}

Bounds solve_one_level(const Problem& problem, const View& layout, const Count* counts) {
    Cost cost;
    const std::ptrdiff_t best = best_split(problem, layout, counts, cost);
    if (best < 0) return {cost, cost, -1};
    return {cost, cost, static_cast<std::int32_t>(layout.features[static_cast<std::size_t>(best)])};
}

}  // namespace splitsecond
