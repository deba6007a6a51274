// The TensorBoard controller: a Deployment of one pod that runs TensorBoard over folders on claims, and a Service for
// it. TensorBoard itself has no login, so it listens on its pod's own address and is reached through a proxy that asks
// for one; where that proxy is, is the input `pages_url`. The proxy notes each visit in an annotation; a TensorBoard
// without visitors has no pod until somebody comes.
#pragma once

#include <string>

#include "control/controller.h"

namespace muster::control {

/// The port on which a TensorBoard listens at the address of its pod.
inline constexpr int kTensorBoardPort = 6006;

/// Returns "/tb/NAMESPACE/NAME/": where the page is under its origin, here and inside the pod.
std::string tensorboard_path(const std::string& ns, const std::string& name);

struct TensorBoardOptions {
  // The origin under which pages are reached ("http://127.0.0.1:8766"); "" where nothing serves them, and then the
  // status has no URL.
  std::string pages_url = {};
  Duration idle_after{0};  // how long it runs without a visitor; 0: forever, also if visits are not recorded
};

/// Total, pure and deterministic.
Plan plan_tensorboard(const Snapshot& seen, const TensorBoardOptions& options);

Controller tensorboard_controller(TensorBoardOptions options);

}  // namespace muster::control
