// One deadline, one memory budget and one way to cancel, for a whole fit.
//
// What:      long loops poll `stop()`; large buffers are charged to the budget before they exist.
// Invariant: once stopped, always stopped, for the first reason that occurred. Running out is not an
//            error: the search goes on to return its best tree and a true bound.
// Cost:      stop() reads the clock (some 25 ns): call it around a microsecond of work or more.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <new>
#include <thread>

namespace splitsecond {

enum class Status { complete, time_limit, memory_limit, interrupted };

// Thrown where there is nothing to go on with: by Buffer when the budget (or the machine's memory) is spent,
// and in the middle of gathering rows. Caught where a bound is known.
struct LimitReached {};

class Limits {
public:
    static constexpr double kNoDeadline = std::numeric_limits<double>::infinity();
    static constexpr std::size_t kNoBudget = std::numeric_limits<std::size_t>::max();

    // `interrupted` is called now and then, only on the thread that made this object; true stops the work.
    explicit Limits(double seconds = kNoDeadline, std::size_t bytes = kNoBudget,
                    std::function<bool(const Limits&)> interrupted = {});

    // Others of the same deadline, budget and way to cancel, of which nothing is used: for work that has to be
    // done when these have stopped.
    Limits again() const;
    // Moves the deadline to where this share of the time that is left ends. Not while other threads work.
    void keep_time(double share);

    bool stop();  // poll this in every long loop
    bool stopped() const { return reason_.load(std::memory_order_relaxed) != Status::complete; }
    Status reason() const { return reason_.load(); }

    // Whether there is a deadline or a budget.
    bool limited() const { return deadline_ != Clock::time_point::max() || budget_ != kNoBudget; }
    // Whether that much is left, for work that can be done without.
    bool has_room(std::size_t bytes) const {
        const std::size_t used = used_.load(std::memory_order_relaxed);
        return used <= budget_ && bytes <= budget_ - used;
    }
    void charge(std::size_t bytes);  // throws LimitReached
    void release(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::size_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
    bool holds_nothing() const { return used_bytes() == 0; }
    void out_of_memory() { stop_because(Status::memory_limit); }
    void interrupt() { stop_because(Status::interrupted); }

    // Does the work; false: a limit ended it. Catches LimitReached and bad_alloc, so that it is safe on worker threads.
    template <class Work>
    bool completes(const Work& work) {
        try {
            work();
            return true;
        } catch (const LimitReached&) {
        } catch (const std::bad_alloc&) {
            out_of_memory();
        }
        return false;
    }

    // How far the outermost loop has come, for progress shown by `interrupted`.
    void start_loop(std::size_t steps) { done_ = 0, steps_ = steps; }
    void step() { done_.fetch_add(1, std::memory_order_relaxed); }
    std::size_t done() const { return done_.load(std::memory_order_relaxed); }
    std::size_t steps() const { return steps_.load(std::memory_order_relaxed); }

    double seconds() const;  // since the start
    std::size_t peak_bytes() const { return peak_.load(); }

private:
    using Clock = std::chrono::steady_clock;

    struct Same {};
    Limits(const Limits& other, Same);

    void stop_because(Status reason);

    const Clock::time_point start_;
    Clock::time_point deadline_;
    Clock::time_point next_poll_;  // used by the owner alone
    const std::size_t budget_;
    const std::function<bool(const Limits&)> interrupted_;
    const std::thread::id owner_;
    std::atomic<Status> reason_{Status::complete};
    std::atomic<std::size_t> used_{0};
    std::atomic<std::size_t> peak_{0};
    std::atomic<std::size_t> done_{0};
    std::atomic<std::size_t> steps_{0};
};

}  // namespace splitsecond
