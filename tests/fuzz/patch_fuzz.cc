// A document and a patch of each type. The first line is the document, the rest the patch; both JSON.
#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/patch/strategic_merge.h"
#include "fuzz.h"
#include "json/patch.h"

namespace {

using muster::json::Document;

// A patch can copy, and json_patch bounds how much. Escapes can make a text six times as long.
constexpr std::size_t kGrowth = 6;
constexpr std::size_t kCopied = std::size_t{8} * 1024 * 1024;

void check_result(const Document& result, std::size_t input_bytes, std::size_t copied = 0) {
  CHECK(muster::json::serialize(result).size() <= kGrowth * input_bytes + copied + 64);
  muster::fuzz::check_round_trip(result);
}

void check_merge(const Document& target, const Document& patch, std::size_t size) {
  Document once = target;
  muster::json::merge_patch(once, patch);
  check_result(once, size);
  Document twice = once;
  muster::json::merge_patch(twice, patch);
  CHECK(twice == once);
}

void check_strategic(const Document& target, const Document& patch, std::size_t size) {
  if (!target.is_object() || !patch.is_object()) return;
  for (const char* kind : {"Pod", "Service", "ConfigMap"}) {
    const auto* type = muster::api::kubernetes::find_message("v1", kind);
    CHECK(type != nullptr);
    Document result = target;
    if (muster::apiserver::strategic_merge(result, patch, type)) check_result(result, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  const std::size_t cut = text.find('\n');
  if (cut == std::string_view::npos) return 0;
  const auto target = muster::json::parse(text.substr(0, cut));
  const auto patch = muster::json::parse(text.substr(cut + 1));
  if (!target || !patch) return 0;
  check_merge(*target, *patch, size);
  check_strategic(*target, *patch, size);
  if (const auto result = muster::json::json_patch(*target, *patch)) check_result(*result, size, kCopied);
  return 0;
}
