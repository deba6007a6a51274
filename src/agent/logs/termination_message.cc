#include "agent/logs/termination_message.h"

#include <unistd.h>

#include <algorithm>

#include "agent/logs/log_files.h"
#include "agent/logs/log_text.h"
#include "base/fd.h"
#include "json/utf8.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr std::int64_t kMaxLines = 80;  // as many as a kubelet takes
// Twice what a kubelet takes: torchrun ends with a report of 2 KiB, and the traceback is before it.
constexpr std::size_t kMaxBytes = 4096;
// The log's own notation and the lines of the other stream also take room.
constexpr std::int64_t kReadBytes = 64 * 1024;

/// Returns the lines of the file from the offset on, as a terminal shows them in the end.
std::string text_from(const Fd& file, std::int64_t offset) {
  const std::int64_t end = ::lseek(file.get(), 0, SEEK_END);
  offset = std::max(offset, end - kReadBytes);
  std::string bytes(static_cast<std::size_t>(std::max<std::int64_t>(end - offset, 0)), '\0');
  const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), offset);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  LogText text({.timestamps = false, .fold = true, .since = {}, .limit_bytes = {}});
  std::string out;
  text.take(bytes, out);
  text.finish(out);
  return out;
}

/// Keeps the end of the text, from the beginning of a line or at least of a character.
std::string last_bytes(std::string text) {
  if (text.size() <= kMaxBytes) return text;
  std::size_t from = text.size() - kMaxBytes;
  if (const auto line = text.find('\n', from); line != std::string::npos && line + 1 < text.size()) {
    from = line + 1;
  } else {
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  }
  return text.substr(from);
}

std::string valid_text(std::string text) {
  for (auto at = json::find_invalid_utf8(text); at != std::string::npos; at = json::find_invalid_utf8(text)) {
    text[at] = '?';
  }
  return text;
}

bool wants_log(const Document& container) {
  return container.string_at("terminationMessagePolicy") == "FallbackToLogsOnError";
}

}  // namespace

std::string end_of_log(const std::string& pod_folder, const std::string& container, int run) {
  const LogFiles files(pod_folder, container, run);
  const std::vector<int> segments = files.segments();
  std::string text;
  std::int64_t lines = kMaxLines;
  for (auto segment = segments.rbegin(); segment != segments.rend() && text.size() < kMaxBytes; ++segment) {
    const Fd file = files.open(*segment);
    if (!file) break;  // rotation has just removed it
    const Tail tail = find_tail(file.get(), lines, segment == segments.rbegin());
    text.insert(0, text_from(file, tail.offset));
    if (tail.found) break;
    lines = tail.missing;
  }
  return valid_text(last_bytes(std::move(text)));
}

PodView with_log_messages(const Document& pod, PodView view,
                          const std::function<std::string(const std::string& container, int run)>& read_end) {
  if (!view.current) return view;
  for (const char* list : {"initContainers", "containers"}) {
    for (const Document& container : pod.array_at("spec", list)) {
      const std::string& name = container.string_at("name");
      const auto record = std::ranges::find(view.current->containers, name, &ContainerRecord::name);
      if (record == view.current->containers.end() || !wants_log(container)) continue;
      if (record->state != RunState::kTerminated || record->code == 0) continue;
      if (record->message.empty() && record->termination.empty()) record->termination = read_end(name, record->run);
    }
  }
  return view;
}

}  // namespace muster::agent
