// What every test is made of: checks that report file, line and values, and count what failed.
//
// Example:
//     int main() {
//         const check::Context context("seed ", 7);     // printed with every failure in its scope
//         CHECK(list.empty());
//         CHECK_EQ(list.size(), 0u);
//         CHECK_THROWS(list.at(0), std::out_of_range);
//         return check::report();                       // 1 if anything failed
//     }
#pragma once

#include <atomic>
#include <cstddef>
#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace check {

inline std::atomic<int>& failures() {
    static std::atomic<int> count{0};
    return count;
}

inline std::vector<std::string>& contexts() {
    static thread_local std::vector<std::string> stack;
    return stack;
}

template <class T>
void print(std::ostream& out, const T& value) {
    if constexpr (std::is_enum_v<T>) {
        out << static_cast<long long>(value);
    } else if constexpr (requires { out << value; }) {
        out << value;
    } else if constexpr (requires { value.begin(); }) {
        out << '[';
        for (const auto& element : value) {
            print(out, element);
            out << ' ';
        }
        out << ']';
    } else {
        out << "(no text)";
    }
}

// Says where the checks of a scope are: which seed, which path, which options.
class Context {
public:
    template <class... Parts>
    explicit Context(const Parts&... parts) {
        std::ostringstream text;
        text.precision(17);
        (print(text, parts), ...);
        contexts().push_back(text.str());
    }
    ~Context() { contexts().pop_back(); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

inline void fail(const char* file, int line, const std::string& what) {
    constexpr int kMostReports = 20;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (++failures() > kMostReports) return;
    std::cerr << file << ':' << line << ": " << what << '\n';
    for (const std::string& context : contexts()) std::cerr << "    in " << context << '\n';
}

template <class A, class B>
void fail_values(const char* file, int line, const char* what, const A& a, const B& b) {
    std::ostringstream text;
    text.precision(17);
    text << what << " does not hold: ";
    print(text, a);
    text << " against ";
    print(text, b);
    fail(file, line, text.str());
}

// The exit status of the test.
inline int report() {
    if (failures() == 0) return 0;
    std::cerr << failures() << " checks failed\n";
    return 1;
}

}  // namespace check

#define CHECK(condition)                                               \
    do {                                                               \
        if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_COMPARED(a, op, b)                                                         \
    do {                                                                                 \
        const auto& check_a = (a);                                                       \
        const auto& check_b = (b);                                                       \
        if (!(check_a op check_b))                                                       \
            check::fail_values(__FILE__, __LINE__, #a " " #op " " #b, check_a, check_b); \
    } while (false)

#define CHECK_EQ(a, b) CHECK_COMPARED(a, ==, b)
#define CHECK_LE(a, b) CHECK_COMPARED(a, <=, b)
#define CHECK_LT(a, b) CHECK_COMPARED(a, <, b)

#define CHECK_THROWS(expression, Exception)                                                            \
    do {                                                                                               \
        bool check_thrown = false;                                                                     \
        try {                                                                                          \
            (void)(expression);                                                                        \
        } catch (const Exception&) {                                                                   \
            check_thrown = true;                                                                       \
        }                                                                                              \
        if (!check_thrown) check::fail(__FILE__, __LINE__, #expression " does not throw " #Exception); \
    } while (false)
