#include "web/jobs/job_pods_route.h"

#include "web/jobs/job_kind.h"
#include "web/jobs/job_pods.h"

namespace muster::web {
apiserver::Route job_pods_route(client::ApiClient& client, node::PodHistory* history) {
  const auto handle = [&client, history](const apiserver::RoutedRequest& request,
                                         const std::shared_ptr<net::Exchange>& exchange) {
    const auto kind = find_job_kind(request.at.at("resource"));
    if (!kind) return respond_error(*exchange, kind.error());
    const JobPodsQuery query{.kind = *kind,
                             .ns = request.at.at("namespace"),
                             .name = request.at.at("name"),
                             .uid = std::string(request.query.get("uid"))};
    find_job_pods(client, history, query, [query, exchange](const Result<FoundJobPods>& found) {
      if (!found) return respond_error(*exchange, found.error());
      respond_json(*exchange, 200, jobs::encode(found->known, query.ns, query.name));
    });
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/pods",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster::web
