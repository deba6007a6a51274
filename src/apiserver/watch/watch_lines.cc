#include "apiserver/watch/watch_lines.h"

#include "api/versions.h"
#include "apiserver/print/table.h"
#include "client/api_client.h"

namespace muster::apiserver {
namespace {

json::Document in_table(const api::Resource& resource, const Form& form, const json::Document& object, Time now) {
  json::Array rows;
  rows.push_back(table_row(resource, object, form.row_object, form.version, now));
  json::Object metadata;
  metadata.append("resourceVersion", object.string_at("metadata", "resourceVersion"));
  return make_table(resource, form, std::move(metadata), std::move(rows));
}

json::Document bookmark_table(const Form& form, const std::string& revision, json::Object object) {
  json::Array rows;
  rows.emplace_back(json::Object{{"cells", json::Array()}, {"object", std::move(object)}});
  json::Object table;
  table.append("kind", "Table");
  table.append("apiVersion", "meta.k8s.io/" + form.version);
  table.append("metadata", json::Object{{"resourceVersion", revision}});
  table.append("columnDefinitions", nullptr);
  table.append("rows", std::move(rows));
  return table;
}

}  // namespace

void append_event(std::string& out, const api::Resource& resource, const Form& form, std::string_view type,
                  const net::Bytes& object, Time now) {
  out.append(R"({"type":")").append(type).append(R"(","object":)");
  auto parsed = form.as == As::kObject ? Result<json::Document>(json::Document()) : json::parse(*object);
  if (form.as != As::kObject && parsed) api::to_asked_version(resource, *parsed);
  if (form.as == As::kObject || !parsed) {
    out += *api::in_version(resource, object);
  } else if (form.as == As::kPartialMetadata) {
    json::append_serialized(partial_metadata(*parsed, form.version), out);
  } else {
    json::append_serialized(in_table(resource, form, *parsed, now), out);
  }
  out += "}\n";
}

std::string bookmark_line(const api::Resource& resource, const Form& form, store::Revision revision, bool initial_end) {
  json::Object metadata;
  metadata.append("resourceVersion", std::to_string(revision));
  metadata.append("creationTimestamp", nullptr);
  if (initial_end) metadata.append("annotations", json::Object{{"k8s.io/initial-events-end", "true"}});
  json::Object object;
  object.append("kind", resource.kind);
  object.append("apiVersion", resource.api_version());
  object.append("metadata", std::move(metadata));
  std::string out = R"({"type":"BOOKMARK","object":)";
  if (form.as == As::kTable) {
    json::append_serialized(bookmark_table(form, std::to_string(revision), std::move(object)), out);
  } else {
    json::append_serialized(object, out);
  }
  return out + "}\n";
}

std::string error_line(const Error& error) {
  return R"({"type":"ERROR","object":)" + json::serialize(client::status_from_error(error)) + "}\n";
}

}  // namespace muster::apiserver
