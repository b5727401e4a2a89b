// What the greedy completion chooses its splits by; each loss names one, and kernels/loss_body.hpp has its loop.
#pragma once

namespace splitsecond {

enum class Criterion { entropy };

}  // namespace splitsecond
