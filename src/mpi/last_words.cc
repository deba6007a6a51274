#include "mpi/last_words.h"

#include <algorithm>

namespace muster::mpi {

void LastWords::take(std::string_view text) {
  constexpr std::size_t kKept = 16384;
  if (text.size() >= kKept) {
    end_ = text.substr(text.size() - kKept);
    return;
  }
  const std::size_t room = kKept - text.size();
  if (end_.size() > room) end_.erase(0, end_.size() - room);
  end_ += text;
}

std::string LastWords::exception() const {
  constexpr std::string_view kTraceback = "Traceback (most recent call last):";
  const std::size_t begin = end_.rfind(kTraceback);
  if (begin == std::string::npos) return "";
  std::string_view rest = std::string_view(end_).substr(begin + kTraceback.size());
  rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  // Frames are indented; the line after them is the exception.
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (!line.empty() && line.front() != ' ') return std::string(line.substr(0, line.find('\r')));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

}  // namespace muster::mpi
