// Calls a function with a value of a column's type.
#pragma once

#include <cassert>
#include <cstdint>

#include "data/table.hpp"

namespace splitsecond {

// Not for bits, which have no values to visit.
template <class Visit>
auto with_type(Type type, Visit visit) {
    switch (type) {
        case Type::u8: return visit(std::uint8_t{});
        case Type::i8: return visit(std::int8_t{});
        case Type::u16: return visit(std::uint16_t{});
        case Type::i16: return visit(std::int16_t{});
        case Type::u32: return visit(std::uint32_t{});
        case Type::i32: return visit(std::int32_t{});
        case Type::u64: return visit(std::uint64_t{});
        case Type::i64: return visit(std::int64_t{});
        case Type::f32: return visit(float{});
        case Type::f64: break;
        case Type::bits: assert(false);
    }
    return visit(double{});
}

}  // namespace splitsecond
