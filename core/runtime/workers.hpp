// A few threads that share a loop.
//
// What:      run(n, body) calls body(index, worker) once for every index below n; worker 0 is the
//            calling thread. Indices are handed out in order. Which worker takes which index varies:
//            bodies must not let their result depend on it.
// Invariant: run() returns when every index is done. Not reentrant: a body runs serial code.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/limits.hpp"

namespace splitsecond {

// A lock where several threads share something; nothing otherwise.
inline std::unique_lock<std::mutex> lock_if(bool shared, std::mutex& mutex) {
    return shared ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

class Workers {
public:
    // Threads are started on the first run(), so that a small fit never pays for them.
    Workers(std::size_t count, Limits& limits) : count_(count < 1 ? 1 : count), limits_(limits) {}
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    std::size_t count() const { return count_; }
    void run(std::size_t n, const std::function<void(std::size_t index, std::size_t worker)>& body);

private:
    void start_threads();
    void serve(std::size_t worker, std::size_t served);
    void take_indices(std::size_t worker);

    const std::size_t count_;
    Limits& limits_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
    std::size_t n_ = 0;
    std::atomic<std::size_t> next_{0};
    std::size_t busy_ = 0;
    std::size_t round_ = 0;
    bool quit_ = false;
};

}  // namespace splitsecond
