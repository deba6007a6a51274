// A node whose exec runs the command as a process of this machine, for tests of clients from end to end.
#pragma once

#include "base/ports.h"
#include "client/node_api.h"

namespace muster::testing {

class ProcessNode final : public client::NodeApi {
 public:
  explicit ProcessNode(Loop& loop) : loop_(loop) {}

  Result<std::unique_ptr<client::LogStream>> read_log(const client::LogRequest& request,
                                                      UniqueFunction<void(std::string_view)> on_text,
                                                      UniqueFunction<void(Status)> on_end) override;
  Result<std::unique_ptr<client::ExecSession>> exec(const client::ExecRequest& request, client::ExecSink sink) override;
  /// The program of every container is a `cat`.
  Result<std::unique_ptr<client::ExecSession>> attach(const client::ExecRequest& request,
                                                      client::ExecSink sink) override;

 private:
  Loop& loop_;
};

}  // namespace muster::testing
