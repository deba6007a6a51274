// The table columns of built-in kinds and the cells in them, as Kubernetes prints them. Used as Resource::printer.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "json/document.h"

namespace muster::api {

struct Column {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  int priority = 0;  // above 0: shown only with -o wide
};

struct Printer {
  std::vector<Column> columns;
  void (*add_cells)(const json::Document& object, Time now, json::Array& cells) = nullptr;
  bool name_first = true;  // false for events, whose name is one of the last columns
};

Printer config_map_printer();
Printer definition_printer();
Printer deployment_printer();
Printer event_printer();
Printer lease_printer();
Printer namespace_printer();
Printer node_printer();
Printer pod_printer();
Printer priority_class_printer();
Printer resource_quota_printer();
Printer secret_printer();
Printer service_account_printer();
Printer service_printer();
Printer volume_claim_printer();
Printer volume_printer();

/// Returns an age such as "5m", or "<unknown>" when the text is not a timestamp.
std::string age_text(const std::string& timestamp, Time now);
/// Formats a metav1.LabelSelector as clients write it in a query: "a=b,c in (d,e)".
std::string selector_text(const json::Document& selector);

}  // namespace muster::api
