#include "sets/numbering.hpp"

#include <algorithm>
#include <cstring>

namespace splitsecond {
namespace {

constexpr std::size_t kHead = 3;  // words of a table before its guide

}  // namespace

Graph::Numbering::Numbering(const Graph& graph) : digits_(graph.digits_) {
    std::size_t depth = 0, n_keys = 0;
    for (const GraphNode& node : graph.nodes) depth = std::max<std::size_t>(depth, node.level);
    scratch_.resize((depth + 3) * digits_);
    for (const Histogram& histogram : graph.histograms_) n_keys += histogram.keys.size();
    first_.reserve(graph.nodes.size());
    costs_.reserve(n_keys);
    for (const Histogram& histogram : graph.histograms_) {
        first_.push_back(costs_.size());
        for (const Key& key : histogram.keys) costs_.push_back(key.cost);
    }
    met_.resize(n_keys);
    tables_.resize(n_keys);
    std::vector<Digit> totals = graph.histograms_[graph.root].numbers;
    for (std::size_t i = digits_; i < totals.size(); i += digits_)
        add(totals.data() + i, totals.data() + i - digits_, digits_);
    root_keys_ = make_table(totals, digits_);
}

// Calls visit(part, trees of the yes-child's key, trees of the no-child's key) for all parts in their order,
// until it returns true.
template <class Visit>
void Graph::Numbering::walk(const Graph& graph, std::uint32_t id, std::uint32_t key_place,
                            Visit&& visit) const {
    const GraphNode& node = graph.nodes[id];
    const Key& key = graph.histograms_[id].keys[key_place];
    const auto key_of = [](const Histogram& histogram, std::size_t i) {
        return histogram.keys[i].leaves == 1 ? kLeaf : static_cast<std::uint32_t>(i);
    };
    for (std::size_t e = node.edge_begin; e < node.edge_end; ++e) {
        const GraphEdge& edge = graph.edges[e];
        const Histogram& yes = graph.histograms_[edge.yes];
        const Histogram& no = graph.histograms_[edge.no];
        const Cost* yes_costs = costs_.data() + first_[edge.yes];
        const Cost* no_costs = costs_.data() + first_[edge.no];
        if (yes.keys.empty()) continue;
        // Of the keys that go with yes.keys[i]: one walks up, one down.
        const Cost* last = std::upper_bound(no_costs, no_costs + no.keys.size(), key.cost - yes_costs[0]);
        auto end = static_cast<std::size_t>(last - no_costs);
        for (std::size_t i = 0; i < yes.keys.size() && end > 0; ++i) {
            const Cost rest = key.cost - yes_costs[i];
            while (end > 0 && no_costs[end - 1] > rest) --end;
            std::size_t begin = end;
            while (begin > 0 && no_costs[begin - 1] == rest) --begin;
            for (std::size_t j = begin; j < end; ++j) {
                if (yes.keys[i].leaves + no.keys[j].leaves != key.leaves ||
                    graph.is_trivial_split(edge, yes.keys[i], no.keys[j]) ||
                    !(graph.combine(node, yes.keys[i], no.keys[j]) == key))
                    continue;
                if (visit(Part{edge.feature, edge.yes, edge.no, key_of(yes, i), key_of(no, j)},
                          yes.numbers.data() + i * digits_, no.numbers.data() + j * digits_))
                    return;
            }
        }
    }
}

// The part that a rank falls into; the rank becomes its place there.
Graph::Numbering::Found Graph::Numbering::find(const Graph& graph, std::uint32_t id, std::uint32_t key,
                                               Digit* rank) {
    const std::size_t place = first_[id] + key;
    const std::size_t stride = 2 * digits_ + (sizeof(Part) + sizeof(Digit) - 1) / sizeof(Digit);
    if (!tables_[place]) {
        if (!met_[place]) {
            met_[place] = true;
            return count_off(graph, id, key, rank);
        }
        records_.clear();
        Digit* total = scratch_.data();
        std::fill_n(total, digits_, Digit{0});
        walk(graph, id, key, [&](const Part& part, const Digit* yes_trees, const Digit* no_trees) {
            multiply_add(total, yes_trees, no_trees, digits_);
            records_.resize(records_.size() + stride);
            Digit* record = records_.data() + records_.size() - stride;
            std::copy_n(total, digits_, record);
            std::copy_n(no_trees, digits_, record + digits_);
            std::memcpy(record + 2 * digits_, &part, sizeof part);
            return false;
        });
        tables_[place] = make_table(records_, stride);
    }
    const Digit* table = tables_[place].get();
    const Digit* record = table + kHead + table[2] + find_record(table, stride, rank) * stride;
    Found found{{}, record + digits_};
    std::memcpy(&found.part, record + 2 * digits_, sizeof found.part);
    return found;
}

// The same without a table.
Graph::Numbering::Found Graph::Numbering::count_off(const Graph& graph, std::uint32_t id, std::uint32_t key,
                                                    Digit* rank) {
    Found found{};
    Digit* trees = scratch_.data();
    walk(graph, id, key, [&](const Part& part, const Digit* yes_trees, const Digit* no_trees) {
        found = {part, no_trees};
        std::fill_n(trees, digits_, Digit{0});
        multiply_add(trees, yes_trees, no_trees, digits_);
        if (less(rank, trees, digits_)) return true;
        subtract(rank, trees, digits_);
        return false;
    });
    return found;
}

// With a guide of about as many entries as there are records, or none if those are few.
Graph::Numbering::Table Graph::Numbering::make_table(const std::vector<Digit>& records,
                                                     std::size_t stride) const {
    constexpr std::size_t kFew = 8;  // found as fast one after the other
    const std::size_t n = records.size() / stride;
    std::size_t shift = 0, n_guide = 0;
    if (n > kFew) {
        const Digit* last = records.data() + (n - 1) * stride;
        while (shifted(last, shift, digits_) >= n) ++shift;
        n_guide = shifted(last, shift, digits_) + 1;
    }
    auto table = std::make_unique_for_overwrite<Digit[]>(kHead + n_guide + records.size());
    table[0] = n;
    table[1] = shift;
    table[2] = n_guide;
    Digit* guide = table.get() + kHead;
    for (std::size_t i = 0, next = 0; i < n && n_guide > 0; ++i)
        for (const Digit top = shifted(records.data() + i * stride, shift, digits_); next <= top; ++next)
            guide[next] = i;
    std::copy(records.begin(), records.end(), guide + n_guide);
    return table;
}

// The first record whose total is above a rank; the rank becomes its place there. The number of records if
// there is none.
std::size_t Graph::Numbering::find_record(const Digit* table, std::size_t stride, Digit* rank) const {
    const std::size_t n = table[0], n_guide = table[2];
    const Digit* guide = table + kHead;
    const Digit* totals = guide + n_guide;
    std::size_t place = 0;
    if (n_guide > 0) {
        const Digit entry = shifted(rank, table[1], digits_);
        place = entry < n_guide ? guide[entry] : n;
    }
    while (place < n && !less(rank, totals + place * stride, digits_)) ++place;
    if (place > 0) subtract(rank, totals + (place - 1) * stride, digits_);
    return place;
}

// Writes the tree with this rank among those of a node and key. Behind `rank` there is room for deeper ones.
void Graph::Numbering::write(const Graph& graph, std::uint32_t id, std::uint32_t key, Digit* rank,
                             std::size_t begin, GraphTree& out) {
    const std::size_t place = out.feature.size();
    for (auto* list : {&out.feature, &out.left, &out.right}) list->push_back(-1);
    out.node.push_back(id);
    if (key == kLeaf) return;
    const auto [part, no_trees] = find(graph, id, key, rank);
    out.feature[place] = part.feature;
    Digit* yes_rank = rank + digits_;  // rank = yes_rank * trees of the no-child + no_rank
    if (part.no_key == kLeaf)
        std::copy_n(rank, digits_, yes_rank);
    else if (part.yes_key != kLeaf)
        divide(rank, no_trees, yes_rank, digits_);
    out.left[place] = static_cast<std::int32_t>(out.feature.size() - begin);
    write(graph, part.yes, part.yes_key, yes_rank, begin, out);
    out.right[place] = static_cast<std::int32_t>(out.feature.size() - begin);
    write(graph, part.no, part.no_key, rank, begin, out);
}

// The rank of the part of a tree that begins at `place`, among the trees of its node and key.
std::vector<Digit> Graph::Numbering::rank_of(const Graph& graph, const TreeShape& tree, const Path& path,
                                             std::size_t place) const {
    std::vector<Digit> rank(digits_, 0);
    if (tree.feature[place] < 0) return rank;
    const auto key_place = [&](std::size_t at) {
        if (tree.feature[at] < 0) return kLeaf;
        return static_cast<std::uint32_t>(graph.find(path.node[at], path.key[at]));
    };
    const auto left = static_cast<std::size_t>(tree.left[place]);
    const auto right = static_cast<std::size_t>(tree.right[place]);
    const Part own{tree.feature[place], path.node[left], path.node[right], key_place(left), key_place(right)};
    walk(graph, path.node[place], key_place(place),
         [&](const Part& part, const Digit* yes_trees, const Digit* no_trees) {
             if (part == own) {
                 multiply_add(rank.data(), rank_of(graph, tree, path, left).data(), no_trees, digits_);
                 return true;
             }
             multiply_add(rank.data(), yes_trees, no_trees, digits_);
             return false;
         });
    add(rank.data(), rank_of(graph, tree, path, right).data(), digits_);
    return rank;
}

std::vector<Digit> Graph::Numbering::number_of(const Graph& graph, const TreeShape& tree,
                                               const Path& path) const {
    std::vector<Digit> number = rank_of(graph, tree, path, 0);
    const Histogram& all = graph.histograms_[graph.root];
    const std::size_t end = graph.find(graph.root, path.key[0]) * digits_;
    for (std::size_t i = 0; i < end; i += digits_) add(number.data(), all.numbers.data() + i, digits_);
    return number;
}

bool Graph::Numbering::append_tree(const Graph& graph, const Digit* number, GraphTree& out) {
    Digit* rank = scratch_.data() + digits_;
    std::copy_n(number, digits_, rank);
    const std::vector<Key>& keys = graph.histograms_[graph.root].keys;
    const std::size_t key = find_record(root_keys_.get(), digits_, rank);
    if (key == keys.size()) return false;
    write(graph, graph.root, keys[key].leaves == 1 ? kLeaf : static_cast<std::uint32_t>(key), rank,
          out.feature.size(), out);
    return true;
}

}  // namespace splitsecond
