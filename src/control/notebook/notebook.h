// The Notebook controller: a Deployment of one pod that runs JupyterLab, a Service for it, and a Secret with the token
// that JupyterLab asks for. Only the proxy of the pages reads that Secret; browsers log in at the proxy.
#pragma once

#include <functional>
#include <string>

#include "control/controller.h"
#include "jobs/model/where.h"

namespace muster::control {

/// The port on which JupyterLab listens.
inline constexpr int kNotebookPort = 8888;
/// The Secret of a Notebook, and its member that holds the token.
std::string notebook_secret_name(const std::string& name);
inline constexpr const char* kNotebookTokenKey = "token";

/// Returns "/notebook/NAMESPACE/NAME/": where the page is under its origin, here and inside the pod.
std::string notebook_path(const std::string& ns, const std::string& name);

/// Total, pure and deterministic. `pages_url` is as for TensorBoards; `fresh_token` is random, and used when the
/// Notebook has no token yet. An operator of a cluster does not watch Secrets: who may watch them may read all of them.
Plan plan_notebook(const Snapshot& seen, const std::string& pages_url, const std::string& fresh_token,
                   Where where = Where::kEngine);

Controller notebook_controller(std::string pages_url, std::function<std::string()> make_token, Where where);

}  // namespace muster::control
