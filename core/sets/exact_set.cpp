#include "sets/exact_set.hpp"

#include <algorithm>

#include "sets/builder.hpp"

namespace splitsecond {
namespace {

class ExactBuilder final : public SetBuilder {
public:
    using SetBuilder::SetBuilder;

private:
    void set_bound(Cost bound, Side& root) const override { root.budget = bound; }
    void set_bound(Cost bound, GraphNode& root) const override { root.budget = std::min(root.budget, bound); }
};

}  // namespace

std::unique_ptr<SetBuilder> make_exact_builder(Session& session, const SetOptions& options) {
    return std::make_unique<ExactBuilder>(session, options);
}

}  // namespace splitsecond
