// CHECK is for broken invariants: always on, it aborts. Bad input or a failing environment is an Error, never a CHECK.
#pragma once

namespace muster {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace muster

#define CHECK(condition) ((condition) ? static_cast<void>(0) : ::muster::check_failed(#condition, __FILE__, __LINE__))
