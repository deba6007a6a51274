// Any bytes as a protobuf body: what is accepted is a valid object with its kind, not much larger than the input.
#include "apiserver/protobuf/body.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto object = muster::apiserver::protobuf::decode_body(muster::fuzz::text_of(data, size));
  if (!object) {
    CHECK(!object.error().message.empty());
    return 0;
  }
  CHECK(object->is_object() && !object->string_at("kind").empty());
  // DeleteOptions are the same in every version, so they need not name theirs.
  CHECK(!object->string_at("apiVersion").empty() || object->string_at("kind") == "DeleteOptions");
  muster::fuzz::check_round_trip(*object);
  // A field of two bytes can become a name and a value in JSON.
  CHECK(muster::json::serialize(*object).size() <= 64 * size + 256);
  return 0;
}
