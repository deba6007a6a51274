#include "notify/senders.h"

#include <fmt/core.h>

#include <map>

#include "base/overloaded.h"
#include "base/strings.h"
#include "net/http_client.h"
#include "net/smtp.h"
#include "notify/forms.h"
#include "notify/run_input.h"
#include "notify/url.h"

namespace muster::notify {

namespace {

constexpr std::size_t kMostAnswer = std::size_t{64} * 1024;

Error refusal(Reason reason, std::string message) {
  return Error{.reason = reason, .message = std::move(message)};
}

/// A notice on its way. Destroying it ends what is under way.
struct Sending {
  UniqueFunction<void(Status)> done;
  std::unique_ptr<net::HttpClient> http;
  std::unique_ptr<net::Call> call;
  std::unique_ptr<RunningProgram> program;
  std::unique_ptr<net::SmtpSession> smtp;
  int status = 0;
  std::string answer;
  Loop::Id timer = 0;
};

}  // namespace

struct Senders::State : std::enable_shared_from_this<State> {
  State(net::EventLoop& l, Limits limits) : loop(l), limit(limits) {}

  using Id = std::uint64_t;

  /// Every way ends here, from the loop. What is under way is destroyed in a turn of its own, because it may be what
  /// calls.
  void end(Id id, Status status) {
    const auto found = under_way.find(id);
    if (found == under_way.end()) return;
    auto sending = std::make_shared<Sending>(std::move(found->second));
    under_way.erase(found);
    loop.cancel(sending->timer);
    loop.post([sending] {});
    sending->done(std::move(status));
  }

  void end_soon(Id id, Error error) {
    loop.post([weak = weak_from_this(), id, error = std::move(error)] {
      if (const auto self = weak.lock()) self->end(id, error);
    });
  }

  void limit_time(Id id, Duration limited) {
    under_way.at(id).timer = loop.after(limited, [weak = weak_from_this(), id, limited] {
      if (const auto self = weak.lock()) {
        self->end(id, refusal(Reason::kTimeout, fmt::format("no answer within {}", human_duration(limited))));
      }
    });
  }

  void send_hook(Id id, const WebHook& hook, const JobNews& job, const Notice& notice) {
    const HookRequest wanted = request_for(hook, job, notice, loop.now());
    const auto url = parse_url(wanted.url);
    if (!url) return end_soon(id, refusal(Reason::kInvalid, "its URL is not valid"));
    Sending& sending = under_way.at(id);
    sending.http = std::make_unique<net::HttpClient>(
        loop, net::Endpoint{.host = url->host, .port = url->port, .tls = url->tls, .connect_timeout = limit.hook});
    net::Request request{.method = "POST",
                         .target = url->target,
                         .headers = {{"Content-Type", "application/json; charset=utf-8"}, {"User-Agent", "muster"}},
                         .body = wanted.body};
    const bool is_usual_port = url->port == (url->tls ? 443 : 80);
    if (is_usual_port && url->host.find(':') == std::string::npos) request.headers.set("Host", url->host);
    net::ResponseSink sink;
    sink.on_head = [self = weak_from_this(), id](int status, const net::Headers&) {
      if (Sending* of = find(self, id)) of->status = status;
    };
    sink.on_data = [self = weak_from_this(), id](std::string_view bytes) {
      Sending* of = find(self, id);
      if (of != nullptr && of->answer.size() < kMostAnswer) of->answer += bytes.substr(0, kMostAnswer);
    };
    sink.on_end = [self = weak_from_this(), id, form = hook.form](const Status& ended) {
      const Sending* of = find(self, id);
      if (of == nullptr) return;
      self.lock()->end(id, ended ? check_answer(form, of->status, of->answer) : ended);
    };
    sending.call = sending.http->send(std::move(request), std::move(sink));
    limit_time(id, limit.hook);
  }

  void run_program(Id id, ProgramInput program) {
    program.limit = limit.program;
    under_way.at(id).program = run_with_input(loop, std::move(program), [self = weak_from_this(), id](Status status) {
      if (const auto state = self.lock()) state->end(id, std::move(status));
    });
  }

  void send_mail(Id id, const Mail& mail, const JobNews& job, const Notice& notice) {
    std::string text = mail_text(mail, job, notice, loop.now());
    if (mail.smtp_host.empty()) {
      std::vector<std::string> words{mail.sendmail, "-i", "-f", mail.from, "--"};
      words.insert(words.end(), mail.to.begin(), mail.to.end());
      // Local programs expect the line ends of this machine.
      std::erase(text, '\r');
      return run_program(id, {.words = std::move(words), .input = std::move(text)});
    }
    limit_time(id, limit.mail);
    under_way.at(id).smtp = net::send_by_smtp(loop,
                                              {.host = mail.smtp_host,
                                               .port = mail.smtp_port,
                                               .tls = mail.tls,
                                               .starttls = mail.starttls,
                                               .user = mail.user,
                                               .password = mail.password,
                                               .from = mail.from,
                                               .to = mail.to,
                                               .text = std::move(text)},
                                              [self = weak_from_this(), id](Status status) {
                                                if (const auto state = self.lock()) state->end(id, std::move(status));
                                              });
  }

  void send_program(Id id, const Program& program, const JobNews& job, const Notice& notice) {
    run_program(id, {.words = program.command,
                     .input = json::serialize(notice_object(job, notice)) + "\n",
                     .variables = {{"MUSTER_OCCASION", std::string(word_of(notice.occasion))},
                                   {"MUSTER_NAMESPACE", job.ns},
                                   {"MUSTER_JOB", job.name},
                                   {"MUSTER_TEXT", notice.text}}});
  }

  static Sending* find(const std::weak_ptr<State>& weak, Id id) {
    const auto self = weak.lock();
    if (self == nullptr) return nullptr;
    const auto found = self->under_way.find(id);
    return found == self->under_way.end() ? nullptr : &found->second;
  }

  net::EventLoop& loop;
  Limits limit;
  Id last = 0;
  std::map<Id, Sending> under_way;
};

Senders::Senders(net::EventLoop& loop, Limits limits) : state_(std::make_shared<State>(loop, limits)) {}

Senders::~Senders() {
  for (const auto& [id, sending] : state_->under_way) state_->loop.cancel(sending.timer);
}

void Senders::send(const Target& target, const JobNews& job, const Notice& notice, UniqueFunction<void(Status)> done) {
  const State::Id id = ++state_->last;
  state_->under_way[id].done = std::move(done);
  std::visit(Overloaded{[&](const WebHook& hook) { state_->send_hook(id, hook, job, notice); },
                        [&](const Mail& mail) { state_->send_mail(id, mail, job, notice); },
                        [&](const Program& program) { state_->send_program(id, program, job, notice); }},
             target.way);
}

}  // namespace muster::notify
