#include "net/smtp.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "base/visible_text.h"
#include "net/socket.h"

namespace muster::net {

namespace {

constexpr std::size_t kMostReply = std::size_t{64} * 1024;

/// A line that begins with a dot gets another one, so that no line of the mail ends it.
std::string stuffed(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c == '.') out += '.';
    out += c;
    at_start = c == '\n';
  }
  if (!out.ends_with("\r\n")) out += "\r\n";
  return out + ".\r\n";
}

/// An address goes into a command, which is one line.
bool is_address(const std::string& text) {
  return !text.empty() &&
         std::ranges::none_of(text, [](unsigned char c) { return c <= 0x20 || c == 0x7f || c == '<' || c == '>'; });
}

class Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(EventLoop& loop, SmtpMail mail, UniqueFunction<void(Status)> done)
      : loop_(loop), mail_(std::move(mail)), done_(std::move(done)), socket_(loop) {}

  void start() {
    if (!is_address(mail_.from) || !std::ranges::all_of(mail_.to, is_address)) {
      loop_.post([self = shared_from_this()] { self->fail("an address has a character that none may have"); });
      return;
    }
    resolve(loop_, mail_.host, mail_.port, [self = shared_from_this()](Result<std::vector<Address>> found) {
      if (self->is_over_) return;
      if (!found) return self->fail(found.error().message);
      self->addresses_ = *std::move(found);
      self->connect_next("the name has no address");
    });
  }

  void cancel() {
    is_over_ = true;
    socket_.close();
  }

 private:
  enum class Step { kGreeting, kHello, kStartTls, kLogin, kFrom, kTo, kData, kText };

  void connect_next(const std::string& why) {
    if (next_address_ == addresses_.size()) return fail(why);
    socket_.connect(Fd(), addresses_[next_address_++], [self = shared_from_this()](const IoEnd& end) {
      if (self->is_over_) return;
      if (!end.ok()) return self->connect_next(end.why);
      if (self->mail_.tls) return self->secure();
      self->read_reply();
    });
  }

  void secure() {
    auto tls = make_client_tls({.ca_pem = mail_.ca_pem});
    if (!tls) return fail(tls.error().message);
    socket_.connect_tls(*std::move(tls), mail_.host, [self = shared_from_this()](const IoEnd& end) {
      if (self->is_over_) return;
      if (!end.ok()) return self->fail("TLS: " + end.why);
      self->is_secure_ = true;
      // After STARTTLS it is our turn; a server that spoke TLS from the start greets first.
      self->step_ == Step::kStartTls ? self->say_hello() : self->read_reply();
    });
  }

  void read_reply() {
    socket_.read_some(4096, [self = shared_from_this()](const IoEnd& end, std::string_view bytes) {
      if (self->is_over_) return;
      if (!end.ok()) return self->fail(end.why);
      self->received_ += bytes;
      if (self->received_.size() > kMostReply) return self->fail("the reply is too long");
      self->take_reply();
    });
  }

  /// A reply is complete with the line that has a blank after the code: "250-SIZE", "250 OK".
  void take_reply() {
    for (std::size_t at = 0;;) {
      const std::size_t end = received_.find('\n', at);
      if (end == std::string::npos) return read_reply();
      const std::string line(trim(std::string_view(received_).substr(at, end - at)));
      at = end + 1;
      if (line.size() > 3 && line[3] == '-') continue;
      const auto code = parse_int(line.substr(0, 3));
      // What came before the encryption must not count as said within it.
      const bool has_more = at < received_.size();
      received_.erase(0, at);
      if (step_ == Step::kStartTls && has_more) return fail("it sent more than a reply to STARTTLS");
      return on_reply(code.value_or(0), line);
    }
  }

  void on_reply(std::int64_t code, const std::string& line) {
    const std::int64_t wanted = step_ == Step::kData ? 354 : step_ == Step::kLogin ? 235 : 250;
    const bool is_greeting = step_ == Step::kGreeting || step_ == Step::kStartTls;
    // 251: the recipient has moved, and the server forwards.
    const bool is_good = is_greeting ? code == 220 : code == wanted || (step_ == Step::kTo && code == 251);
    if (!is_good) return fail(fmt::format("it answered to {}: {}", name_of(step_), visible_line(line)));
    advance();
  }

  void advance() {
    switch (step_) {
      case Step::kGreeting:
        return say_hello();
      case Step::kStartTls:
        return secure();
      case Step::kHello:
        if (mail_.starttls && !is_secure_) return say(Step::kStartTls, "STARTTLS");
        if (mail_.user.empty()) return say_from();
        return say(Step::kLogin, "AUTH PLAIN " + base64_encode(std::string(1, '\0') + mail_.user +
                                                               std::string(1, '\0') + mail_.password));
      case Step::kLogin:
        return say_from();
      case Step::kFrom:
      case Step::kTo:
        if (next_recipient_ == mail_.to.size()) return say(Step::kData, "DATA");
        return say(Step::kTo, fmt::format("RCPT TO:<{}>", mail_.to[next_recipient_++]));
      case Step::kData:
        step_ = Step::kText;
        return write(stuffed(mail_.text));
      case Step::kText:
        is_over_ = true;
        socket_.close();
        return done_(ok());
    }
  }

  void say_hello() { say(Step::kHello, "EHLO localhost"); }
  void say_from() { say(Step::kFrom, fmt::format("MAIL FROM:<{}>", mail_.from)); }

  void say(Step step, const std::string& command) {
    step_ = step;
    write(command + "\r\n");
  }

  void write(std::string bytes) {
    outgoing_ = std::move(bytes);
    socket_.write({outgoing_}, [self = shared_from_this()](const IoEnd& end) {
      if (self->is_over_) return;
      if (!end.ok()) return self->fail(end.why);
      self->take_reply();
    });
  }

  static std::string_view name_of(Step step) {
    switch (step) {
      case Step::kGreeting:
        return "the connection";
      case Step::kHello:
        return "EHLO";
      case Step::kStartTls:
        return "STARTTLS";
      case Step::kLogin:
        return "the login";
      case Step::kFrom:
        return "MAIL FROM";
      case Step::kTo:
        return "RCPT TO";
      case Step::kData:
        return "DATA";
      case Step::kText:
        return "the mail";
    }
    return "";
  }

  static std::string visible_line(const std::string& line) { return visible(line.substr(0, 200)); }

  void fail(const std::string& why) {
    is_over_ = true;
    socket_.close();
    done_(Error{.reason = Reason::kServiceUnavailable,
                .message = fmt::format("mail server {}:{}: {}", mail_.host, mail_.port, why)});
  }

  EventLoop& loop_;
  SmtpMail mail_;
  UniqueFunction<void(Status)> done_;
  Socket socket_;
  std::vector<Address> addresses_;
  std::size_t next_address_ = 0;
  std::size_t next_recipient_ = 0;
  Step step_ = Step::kGreeting;
  bool is_secure_ = false;
  bool is_over_ = false;
  std::string received_;
  std::string outgoing_;
};

class Session final : public SmtpSession {
 public:
  explicit Session(std::shared_ptr<Conversation> of) : of_(std::move(of)) {}
  ~Session() override { of_->cancel(); }

 private:
  std::shared_ptr<Conversation> of_;
};

}  // namespace

std::unique_ptr<SmtpSession> send_by_smtp(EventLoop& loop, SmtpMail mail, UniqueFunction<void(Status)> done) {
  auto conversation = std::make_shared<Conversation>(loop, std::move(mail), std::move(done));
  conversation->start();
  return std::make_unique<Session>(std::move(conversation));
}

}  // namespace muster::net
