// A shared loop: every index once, round after round, whatever the number of threads.
#include "runtime/workers.hpp"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "support/check.hpp"

namespace splitsecond {
namespace {

void test_every_index_once(std::size_t n_threads) {
    const check::Context context(n_threads, " threads");
    Limits limits;
    Workers workers(n_threads, limits);
    CHECK_EQ(workers.count(), n_threads == 0 ? 1 : n_threads);
    const std::thread::id caller = std::this_thread::get_id();
    for (std::size_t round = 0; round < 300; ++round) {
        const std::size_t n = round % 7 == 0 ? 0 : round % 50;
        std::vector<int> taken(n, 0);  // not atomic: what run() did must be visible after it
        std::vector<std::thread::id> owner(workers.count());
        workers.run(n, [&](std::size_t index, std::size_t worker) {
            CHECK_LT(worker, workers.count());
            if (worker == 0) CHECK(std::this_thread::get_id() == caller);
            owner[worker] = std::this_thread::get_id();  // one thread to a worker
            ++taken[index];
        });
        for (const int count : taken) CHECK_EQ(count, 1);
    }
}

// The calling thread has nothing left to do, but is still asked whether to stop.
void test_hears_an_interrupt() {
    std::atomic<bool> asked{false};
    Limits limits(Limits::kNoDeadline, Limits::kNoBudget, [&](const Limits&) {
        asked = true;
        return true;
    });
    Workers workers(2, limits);
    std::atomic<bool> waiting{false};
    workers.run(2, [&](std::size_t, std::size_t worker) {
        if (worker == 0) {  // until the other has an index too
            while (!waiting) std::this_thread::yield();
        } else {
            waiting = true;
            while (!limits.stopped()) std::this_thread::yield();
        }
    });
    CHECK(asked);
    CHECK(limits.reason() == Status::interrupted);
}

void test_unused() {
    Limits limits;
    const Workers workers(4, limits);  // no thread was started, none is to be joined
    CHECK_EQ(workers.count(), 4u);
}

}  // namespace
}  // namespace splitsecond

int main() {
    using namespace splitsecond;
    for (const std::size_t n_threads : {0, 1, 2, 4, 9}) test_every_index_once(n_threads);
    test_hears_an_interrupt();
    test_unused();
    return check::report();
}
