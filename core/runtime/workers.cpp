#include "runtime/workers.hpp"

#include <chrono>
#include <system_error>

namespace splitsecond {

Workers::~Workers() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body) {
    if (count_ == 1 || n < 2) {
        for (std::size_t i = 0; i < n; ++i) body(i, 0);
        return;
    }
    start_threads();
    {
        const std::lock_guard lock(mutex_);
        body_ = &body;
        n_ = n;
        next_ = 0;
        busy_ = threads_.size();
        ++round_;
    }
    changed_.notify_all();
    take_indices(0);
    // Only this thread polls for interrupts: it must go on polling while the others finish.
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(10), [this] { return busy_ == 0; })) {
        lock.unlock();
        limits_.stop();
        lock.lock();
    }
}

void Workers::start_threads() {
    try {
        while (threads_.size() + 1 < count_)
            threads_.emplace_back(&Workers::serve, this, threads_.size() + 1, round_);
    } catch (const std::system_error&) {
        // The system grants no more threads: those there are do the work.
    }
}

void Workers::serve(std::size_t worker, std::size_t served) {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return quit_ || round_ != served; });
            if (quit_) return;
            served = round_;
        }
        take_indices(worker);
        {
            const std::lock_guard lock(mutex_);
            --busy_;
        }
        changed_.notify_all();
    }
}

void Workers::take_indices(std::size_t worker) {
    for (std::size_t i = next_.fetch_add(1); i < n_; i = next_.fetch_add(1)) (*body_)(i, worker);
}

}  // namespace splitsecond
