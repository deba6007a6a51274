#include "agent/launch_file.h"

#include <fmt/core.h>

#include <initializer_list>
#include <string_view>

#include "agent/shim/format.h"

namespace muster::agent {
namespace {

void put(std::string& out, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    const auto size = static_cast<std::uint32_t>(field.size());
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(size >> shift & 0xff));
    out.append(field);
    out.push_back('\0');
  }
}

struct PutVolume {
  std::string& out;
  const std::string& name;

  void operator()(const HostFolder& folder) const { put(out, {"bind", name, folder.path}); }
  void operator()(const MemoryFolder& memory) const {
    put(out,
        {"tmpfs", name, memory.size_limit > 0 ? fmt::format("mode=1777,size={}", memory.size_limit) : "mode=1777"});
  }
  void operator()(const FileFolder& files) const {
    put(out, {"files", name});
    for (const VolumeFile& file : files) put(out, {"file", file.path, fmt::format("{:o}", file.mode), file.content});
  }
};

void put_container(std::string& out, const LaunchContainer& container) {
  put(out, {"container", container.name, container.is_init ? "init" : "main"});
  put(out, {"cwd", container.cwd});
  for (const std::string& arg : container.args) put(out, {"arg", arg});
  for (const auto& [name, value] : container.env) put(out, {"env", name + "=" + value});
  for (const LaunchMount& mount : container.mounts) {
    put(out, {"mount", mount.volume, mount.sub_path, mount.target, mount.read_only ? "ro" : "rw"});
  }
}

}  // namespace

std::string encode_launch(const Launch& launch) {
  std::string out;
  put(out, {MUSTER_LAUNCH_MAGIC});
  put(out, {"hostname", launch.hostname});
  put(out, {"hosts", launch.hosts});
  put(out, {"grace", std::to_string(launch.grace_seconds)});
  for (const std::string& path : launch.hidden) put(out, {"hide", path});
  for (const std::string& path : launch.through) put(out, {"through", path});
  for (const auto& [path, target] : launch.links) put(out, {"link", path, target});
  for (const LaunchVolume& volume : launch.volumes) std::visit(PutVolume{out, volume.name}, volume.source);
  for (const LaunchContainer& container : launch.containers) put_container(out, container);
  return out;
}

}  // namespace muster::agent
