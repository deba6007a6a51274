// Any bytes as a kubeconfig: only files that it names are read, and an accepted server can be connected to.
#include "client/kubeconfig.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  const auto no_files = [&](const std::string& path) -> muster::Result<std::string> {
    CHECK(path.starts_with('/'));  // relative to the kubeconfig, or absolute
    return muster::Error{.reason = muster::Reason::kNotFound, .message = "no such file"};
  };
  const auto target = muster::client::parse_kubeconfig(text, "/home/user/.kube/config", "", no_files);
  if (!target) {
    CHECK(!target.error().message.empty());
    return 0;
  }
  CHECK(!target->endpoint.host.empty() && target->endpoint.port > 0 && target->endpoint.port <= 65535);
  CHECK(!target->ns.empty() && !target->context.empty());
  return 0;
}
