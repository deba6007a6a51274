#include "notify/secret_target.h"

#include <fmt/core.h>

#include "api/muster/notify_names.h"
#include "base/strings.h"
#include "notify/url.h"

namespace muster::notify {

namespace {

Error unusable(const std::string& name, std::string_view why) {
  return Error{.reason = Reason::kInvalid, .message = fmt::format("{}: {}", name, why)};
}

std::string value_of(const json::Document& secret, const char* key) {
  return std::string(trim(base64_decode(secret.string_at("data", key)).value_or("")));
}

bool is_of(const std::string& host, const std::string& domain) {
  return host == domain || host.ends_with("." + domain);
}

}  // namespace

Result<Target> target_of_secret(const std::string& name, const json::Document& secret) {
  if (secret.string_at("type") != api::kNotifySecretType) {
    return unusable(name, fmt::format("the Secret must have type {}", api::kNotifySecretType));
  }
  const std::string url = value_of(secret, "url");
  if (const std::string problem = url_problem(url); !problem.empty()) return unusable(name, "url: " + problem);
  WebHook hook{.form = form_of_url(url), .url = url, .sign_secret = value_of(secret, "signSecret")};
  return Target{.name = name, .way = std::move(hook)};
}

Form form_of_url(const std::string& url) {
  const auto parsed = parse_url(url);
  const std::string host = parsed ? parsed->host : "";
  if (is_of(host, "slack.com")) return Form::kSlack;
  if (is_of(host, "feishu.cn") || is_of(host, "larksuite.com")) return Form::kFeishu;
  if (is_of(host, "dingtalk.com")) return Form::kDingTalk;
  return Form::kJson;
}

std::string url_problem(const std::string& url) {
  return parse_url(url) ? "" : "must be a URL such as https://hooks.example.com/path";
}

}  // namespace muster::notify
