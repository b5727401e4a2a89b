// A growable array whose memory is charged to the fit's budget before it is allocated.
//
// Invariant: aligned to a cache line; resize() does not keep or clear the contents, grow() keeps some.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "runtime/limits.hpp"

namespace splitsecond {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);
    static constexpr std::align_val_t kAlignment{64};

public:
    explicit Buffer(Limits& limits) : limits_(&limits) {}
    Buffer(Buffer&& other) noexcept
        : limits_(other.limits_),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(limits_, other.limits_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~Buffer() { free(); }

    void resize(std::size_t size) {
        if (size > capacity_) {
            free();
            limits_->charge(size * sizeof(T));
            try {
                data_ = static_cast<T*>(::operator new(size * sizeof(T), kAlignment));
            } catch (const std::bad_alloc&) {
                limits_->release(size * sizeof(T));
                limits_->out_of_memory();
                throw LimitReached{};
            }
            capacity_ = size;
        }
        size_ = size;
    }

    // Room for so many, of which the first `kept` keep their contents; at least twice as much as before where it grows.
    void grow(std::size_t size, std::size_t kept) {
        if (size <= capacity_) {
            size_ = size;
            return;
        }
        Buffer larger(*limits_);
        larger.resize(size < 2 * capacity_ ? 2 * capacity_ : size);
        larger.size_ = size;
        for (std::size_t i = 0; i < kept; ++i) larger.data_[i] = data_[i];
        *this = std::move(larger);
    }

    void fill(T value) {
        for (std::size_t i = 0; i < size_; ++i) data_[i] = value;
    }

    void free() {
        if (data_ == nullptr) return;
        ::operator delete(data_, kAlignment);
        limits_->release(capacity_ * sizeof(T));
        data_ = nullptr;
        size_ = capacity_ = 0;
    }

    Limits& limits() const { return *limits_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

private:
    Limits* limits_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace splitsecond
