#include "search/open_split.hpp"

#include <algorithm>

namespace splitsecond {

// ---- nodes ----------------------------------------------------------------------------------------

bool Node::count_pairs(const Problem& problem, Statistics& statistics) {
    if (!has_pairs) {
        ++statistics.pair_matrices;
        has_pairs = pairs.count(problem, view());
    }
    return has_pairs;
}

namespace {

void count_elsewhere(const Node& node, const Paths& paths, Count* counts) {
    if (!node.counter->count(paths, counts)) throw LimitReached{};
}

}  // namespace

void count_root(const Problem& problem, Node& root, LevelCounter* counter) {
    root.counts.resize(root.view().n_counts());
    std::uint32_t n_literals = 0;
    for (const std::uint32_t feature : root.view().features)
        n_literals = std::max(n_literals, 2 * feature + 2);
    root.literals.assign((n_literals + 63) / 64, 0);
    if (root.counter != nullptr) return count_elsewhere(root, {1, 0, nullptr}, root.counts.data());
    if (counter != nullptr && counter->count({1, 0, nullptr}, root.counts.data())) return;
    Buffer<Word> all(problem.limits), none(problem.limits);
    all.resize(root.view().n_words());
    none.resize(root.view().n_words());
    split_rows(problem.kernels(), root.view(), nullptr, root.view().ones(), all.data(), none.data(),
               root.counts.data());
}

// ---- counts, rows and literals of the children ----------------------------------------------------

OpenSplit::OpenSplit(const Problem& problem, Statistics& statistics)
    : problem_(problem),
      statistics_(statistics),
      child_{Child(problem.limits), Child(problem.limits)},
      node_(problem.limits) {}

void OpenSplit::open(const Node& node, std::size_t f) {
    parent_ = &node;
    feature_ = f;
    const std::size_t n_counts = view().n_counts();
    for (Child& child : child_) {
        child.counts.resize(n_counts);
        child.has_mask = child.has_literals = child.has_pairs = false;
    }
    Count* yes = child_[0].counts.data();
    if (node.has_pairs) {
        node.pairs.counts_of(f, yes);
    } else if (node.counter != nullptr) {
        const auto has = static_cast<std::int32_t>(2 * f + 1);
        count_elsewhere(node, {1, 1, &has}, yes);
    } else {
        for (Child& child : child_) {
            child.mask.resize(view().n_words());
            child.has_mask = true;
        }
        split_rows(problem_.kernels(), view(), node.rows, f, child_[0].mask.data(), child_[1].mask.data(),
                   yes);
    }
    Count* no = child_[1].counts.data();
    for (std::size_t i = 0; i < n_counts; ++i) no[i] = node.counts[i] - yes[i];
}

void OpenSplit::open_on(const Node& node, std::int32_t feature) { open(node, node.view().place_of(feature)); }

const Word* OpenSplit::rows(int side) {
    Child& child = child_[side];
    if (!child.has_mask) {
        child.mask.resize(view().n_words());
        select_rows(view(), parent_->rows, feature_, side == 0, child.mask.data());
        child.has_mask = true;
    }
    return child.mask.data();
}

const std::vector<Word>& OpenSplit::literals(int side) {
    Child& child = child_[side];
    if (!child.has_literals) {
        child.literals = parent_->literals;
        add_literals(problem_.kernels(), view(), child.counts.data(), child.literals);
        child.has_literals = true;
    }
    return child.literals;
}

// ---- pair counts ----------------------------------------------------------------------------------

bool OpenSplit::count_pairs(int side) {
    Child& child = child_[side];
    if (child.has_pairs) return true;
    ++statistics_.pair_matrices;
    // They are for two levels of splits alone.
    gather_rows(problem_.kernels(), view(), rows(side), child.gathered,
                problem_.objective.offset_cancels() ? kOffsetChannel : kNoChannel);
    return child.has_pairs = child.pairs.count(problem_, child.gathered);
}

const PairMatrix* OpenSplit::pairs(int side) {
    Child& child = child_[side];
    const int other = 1 - side;
    const bool subtract =
        problem_.speed.subtract_siblings && parent_->has_pairs && weight(side) > weight(other);
    if (!count_pairs(subtract ? other : side)) return nullptr;
    if (subtract) {
        ++statistics_.pair_matrices;
        child.has_pairs = child.pairs.subtract(problem_, parent_->pairs, child_[other].pairs);
    }
    return child.has_pairs ? &child.pairs : nullptr;
}

// ---- children as nodes ----------------------------------------------------------------------------

Node* OpenSplit::enter(int side, bool with_pairs, bool wide) {
    Child& child = child_[side];
    rows(side);
    node_.literals = literals(side);
    node_.has_pairs = with_pairs;
    statistics_.pair_matrices += with_pairs;
    // What a lighter sibling leaves of their parent's pairs is cheaper than a count. Gathering the sibling takes a
    // pass over the parent's rows: with half of them it would not pay.
    const bool from_sibling =
        with_pairs && problem_.speed.subtract_siblings && parent_->has_pairs &&
        3 * weight(1 - side) <= weight_at(view(), parent_->counts.data(), view().ones());
    if (from_sibling && wide) return subtract_wide(side, node_) ? &node_ : nullptr;
    node_.wider = nullptr;
    node_.rows = nullptr;
    const std::vector<std::uint32_t> columns =
        gather_node(problem_.kernels(), view(), rows(side), child.counts.data(), node_.own, node_.counts);
    if (!with_pairs) return &node_;
    const bool counted =
        from_sibling ? subtract(side, columns, node_) : node_.pairs.count(problem_, node_.own);
    return counted ? &node_ : nullptr;
}

// The rows stay where they are, and so do all columns.
bool OpenSplit::subtract_wide(int side, Node& node) {
    Child& sibling = child_[1 - side];
    sibling.has_pairs = false;  // those that follow are of this node
    node.wider = &view();
    node.rows = rows(side);
    node.counts.resize(view().n_counts());
    std::copy_n(counts(side), node.counts.size(), node.counts.data());
    gather_rows(problem_.kernels(), view(), rows(1 - side), sibling.gathered);
    return sibling.pairs.count(problem_, sibling.gathered) &&
           node.pairs.subtract(problem_, parent_->pairs, sibling.pairs);
}

// The rows are gathered, in the columns that are not constant on them.
bool OpenSplit::subtract(int side, const std::vector<std::uint32_t>& columns, Node& node) {
    Child& sibling = child_[1 - side];
    sibling.has_pairs = false;  // those that follow are of this node
    gather(problem_.kernels(), view(), rows(1 - side), columns, sibling.gathered);
    return sibling.pairs.count(problem_, sibling.gathered) &&
           node.pairs.subtract(problem_, parent_->pairs, sibling.pairs, columns);
}

void OpenSplit::take(int side, Node& out) {
    if (parent_->counter != nullptr) {
        const auto literal = static_cast<std::int32_t>(2 * feature_ + (side == 0 ? 1 : 0));
        const auto columns = shape_node(view(), counts(side), out.own, out.counts);
        out.counter = parent_->counter->below({literal}, columns);
    } else {
        gather_node(problem_.kernels(), view(), rows(side), counts(side), out.own, out.counts);
    }
    out.literals = literals(side);
    out.has_pairs = false;
}

}  // namespace splitsecond
