// One call of grpc.health.v1.Health/Check over HTTP/2 without TLS: the bytes that are sent, and what the peer's bytes
// mean. Pure. Only what this call needs of HTTP/2 is here: headers of the response are skipped, its message decides.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/probes/run_probes.h"

namespace muster::agent {

class GrpcHealthCall {
 public:
  GrpcHealthCall(const std::string& service, const std::string& authority);

  /// Returns the bytes to send now.
  std::string take_output();
  /// Takes bytes from the peer; returns the result once it is known.
  std::optional<ProbeResult> put(std::string_view bytes);

 private:
  std::optional<ProbeResult> take_frame(unsigned char type, unsigned char flags, std::string_view payload);
  std::optional<ProbeResult> take_data(unsigned char flags, std::string_view payload);

  std::string out_;
  std::string in_;
  std::string message_;
};

}  // namespace muster::agent
