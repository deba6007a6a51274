#include "notify/forms.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/strings.h"
#include "net/http.h"

namespace muster::notify {

namespace {

using json::Object;

std::int64_t milliseconds(Time t) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count();
}

Error refused(std::string message) {
  return Error{.reason = Reason::kServiceUnavailable, .message = std::move(message)};
}

/// Chats have keyword filters, so every text begins with the program's name.
std::string chat_text(const Notice& notice) {
  return "muster: " + notice.text;
}

/// Feishu signs an empty text with the time and the secret as the key.
std::string feishu_body(const WebHook& hook, const Notice& notice, Time now) {
  Object body{{"msg_type", "text"}, {"content", Object{{"text", chat_text(notice)}}}};
  if (!hook.sign_secret.empty()) {
    const std::string timestamp = std::to_string(milliseconds(now) / 1000);
    body.append("timestamp", timestamp);
    body.append("sign", base64_encode(hmac_sha256(timestamp + "\n" + hook.sign_secret, "")));
  }
  return json::serialize(body);
}

/// DingTalk signs the time with the secret, and reads both from the query.
std::string dingtalk_url(const WebHook& hook, Time now) {
  if (hook.sign_secret.empty()) return hook.url;
  const std::string timestamp = std::to_string(milliseconds(now));
  const std::string sign = base64_encode(hmac_sha256(hook.sign_secret, timestamp + "\n" + hook.sign_secret));
  const char separator = hook.url.find('?') == std::string::npos ? '?' : '&';
  return fmt::format("{}{}timestamp={}&sign={}", hook.url, separator, timestamp, net::percent_encode(sign));
}

/// A header's value: one line. Others than ASCII are encoded (RFC 2047).
std::string header_value(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  const bool is_ascii = std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
  if (is_ascii && text.size() < 900) return text;
  // An encoded word has at most 75 characters; they are cut between characters of UTF-8.
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.size(), at + 45);
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    if (end == at) end = std::min(text.size(), at + 45);  // not UTF-8
    out += fmt::format("{}=?UTF-8?B?{}?=", out.empty() ? "" : "\r\n ", base64_encode(text.substr(at, end - at)));
    at = end;
  }
  return out;
}

/// Base64 in lines, so that no line of the text can be taken for a command or a header.
std::string encoded_lines(const std::string& text) {
  const std::string encoded = base64_encode(text);
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); at += 76) out += encoded.substr(at, 76) + "\r\n";
  return out;
}

}  // namespace

json::Document notice_object(const JobNews& job, const Notice& notice) {
  Object out{{"occasion", word_of(notice.occasion)},
             {"text", notice.text},
             {"namespace", job.ns},
             {"job", job.name},
             {"kind", job.kind},
             {"uid", job.uid},
             {"state", jobs::state_word(job.summary.state)}};
  if (!job.summary.cause.empty()) out.append("cause", job.summary.cause);
  if (!job.sweep.empty()) out.append("sweep", job.sweep);
  if (!job.values.empty()) out.append("values", job.values);
  if (job.summary.started) out.append("startTime", format_rfc3339(*job.summary.started));
  if (job.summary.ended) out.append("completionTime", format_rfc3339(*job.summary.ended));
  return out;
}

HookRequest request_for(const WebHook& hook, const JobNews& job, const Notice& notice, Time now) {
  switch (hook.form) {
    case Form::kSlack:
      return {.url = hook.url, .body = json::serialize(Object{{"text", chat_text(notice)}})};
    case Form::kFeishu:
      return {.url = hook.url, .body = feishu_body(hook, notice, now)};
    case Form::kDingTalk:
      return {.url = dingtalk_url(hook, now),
              .body = json::serialize(Object{{"msgtype", "text"}, {"text", Object{{"content", chat_text(notice)}}}})};
    case Form::kJson:
      break;
  }
  return {.url = hook.url, .body = json::serialize(notice_object(job, notice))};
}

Status check_answer(Form form, int status, const std::string& body) {
  if (status < 200 || status > 299) return refused(fmt::format("it answered with status {}", status));
  const char* code_key = form == Form::kDingTalk ? "errcode" : form == Form::kFeishu ? "code" : nullptr;
  if (code_key == nullptr) return ok();
  const auto answer = json::parse(body);
  const json::Document* code = answer && answer->is_object() ? answer->find(code_key) : nullptr;
  if (code == nullptr && form == Form::kFeishu && answer && answer->is_object()) code = answer->find("StatusCode");
  if (code == nullptr || !code->is_int()) return refused(fmt::format("its answer has no {}", code_key));
  if (code->as_int() == 0) return ok();
  return refused(fmt::format("it answered with {} {}: {}", code_key, code->as_int(),
                             answer->string_at(form == Form::kDingTalk ? "errmsg" : "msg")));
}

std::string mail_text(const Mail& mail, const JobNews& job, const Notice& notice, Time now) {
  std::string text = notice.text + "\n\n";
  text +=
      fmt::format("Job:   {}/{} ({})\nState: {}\n", job.ns, job.name, job.kind, jobs::state_word(job.summary.state));
  if (!job.summary.cause.empty()) text += fmt::format("Cause: {}\n", job.summary.cause);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return fmt::format(
      "From: {}\r\nTo: {}\r\nSubject: {}\r\nDate: {:%a, %d %b %Y %H:%M:%S} +0000\r\n"
      "Message-ID: <{}@muster>\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
      header_value(mail.from), header_value(join(mail.to, ", ")), header_value("muster: " + notice.text),
      fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), sha256_hex(job.uid + " " + notice.id).substr(0, 32),
      encoded_lines(text));
}

}  // namespace muster::notify
