// A mail server that a thread plays, because its steps are blocking and readable that way.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "base/fd.h"
#include "net/event_loop.h"
#include "net/smtp.h"

namespace muster::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Says each reply in turn, after one line of the client; "" ends the connection.
class MailServer {
 public:
  explicit MailServer(std::vector<std::string> replies) : replies_(std::move(replies)) {
    listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    socklen_t length = sizeof address;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  int port() const { return port_; }
  /// The lines that the client sent, once it has gone.
  std::vector<std::string> heard() {
    thread_.join();
    return heard_;
  }

 private:
  void serve() {
    const Fd client(::accept(listener_.get(), nullptr, nullptr));
    for (const std::string& reply : replies_) {
      if (reply.empty()) return;
      const std::string text = reply + "\r\n";
      if (::write(client.get(), text.data(), text.size()) < 0) return;
      std::optional<std::string> line;
      do {
        line = read_line(client.get());
        if (line) heard_.push_back(*line);
      } while (is_data_ && line && *line != ".");
      is_data_ = line == "DATA";
    }
  }

  /// nullopt at the end of the connection.
  static std::optional<std::string> read_line(int fd) {
    std::string line;
    char c = 0;
    while (::read(fd, &c, 1) == 1) {
      if (c == '\n') {
        if (line.ends_with('\r')) line.pop_back();
        return line;
      }
      line += c;
    }
    return std::nullopt;
  }

  std::vector<std::string> replies_;
  Fd listener_;
  int port_ = 0;
  bool is_data_ = false;
  std::vector<std::string> heard_;
  std::jthread thread_;
};

SmtpMail letter(int port) {
  return {.host = "127.0.0.1",
          .port = port,
          .from = "muster@example.org",
          .to = {"a@example.org", "b@example.org"},
          .text = "Subject: x\r\n\r\n.hidden\r\n"};
}

std::string outcome(SmtpMail mail) {
  EventLoop loop;
  std::optional<Status> end;
  const auto session = send_by_smtp(loop, std::move(mail), [&](Status status) { end = std::move(status); });
  loop.run_until([&] { return end.has_value(); });
  return *end ? "sent" : end->error().message;
}

TEST(Smtp, SaysOneCommandAfterTheOtherAndNoLineEndsTheMailEarly) {
  MailServer server({"220 hello", "250-here\r\n250 SIZE", "250 ok", "250 ok", "251 ok", "354 go", "250 taken"});
  EXPECT_EQ(outcome(letter(server.port())), "sent");
  EXPECT_THAT(server.heard(), ElementsAre("EHLO localhost", "MAIL FROM:<muster@example.org>", "RCPT TO:<a@example.org>",
                                          "RCPT TO:<b@example.org>", "DATA", "Subject: x", "", "..hidden", "."));
}

TEST(Smtp, ARefusalNamesTheStepAndTheServersWords) {
  MailServer server({"220 hello", "250 here", "250 ok", "550 no such user", ""});
  const int port = server.port();
  EXPECT_EQ(outcome(letter(port)),
            "mail server 127.0.0.1:" + std::to_string(port) + ": it answered to RCPT TO: 550 no such user");
}

TEST(Smtp, APasswordIsInNoMessage) {
  MailServer server({"220 hello", "250 AUTH PLAIN", "535 wrong", ""});
  SmtpMail mail = letter(server.port());
  mail.user = "me";
  mail.password = "pass-word";
  const std::string message = outcome(std::move(mail));
  EXPECT_THAT(message, HasSubstr("the login: 535 wrong"));
  EXPECT_THAT(server.heard(), ElementsAre("EHLO localhost", "AUTH PLAIN AG1lAHBhc3Mtd29yZA=="));
}

TEST(Smtp, WithoutStartTlsTheMailIsNotSent) {
  MailServer server({"220 hello", "250 here", "502 unknown", ""});
  SmtpMail mail = letter(server.port());
  mail.starttls = true;
  EXPECT_THAT(outcome(std::move(mail)), HasSubstr("it answered to STARTTLS: 502 unknown"));
}

TEST(Smtp, WhatFollowsTheReplyToStartTlsIsAnAttack) {
  MailServer server({"220 hello", "250 here", "220 go\r\n250 injected", ""});
  SmtpMail mail = letter(server.port());
  mail.starttls = true;
  EXPECT_THAT(outcome(std::move(mail)), HasSubstr("it sent more than a reply to STARTTLS"));
}

TEST(Smtp, AnAddressWithALineBreakIsRefused) {
  SmtpMail mail = letter(1);
  mail.to = {"a@example.org>\r\nRCPT TO:<b@example.org"};
  EXPECT_THAT(outcome(std::move(mail)), HasSubstr("an address has a character"));
}

TEST(Smtp, NobodyListensThere) {
  EXPECT_THAT(outcome(letter(1)), HasSubstr("mail server 127.0.0.1:1: connection refused"));
}

}  // namespace
}  // namespace muster::net
