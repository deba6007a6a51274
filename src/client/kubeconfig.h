// kubeconfig files: which server, which credentials, which namespace; and how to write our own.
#pragma once

#include <string>

#include "base/result.h"
#include "net/http_client.h"

namespace muster::client {

struct Target {
  net::Endpoint endpoint;
  std::string token;
  std::string ns = "default";
  std::string context;
};

/// `context` "" is current-context. Certificates inline (…-data) or by file, bearer token or token file.
Result<Target> load_kubeconfig(const std::string& path, const std::string& context);

/// One cluster, one user, one context, all named "muster".
std::string make_kubeconfig(const std::string& server, const std::string& ca_pem, const std::string& token);

}  // namespace muster::client
