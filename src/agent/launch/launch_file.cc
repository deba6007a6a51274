#include "agent/launch/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "shim/encode_fields.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

std::string_view name_of(FolderOrigin origin) {
  switch (origin) {
    case FolderOrigin::kEngine:
      return "own";
    case FolderOrigin::kNamed:
      return "named";
    case FolderOrigin::kHostPath:
      return "host";
  }
  return "";
}

struct PutVolume {
  std::string& out;
  const std::string& name;

  void operator()(const HostFolder& folder) const {
    shim::put_fields(out, {"bind", name, folder.path, name_of(folder.origin)});
  }
  void operator()(const MemoryFolder& memory) const {
    shim::put_fields(out, {"tmpfs", name,
                           memory.size_limit > 0 ? fmt::format("mode=1777,size={}", memory.size_limit) : "mode=1777"});
  }
  void operator()(const FileFolder& files) const {
    shim::put_fields(out, {"files", name});
    for (const VolumeFile& file : files)
      shim::put_fields(out, {"file", file.path, fmt::format("{:o}", file.mode), file.content});
  }
};

void put_container(std::string& out, const LaunchContainer& container) {
  shim::put_fields(out, {"container", container.name, container.is_init ? "init" : "main"});
  shim::put_fields(out, {"run", std::to_string(container.run)});
  shim::put_fields(out, {"cwd", container.cwd});
  if (container.user) put_user(out, *container.user);
  if (container.standard_input != StandardInput::kNone)
    shim::put_fields(out, {"stdin", container.standard_input == StandardInput::kOnce ? "once" : "always"});
  if (container.tty) shim::put_fields(out, {"tty"});
  if (container.read_only_root) shim::put_fields(out, {"readonly"});
  if (container.capabilities) shim::put_fields(out, {"capabilities", fmt::format("{:x}", *container.capabilities)});
  if (!container.rootfs.empty()) shim::put_fields(out, {"rootfs", container.rootfs});
  for (const std::string& path : container.writable) shim::put_fields(out, {"writable", path});
  for (const auto& [path, target] : container.shown) shim::put_fields(out, {"show", path, target});
  if (!container.termination_path.empty()) shim::put_fields(out, {"termination", container.termination_path});
  for (const std::string& path : container.devices) shim::put_fields(out, {"device", path});
  for (const std::string& file : container.cgroup.join_files) shim::put_fields(out, {"join", file});
  if (!container.cgroup.folder.empty()) shim::put_fields(out, {"cgroup", container.cgroup.folder});
  if (!container.cgroup.oom_file.empty()) shim::put_fields(out, {"oom", container.cgroup.oom_file});
  if (container.processes > 0) shim::put_fields(out, {"processes", std::to_string(container.processes)});
  if (container.memory > 0) shim::put_fields(out, {"memory", std::to_string(container.memory)});
  for (const std::string& arg : container.args) shim::put_fields(out, {"arg", arg});
  for (const auto& [name, value] : container.env) shim::put_fields(out, {"env", name + "=" + value});
  for (const LaunchMount& mount : container.mounts) {
    shim::put_fields(out, {"mount", mount.volume, mount.sub_path, mount.target, mount.read_only ? "ro" : "rw"});
  }
}

std::string_view name_of(RestartPolicy policy) {
  switch (policy) {
    case RestartPolicy::kNever:
      return "Never";
    case RestartPolicy::kOnFailure:
      return "OnFailure";
    case RestartPolicy::kAlways:
      return "Always";
  }
  return "";
}

}  // namespace

void put_user(std::string& out, const LaunchUser& user) {
  shim::put_fields(out, {"user", std::to_string(user.uid), std::to_string(user.gid),
                         fmt::format("{}", fmt::join(user.groups, ","))});
}

std::string encode_launch(const Launch& launch) {
  std::string out;
  shim::put_fields(out, {MUSTER_LAUNCH_MAGIC});
  shim::put_fields(out, {"hostname", launch.hostname});
  shim::put_fields(out, {"hosts", launch.hosts});
  if (!launch.resolver.empty()) shim::put_fields(out, {"resolver", launch.resolver});
  if (!launch.network.empty()) shim::put_fields(out, {"network", launch.network, launch.own_network ? "own" : "host"});
  shim::put_fields(out, {"grace", std::to_string(launch.grace_seconds)});
  if (launch.group) shim::put_fields(out, {"group", std::to_string(*launch.group)});
  shim::put_fields(out, {"restart", name_of(launch.restart)});
  shim::put_fields(out,
                   {"log", std::to_string(launch.log.segment_bytes), std::to_string(std::max(1, launch.log.segments))});
  for (const std::string& path : launch.hidden) shim::put_fields(out, {"hide", path});
  for (const std::string& path : launch.through) shim::put_fields(out, {"through", path});
  for (const auto& [path, target] : launch.links) shim::put_fields(out, {"link", path, target});
  for (const LaunchVolume& volume : launch.volumes) std::visit(PutVolume{out, volume.name}, volume.source);
  for (const LaunchContainer& container : launch.containers) put_container(out, container);
  return out;
}

}  // namespace muster::agent
