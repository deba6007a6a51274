#include "apiserver/http/metrics.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/versions.h"

namespace muster::apiserver {
namespace {

using prometheus::append_head;
using prometheus::append_one;

class MeasuredExchange final : public net::ExchangeDecorator {
 public:
  MeasuredExchange(std::shared_ptr<Metrics> metrics, const Clock& clock, std::shared_ptr<net::Exchange> inner,
                   std::shared_ptr<RequestLabels> labels)
      : ExchangeDecorator(std::move(inner)),
        metrics_(std::move(metrics)),
        clock_(clock),
        start_(clock.mono()),
        labels_(std::move(labels)) {}

  void respond(net::Response response) override {
    metrics_->count(*labels_, response.status);
    metrics_->took(*labels_, clock_.mono() - start_);
    ExchangeDecorator::respond(std::move(response));
  }
  // The reader decides how long a stream lasts, so its duration says nothing about speed.
  void begin(int status, net::Headers headers) override {
    metrics_->count(*labels_, status);
    ExchangeDecorator::begin(status, std::move(headers));
  }

 private:
  std::shared_ptr<Metrics> metrics_;
  const Clock& clock_;
  MonoTime start_;
  std::shared_ptr<RequestLabels> labels_;
};

std::string text_of(const RequestLabels& labels) {
  return fmt::format(R"(verb="{}",group="{}",version="{}",resource="{}",subresource="{}")", labels.verb, labels.group,
                     labels.version, labels.resource, labels.subresource);
}

void append_store(std::string& out, const store::Store& store) {
  const store::Stats stats = store.stats();
  append_one(out, "muster_store_revision", "gauge", "Revision of the last committed write.", store.revision());
  append_one(out, "muster_store_commits_total", "counter", "Transactions made durable.", stats.commits);
  append_one(out, "muster_store_writes_total", "counter", "Writes in those transactions.", stats.writes);
  append_one(out, "muster_store_checkpoints_total", "counter", "Times the log was moved into the database.",
             stats.checkpoints);
  append_one(out, "muster_store_full", "gauge", "1 while the disk is full.", stats.is_full ? 1 : 0);
  append_one(out, "muster_store_full_total", "counter", "Times the disk became full.", stats.times_full);
  append_head(out, "apiserver_storage_objects", "gauge", "Stored objects by resource.");
  for (const api::Resource* resource : api::stored_resources()) {
    const std::string name = resource->qualified_name();
    out += fmt::format("apiserver_storage_objects{{resource=\"{}\"}} {}\n", name, store.count(name));
  }
}

void append_namespaces(std::string& out, const store::Store& store) {
  append_head(out, "muster_namespace_objects", "gauge", "Stored objects by namespace.");
  for (const auto& [ns, used] : store.used()) {
    if (!ns.empty()) out += fmt::format("muster_namespace_objects{{namespace=\"{}\"}} {}\n", ns, used.objects);
  }
  append_head(out, "muster_namespace_bytes", "gauge", "Bytes of the stored objects by namespace.");
  for (const auto& [ns, used] : store.used()) {
    if (!ns.empty()) out += fmt::format("muster_namespace_bytes{{namespace=\"{}\"}} {}\n", ns, used.bytes);
  }
}

std::string text_of(const node::PodTotals& pod) {
  return fmt::format(R"(namespace="{}",pod="{}")", pod.ns, pod.pod);
}

/// Adds a line for each pod that has the number.
void append_each(std::string& out, std::string_view name, std::string_view help,
                 const std::vector<node::PodTotals>& pods, std::optional<std::int64_t> node::PodTotals::*number) {
  append_head(out, name, "counter", help);
  for (const node::PodTotals& pod : pods) {
    if (const auto value = pod.*number) out += fmt::format("{}{{{}}} {}\n", name, text_of(pod), *value);
  }
}

/// Under the names of cAdvisor and of NVIDIA's exporter, so that existing dashboards work.
void append_pods(std::string& out, const std::vector<node::PodTotals>& pods) {
  std::string cpu, memory, gpu_use, gpu_memory;
  for (const node::PodTotals& pod : pods) {
    for (const auto& [container, totals] : pod.containers) {
      const std::string labels = fmt::format("{},container=\"{}\"", text_of(pod), container);
      cpu += fmt::format("container_cpu_usage_seconds_total{{{}}} {}\n", labels,
                         std::chrono::duration<double>(totals.cpu).count());
      memory += fmt::format("container_memory_working_set_bytes{{{}}} {}\n", labels, totals.memory);
    }
    for (const node::GpuUsage& gpu : pod.gpus) {
      const std::string labels = fmt::format("{},UUID=\"{}\"", text_of(pod), gpu.uuid);
      gpu_use += fmt::format("DCGM_FI_DEV_GPU_UTIL{{{}}} {}\n", labels, gpu.utilisation);
      gpu_memory += fmt::format("DCGM_FI_DEV_FB_USED{{{}}} {}\n", labels, gpu.memory >> 20);
    }
  }
  append_head(out, "container_cpu_usage_seconds_total", "counter", "Processor time of the container.");
  out += cpu;
  append_head(out, "container_memory_working_set_bytes", "gauge", "Memory of the container's processes.");
  out += memory;
  using node::PodTotals;
  append_each(out, "container_fs_reads_bytes_total", "Bytes read from disks.", pods, &PodTotals::disk_read);
  append_each(out, "container_fs_writes_bytes_total", "Bytes written to disks.", pods, &PodTotals::disk_written);
  append_each(out, "container_network_receive_bytes_total", "Bytes received over TCP.", pods, &PodTotals::received);
  append_each(out, "container_network_transmit_bytes_total", "Bytes sent over TCP.", pods, &PodTotals::sent);
  if (gpu_use.empty()) return;
  append_head(out, "DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilisation in percent.");
  out += gpu_use;
  append_head(out, "DCGM_FI_DEV_FB_USED", "gauge", "GPU memory in use, in MiB.");
  out += gpu_memory;
}

}  // namespace

RequestLabels labels_of(const ResourceRequest& request) {
  const api::Resource& resource = *request.resource;
  std::string verb(verb_name(request.verb));
  std::ranges::transform(verb, verb.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return {std::move(verb), resource.group, resource.version, resource.plural, request.subresource};
}

RequestLabels labels_of_method(const std::string& method) {
  for (const char* known : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}) {
    if (method == known) return {.verb = method};
  }
  return {.verb = "other"};
}

void Metrics::count(const RequestLabels& labels, int code) {
  ++requests_[{labels, code}];
}

void Metrics::took(const RequestLabels& labels, Duration duration) {
  durations_[labels].add(duration, kBuckets);
}

std::shared_ptr<net::Exchange> Metrics::measure(const Clock& clock, std::shared_ptr<net::Exchange> exchange,
                                                std::shared_ptr<RequestLabels> labels) {
  return std::make_shared<MeasuredExchange>(shared_from_this(), clock, std::move(exchange), std::move(labels));
}

std::string Metrics::text(const store::Store& store, std::size_t open_watches, const node::MetricsApi* usage) const {
  std::string out;
  append_head(out, "apiserver_request_total", "counter", "Requests answered, by verb, resource and code.");
  for (const auto& [key, count] : requests_) {
    out += fmt::format("apiserver_request_total{{{},code=\"{}\"}} {}\n", text_of(key.first), key.second, count);
  }
  append_head(out, "apiserver_request_duration_seconds", "histogram", "Time to the answer, streams left out.");
  for (const auto& [labels, histogram] : durations_) {
    histogram.append(out, "apiserver_request_duration_seconds", text_of(labels), kBuckets);
  }
  append_one(out, "muster_watches_open", "gauge", "Watches being served.", open_watches);
  append_store(out, store);
  append_namespaces(out, store);
  prometheus::append_process(out);
  if (usage != nullptr) append_pods(out, usage->totals());
  return out;
}

}  // namespace muster::apiserver
