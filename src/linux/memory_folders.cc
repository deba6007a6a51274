#include "linux/memory_folders.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "base/fd.h"
#include "base/files.h"
#include "base/strings.h"

namespace muster::linux_os {
namespace {

// The fields of a line: ID PARENT MAJOR:MINOR ROOT PATH OPTIONS [tags] - TYPE SOURCE OPTIONS
constexpr std::size_t kDevice = 2;
constexpr std::size_t kPath = 4;
constexpr std::size_t kFirstTag = 6;

/// The kernel writes blanks and backslashes as a backslash with three octal digits.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      out += text[i];
      continue;
    }
    out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return out;
}

std::optional<dev_t> parse_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major_number = parse_int(text.substr(0, colon));
  const auto minor_number = parse_int(text.substr(colon + 1));
  if (!major_number || !minor_number) return std::nullopt;
  return makedev(static_cast<unsigned>(*major_number), static_cast<unsigned>(*minor_number));
}

}  // namespace

std::vector<MountedMemory> parse_mounted_memory(std::string_view mountinfo, std::string_view source) {
  std::vector<MountedMemory> found;
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() <= kFirstTag) continue;
    const auto end = std::find(fields.begin() + kFirstTag, fields.end(), "-");
    if (fields.end() - end < 3 || end[1] != "tmpfs" || end[2] != source) continue;
    const auto device = parse_device(fields[kDevice]);
    if (!device || std::ranges::find(found, *device, &MountedMemory::device) != found.end()) continue;
    found.push_back({*device, unescaped(fields[kPath])});
  }
  return found;
}

std::vector<MountedMemory> mounted_memory(pid_t pid, std::string_view source) {
  const auto text = read_file(fmt::format("/proc/{}/mountinfo", pid));
  return text ? parse_mounted_memory(*text, source) : std::vector<MountedMemory>{};
}

std::optional<std::int64_t> bytes_in(pid_t pid, const MountedMemory& folder) {
  // The process may move the folder and put a link in its place: what is there now must be the same device.
  const std::string path = fmt::format("/proc/{}/root{}", pid, folder.path);
  const Fd there(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat what {};
  struct statfs use {};
  if (!there || ::fstat(there.get(), &what) != 0 || what.st_dev != folder.device) return std::nullopt;
  if (::fstatfs(there.get(), &use) != 0) return std::nullopt;
  return static_cast<std::int64_t>(use.f_blocks - use.f_bfree) * use.f_bsize;
}

}  // namespace muster::linux_os
