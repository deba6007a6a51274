#include "apiserver/access/principal.h"

#include <fmt/core.h>

namespace muster::apiserver {

using json::Array;
using json::Object;

std::string user_name(const Principal& principal) {
  switch (principal.kind) {
    case Principal::Kind::kStranger:
      return "system:anonymous";
    case Principal::Kind::kServiceAccount:
      return fmt::format("system:serviceaccount:{}:{}", principal.account.ns, principal.account.name);
    case Principal::Kind::kOwner:
      return "muster-admin";
  }
  return "";
}

Object user_info(const Principal& principal) {
  Object info{{"username", user_name(principal)}};
  const ServiceAccount& account = principal.account;
  switch (principal.kind) {
    case Principal::Kind::kStranger:
      info.append("groups", Array{"system:unauthenticated"});
      break;
    case Principal::Kind::kServiceAccount:
      info.append("uid", account.uid);
      info.append("groups",
                  Array{"system:serviceaccounts", "system:serviceaccounts:" + account.ns, "system:authenticated"});
      if (account.pod.empty()) break;
      info.append("extra", Object{{"authentication.kubernetes.io/pod-name", Array{account.pod}},
                                  {"authentication.kubernetes.io/pod-uid", Array{account.pod_uid}}});
      break;
    case Principal::Kind::kOwner:
      info.append("groups", Array{"system:masters", "system:authenticated"});
      break;
  }
  return info;
}

std::string account_name(const Principal& principal) {
  return principal.is_owner() ? "" : "namespace " + principal.account.ns;
}

}  // namespace muster::apiserver
