// `notify` of the configuration: who is told about jobs, and how.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "notify/target.h"
#include "reflect/reflect.h"

namespace muster {

struct NotifyConfig {
  std::string name;
  std::string type;  // slack, feishu, dingtalk, webhook, mail, command
  std::vector<std::string> on;
  std::string jobs;  // "named" or "all"
  // A web hook
  std::string url;
  std::string url_file;
  std::string secret_file;
  // A mail
  std::vector<std::string> to;
  std::string from;
  std::string sendmail;  // a program; "" means the machine's
  std::string smtp;      // HOST:PORT; "" means by sendmail
  std::string security;  // "tls", "starttls" or "none"
  std::string user;
  std::string password_file;
  // A program
  std::vector<std::string> command;
};

/// Returns what is wrong with the entry as it is written, by key: {"url", "give one of url and urlFile"}.
std::vector<std::pair<std::string, std::string>> problems_of_notify(const NotifyConfig& config);

/// Reads the files that the entries name. Invalid, with all problems, when one cannot be used.
Result<std::vector<notify::Target>> notify_targets(const std::vector<NotifyConfig>& configs);

}  // namespace muster

namespace muster::reflect {

TypeDesc describe(Of<NotifyConfig>);

}  // namespace muster::reflect
