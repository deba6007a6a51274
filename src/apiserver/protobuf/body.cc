#include "apiserver/protobuf/body.h"

#include <fmt/core.h>

#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/protobuf/message.h"
#include "base/protobuf_wire.h"
#include "base/strings.h"

namespace muster::apiserver::protobuf {
namespace {

using namespace std::string_view_literals;
namespace kubernetes = api::kubernetes;

constexpr std::string_view kMagic = "k8s\0"sv;

/// runtime.Unknown.
struct Envelope {
  std::string api_version;
  std::string kind;
  std::string_view raw;
  std::string_view encoding;
  std::string_view content_type;
};

Status read_type(std::string_view bytes, Envelope& envelope) {
  using enum kubernetes::Shape;
  using enum kubernetes::Type;
  static constexpr kubernetes::Field fields[] = {{1, "apiVersion", kOne, kString}, {2, "kind", kOne, kString}};
  TRY_ASSIGN(json::Object type, decode_message({"TypeMeta", fields}, bytes));
  const json::Document document = std::move(type);
  envelope.api_version = document.string_at("apiVersion");
  envelope.kind = document.string_at("kind");
  return ok();
}

Result<Envelope> read_envelope(std::string_view bytes) {
  Envelope envelope;
  WireReader reader(bytes);
  while (!reader.at_end()) {
    TRY_ASSIGN(const WireField field, reader.next());
    if (field.number <= 4 && field.kind != WireField::Kind::kBytes) {
      return bad_request(fmt::format("protobuf: field {} around the object: wrong wire type", field.number));
    }
    if (field.number == 1) TRY(read_type(field.bytes, envelope));
    if (field.number == 2) envelope.raw = field.bytes;
    if (field.number == 3) envelope.encoding = field.bytes;
    if (field.number == 4) envelope.content_type = field.bytes;
  }
  return envelope;
}

}  // namespace

Result<json::Document> decode_body(std::string_view body) {
  if (!body.starts_with(kMagic)) {
    return bad_request("body: must begin with \"k8s\\0\", as Kubernetes writes protobuf; or send application/json");
  }
  TRY_ASSIGN(const Envelope envelope, read_envelope(body.substr(kMagic.size())));
  if (!envelope.encoding.empty() || (!envelope.content_type.empty() && envelope.content_type != kContentType)) {
    return bad_request(fmt::format("body: must hold plain protobuf, got content type {} with encoding {}",
                                   quote(envelope.content_type), quote(envelope.encoding)));
  }
  if (envelope.kind.empty()) return bad_request("body: does not say its kind");
  const kubernetes::Message* message = kubernetes::find_message(envelope.api_version, envelope.kind);
  if (message == nullptr) {
    Error error = unsupported_media_type("application/json");
    error.message = fmt::format("body: {} of {} is not taken in protobuf; send application/json", quote(envelope.kind),
                                quote(envelope.api_version));
    return error;
  }
  TRY_ASSIGN(json::Object fields, decode_message(*message, envelope.raw));
  json::Object object;
  object.append("kind", envelope.kind);
  object.append("apiVersion", envelope.api_version);
  for (json::Member& member : fields) object.append(std::move(member.key), std::move(member.value));
  return json::Document(std::move(object));
}

}  // namespace muster::apiserver::protobuf
