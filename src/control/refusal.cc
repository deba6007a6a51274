#include "control/refusal.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace muster::control {

namespace {

constexpr const char* kQuotaExceeded = "QuotaExceeded";
constexpr const char* kPodSecurity = "PodSecurityViolated";
constexpr const char* kWebhookDenied = "WebhookDenied";
constexpr const char* kWebhookFailed = "WebhookFailed";
constexpr const char* kMissingRight = "MissingRight";
constexpr const char* kNameTaken = "NameTaken";
constexpr const char* kCreateRefused = "CreateRefused";

/// Returns what follows the mark; nullopt when the text does not have it.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

std::string_view until(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

/// Admission plugins and webhooks have no code of their own, so their words tell what they refuse.
std::optional<Refusal> refusal_by_quota(const Error& error, const std::string& what, const std::string& ns) {
  const auto rest = after(error.message, "exceeded quota: ");
  if (!rest) return std::nullopt;
  const auto requested = after(*rest, "requested: ");
  const auto limited = after(*rest, "limited: ");
  return Refusal{kQuotaExceeded,
                 fmt::format("quota {} of namespace {} is full: {} requests {}, the limit is {}; delete what is no "
                             "longer needed there, or raise the quota",
                             until(*rest, ", requested: "), ns, what, until(requested.value_or("more"), ", used: "),
                             limited.value_or("lower"))};
}

std::optional<Refusal> refusal_by_pod_security(const Error& error, const std::string& what, const std::string& ns) {
  const auto rest = after(error.message, "violates PodSecurity ");
  if (!rest) return std::nullopt;
  return Refusal{kPodSecurity, fmt::format("{} violates Pod Security {}; set this in the pod template, or change the "
                                           "label pod-security.kubernetes.io/enforce of namespace {}",
                                           what, *rest, ns)};
}

std::optional<Refusal> refusal_by_webhook(const Error& error, const std::string& what) {
  if (const auto denied = after(error.message, "admission webhook \"")) {
    const std::string_view name = until(*denied, "\"");
    const auto why = after(*denied, "denied the request");
    if (why) {
      const std::string said = why->starts_with(": ") ? std::string(why->substr(2)) : "it gives no reason";
      return Refusal{kWebhookDenied,
                     fmt::format("admission webhook {} denies {}: {}; change the job accordingly, or ask who runs the "
                                 "webhook",
                                 name, what, said)};
    }
  }
  const auto failed = after(error.message, "failed calling webhook \"");
  if (!failed) return std::nullopt;
  // What stands between has ports and times in it.
  const auto last = failed->rfind(": ");
  const std::string_view why = last == std::string_view::npos ? "it does not answer" : failed->substr(last + 2);
  return Refusal{kWebhookFailed,
                 fmt::format("the API server cannot ask admission webhook {} about {}: {}; start the webhook again, or "
                             "delete its configuration: kubectl get "
                             "validatingwebhookconfigurations,mutatingwebhookconfigurations",
                             until(*failed, "\""), what, why)};
}

std::optional<Refusal> refusal_by_rights(const Error& error, const std::string& what, const std::string& ns) {
  const auto right = after(error.message, " cannot ");
  const auto user = after(error.message, "User \"");
  if (error.reason != Reason::kForbidden || !right || !user) return std::nullopt;
  return Refusal{kMissingRight,
                 fmt::format("Muster may not create {}: user {} cannot {}; bind the role of Muster's operator to that "
                             "user in namespace {}",
                             what, until(*user, "\""), until(*right, " in the namespace"), ns)};
}

bool concerns_the_user(Reason reason) {
  return reason == Reason::kInvalid || reason == Reason::kForbidden || reason == Reason::kBadRequest ||
         reason == Reason::kRequestEntityTooLarge;
}

}  // namespace

bool says_namespace_terminates(const Error& error) {
  return error.reason == Reason::kForbidden && std::ranges::any_of(error.causes, [](const FieldCause& cause) {
           return cause.reason == kNamespaceTerminating;
         });
}

std::optional<Refusal> refusal_of(const Error& error, const std::string& what, const std::string& ns) {
  if (says_namespace_terminates(error)) {
    return Refusal{kNamespaceTerminating,
                   fmt::format("namespace {} is being deleted, so {} cannot be created; create the job in another "
                               "namespace",
                               ns, what)};
  }
  if (error.reason == Reason::kAlreadyExists) return Refusal{kNameTaken, error.message};
  if (auto webhook = refusal_by_webhook(error, what)) return webhook;
  if (!concerns_the_user(error.reason)) return std::nullopt;
  if (auto quota = refusal_by_quota(error, what, ns)) return quota;
  if (auto security = refusal_by_pod_security(error, what, ns)) return security;
  if (auto rights = refusal_by_rights(error, what, ns)) return rights;
  return Refusal{kCreateRefused,
                 fmt::format("the API server refuses {}: {}; change the job accordingly", what, error.message)};
}

bool is_refusal(std::string_view reason) {
  static constexpr std::array<std::string_view, 8> kReasons = {kQuotaExceeded, kPodSecurity,         kWebhookDenied,
                                                               kWebhookFailed, kMissingRight,        kNameTaken,
                                                               kCreateRefused, kNamespaceTerminating};
  return std::ranges::find(kReasons, reason) != kReasons.end();
}

}  // namespace muster::control
