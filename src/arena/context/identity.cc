#include "arena/context/identity.h"

#include "base/sha256.h"

namespace muster::arena {

Result<std::string> user_name(cli::Session& session) {
  const json::Document review = json::Object{{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}};
  TRY_ASSIGN(const json::Document reply, session.await([&](client::OnDocument done) {
    session.api().create({"authentication.k8s.io", "v1", "selfsubjectreviews"}, "", review, {}, std::move(done));
  }));
  return reply.string_at("status", "userInfo", "username");
}

std::string user_id(const std::string& name) {
  return md5_hex(name);
}

}  // namespace muster::arena
