#include "cli/run/program_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/find_program.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestFirstLine = 256;  // the kernel reads no more of it

std::string beginning_of_file(const std::string& path) {
  std::string out(kLongestFirstLine, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return out;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  for (const std::string& word : split(std::string(line), ' ')) {
    const std::string_view text = trim(word);
    if (!text.empty()) out.emplace_back(text);
  }
  return out;
}

/// Returns what `env` would look for: the first word that is neither a flag of it nor a variable.
std::string program_of_env(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with('-') && words[i].find('=') == std::string::npos) return words[i];
  }
  return "";
}

Failure wrong_first_line(const std::string& typed, const std::string& named, const std::string& problem) {
  return usage_failure(fmt::format("{}: its first line names {}, {}", typed, named, problem),
                       "correct the first line, or name the program: muster run bash " + typed);
}

}  // namespace

std::variant<ProgramFile, Failure> read_program_file(const std::string& path, const std::string& typed,
                                                     const RunFrom& from) {
  const std::string text = beginning_of_file(path);
  if (text.starts_with("\177ELF")) return ProgramFile{.form = ProgramForm::kBinary};
  const std::string line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r') && (line.starts_with("#!") || path.ends_with(".sh"))) {
    return usage_failure(typed + ": its lines end as on Windows (CRLF), which no shell understands",
                         fmt::format("sed -i 's/\\r$//' {}", typed));
  }
  if (!line.starts_with("#!")) return ProgramFile{};
  const std::vector<std::string> words = words_of(std::string_view(line).substr(2));
  if (words.empty()) return wrong_first_line(typed, "nothing", "so no program can run it");
  if (fs::path(words[0]).filename() != "env") {
    if (!is_executable(words[0])) return wrong_first_line(typed, words[0], "which is not a program of this machine");
    return ProgramFile{.form = ProgramForm::kScript, .interpreter = words[0]};
  }
  const std::string name = program_of_env(words);
  std::string found = find_program(name, from.path);
  if (found.empty()) found = find_program(name, kUsualPath);
  // Pods have a `python` although the machine has only python3.
  if (found.empty() && is_python_name(name)) found = find_program("python3", kUsualPath);
  if (found.empty()) return wrong_first_line(typed, name, "and there is no such program in PATH");
  return ProgramFile{.form = ProgramForm::kScript, .interpreter = std::move(found)};
}

bool is_python_name(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  if (!name.starts_with("python")) return false;
  return name.find_first_not_of("0123456789.", std::string_view("python").size()) == std::string::npos;
}

}  // namespace muster::cli
