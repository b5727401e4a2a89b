// TreeFARMS's problem: every tree of a depth whose cost is at most bound(cost of the optimal tree).
//
// A split of a node is kept when the optimal trees of its children fit the node's budget together; each child is then
// asked for whatever the optimal tree of its sibling leaves of the budget (builder.hpp).
#pragma once

#include <memory>

namespace splitsecond {

class SetBuilder;
class Session;
struct SetOptions;

std::unique_ptr<SetBuilder> make_exact_builder(Session& session, const SetOptions& options);

}  // namespace splitsecond
