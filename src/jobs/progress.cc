#include "jobs/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/strings.h"

namespace muster::jobs {
namespace {

constexpr std::size_t kMostLines = 200;
constexpr std::size_t kLongestLine = 2000;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '@';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string without_colors(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.substr(i).starts_with("\x1b[")) {
      i = line.find_first_not_of("0123456789;:?", i + 2);
      if (i == std::string_view::npos) break;
      continue;
    }
    out += line[i];
  }
  return out;
}

/// Reads a line from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  void skip(std::string_view characters) {
    while (!at_end() && characters.find(here()) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    if (here() != c) return false;
    ++at_;
    return true;
  }
  std::string word() {
    std::string out;
    while (is_word_character(here())) out += text_[at_++];
    return ascii_lower(out);
  }

  /// Also "1.2k", as tqdm shortens a count, and "nan".
  std::optional<double> number() {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    if (begin == end || (!is_digit(*begin) && *begin != '-' && *begin != '.' && *begin != 'n' && *begin != 'i'))
      return {};
    double value = 0;
    const auto [stop, failed] = std::from_chars(begin, end, value);
    if (failed != std::errc()) return {};
    at_ += static_cast<std::size_t>(stop - begin);
    if (here() == 'k' || here() == 'M') value *= text_[at_++] == 'k' ? 1e3 : 1e6;
    if (is_word_character(here())) return {};  // "3rd", "nano"
    return value;
  }

 private:
  static std::string ascii_lower(std::string text) {
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Fraction {
  double done = 0;
  std::optional<double> of;
};

/// "3", "3/10", "[3/10]", "3 of 10" after a word, with what stands between: ": ", " = ", "': '".
std::optional<Fraction> fraction(Reader& line) {
  line.skip("'\" ");
  if (line.here() == ':' || line.here() == '=') line.go_to(line.position() + 1);
  line.skip("'\" \t[(#");
  const auto done = line.number();
  if (!done) return {};
  Fraction out{.done = *done, .of = {}};
  const std::size_t after = line.position();
  line.skip(" ");
  if (line.take('/')) {
    line.skip(" ");
    out.of = line.number();
  } else if (line.word() == "of") {
    line.skip(" ");
    out.of = line.number();
  }
  if (!out.of) line.go_to(after);
  return out;
}

/// "[25600/60000" or "][  10/5005]" behind the number of an epoch: the step.
std::optional<Fraction> step_behind_epoch(Reader line) {
  line.skip("], ");
  if (!line.take('[')) return {};
  line.skip(" ");
  Fraction out;
  const auto done = line.number();
  if (!done || !line.take('/')) return {};
  out.of = line.number();
  out.done = *done;
  return out.of ? std::optional(out) : std::nullopt;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool is_of_evaluation(std::string_view name) {
  return contains_any(name, {"val", "eval", "test", "dev"});
}

/// Whether the word has this part: "loss", "train_loss", "train_loss_step".
bool has_part(std::string_view word, std::string_view part) {
  const std::vector<std::string> parts = split(word, '_');
  return std::ranges::find(parts, part) != parts.end();
}

bool names_loss(std::string_view word) {
  return has_part(word, "loss");
}

bool names_accuracy(std::string_view word) {
  return has_part(word, "acc") || word.starts_with("acc@1") || word.find("accuracy") != std::string_view::npos;
}

/// What a line says, the numbers of an evaluation apart.
struct Said {
  Progress progress;
  std::optional<double> evaluated_loss;
  std::optional<double> trained_accuracy;
};

void set_epoch(Reader& line, Said& said) {
  const auto found = fraction(line);
  if (!found) return;
  said.progress.epoch = found->done;
  said.progress.epochs = found->of;
  if (const auto step = step_behind_epoch(line)) {
    said.progress.step = step->done;
    said.progress.steps = step->of;
  }
}

void set_step(Reader& line, Said& said) {
  const auto found = fraction(line);
  if (!found || said.progress.step) return;
  said.progress.step = found->done;
  said.progress.steps = found->of;
}

void set_result(Reader& line, const std::string& name, bool is_loss, Said& said) {
  const auto found = fraction(line);
  if (!found) return;
  const bool evaluated = is_of_evaluation(name);
  if (is_loss) {
    auto& to = evaluated ? said.evaluated_loss : said.progress.loss;
    if (!to) to = found->done;
  } else {
    auto& to = evaluated ? said.progress.accuracy : said.trained_accuracy;
    if (!to) to = found->done;
  }
}

void read_words(std::string_view text, Said& said) {
  Reader line(text);
  std::string before;
  while (!line.at_end()) {
    if (!is_word_character(line.here())) {
      // "train/loss" and "val loss" name the same thing as "train_loss" and "val_loss".
      if (line.here() != ' ' && line.here() != '/') before.clear();
      line.go_to(line.position() + 1);
      continue;
    }
    const std::string word = line.word();
    const std::size_t after = line.position();
    if (word == "epoch") {
      set_epoch(line, said);
    } else if (word == "step" || word == "iter" || word == "iteration" || word == "global_step") {
      set_step(line, said);
    } else if (names_loss(word) || names_accuracy(word)) {
      set_result(line, before + " " + word, names_loss(word), said);
    }
    if (line.position() == after || word.empty()) line.go_to(after);
    before = word;
  }
}

/// The count of a bar: "| 375/938 [00:02<…" of tqdm, "375/938 [====>" and "375/938 ━━━" of Keras and Rich, "120it [".
void read_bar(std::string_view text, Said& said) {
  static constexpr std::string_view kMarks[] = {" [", " \u2501", " \u2578", " \u2500"};
  for (std::size_t slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/', slash + 1)) {
    const std::size_t begin = text.find_last_not_of("0123456789.kM", slash == 0 ? 0 : slash - 1) + 1;
    if (begin >= slash) continue;
    Reader line(text);
    line.go_to(begin);
    const auto done = line.number();
    if (!done || !line.take('/')) continue;
    const auto of = line.number();
    if (!of) continue;
    const std::string_view rest = text.substr(line.position());
    const bool is_first = text.find_first_not_of(' ') == begin;
    const bool behind_bar = begin >= 2 && text.substr(0, begin).find_last_not_of(' ') != std::string_view::npos &&
                            text[text.substr(0, begin).find_last_not_of(' ')] == '|';
    const bool before_bar = std::ranges::any_of(kMarks, [&](std::string_view mark) { return rest.starts_with(mark); });
    const bool behind_rich_bar = contains_any(text.substr(0, begin), {"\u2501", "\u2578", "\u2500"});
    if (!behind_bar && !behind_rich_bar && !(is_first && before_bar)) continue;
    said.progress.step = *done;
    said.progress.steps = *of;
    return;
  }
  const std::size_t count = text.find("it [");
  if (count == std::string_view::npos || count == 0 || !is_digit(text[count - 1])) return;
  Reader line(text);
  line.go_to(text.find_last_not_of("0123456789", count - 1) + 1);
  double value = 0;
  const std::size_t begin = line.position();
  std::from_chars(text.data() + begin, text.data() + count, value);
  said.progress.step = value;
}

std::string count_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string part_text(const char* name, double done, const std::optional<double>& of) {
  return fmt::format("{} {}{}", name, count_text(done), of ? "/" + count_text(*of) : "");
}

template <typename T>
void fill(std::optional<T>& to, const std::optional<T>& from) {
  if (!to) to = from;
}

}  // namespace

Progress progress_in(std::string_view line) {
  const std::string text = without_colors(line.substr(0, kLongestLine));
  Said said;
  read_bar(text, said);
  read_words(text, said);
  fill(said.progress.loss, said.evaluated_loss);
  fill(said.progress.accuracy, said.trained_accuracy);
  return said.progress;
}

Progress progress_of_log(std::string_view lines) {
  Progress out;
  for (std::size_t left = kMostLines; left > 0 && !lines.empty(); --left) {
    if (lines.ends_with('\n')) lines.remove_suffix(1);
    const std::size_t begin = lines.rfind('\n') + 1;  // 0 when there is none
    const Progress line = progress_in(lines.substr(begin));
    lines = lines.substr(0, begin);
    // A number and its total belong together.
    if (!out.epoch && line.epoch) {
      out.epoch = line.epoch;
      out.epochs = line.epochs;
    }
    if (!out.step && line.step) {
      out.step = line.step;
      out.steps = line.steps;
    }
    fill(out.loss, line.loss);
    fill(out.accuracy, line.accuracy);
    if (out.epoch && out.step && out.loss && out.accuracy) break;
  }
  return out;
}

Progress progress_of_scalars(const std::vector<LastScalar>& scalars) {
  Said said;
  for (const LastScalar& scalar : scalars) {
    std::string name = to_lower(scalar.tag);
    std::ranges::replace_if(
        name, [](char c) { return !is_word_character(c); }, '_');
    const auto step = static_cast<double>(scalar.step);
    if (!said.progress.step || *said.progress.step < step) said.progress.step = step;
    if (name == "epoch" || name.ends_with("_epoch")) {
      if (!has_part(name, "loss") && !names_accuracy(name)) said.progress.epoch = scalar.value;
    }
    if (names_loss(name)) {
      auto& to = is_of_evaluation(name) ? said.evaluated_loss : said.progress.loss;
      if (!to) to = scalar.value;
    } else if (names_accuracy(name)) {
      auto& to = is_of_evaluation(name) ? said.progress.accuracy : said.trained_accuracy;
      if (!to) to = scalar.value;
    }
  }
  fill(said.progress.loss, said.evaluated_loss);
  fill(said.progress.accuracy, said.trained_accuracy);
  return said.progress;
}

Progress joined(Progress first, const Progress& second) {
  // A number and its total belong together.
  if (!first.epoch) {
    first.epoch = second.epoch;
    first.epochs = second.epochs;
  } else if (first.epochs == std::nullopt && second.epoch) {
    first.epochs = second.epochs;
  }
  if (!first.step) {
    first.step = second.step;
    first.steps = second.steps;
  }
  fill(first.loss, second.loss);
  fill(first.accuracy, second.accuracy);
  return first;
}

std::string progress_text(const Progress& progress) {
  std::vector<std::string> parts;
  if (progress.epoch) {
    parts.push_back(part_text("epoch", *progress.epoch, progress.epochs));
  } else if (progress.step) {
    parts.push_back(part_text("step", *progress.step, progress.steps));
  }
  if (progress.loss) parts.push_back(fmt::format("loss {:.4g}", *progress.loss));
  return join(parts, ", ");
}

std::string results_text(const Progress& progress) {
  std::vector<std::string> parts;
  if (progress.loss) parts.push_back(fmt::format("loss {:.4g}", *progress.loss));
  if (progress.accuracy) parts.push_back(fmt::format("accuracy {:.4g}", *progress.accuracy));
  return join(parts, ", ");
}

json::Document encode(const Progress& progress) {
  json::Object out;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (!value) return;
    // JSON has no word for these.
    if (std::isfinite(*value)) {
      out.append(name, *value);
    } else {
      out.append(name, std::isnan(*value) ? "NaN" : *value > 0 ? "Infinity" : "-Infinity");
    }
  };
  add("epoch", progress.epoch);
  add("epochs", progress.epochs);
  add("step", progress.step);
  add("steps", progress.steps);
  add("loss", progress.loss);
  add("accuracy", progress.accuracy);
  return out;
}

Progress decode_progress(const json::Document& document) {
  const auto read = [&](const char* name) -> std::optional<double> {
    const json::Document* value = document.find(name);
    if (value == nullptr) return {};
    if (value->is_number()) return value->as_double();
    if (!value->is_string()) return {};
    if (value->as_string() == "NaN") return std::nan("");
    if (value->as_string() == "Infinity") return HUGE_VAL;
    if (value->as_string() == "-Infinity") return -HUGE_VAL;
    return {};
  };
  return {.epoch = read("epoch"),
          .epochs = read("epochs"),
          .step = read("step"),
          .steps = read("steps"),
          .loss = read("loss"),
          .accuracy = read("accuracy")};
}

}  // namespace muster::jobs
