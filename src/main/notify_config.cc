#include "main/notify_config.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/files.h"
#include "base/strings.h"
#include "notify/secret_target.h"
#include "reflect/describe.h"

namespace muster::reflect {

TypeDesc describe(Of<NotifyConfig>) {
  return object<NotifyConfig>(
      "Notify", "A target that is told about jobs.",
      field<&NotifyConfig::name>("name", "Name of the target, for `muster run --notify NAME`.").required(),
      field<&NotifyConfig::type>("type", "How it is told.")
          .one_of({"slack", "feishu", "dingtalk", "webhook", "mail", "command"})
          .required(),
      field<&NotifyConfig::on>("on", "What it is told of: start, stall, success, failure; all by default."),
      field<&NotifyConfig::jobs>("jobs", "Whether it is told about the jobs that name it, or about all.")
          .one_of({"named", "all"})
          .default_value("named"),
      field<&NotifyConfig::url>("url", "URL of the web hook."),
      field<&NotifyConfig::url_file>("urlFile", "File with the URL of the web hook."),
      field<&NotifyConfig::secret_file>("secretFile", "File with the secret that signs what DingTalk and Feishu get."),
      field<&NotifyConfig::to>("to", "Addresses that get the mail."),
      field<&NotifyConfig::from>("from", "Address of the sender."),
      field<&NotifyConfig::sendmail>("sendmail", "Program that sends the mail; by default /usr/sbin/sendmail."),
      field<&NotifyConfig::smtp>("smtp", "HOST:PORT of the mail server; by default the program sendmail."),
      field<&NotifyConfig::security>("security", "How the connection to the mail server is encrypted.")
          .one_of({"tls", "starttls", "none"})
          .default_value("tls"),
      field<&NotifyConfig::user>("user", "Name for the login at the mail server."),
      field<&NotifyConfig::password_file>("passwordFile", "File with the password for the login."),
      field<&NotifyConfig::command>("command", "Program with its arguments; it gets the notice as JSON on its input."));
}

}  // namespace muster::reflect

