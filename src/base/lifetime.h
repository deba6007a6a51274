// Lifetime: the last member of an object that starts requests, posts tasks or sets timers. A callback that `guard` has
// wrapped does nothing once the object is gone, so it may use `this`.
#pragma once

#include <memory>
#include <utility>

namespace muster {

class Lifetime {
 public:
  /// Tells whether the object is gone, also after its end.
  class Watch {
   public:
    bool over() const { return !*alive_; }

   private:
    friend class Lifetime;
    explicit Watch(std::shared_ptr<const bool> alive) : alive_(std::move(alive)) {}
    std::shared_ptr<const bool> alive_;
  };

  Lifetime() = default;
  ~Lifetime() { end(); }
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  /// For an object whose callbacks must stop before its members are destroyed.
  void end() { *alive_ = false; }
  Watch watch() const { return Watch(alive_); }
  template <typename Callback>
  auto guard(Callback callback) const {
    return [alive = watch(), callback = std::move(callback)](auto&&... args) mutable {
      if (!alive.over()) callback(std::forward<decltype(args)>(args)...);
    };
  }

 private:
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
