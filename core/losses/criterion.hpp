// What the greedy completion chooses its splits by; each loss names one, and kernels/criterion_body.hpp has its loop.
#pragma once

namespace splitsecond {

enum class Criterion {
    entropy,           // of the class weights
    weighted_entropy,  // of the class weights times what a class has at stake (LossType::stake)
    loss               // the loss itself, before it is rounded
};

}  // namespace splitsecond
