#include "cli/volumes/volume_copy.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/fd.h"
#include "base/strings.h"
#include "base/visible_text.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr Duration kBetweenLines = 100ms;
constexpr const char* kStdStream = "-";

std::string base_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return fs::path(path).filename().string();
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.ends_with('/') ? folder + name : folder + "/" + name;
}

/// What a server sends must not lead to another place than the destination.
Status check_entry_name(const std::string& name) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos) return ok();
  return Error{.reason = Reason::kBadRequest, .message = fmt::format("the server sent a wrong name: {}", quote(name))};
}

Status make_local_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return errno_error("make " + quote(path), error.value());
  return ok();
}

}  // namespace

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{}B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return value < 10 ? fmt::format("{:.1f}{}", value, kUnits[unit]) : fmt::format("{:.0f}{}", value, kUnits[unit]);
}

Status VolumeCopy::upload(const std::string& from, const std::string& to) {
  const bool from_stdin = from == kStdStream;
  std::error_code error;
  const fs::file_status source = from_stdin ? fs::file_status() : fs::status(from, error);
  if (!from_stdin && !fs::exists(source)) {
    return Error{.reason = Reason::kNotFound, .message = fmt::format("{}: no such file or folder", from)};
  }
  const auto target = files_.stat(to);
  if (!target && target.error().reason != Reason::kNotFound) return target.error();
  const bool into = to.empty() || to.ends_with('/') || (target && target->is_folder());
  if (into && from_stdin) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("{}:{} is a folder; name the file to write", files_.claim(), to)};
  }
  if (into && !target) TRY(files_.make_folder(to));
  const std::string path = into ? joined(to, base_name(fs::absolute(from).lexically_normal().string())) : to;
  Status done = fs::is_directory(source) ? upload_folder(from, path) : upload_file(from, path);
  clear_progress();
  return done;
}

Status VolumeCopy::upload_folder(const std::string& from, const std::string& to) {
  TRY(files_.make_folder(to));
  std::error_code error;
  std::vector<fs::directory_entry> entries(fs::directory_iterator(from, error), {});
  if (error) return errno_error("read " + quote(from), error.value());
  std::ranges::sort(entries);
  for (const fs::directory_entry& entry : entries) {
    const std::string path = joined(to, entry.path().filename().string());
    if (entry.is_symlink(error)) {
      skip(entry.path().string(), "a symbolic link");
    } else if (entry.is_directory(error)) {
      TRY(upload_folder(entry.path().string(), path));
    } else if (entry.is_regular_file(error)) {
      TRY(upload_file(entry.path().string(), path));
    } else {
      skip(entry.path().string(), "not a file");
    }
  }
  return ok();
}

Status VolumeCopy::upload_file(const std::string& from, const std::string& to) {
  if (from == kStdStream) return files_.upload(to, STDIN_FILENO, std::nullopt, show_progress(to, 0));
  const Fd file(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat what {};
  if (!file || ::fstat(file.get(), &what) != 0) return errno_error("open " + quote(from), errno);
  const bool is_file = S_ISREG(what.st_mode);
  const auto mode = is_file ? std::optional<unsigned>(what.st_mode & 0777) : std::nullopt;
  return files_.upload(to, file.get(), mode, show_progress(from, is_file ? what.st_size : 0));
}

Status VolumeCopy::download(const std::string& from, const std::string& to) {
  TRY_ASSIGN(const VolumeFile source, files_.stat(from));
  if (to == kStdStream) {
    if (!source.is_folder()) return files_.download(from, STDOUT_FILENO, [](std::int64_t) {});
    return Error{
        .reason = Reason::kBadRequest,
        .message = fmt::format("{}:{} is a folder; only a file can be written to stdout", files_.claim(), from)};
  }
  std::error_code error;
  const bool into = to.ends_with('/') || fs::is_directory(to, error);
  const std::string name = base_name(from).empty() || from == "/" ? files_.claim() : base_name(from);
  if (into) TRY(check_entry_name(name));
  const std::string path = into ? joined(to, name) : to;
  Status done = source.is_folder() ? download_folder(from, path) : download_file(source, from, path);
  clear_progress();
  return done;
}

Status VolumeCopy::download_folder(const std::string& from, const std::string& to) {
  TRY(make_local_folder(to));
  TRY_ASSIGN(const std::vector<VolumeFile> entries, files_.list(from));
  for (const VolumeFile& entry : entries) {
    TRY(check_entry_name(entry.name));
    const std::string path = joined(from, entry.name);
    if (entry.is_folder()) {
      TRY(download_folder(path, joined(to, entry.name)));
    } else if (entry.type == "file") {
      TRY(download_file(entry, path, joined(to, entry.name)));
    } else {
      skip(files_.claim() + ":" + path, entry.type == "link" ? "a symbolic link" : "not a file");
    }
  }
  return ok();
}

/// The file appears under its name only when it is complete, unless the destination is a device or a pipe.
Status VolumeCopy::download_file(const VolumeFile& file, const std::string& from, const std::string& to) {
  std::error_code error;
  const fs::file_status there = fs::status(to, error);
  const bool is_special = fs::exists(there) && !fs::is_regular_file(there);
  const std::string path = is_special ? to : to + ".muster-part";
  const int flags = is_special ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC;
  const Fd opened(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!opened) return errno_error("open " + quote(path), errno);
  Status done = files_.download(from, opened.get(), show_progress(from, file.size));
  if (is_special) return done;
  if (done && ::fchmod(opened.get(), file.mode & 0777) != 0) done = errno_error("chmod " + quote(path), errno);
  if (done && std::rename(path.c_str(), to.c_str()) != 0) done = errno_error("write " + quote(to), errno);
  if (!done) ::unlink(path.c_str());
  return done;
}

void VolumeCopy::skip(const std::string& path, std::string_view why) {
  clear_progress();
  session_.err(fmt::format("skipped {}: {}\n", path, why));
}

VolumeFiles::OnProgress VolumeCopy::show_progress(const std::string& name, std::int64_t size) {
  if (!session_.terminal().out_is_terminal) return [](std::int64_t) {};
  return [this, name, size](std::int64_t done) {
    const MonoTime now = session_.loop().mono();
    if (shown_at_ && now - *shown_at_ < kBetweenLines) return;
    shown_at_ = now;
    line_is_shown_ = true;
    const std::string of = size > 0 ? fmt::format(" of {} ({}%)", human_bytes(size), done * 100 / size) : "";
    session_.terminal().err(fmt::format("\r\x1b[K{}  {}{}", visible(name), human_bytes(done), of));
  };
}

void VolumeCopy::clear_progress() {
  if (std::exchange(line_is_shown_, false)) session_.terminal().err("\r\x1b[K");
}

}  // namespace muster::cli
