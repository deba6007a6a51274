// Who sends a request, as authentication finds it. What each may do is in access/authorize.h.
#pragma once

#include <string>
#include <utility>

#include "json/document.h"

namespace muster::apiserver {

struct ServiceAccount {
  std::string ns;
  std::string name;
  std::string uid;
  std::string pod;  // "" when the token is not bound to a pod
  std::string pod_uid;
};

struct Principal {
  enum class Kind {
    kStranger,        // shows no credentials
    kServiceAccount,  // acts for a pod, or for a program that was given a token
    kOwner,           // the user whose engine this is, and the engine itself
  };
  Kind kind = Kind::kStranger;
  ServiceAccount account = {};  // empty for the others

  bool is_owner() const { return kind == Kind::kOwner; }
};
inline Principal owner() {
  return {.kind = Principal::Kind::kOwner};
}
inline Principal service_account(ServiceAccount account) {
  return {.kind = Principal::Kind::kServiceAccount, .account = std::move(account)};
}

/// "muster-admin", "system:serviceaccount:NS:NAME", "system:anonymous".
std::string user_name(const Principal& principal);
/// Whose share of the engine a principal uses: the owner's, or that of a namespace, whose accounts make more accounts.
std::string account_name(const Principal& principal);
/// The UserInfo of authentication.k8s.io/v1.
json::Object user_info(const Principal& principal);

}  // namespace muster::apiserver
