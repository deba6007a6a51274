#include "cli/sweep/read_metrics.h"

#include <fmt/core.h>

#include "cli/jobs/curve_problems.h"

namespace muster::cli {

namespace {

constexpr std::size_t kMostCalls = 4;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;

std::string path_of_scalars(const Selected& job) {
  return fmt::format("/apis/muster.dev/v1/namespaces/{}/jobs/{}.{}/{}/scalars", job.ns, job.kind.resource.plural,
                     job.kind.resource.group, job.name);
}

}  // namespace

void MetricReader::want(const Selected& job) {
  if (!wanted_.insert(job.name).second) return;
  waiting_.push_back(job);
  start_some();
}

std::string MetricReader::problems() const {
  std::string lines;
  for (const auto& [name, of_job] : problems_) lines += of_job;
  return lines;
}

void MetricReader::start_some() {
  while (!waiting_.empty() && calls_.size() < kMostCalls) {
    const Selected job = std::move(waiting_.front());
    waiting_.pop_front();
    start(job);
  }
}

void MetricReader::start(const Selected& job) {
  const auto call = std::make_shared<Call>();
  calls_[job.name] = call;
  net::ResponseSink sink;
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_data = [call](std::string_view bytes) {
    if (call->body.size() < kMostBytes) call->body += bytes;
  };
  // A job may log nothing, and a server may lack this path; the sweep continues without the metric.
  sink.on_end = lifetime_.guard([this, name = job.name](const Status& ended) {
    const std::shared_ptr<Call> done = calls_.at(name);
    // The call is what is calling.
    session_.loop().post([done] {});
    calls_.erase(name);
    wanted_.erase(name);
    const auto scalars = ended ? json::parse(done->body) : Result<json::Document>(ended.error());
    if (scalars && scalars->is_object()) {
      problems_[name] = curve_problems(name, *scalars);
      if (const auto value = read_metric(*scalars, metric_.name, metric_.goal)) read_[name] = *value;
    }
    start_some();
  });
  call->call = session_.api().stream("GET", path_of_scalars(job), std::move(sink));
}

}  // namespace muster::cli
