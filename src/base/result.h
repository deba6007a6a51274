// Result<T> is a value or an Error. Its names are those of std::expected, so that a later swap is an alias.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace muster {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return checked_value(state_); }
  const T& operator*() const& { return checked_value(state_); }
  T&& operator*() && { return std::move(checked_value(state_)); }
  T* operator->() { return &checked_value(state_); }
  const T* operator->() const { return &checked_value(state_); }

  const Error& error() const& { return checked_error(state_); }
  Error&& error() && { return std::move(checked_error(state_)); }

  T value_or(T fallback) const& { return has_value() ? **this : std::move(fallback); }

 private:
  template <typename State>
  static auto& checked_value(State& state) {
    CHECK(state.index() == 0);
    return std::get<0>(state);
  }
  template <typename State>
  static auto& checked_error(State& state) {
    CHECK(state.index() == 1);
    return std::get<1>(state);
  }

  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;

inline Status ok() {
  return std::monostate{};
}

}  // namespace muster

#define MUSTER_CONCAT_(a, b) a##b
#define MUSTER_CONCAT(a, b) MUSTER_CONCAT_(a, b)
#define MUSTER_TRY_ASSIGN_(tmp, lhs, expression)       \
  auto tmp = (expression);                             \
  if (!tmp.has_value()) return std::move(tmp).error(); \
  lhs = *std::move(tmp)

/// TRY_ASSIGN(auto pod, client.get(…)) assigns the value, or returns the error from the calling function.
#define TRY_ASSIGN(lhs, expression) MUSTER_TRY_ASSIGN_(MUSTER_CONCAT(try_result_, __LINE__), lhs, expression)
/// TRY(mount(…)) continues on success, or returns the error from the calling function.
#define TRY(expression)                                                                                \
  do {                                                                                                 \
    if (auto try_status = (expression); !try_status.has_value()) return std::move(try_status).error(); \
  } while (false)
