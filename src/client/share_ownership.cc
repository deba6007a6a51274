#include "client/share_ownership.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::client {
namespace {

using json::Document;

constexpr int kAttempts = 3;

/// One object after the other.
struct Sharing : std::enable_shared_from_this<Sharing> {
  Sharing(ApiClient& c, std::vector<ObjectName> o, std::string u, Document t, UniqueFunction<void(Status)> d)
      : client(c), objects(std::move(o)), of_uid(std::move(u)), to(std::move(t)), done(std::move(d)) {}

  ApiClient& client;
  std::vector<ObjectName> objects;
  std::string of_uid;
  Document to;
  UniqueFunction<void(Status)> done;
  std::size_t next = 0;
  int attempts = 0;

  void look_at_next() {
    if (next == objects.size()) return done(ok());
    client.get(objects[next], [self = shared_from_this()](Result<Document> object) {
      if (!object && object.error().reason == Reason::kNotFound) return self->go_on();
      if (!object) return self->done(object.error());
      self->share(*object);
    });
  }

  void share(const Document& object) {
    json::Array owners = object.array_at("metadata", "ownerReferences");
    const auto has = [&](const std::string& uid) {
      return std::ranges::any_of(owners, [&](const Document& owner) { return owner.string_at("uid") == uid; });
    };
    if (!has(of_uid) || has(to.string_at("uid"))) return go_on();
    owners.push_back(to);
    // With the version, so that an owner that another request adds meanwhile is not lost.
    const Document patch =
        json::Object{{"metadata", json::Object{{"resourceVersion", object.string_at("metadata", "resourceVersion")},
                                               {"ownerReferences", std::move(owners)}}}};
    client.patch(objects[next], PatchType::kMerge, patch, {},
                 [self = shared_from_this()](const Result<Document>& made) {
                   const bool has_changed = !made && made.error().reason == Reason::kConflict;
                   if (has_changed && ++self->attempts < kAttempts) return self->look_at_next();
                   if (!made && made.error().reason != Reason::kNotFound) return self->done(made.error());
                   self->go_on();
                 });
  }

  void go_on() {
    ++next;
    attempts = 0;
    look_at_next();
  }
};

}  // namespace

void share_ownership(ApiClient& client, std::vector<ObjectName> objects, std::string of_uid, json::Document to,
                     UniqueFunction<void(Status)> done) {
  std::make_shared<Sharing>(client, std::move(objects), std::move(of_uid), std::move(to), std::move(done))
      ->look_at_next();
}

}  // namespace muster::client
