#include "web/backups/backup_route.h"

#include "apiserver/errors/status_error.h"
#include "json/document.h"

namespace muster::web {

apiserver::Route backup_route(std::function<void(OnBackup)> back_up) {
  const auto handle = [back_up = std::move(back_up)](const apiserver::RoutedRequest&,
                                                     std::shared_ptr<net::Exchange> exchange) {
    back_up([exchange = std::move(exchange)](const Result<Backup>& taken) {
      if (!taken) return exchange->respond(apiserver::error_response(taken.error()));
      const json::Document answer = json::Object{{"apiVersion", "muster.dev/v1"},
                                                 {"kind", "Backup"},
                                                 {"path", taken->path},
                                                 {"revision", taken->revision},
                                                 {"time", format_rfc3339(taken->made)}};
      net::Response response{.status = 200, .headers = {}, .body = json::serialize(answer)};
      response.headers.set("Content-Type", "application/json");
      exchange->respond(std::move(response));
    });
  };
  return {.pattern = "apis/muster.dev/v1/backups", .methods = {"POST"}, .handle = handle};
}

}  // namespace muster::web
