// Chooses the kernels at run time, by what the processor says it can do.
#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

#if defined(SPLITSECOND_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace splitsecond {

extern const Kernels portable_kernels;

#if defined(SPLITSECOND_X86)
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;

namespace {

struct Processor {
    bool avx2 = false;
    bool avx512 = false;
};

#if defined(_MSC_VER)
Processor detect() {
    Processor found;
    int leaf[4];
    __cpuid(leaf, 0);
    if (leaf[0] < 7) return found;
    __cpuid(leaf, 1);
    const bool os_saves_vectors = (leaf[2] & (1 << 27)) != 0;
    if (!os_saves_vectors) return found;
    const unsigned long long saved = _xgetbv(0);
    __cpuidex(leaf, 7, 0);
    found.avx2 = (saved & 0x6) == 0x6 && (leaf[1] & (1 << 5)) != 0;
    const bool foundation = (leaf[1] & (1 << 8)) != 0 && (leaf[1] & (1 << 16)) != 0 &&
                            (leaf[1] & (1 << 17)) != 0 && (leaf[1] & (1 << 30)) != 0 &&
                            (leaf[1] & (1 << 31)) != 0;
    found.avx512 = found.avx2 && (saved & 0xe6) == 0xe6 && foundation && (leaf[2] & (1 << 14)) != 0;
    return found;
}
#else
Processor detect() {
    Processor found;
    __builtin_cpu_init();
    found.avx2 = __builtin_cpu_supports("avx2");
    found.avx512 = found.avx2 && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
    return found;
}
#endif

}  // namespace
#endif

std::vector<const Kernels*> available_kernels() {
    std::vector<const Kernels*> paths{&portable_kernels};
#if defined(SPLITSECOND_X86)
    const Processor processor = detect();
    if (processor.avx2) paths.push_back(&avx2_kernels);
    if (processor.avx512) paths.push_back(&avx512_kernels);
#endif
    return paths;
}

const Kernels& find_kernels(const char* name) {
    const std::vector<const Kernels*> paths = available_kernels();
    if (std::strcmp(name, "auto") == 0) return *paths.back();
    std::string known = "auto";
    for (const Kernels* path : paths) {
        if (std::strcmp(name, path->name) == 0) return *path;
        known += std::string(", ") + path->name;
    }
    throw std::invalid_argument("simd='" + std::string(name) +
                                "' is not one of those this processor can run: " + known + ".");
}

}  // namespace splitsecond