namespace muster {
namespace {

using Problems = std::vector<std::pair<std::string, std::string>>;

bool is_mail(const NotifyConfig& config) {
  return config.type == "mail";
}

bool is_program(const NotifyConfig& config) {
  return config.type == "command";
}

bool is_hook(const NotifyConfig& config) {
  return !is_mail(config) && !is_program(config);
}

void check_keys(const NotifyConfig& config, Problems& problems) {
  const auto belongs = [&](bool is_given, const char* key, bool fits, const char* where) {
    if (is_given && !fits) problems.emplace_back(key, fmt::format("belongs to {}, got type {}", where, config.type));
  };
  constexpr const char* kHooks = "web hooks";
  constexpr const char* kMails = "type mail";
  belongs(!config.url.empty(), "url", is_hook(config), kHooks);
  belongs(!config.url_file.empty(), "urlFile", is_hook(config), kHooks);
  belongs(!config.secret_file.empty(), "secretFile", config.type == "dingtalk" || config.type == "feishu",
          "dingtalk and feishu");
  belongs(!config.to.empty(), "to", is_mail(config), kMails);
  belongs(!config.from.empty(), "from", is_mail(config), kMails);
  belongs(!config.sendmail.empty(), "sendmail", is_mail(config), kMails);
  belongs(!config.smtp.empty(), "smtp", is_mail(config), kMails);
  belongs(!config.user.empty(), "user", is_mail(config), kMails);
  belongs(!config.password_file.empty(), "passwordFile", is_mail(config), kMails);
  belongs(!config.command.empty(), "command", is_program(config), "type command");
}

bool is_mail_address(const std::string& text) {
  const std::size_t at = text.find('@');
  const bool has_parts = at != std::string::npos && at > 0 && at + 1 < text.size();
  return has_parts && text[0] != '-' &&
         std::ranges::none_of(text, [](unsigned char c) { return c <= 0x20 || c == '<' || c == '>' || c == ','; });
}

/// Returns host and port; nullopt when the text is something else.
std::optional<std::pair<std::string, int>> host_and_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const auto port = parse_int(text.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return std::nullopt;
  return std::pair(text.substr(0, colon), static_cast<int>(*port));
}

void check_mail(const NotifyConfig& config, Problems& problems) {
  if (config.to.empty()) problems.emplace_back("to", "name who gets the mail, such as [me@example.org]");
  for (const std::string& address : config.to) {
    if (!is_mail_address(address)) problems.emplace_back("to", "must be addresses, got " + quote(address));
  }
  if (!is_mail_address(config.from)) {
    problems.emplace_back("from",
                          fmt::format("must be an address such as muster@example.org, got {}", quote(config.from)));
  }
  if (!config.sendmail.empty() && !config.sendmail.starts_with('/')) {
    problems.emplace_back("sendmail",
                          fmt::format("must be a whole path such as /usr/bin/msmtp, got {}", quote(config.sendmail)));
  }
  if (!config.sendmail.empty() && !config.smtp.empty()) {
    problems.emplace_back("sendmail", "give one of sendmail and smtp");
  }
  if (!config.smtp.empty() && !host_and_port(config.smtp)) {
    problems.emplace_back("smtp",
                          fmt::format("must be HOST:PORT such as mail.example.org:465, got {}", quote(config.smtp)));
  }
  if (config.user.empty() != config.password_file.empty()) {
    problems.emplace_back("user", "give user and passwordFile together");
  }
  if (!config.user.empty() && config.security == "none") {
    problems.emplace_back("security", "must be tls or starttls, because the password would be readable on its way");
  }
}

void check_hook(const NotifyConfig& config, Problems& problems) {
  if (config.url.empty() == config.url_file.empty()) problems.emplace_back("url", "give one of url and urlFile");
  if (config.url.empty()) return;
  if (const std::string problem = notify::url_problem(config.url); !problem.empty()) {
    problems.emplace_back("url", problem);
  }
}

Result<std::string> first_line(const std::string& file, const char* key) {
  auto text = read_file(file);
  if (!text) return in_context(key, std::move(text).error());
  std::string line(trim(std::string_view(*text).substr(0, text->find('\n'))));
  if (!line.empty()) return line;
  return Error{.reason = Reason::kInvalid, .message = fmt::format("{}: {} is empty", key, quote(file))};
}

Result<notify::Way> hook_of(const NotifyConfig& config) {
  static const std::vector<std::pair<std::string, notify::Form>> kForms = {{"slack", notify::Form::kSlack},
                                                                           {"feishu", notify::Form::kFeishu},
                                                                           {"dingtalk", notify::Form::kDingTalk},
                                                                           {"webhook", notify::Form::kJson}};
  const auto form = std::ranges::find(kForms, config.type, &std::pair<std::string, notify::Form>::first);
  notify::WebHook hook{.form = form->second, .url = config.url};
  if (!config.url_file.empty()) {
    TRY_ASSIGN(hook.url, first_line(config.url_file, "urlFile"));
    if (const std::string problem = notify::url_problem(hook.url); !problem.empty()) {
      return Error{.reason = Reason::kInvalid,
                   .message = fmt::format("urlFile: the first line of {} {}", quote(config.url_file), problem)};
    }
  }
  if (!config.secret_file.empty()) {
    TRY_ASSIGN(hook.sign_secret, first_line(config.secret_file, "secretFile"));
  }
  return notify::Way(std::move(hook));
}

Result<notify::Way> mail_of(const NotifyConfig& config) {
  notify::Mail mail{.to = config.to, .from = config.from};
  if (!config.sendmail.empty()) mail.sendmail = config.sendmail;
  if (const auto server = host_and_port(config.smtp)) {
    mail.smtp_host = server->first;
    mail.smtp_port = server->second;
    mail.tls = config.security == "tls";
    mail.starttls = config.security == "starttls";
  }
  mail.user = config.user;
  if (!config.password_file.empty()) {
    TRY_ASSIGN(mail.password, first_line(config.password_file, "passwordFile"));
  }
  return notify::Way(std::move(mail));
}

Result<notify::Way> way_of(const NotifyConfig& config) {
  if (is_mail(config)) return mail_of(config);
  if (is_program(config)) return notify::Way(notify::Program{.command = config.command});
  return hook_of(config);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> problems_of_notify(const NotifyConfig& config) {
  constexpr std::size_t kLongestName = 50;  // it is part of the name of an annotation
  Problems problems;
  if (!is_dns_label(config.name) || config.name.size() > kLongestName) {
    problems.emplace_back(
        "name", fmt::format("must be at most {} of a-z, 0-9 and '-', got {}", kLongestName, quote(config.name)));
  }
  for (const std::string& word : config.on) {
    if (notify::occasion_of(word)) continue;
    problems.emplace_back("on", fmt::format("must be start, stall, success or failure, got {}", quote(word)));
  }
  check_keys(config, problems);
  if (is_hook(config)) check_hook(config, problems);
  if (is_mail(config)) check_mail(config, problems);
  if (is_program(config) && config.command.empty()) {
    problems.emplace_back("command", "name a program, such as [/home/me/bin/tell]");
  }
  return problems;
}

Result<std::vector<notify::Target>> notify_targets(const std::vector<NotifyConfig>& configs) {
  std::vector<notify::Target> targets;
  std::vector<std::string> problems;
  for (const NotifyConfig& config : configs) {
    auto way = way_of(config);
    if (!way) {
      problems.push_back(fmt::format("notify[{}]: {}", config.name, way.error().message));
      continue;
    }
    notify::Target target{.name = config.name, .way = *std::move(way)};
    target.all_jobs = config.jobs == "all";
    if (!config.on.empty()) target.on.clear();
    for (const std::string& word : config.on) target.on.insert(*notify::occasion_of(word));
    targets.push_back(std::move(target));
  }
  if (problems.empty()) return targets;
  return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
}

}  // namespace muster
