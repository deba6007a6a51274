// Names that concern who is told about jobs. One definition of each.
#pragma once

namespace muster::api {

inline constexpr const char* kNotifyAnnotation = "muster.dev/notify";  // on jobs: targets of the configuration, Secrets
inline constexpr const char* kNotifiedPrefix = "notified.muster.dev/";  // on jobs, and a target: what it was told
inline constexpr const char* kNotifySecretType = "muster.dev/notify";   // of Secrets with the URL of a web hook
inline constexpr const char* kNotifyTargets = "muster-notify";          // the ConfigMap that lists the targets

}  // namespace muster::api
