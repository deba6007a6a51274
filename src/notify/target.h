// Targets: who is told about jobs, and how.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"

namespace muster::notify {

/// What a target is told of.
enum class Occasion { kStart, kStall, kSuccess, kFailure };
inline constexpr Occasion kOccasions[] = {Occasion::kStart, Occasion::kStall, Occasion::kSuccess, Occasion::kFailure};
/// "start", "stall", "success", "failure": in the configuration and in the record of what was sent.
std::string_view word_of(Occasion occasion);
std::optional<Occasion> occasion_of(std::string_view word);

enum class Form { kJson, kSlack, kFeishu, kDingTalk };

/// Its URL often has a token in it, so it is never part of a message.
struct WebHook {
  Form form = Form::kJson;
  std::string url;
  std::string sign_secret = {};  // of Feishu and DingTalk; "": unsigned
};

struct Mail {
  std::vector<std::string> to;
  std::string from;
  std::string sendmail = "/usr/sbin/sendmail";  // sends it if there is no smtp_host
  std::string smtp_host = {};
  int smtp_port = 0;
  bool tls = false;       // from the first byte
  bool starttls = false;  // after the greeting
  std::string user = {};  // "": without a login
  std::string password = {};
};

/// Runs as the engine's user. It gets the notice as JSON on its standard input, and as variables.
struct Program {
  std::vector<std::string> command;
};

using Way = std::variant<WebHook, Mail, Program>;

struct Target {
  std::string name;
  Way way;
  std::set<Occasion> on = {std::begin(kOccasions), std::end(kOccasions)};
  bool all_jobs = false;     // not only those that name it
  Time since = Time::min();  // a target of all jobs is told nothing that happened before it existed
};

}  // namespace muster::notify
