// UniqueFunction is a callable that owns its captures and need not be copyable: completion callbacks and posted tasks.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace muster {

template <typename Signature>
class UniqueFunction;

template <typename R, typename... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  UniqueFunction(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)

  template <typename F>
  requires(!std::is_same_v<std::decay_t<F>, UniqueFunction> && std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
      UniqueFunction(F&& f)  // NOLINT(google-explicit-constructor)
      : target_(std::make_unique<Target<std::decay_t<F>>>(std::forward<F>(f))) {}

  explicit operator bool() const { return target_ != nullptr; }

  R operator()(Args... args) {
    CHECK(target_ != nullptr);
    return target_->call(std::forward<Args>(args)...);
  }

 private:
  struct Callable {
    virtual ~Callable() = default;
    virtual R call(Args... args) = 0;
  };
  template <typename F>
  struct Target final : Callable {
    explicit Target(F f) : function(std::move(f)) {}
    R call(Args... args) override { return function(std::forward<Args>(args)...); }
    F function;
  };

  std::unique_ptr<Callable> target_;
};

using Task = UniqueFunction<void()>;

}  // namespace muster
