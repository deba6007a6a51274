// The actions of probes and hooks on the pods of this machine. Commands run through the pod's shim; requests use
// sockets of the pod's network. Every answer is read up to a limit and within the action's timeout.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/probes/action_runner.h"
#include "agent/probes/connect_to_pod.h"
#include "agent/shim/exec_session.h"
#include "net/event_loop.h"

namespace muster::agent {

class PodActions final : public ActionRunner {
 public:
  using ChannelOf = std::function<FindChannel(const std::string& uid)>;

  PodActions(net::EventLoop& loop, OpenPodSocket open, ChannelOf channel_of)
      : loop_(loop), open_(std::move(open)), channel_of_(std::move(channel_of)) {}

  std::unique_ptr<RunningAction> run(const ActionTarget& target, const Action& action, std::optional<Duration> timeout,
                                     Done done) override;

 private:
  net::EventLoop& loop_;
  OpenPodSocket open_;
  ChannelOf channel_of_;
};

}  // namespace muster::agent
