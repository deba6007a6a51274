#include "mpi/pod_api.h"

#include "base/files.h"
#include "net/http_client.h"

namespace muster::mpi {

Result<std::unique_ptr<PodApi>> PodApi::open(const Invocation& invocation) {
  TRY_ASSIGN(client::Target target,
             client::in_cluster_target([&](const char* name) { return variable(invocation, name).value_or(""); },
                                       [](const std::string& path) { return read_file(path); }));
  return std::unique_ptr<PodApi>(new PodApi(std::move(target)));
}

PodApi::PodApi(client::Target target)
    : target_(std::move(target)),
      transport_(
          loop_, rng_, client::credentials_of(target_, loop_),
          [this](const client::Credential&) { return std::make_unique<net::HttpClient>(loop_, target_.endpoint); }),
      client_(transport_, "") {}

}  // namespace muster::mpi
