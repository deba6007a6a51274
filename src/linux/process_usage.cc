#include "linux/process_usage.h"

#include <dirent.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <map>
#include <memory>
#include <string>

#include "base/files.h"
#include "base/strings.h"

namespace muster::linux_os {
namespace {

constexpr std::int64_t kKib = 1024;

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(const std::string& path) {
  return {::opendir(path.c_str()), ::closedir};
}

/// The number in a line "KEY: NUMBER …".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trim(std::string_view(line).substr(key.size()));
    return parse_int(rest.substr(0, rest.find(' ')));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProcessTimes> parse_process_times(std::string_view text) {
  // The second field is the program's name in parentheses, which can contain anything. After it come the state and the
  // parent; `rest` begins with the third field of proc(5).
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > text.size()) return std::nullopt;
  const std::vector<std::string> rest = split(text.substr(name_end + 2), ' ');
  constexpr std::size_t kParent = 1, kUser = 11, kSystem = 12, kChildUser = 13, kChildSystem = 14, kStart = 19;
  if (rest.size() <= kStart) return std::nullopt;
  const auto number = [&](std::size_t field) { return parse_int(rest[field]).value_or(0); };
  return ProcessTimes{.parent = static_cast<pid_t>(number(kParent)),
                      .start_time = static_cast<std::uint64_t>(number(kStart)),
                      .own_ticks = number(kUser) + number(kSystem),
                      .child_ticks = number(kChildUser) + number(kChildSystem)};
}

std::optional<ProcessTimes> process_times(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  return text ? parse_process_times(*text) : std::nullopt;
}

Duration from_ticks(std::int64_t ticks) {
  static const std::int64_t per_second = ::sysconf(_SC_CLK_TCK);
  return Duration(ticks * (1'000'000'000 / per_second));
}

std::optional<ProcessMemory> process_memory(pid_t pid) {
  static const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const auto text = read_file(fmt::format("/proc/{}/statm", pid));
  if (!text) return std::nullopt;
  const std::vector<std::string> fields = split(trim(*text), ' ');  // size, resident, shared, …
  if (fields.size() < 3) return std::nullopt;
  const std::int64_t resident = parse_int(fields[1]).value_or(0);
  const std::int64_t shared = parse_int(fields[2]).value_or(0);
  return ProcessMemory{.own = (resident - shared) * page, .shared = shared * page};
}

std::optional<KeptMemory> parse_kept_memory(std::string_view status) {
  const auto anonymous = number_after(status, "RssAnon:");
  const auto shared = number_after(status, "RssShmem:");
  if (!anonymous || !shared) return std::nullopt;  // it has ended and nobody has waited for it
  return KeptMemory{.anonymous = *anonymous * kKib, .shared = *shared * kKib};
}

std::optional<KeptMemory> kept_memory(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/status", pid));
  return text ? parse_kept_memory(*text) : std::nullopt;
}

std::optional<KeptMemory> parse_part_of_memory(std::string_view rollup) {
  const auto anonymous = number_after(rollup, "Pss_Anon:");
  const auto shared = number_after(rollup, "Pss_Shmem:");
  if (!anonymous || !shared) return std::nullopt;
  return KeptMemory{.anonymous = *anonymous * kKib, .shared = *shared * kKib};
}

std::optional<KeptMemory> part_of_memory(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/smaps_rollup", pid));
  return text ? parse_part_of_memory(*text) : std::nullopt;
}

std::optional<ProcessIo> parse_process_io(std::string_view text) {
  const auto read = number_after(text, "read_bytes:");
  const auto written = number_after(text, "write_bytes:");
  if (!read || !written) return std::nullopt;
  return ProcessIo{.read = *read, .written = *written};
}

std::optional<ProcessIo> process_io(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/io", pid));
  return text ? parse_process_io(*text) : std::nullopt;
}

std::vector<pid_t> process_ids() {
  std::vector<pid_t> ids;
  const Folder proc = open_folder("/proc");
  if (proc == nullptr) return ids;
  while (const dirent* entry = ::readdir(proc.get())) {  // NOLINT(concurrency-mt-unsafe): the stream is this thread's
    if (!is_digit(entry->d_name[0])) continue;
    if (const auto pid = parse_int(entry->d_name)) ids.push_back(static_cast<pid_t>(*pid));
  }
  return ids;
}

std::vector<pid_t> process_tree(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : process_ids()) {
    if (const auto times = process_times(pid)) children.emplace(times->parent, pid);
  }
  std::vector<pid_t> found = {root};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = children.equal_range(found[next]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
    children.erase(first, last);  // numbers that were used again meanwhile can make no circle
  }
  return found;
}

std::vector<std::uint64_t> socket_inodes(pid_t pid) {
  std::vector<std::uint64_t> inodes;
  const std::string path = fmt::format("/proc/{}/fd", pid);
  const Folder folder = open_folder(path);
  if (folder == nullptr) return inodes;
  constexpr std::string_view kPrefix = "socket:[";
  std::array<char, 64> target;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe): as above
    const ssize_t size = ::readlinkat(::dirfd(folder.get()), entry->d_name, target.data(), target.size());
    if (size <= 0) continue;
    std::string_view text(target.data(), static_cast<std::size_t>(size));
    if (!text.starts_with(kPrefix) || !text.ends_with(']')) continue;
    text = text.substr(kPrefix.size(), text.size() - kPrefix.size() - 1);
    if (const auto inode = parse_int(text)) inodes.push_back(static_cast<std::uint64_t>(*inode));
  }
  return inodes;
}

std::optional<MachineUsage> parse_machine_usage(std::string_view stat, std::string_view meminfo) {
  // cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL …; steal is the time of other machines.
  constexpr std::array<std::size_t, 5> kBusy = {0, 1, 2, 5, 6};
  constexpr std::string_view kTotal = "cpu  ";
  if (!stat.starts_with(kTotal)) return std::nullopt;
  const std::vector<std::string> fields = split(stat.substr(kTotal.size(), stat.find('\n') - kTotal.size()), ' ');
  if (fields.size() <= kBusy.back()) return std::nullopt;
  std::int64_t ticks = 0;
  for (const std::size_t field : kBusy) ticks += parse_int(fields[field]).value_or(0);
  const auto total = number_after(meminfo, "MemTotal:");
  const auto available = number_after(meminfo, "MemAvailable:");
  if (!total || !available) return std::nullopt;
  return MachineUsage{.cpu = from_ticks(ticks), .memory = (*total - *available) * 1024};
}

Result<MachineUsage> machine_usage() {
  TRY_ASSIGN(const std::string stat, read_file("/proc/stat"));
  TRY_ASSIGN(const std::string meminfo, read_file("/proc/meminfo"));
  if (const auto usage = parse_machine_usage(stat, meminfo)) return *usage;
  return Error{.reason = Reason::kInternalError, .message = "/proc/stat, /proc/meminfo: not in the expected format"};
}

}  // namespace muster::linux_os
