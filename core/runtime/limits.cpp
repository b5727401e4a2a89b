#include "runtime/limits.hpp"

#include <algorithm>
#include <utility>

namespace splitsecond {
namespace {

// How often `interrupted` is polled; it may need the interpreter's lock.
constexpr auto kPollInterval = std::chrono::milliseconds(20);

}  // namespace

Limits::Limits(double seconds, std::size_t bytes, std::function<bool(const Limits&)> interrupted)
    : start_(Clock::now()),
      deadline_(Clock::time_point::max()),
      next_poll_(start_ + kPollInterval),
      budget_(bytes),
      interrupted_(std::move(interrupted)),
      owner_(std::this_thread::get_id()) {
    constexpr double kCentury = 3e9;  // beyond it the clock's integers would overflow
    seconds = std::max(seconds, 0.0);
    if (seconds < kCentury)
        deadline_ =
            start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Limits::Limits(const Limits& other, Same)
    : start_(other.start_),
      deadline_(other.deadline_),
      next_poll_(Clock::now() + kPollInterval),
      budget_(other.budget_),
      interrupted_(other.interrupted_),
      owner_(std::this_thread::get_id()) {}

Limits Limits::again() const { return Limits(*this, Same{}); }

void Limits::keep_time(double share) {
    if (deadline_ == Clock::time_point::max()) return;
    const Clock::time_point now = Clock::now();
    deadline_ =
        std::min(deadline_, now + std::chrono::duration_cast<Clock::duration>(share * (deadline_ - now)));
}

bool Limits::stop() {
    if (stopped()) return true;
    const Clock::time_point now = Clock::now();
    if (now >= deadline_) stop_because(Status::time_limit);
    if (interrupted_ && std::this_thread::get_id() == owner_ && now >= next_poll_) {
        next_poll_ = now + kPollInterval;
        if (interrupted_(*this)) stop_because(Status::interrupted);
    }
    return stopped();
}

void Limits::charge(std::size_t bytes) {
    const std::size_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (used > budget_) {
        release(bytes);
        out_of_memory();
        throw LimitReached{};
    }
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (used > peak && !peak_.compare_exchange_weak(peak, used)) {
    }
}

double Limits::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Limits::stop_because(Status reason) {
    Status expected = Status::complete;
    reason_.compare_exchange_strong(expected, reason);
}

}  // namespace splitsecond
