#include "web/pods/metrics_route.h"

#include <fmt/core.h>

#include <cmath>

#include "apiserver/errors/status_error.h"
#include "apiserver/verbs/write.h"
#include "base/strings.h"

namespace muster::web {
namespace {

Result<std::optional<Time>> time_parameter(const apiserver::Query& query, std::string_view name) {
  const std::string_view text = query.get(name);
  if (text.empty()) return std::optional<Time>();
  if (const auto time = parse_rfc3339(text)) return std::optional(*time);
  constexpr std::int64_t kLatest = 4'102'444'800;  // 2100: far from where nanoseconds overflow
  const auto seconds = parse_int(text);
  if (seconds && *seconds >= 0 && *seconds <= kLatest) return std::optional(Time(std::chrono::seconds(*seconds)));
  return apiserver::bad_request(fmt::format("{}: must be an RFC 3339 time {} or seconds since 1970, up to {}, got {}",
                                            name, kTimeRange, kLatest, quote(text)));
}

Result<std::optional<Duration>> step_parameter(const apiserver::Query& query) {
  const std::string_view text = query.get("step");
  if (text.empty()) return std::optional<Duration>();
  constexpr std::int64_t kLongest = 366LL * 24 * 3600;
  if (const auto seconds = parse_int(text); seconds && *seconds <= kLongest) {
    return std::optional<Duration>(std::chrono::seconds(*seconds));
  }
  if (const auto duration = parse_duration(text)) return std::optional(*duration);
  return apiserver::bad_request(fmt::format("step: must be a duration such as 15s, got {}", quote(std::string(text))));
}

Result<node::HistoryRequest> history_request(const apiserver::Context& context,
                                             const apiserver::RoutedRequest& request) {
  node::HistoryRequest wanted{.ns = request.at.at("namespace"), .pod = request.at.at("name")};
  TRY_ASSIGN(wanted.from, time_parameter(request.query, "from"));
  TRY_ASSIGN(wanted.to, time_parameter(request.query, "to"));
  TRY_ASSIGN(wanted.step, step_parameter(request.query));
  if (const std::string_view uid = request.query.get("uid"); !uid.empty()) {
    wanted.pod_uid = uid;
    wanted.is_past = true;
    return wanted;
  }
  const api::Resource& pods = *api::find_resource("", "v1", "pods");
  const store::Entry* entry = context.store.get(apiserver::key_of(pods, wanted.ns, wanted.pod));
  if (entry == nullptr) return wanted;  // deleted: its name is enough
  TRY_ASSIGN(const json::Document pod, json::parse(*entry->bytes));
  wanted.pod_uid = pod.string_at("metadata", "uid");
  return wanted;
}

json::Document value_document(float value, std::string_view unit) {
  if (std::isnan(value)) return nullptr;
  if (unit == "bytes") return static_cast<std::int64_t>(std::llround(value));
  constexpr double kDigits = 10'000;  // more are noise
  return std::round(static_cast<double>(value) * kDigits) / kDigits;
}

json::Document history_document(const node::HistoryRequest& request, const node::History& history) {
  json::Array times;
  for (const Time time : history.times)
    times.emplace_back(std::int64_t{time.time_since_epoch() / std::chrono::seconds(1)});
  json::Array series;
  for (const node::Series& one : history.series) {
    json::Array values;
    for (const float value : one.values) values.push_back(value_document(value, one.unit));
    series.emplace_back(json::Object{{"name", one.name}, {"unit", one.unit}, {"values", std::move(values)}});
  }
  return json::Object{
      {"apiVersion", "muster.dev/v1"},
      {"kind", "PodMetricsHistory"},
      {"metadata", json::Object{{"name", request.pod}, {"namespace", request.ns}, {"uid", history.pod_uid}}},
      {"stepSeconds", std::int64_t{history.step / std::chrono::seconds(1)}},
      {"times", std::move(times)},
      {"series", std::move(series)}};
}

Result<json::Document> answer_history(const apiserver::Context& context, const node::MetricsApi& metrics,
                                      const apiserver::RoutedRequest& request) {
  TRY_ASSIGN(const node::HistoryRequest wanted, history_request(context, request));
  TRY_ASSIGN(const node::History history, metrics.history(wanted));
  return history_document(wanted, history);
}

}  // namespace

apiserver::Route metrics_route(const apiserver::Context& context, const node::MetricsApi& metrics) {
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/pods/{name}/metrics",
          .methods = {"GET"},
          .handle = [&context, &metrics](const apiserver::RoutedRequest& request,
                                         const std::shared_ptr<net::Exchange>& exchange) {
            const auto answer = answer_history(context, metrics, request);
            if (!answer) return exchange->respond(apiserver::error_response(answer.error()));
            net::Response response;
            response.headers.set("Content-Type", "application/json");
            response.body = json::serialize(*answer);
            exchange->respond(std::move(response));
          }};
}

}  // namespace muster::web
