// DefaultAccounts ensures that every namespace has a ServiceAccount `default` from its creation to its deletion, which
// pods and clients rely on. It follows the store's events. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "apiserver/context/context.h"

namespace muster::apiserver {

class DefaultAccounts {
 public:
  explicit DefaultAccounts(Context& context) : context_(context) {}
  ~DefaultAccounts();
  DefaultAccounts(const DefaultAccounts&) = delete;
  DefaultAccounts& operator=(const DefaultAccounts&) = delete;

  void start();

 private:
  void follow(const std::string& resource, store::Store::OnEvent on_event);
  /// Does nothing when the account already exists or the namespace is being deleted.
  void make(const std::string& ns);

  Context& context_;
  std::vector<store::Store::Id> subscriptions_;
};

}  // namespace muster::apiserver
