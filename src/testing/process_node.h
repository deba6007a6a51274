// A node whose exec runs the command as a process of this machine, for tests of clients from end to end.
#pragma once

#include "base/ports.h"
#include "node/node_api.h"

namespace muster::testing {

class ProcessNode final : public node::NodeApi {
 public:
  explicit ProcessNode(Loop& loop) : loop_(loop) {}

  Result<std::unique_ptr<node::LogStream>> read_log(const node::LogRequest& request,
                                                    UniqueFunction<void(std::string_view)> on_text,
                                                    UniqueFunction<void(Status)> on_end) override;
  Result<std::unique_ptr<node::ExecSession>> exec(const node::ExecRequest& request, node::ExecSink sink) override;
  /// The program of every container is a `cat`.
  Result<std::unique_ptr<node::ExecSession>> attach(const node::ExecRequest& request, node::ExecSink sink) override;
  Result<std::unique_ptr<node::PortSession>> connect(const node::PortRequest& request, node::PortSink sink) override;

 private:
  Loop& loop_;
};

}  // namespace muster::testing
