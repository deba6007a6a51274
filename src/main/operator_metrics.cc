#include "main/operator_metrics.h"

#include <fmt/core.h>

#include "base/prometheus.h"

namespace muster {

namespace {

bool is_refusal(const std::string& code) {
  return code.size() == 3 && (code[0] == '4' || code[0] == '5');
}

void append_requests(std::string& out, std::string_view name, const client::RequestMeter::Counts& requests,
                     bool only_refused_writes) {
  for (const auto& [key, count] : requests) {
    const auto& [kind, code] = key;
    if (only_refused_writes && !(kind.is_write() && is_refusal(code))) continue;
    out += fmt::format("{}{{verb=\"{}\",resource=\"{}\",subresource=\"{}\",code=\"{}\"}} {}\n", name, kind.verb,
                       prometheus::label_value(kind.resource), prometheus::label_value(kind.subresource), code, count);
  }
}

}  // namespace

void append_operator_metrics(std::string& out, const OperatorFacts& facts,
                             const client::RequestMeter::Counts& requests) {
  prometheus::append_head(out, "muster_build_info", "gauge", "1; its labels name this build.");
  out += "muster_build_info{version=\"" MUSTER_VERSION "\"} 1\n";
  prometheus::append_one(out, "muster_operator_is_leader", "gauge",
                         "1 if this operator may act: it holds the Lease, or there is no election.",
                         facts.leads ? 1 : 0);
  prometheus::append_head(out, "muster_operator_api_requests_total", "counter",
                          "Requests to the API server by their code; \"error\" if there was no answer.");
  append_requests(out, "muster_operator_api_requests_total", requests, false);
  prometheus::append_head(out, "muster_operator_writes_refused_total", "counter",
                          "Writes that the API server answered with an error.");
  append_requests(out, "muster_operator_writes_refused_total", requests, true);
  prometheus::append_process(out);
}

}  // namespace muster
