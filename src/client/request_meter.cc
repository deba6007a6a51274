#include "client/request_meter.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::client {

namespace {

std::string verb_of(const std::string& method, bool has_name, bool watches) {
  if (method == "GET") return watches ? "watch" : has_name ? "get" : "list";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return method;
}

}  // namespace

RequestKind request_kind(const std::string& method, const std::string& target) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  const bool watches = target.find("watch=true", mark) != std::string::npos;
  std::vector<std::string> words = split(std::string_view(target).substr(0, mark), '/');
  // "", "api", "v1", … or "", "apis", "GROUP", "VERSION", …
  const bool is_core = words.size() > 3 && words[1] == "api";
  const bool is_group = words.size() > 4 && words[1] == "apis";
  if (!is_core && !is_group) return {.verb = method};
  const std::string group = is_core ? "" : words[2];
  words.erase(words.begin(), words.begin() + (is_core ? 3 : 4));
  if (words.size() > 2 && words[0] == "namespaces") words.erase(words.begin(), words.begin() + 2);
  return {.verb = verb_of(method, words.size() > 1, watches),
          .resource = group.empty() ? words[0] : words[0] + "." + group,
          .subresource = words.size() > 2 ? words[2] : ""};
}

std::unique_ptr<net::Call> RequestMeter::send(net::Request request, net::ResponseSink sink) {
  struct Counted {
    RequestKind kind;
    net::ResponseSink sink;
    bool answered = false;
  };
  auto counted = std::make_shared<Counted>(Counted{request_kind(request.method, request.target), std::move(sink)});
  net::ResponseSink out;
  out.on_head = [counted, counts = counts_](int status, const net::Headers& headers) {
    counted->answered = true;
    ++(*counts)[{counted->kind, std::to_string(status)}];
    if (counted->sink.on_head) counted->sink.on_head(status, headers);
  };
  out.on_data = [counted](std::string_view bytes) {
    if (counted->sink.on_data) counted->sink.on_data(bytes);
  };
  if (counted->sink.on_shared) {
    out.on_shared = [counted](std::string_view what, const net::Bytes& bytes) { counted->sink.on_shared(what, bytes); };
  }
  out.on_end = [counted, counts = counts_](Status status) {
    if (!counted->answered) ++(*counts)[{counted->kind, "error"}];
    if (counted->sink.on_end) counted->sink.on_end(std::move(status));
  };
  out.on_sent = [counted] {
    if (counted->sink.on_sent) counted->sink.on_sent();
  };
  return inner_.send(std::move(request), std::move(out));
}

}  // namespace muster::client
