#include "main/ask_engine.h"

#include <optional>

#include "client/api_client.h"
#include "net/event_loop.h"
#include "net/http_client.h"

namespace muster {

Result<json::Document> ask_engine(const std::string& data_dir, const std::string& path) {
  net::EventLoop loop;
  net::Endpoint endpoint;
  endpoint.host = "localhost";
  endpoint.unix_path = data_dir + "/api.sock";
  endpoint.tls = false;
  net::HttpClient transport(loop, endpoint);
  client::ApiClient api(transport, "");
  std::string body;
  std::optional<Status> end;
  net::ResponseSink sink;
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_data = [&body](std::string_view data) { body += data; };
  sink.on_end = [&end](Status status) { end = std::move(status); };
  const auto call = api.stream("POST", path, std::move(sink));
  loop.run_until([&] { return end.has_value(); });
  TRY(*end);
  return json::parse(body);
}

Result<std::string> make_console_link(const std::string& data_dir) {
  TRY_ASSIGN(const json::Document link, ask_engine(data_dir, "/apis/muster.dev/v1/console/link"));
  return link.string_at("url");
}

}  // namespace muster
