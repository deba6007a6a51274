// The decoder of protobuf messages: bytes in, a Document out, equal to what the same Go object would be in JSON.
#pragma once

#include <string_view>

#include "api/kubernetes/kubernetes_fields.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver::protobuf {

/// Fields that the table does not have are skipped. BadRequest if the bytes are not such a message.
Result<json::Object> decode_message(const api::kubernetes::Message& message, std::string_view bytes);

}  // namespace muster::apiserver::protobuf
