#include "agent/metrics/log_source.h"

#include <algorithm>
#include <filesystem>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

/// Rotation and clean-up may remove files meanwhile; what is gone was not written last.
std::int64_t newest_write(const std::string& logs) {
  auto newest = fs::file_time_type::min();
  std::error_code gone;
  for (auto file = fs::recursive_directory_iterator(logs, gone); !gone && file != fs::recursive_directory_iterator();
       file.increment(gone)) {
    std::error_code unreadable;
    if (file->is_directory(unreadable)) continue;
    const auto written = file->last_write_time(unreadable);
    if (!unreadable) newest = std::max(newest, written);
  }
  return newest.time_since_epoch().count();
}

}  // namespace

std::vector<PodReading> LogSource::read(const std::vector<MeasuredPod>& pods) {
  std::vector<PodReading> readings = others_.read(pods);
  for (PodReading& reading : readings) reading.last_write = newest_write(paths_.logs(reading.uid));
  return readings;
}

}  // namespace muster::agent
