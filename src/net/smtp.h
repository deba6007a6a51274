// Sends one mail to a server by SMTP (RFC 5321), plain, over TLS, or with STARTTLS.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"
#include "net/event_loop.h"

namespace muster::net {

struct SmtpMail {
  std::string host;
  int port = 25;
  bool tls = false;         // from the first byte
  bool starttls = false;    // after the greeting; the mail is not sent without
  std::string ca_pem = {};  // "": the system's authorities
  std::string user = {};    // "": without a login
  std::string password = {};
  std::string from;
  std::vector<std::string> to;
  std::string text;  // headers and body, in lines that end in CRLF
};

/// Destroying it ends the session; `done` is not called then.
class SmtpSession {
 public:
  virtual ~SmtpSession() = default;
};

/// Calls `done` once, never inline: ok when the server has taken the mail for all recipients. It has no time limit. The
/// messages of errors name the server and have no password in them.
std::unique_ptr<SmtpSession> send_by_smtp(EventLoop& loop, SmtpMail mail, UniqueFunction<void(Status)> done);

}  // namespace muster::net
