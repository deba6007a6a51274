// What TensorBoards and Notebooks have in common: a program with a page, which one pod serves. The pod is that of a
// Deployment, a Service names it, and the status tells how the program does. Its page is reached through a proxy that
// asks for a login; where that proxy is, is the input `pages_url` of the plans.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/kubernetes/core_v1.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "control/controller.h"

namespace muster::control {

/// The object that has the page.
struct PageOwner {
  const char* kind;
  const char* program;      // its name for people
  const char* uid_label;    // on the children: the uid of the owner
  std::string_view ending;  // of the children's names, which must differ from those of a job's services
  int port = 0;             // where the program listens in the pod
  std::string path;         // of the page: "/tb/NAMESPACE/NAME/"
  const api::ObjectMeta& metadata;
  const api::PageStatus& status;
};

/// Returns the name of each child of an object. One that no Service may have is shortened to its hash.
std::string page_child_name(const std::string& name, std::string_view ending);
/// Name, labels and owner of each child.
api::ObjectMeta page_child_metadata(const PageOwner& owner);

/// The variable POD_IP: the address at which the program listens, and nowhere else.
api::EnvVar pod_address_variable();

/// Makes or updates the Deployment and makes the Service. What somebody else changed in the template stays.
void converge_page(const PageOwner& owner, const api::PodTemplateSpec& pod_template, bool suspended,
                   const Snapshot& seen, Plan& plan);

struct PageState {
  std::string phase;
  std::string reason;
  std::string message;
};

/// Returns why no pod can be made for the object `primary`; "" when one can. Admission rejects such an object, but a
/// cluster's schema cannot, and an engine may hold one from before the rule. One that has a pod need not be asked.
std::string page_fault(const PageOwner& owner, const json::Document& primary);
PageState invalid_state(const std::string& fault);

/// The newest pod that is not being deleted; null when there is none.
std::shared_ptr<const api::Pod> page_pod(const Snapshot& seen);
/// How an owner that is not suspended does; `pod` may be null.
PageState state_of_pod(const PageOwner& owner, const api::Pod* pod);

/// A condition keeps the time of its last change while its status stays the same.
api::Condition page_condition(const PageOwner& owner, const char* type, bool value, const PageState& state, Time now);
/// With the conditions Ready and Suspended.
api::PageStatus page_status(const PageOwner& owner, const PageState& state, const api::Pod* pod,
                            const std::string& pages_url, Time now);

void emit_phase_change(const PageOwner& owner, const PageState& state, Plan& plan);

/// The children that `converge_page` makes, and their pods.
std::vector<WatchedKind> page_children(const char* uid_label);

}  // namespace muster::control
