#include "web/pages/find_logs.h"

#include <fmt/core.h>

#include <memory>

#include "base/strings.h"
#include "control/tensorboard/log_folders.h"
#include "reflect/reflect.h"

namespace muster::web {
namespace {

/// One search, one folder after the other.
struct LogSearch : std::enable_shared_from_this<LogSearch> {
  LogSearch(client::ApiClient& c, node::ClaimFiles& f, std::string n, OnLogsFound d)
      : client(c), files(f), ns(std::move(n)), done(std::move(d)) {}

  client::ApiClient& client;
  node::ClaimFiles& files;
  std::string ns;
  OnLogsFound done;
  std::vector<control::LogFolder> folders;
  std::size_t next = 0;

  std::string searched() const {
    std::vector<std::string> names;
    for (const control::LogFolder& folder : folders) {
      names.push_back(folder.path.empty() ? "claim " + folder.claim
                                          : fmt::format("claim {}, folder {}", folder.claim, folder.path));
    }
    return join(names, "; ");
  }

  void look_at_next() {
    if (next == folders.size()) return done(searched());
    const control::LogFolder& folder = folders[next++];
    client.get({{"", "v1", "persistentvolumeclaims"}, ns, folder.claim},
               [self = shared_from_this(), path = folder.path](Result<json::Document> claim) {
                 if (!claim) return self->done(claim.error());
                 self->files.has_events({.claim = *std::move(claim), .path = path}, [self](Result<bool> found) {
                   if (!found) return self->done(found.error());
                   *found ? self->done(std::string()) : self->look_at_next();
                 });
               });
  }
};

}  // namespace

void find_logs(client::ApiClient& client, node::ClaimFiles& files, const json::Document& board, OnLogsFound done) {
  const auto spec = reflect::decode<api::TensorBoardSpec>(*board.find("spec"));
  if (!spec) return done(spec.error());
  const auto search =
      std::make_shared<LogSearch>(client, files, board.string_at("metadata", "namespace"), std::move(done));
  search->folders = control::log_sources(*spec).folders;
  search->look_at_next();
}

}  // namespace muster::web
