// The trees of a set that ask about the same variables in the same shape, and how many functions trees are.
#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "sets/graph.hpp"
#include "sets/hashing.hpp"

namespace splitsecond {

// Every new node is a node of this graph at a place of the shape; leaves are the same at all places.
bool Graph::of_shape(const TreeShape& shape, const std::vector<std::int32_t>& variable, Graph& out,
                     Limits& limits) const {
    constexpr std::uint32_t kLeaf = UINT32_MAX;
    struct Source {
        std::uint32_t node, place;
    };
    start_part(out);
    std::unordered_map<std::uint64_t, std::uint32_t> ids;
    std::vector<Source> sources;
    const auto id_of = [&](std::uint32_t node, std::int32_t at) {
        const bool is_leaf = shape.feature[static_cast<std::size_t>(at)] < 0;
        const std::uint32_t place = is_leaf ? kLeaf : static_cast<std::uint32_t>(at);
        const auto [known, is_new] =
            ids.try_emplace(std::uint64_t{node} << 32 | place, static_cast<std::uint32_t>(sources.size()));
        if (is_new) sources.push_back({node, place});
        return known->second;
    };
    out.root = id_of(root, 0);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (limits.stop()) return false;
        const auto [from, place] = sources[i];
        GraphNode node = nodes[from];
        node.leaf = node.leaf && place == kLeaf;
        node.edge_begin = out.edges.size();
        for (std::size_t e = nodes[from].edge_begin; place != kLeaf && e < nodes[from].edge_end; ++e) {
            if (variable[static_cast<std::size_t>(edges[e].feature)] != shape.feature[place]) continue;
            const std::uint32_t yes = id_of(edges[e].yes, shape.left[place]);
            out.edges.push_back({edges[e].feature, yes, id_of(edges[e].no, shape.right[place])});
        }
        node.edge_end = out.edges.size();
        copy_node(from, node, out);
    }
    return out.count(limits);
}

namespace {

using Words = std::vector<std::uint64_t>;

// What trees predict for rows, a bit for each row in each binary digit of what leaves say.
class Predictor {
public:
    Predictor(const Graph& graph, const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
              const std::vector<std::uint32_t>& says)
        : columns_(columns), says_(says), all_((n_rows + 63) / 64, ~std::uint64_t{0}) {
        if (says_.empty())
            for (const GraphNode& node : graph.nodes) says_.push_back(node.label);
        n_bits_ = static_cast<std::size_t>(std::bit_width(*std::max_element(says_.begin(), says_.end())));
        if (n_rows % 64 != 0) all_.back() = (std::uint64_t{1} << n_rows % 64) - 1;
    }

    void predict(const GraphTree& tree, Words& out) {
        const std::size_t n = all_.size();
        out.assign(n * n_bits_, 0);
        rows_.resize(n * tree.feature.size());
        std::copy(all_.begin(), all_.end(), rows_.begin());
        for (std::size_t i = 0; i < tree.feature.size(); ++i) {  // children come after their parent
            const std::uint64_t* rows = rows_.data() + i * n;
            if (tree.feature[i] < 0) {
                const std::uint32_t said = says_[tree.node[i]];
                for (std::size_t bit = 0; bit < n_bits_; ++bit)
                    for (std::size_t w = 0; (said >> bit & 1) != 0 && w < n; ++w) out[bit * n + w] |= rows[w];
                continue;
            }
            const std::uint64_t* yes = columns_[static_cast<std::size_t>(tree.feature[i])];
            std::uint64_t* left = rows_.data() + static_cast<std::size_t>(tree.left[i]) * n;
            std::uint64_t* right = rows_.data() + static_cast<std::size_t>(tree.right[i]) * n;
            for (std::size_t w = 0; w < n; ++w) {
                left[w] = rows[w] & yes[w];
                right[w] = rows[w] & ~yes[w];
            }
        }
    }

private:
    const std::vector<const std::uint64_t*>& columns_;
    std::vector<std::uint32_t> says_;  // by node of the graph
    Words all_;
    std::size_t n_bits_ = 0;
    Words rows_;  // at each node of the tree
};

}  // namespace

// Predictions are found by their hash and compared in full with those of the tree that was there first, which is made
// again: to keep the predictions of all would take too much memory.
Functions Graph::count_functions(const std::vector<const std::uint64_t*>& columns, std::size_t n_rows,
                                 const std::vector<std::uint32_t>& says, std::size_t max_trees,
                                 Limits& limits) {
    Functions found;
    Predictor predictor(*this, columns, n_rows, says);
    std::unordered_multimap<std::uint64_t, std::size_t> first;  // trees by what they predict
    const auto predict = [&](std::size_t number, Words& out) {
        std::vector<Digit> digits(digits_, 0);
        digits[0] = number;
        GraphTree tree;
        if (!append_tree(digits.data(), tree)) return false;
        predictor.predict(tree, out);
        return true;
    };
    Words own, other;
    for (; found.n_trees < max_trees && !limits.stop(); ++found.n_trees) {
        if (!predict(found.n_trees, own)) break;
        const std::uint64_t hash = hash_of(1, own.data(), own.size());
        const auto [begin, end] = first.equal_range(hash);
        const bool is_known = std::any_of(begin, end, [&](const auto& entry) {
            predict(entry.second, other);
            return own == other;
        });
        if (is_known) continue;
        first.emplace(hash, found.n_trees);
        ++found.n_functions;
    }
    return found;
}

}  // namespace splitsecond
