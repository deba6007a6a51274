// Rules for Service.
#include <set>

#include "api/rules/checks.h"
#include "api/rules/findings.h"
#include "api/rules/job_checks.h"
#include "api/rules/rule_texts.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::kRoot;
using reflect::Place;

void check_service_port(const Document& port, const std::string& type, bool must_have_name, const Place& at,
                        Findings& found) {
  if (must_have_name) found.has_text(port, "name", at);
  found.dns_label(port, "name", at);
  found.port(port, "targetPort", at);
  if (type == "ClusterIP" && port.int_at("nodePort") != 0) {
    found.forbidden(at.member("nodePort"), "may not be used when `type` is 'ClusterIP'");
  }
}

}  // namespace

void check_service_ports(const Document& spec, const Place& place, Findings& found) {
  const std::string& type = spec.string_at("type");
  const json::Array& ports = spec.array_at("ports");
  const Place list = place.member("ports");
  if (ports.empty() && spec.string_at("clusterIP") != "None" && type != "ExternalName") found.required(list);
  std::set<std::string> names;
  std::set<std::pair<std::int64_t, std::string>> taken;
  std::size_t index = 0;
  for (const Document& port : ports) {
    const Place at = list.item(index++);
    check_service_port(port, type, ports.size() > 1, at, found);
    const std::string& name = port.string_at("name");
    if (!name.empty() && !names.insert(name).second) found.duplicate(at.member("name"), name);
    if (!taken.insert({port.int_at("port"), port.string_at("protocol")}).second) found.duplicate(at, port);
  }
}

void check_service(const Document& service, Findings& found) {
  const Place place = kRoot.member("spec");
  const Document* spec = service.find("spec");
  if (spec == nullptr) {
    found.required(place.member("ports"));
    return;
  }
  check_service_ports(*spec, place, found);
  found.labels(spec->find("selector"), place.member("selector"));
  found.one_of(*spec, "sessionAffinity", place, {"ClientIP", "None"});
  if (spec->string_at("type") == "ExternalName") {
    if (found.has_text(*spec, "externalName", place)) found.subdomain(*spec, "externalName", place);
  }
}

}  // namespace muster::api
