// What a web hook is sent, and whether its answer means that it took it. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "notify/notices.h"

namespace muster::notify {

/// What programs get: {"occasion": "failure", "text": …, "job": …, …}.
json::Document notice_object(const JobNews& job, const Notice& notice);

struct HookRequest {
  std::string url;  // signed for DingTalk
  std::string body;
};
HookRequest request_for(const WebHook& hook, const JobNews& job, const Notice& notice, Time now);

/// The services of chats report failures in a body with status 200. The message has no URL in it.
Status check_answer(Form form, int status, const std::string& body);

/// The mail with its headers, as sendmail and SMTP take it. Control characters cannot add a header or a line.
std::string mail_text(const Mail& mail, const JobNews& job, const Notice& notice, Time now);

}  // namespace muster::notify
