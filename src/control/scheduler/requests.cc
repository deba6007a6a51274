#include "control/scheduler/requests.h"

#include <algorithm>

namespace muster::control {

namespace {

/// A limit without a request is also the request.
api::ResourceList requests_of_container(const api::Container& container) {
  api::ResourceList requests = container.resources.limits;
  for (const auto& [name, amount] : container.resources.requests) requests[name] = amount;
  return requests;
}

}  // namespace

api::ResourceList requests_of(const api::Pod& pod) {
  api::ResourceList sum;
  for (const auto& container : pod.spec.containers) add_to(sum, requests_of_container(container));
  for (const auto& container : pod.spec.init_containers) {
    for (const auto& [name, amount] : requests_of_container(container)) sum[name] = std::max(sum[name], amount);
  }
  return sum;
}

api::ResourceList taken_by(const api::Pod& pod) {
  api::ResourceList taken = requests_of(pod);
  taken[kPodSlots] = Quantity::of(1);
  return taken;
}

void add_to(api::ResourceList& sum, const api::ResourceList& more) {
  for (const auto& [name, amount] : more) sum[name] = sum[name] + amount;
}

void take_from(api::ResourceList& sum, const api::ResourceList& less) {
  for (const auto& [name, amount] : less) sum[name] = sum[name] - amount;
}

Quantity amount_of(const api::ResourceList& list, const std::string& resource) {
  const auto found = list.find(resource);
  return found == list.end() ? Quantity() : found->second;
}

std::string amount_text(const std::string& resource, const Quantity& amount) {
  if (resource == "memory" || resource == "ephemeral-storage") return amount.text(Quantity::Form::kBinary);
  // "1000 pods" reads better than Kubernetes' canonical "1k pods".
  const bool is_whole = Quantity::of(amount.value()) == amount;
  return is_whole ? std::to_string(amount.value()) : amount.text();
}

}  // namespace muster::control
