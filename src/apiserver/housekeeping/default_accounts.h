// DefaultAccounts: every namespace has a ServiceAccount `default`, from its creation to its end, as pods and clients
// take for granted. Follows the store; loop thread only.
#pragma once

#include <string>
#include <vector>

#include "apiserver/context.h"

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
  /// Nothing to do when it is there already, or when the namespace is about to go.
  void make(const std::string& ns);

  Context& context_;
  std::vector<store::Store::Id> subscriptions_;
};

}  // namespace muster::apiserver
