#include "search/tree.hpp"

#include <algorithm>

namespace splitsecond {

std::size_t Tree::add_leaf(const Count* class_counts, std::size_t step) {
    feature.push_back(-1);
    left.push_back(-1);
    right.push_back(-1);
    for (std::size_t c = 0; c < n_classes; ++c) counts.push_back(class_counts[c * step]);
    return size() - 1;
}

std::int32_t Tree::append(const Tree& other) {
    const auto offset = static_cast<std::int32_t>(size());
    for (std::size_t node = 0; node < other.size(); ++node) {
        feature.push_back(other.feature[node]);
        left.push_back(other.left[node] < 0 ? -1 : other.left[node] + offset);
        right.push_back(other.right[node] < 0 ? -1 : other.right[node] + offset);
    }
    counts.insert(counts.end(), other.counts.begin(), other.counts.end());
    return offset;
}

void Tree::truncate(std::size_t size) {
    feature.resize(size);
    left.resize(size);
    right.resize(size);
    counts.resize(size * n_classes);
}

void Tree::make_leaf(std::size_t node) {
    truncate(node + 1);
    feature[node] = left[node] = right[node] = -1;
}

Cost Tree::leaves() const { return std::count(feature.begin(), feature.end(), -1); }

Cost Tree::loss(const Objective& objective) const {
    Cost sum = 0;
    for (std::size_t node = 0; node < size(); ++node)
        if (feature[node] < 0)
            sum += objective.leaf_loss(n_classes, [&](std::size_t c) { return counts_of(node)[c]; });
    return sum;
}

std::uint32_t Tree::label_of(std::size_t node, const Objective& objective) const {
    return objective.prediction(n_classes, [&](std::size_t c) { return counts_of(node)[c]; });
}

std::size_t Tree::depth() const {
    std::vector<std::size_t> below(size(), 0);  // children come after their parent
    for (std::size_t node = size(); node-- > 0;)
        if (feature[node] >= 0)
            below[node] = 1 + std::max(below[static_cast<std::size_t>(left[node])],
                                       below[static_cast<std::size_t>(right[node])]);
    return size() == 0 ? 0 : below[0];
}

namespace {

std::int32_t copy(const Tree& from, std::size_t node, const Objective& objective, Tree& to) {
    const std::size_t at = to.add_leaf(from.counts_of(node), 1);
    if (from.feature[node] < 0) return static_cast<std::int32_t>(at);
    const std::int32_t left = copy(from, static_cast<std::size_t>(from.left[node]), objective, to);
    const std::int32_t right = copy(from, static_cast<std::size_t>(from.right[node]), objective, to);
    const auto yes = static_cast<std::size_t>(left), no = static_cast<std::size_t>(right);
    to.feature[at] = from.feature[node];
    to.left[at] = left;
    to.right[at] = right;
    if (to.feature[yes] < 0 && to.feature[no] < 0 &&
        objective.is_trivial(to.n_classes, to.counts_of(yes), to.counts_of(no), to.label_of(yes, objective),
                             to.label_of(no, objective)))
        to.make_leaf(at);
    return static_cast<std::int32_t>(at);
}

}  // namespace

Tree without_trivial_splits(const Tree& tree, const Objective& objective) {
    Tree rest(tree.n_classes);
    copy(tree, 0, objective, rest);
    return rest;
}

}  // namespace splitsecond
