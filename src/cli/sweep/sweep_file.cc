#include "cli/sweep/sweep_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

using json::Document;

class Reader {
 public:
  Reader(const json::YamlDocument& document, const std::string& file) : document_(document), file_(file) {}

  Result<SweepFile> read() const {
    const Document& top = document_.value;
    if (!top.is_object()) return wrong("", "must have the key parameters");
    TRY(check_keys(top, "", {"name", "command", "parameters", "random", "randomSeed", "parallel", "metric", "goal"}));
    SweepFile out;
    TRY_ASSIGN(out.name, text(top, "name"));
    TRY_ASSIGN(out.metric, text(top, "metric"));
    TRY_ASSIGN(out.goal, text(top, "goal"));
    TRY_ASSIGN(out.command, command(top));
    TRY_ASSIGN(out.space.random, number(top, "random"));
    TRY_ASSIGN(const auto seed, number(top, "randomSeed"));
    out.space.random_seed = seed.value_or(out.space.random_seed);
    TRY_ASSIGN(out.parallel, number(top, "parallel"));
    TRY_ASSIGN(out.space.parameters, parameters(top));
    return out;
  }

 private:
  /// "sweep.yaml:3:5: parameters.lr".
  std::string place(const std::string& path) const {
    const auto mark = document_.marks.find(path);
    if (mark == document_.marks.end()) return path.empty() ? file_ : fmt::format("{}: {}", file_, path);
    return fmt::format("{}:{}:{}: {}", file_, mark->second.line, mark->second.column, path);
  }

  Error wrong(const std::string& path, std::string_view what) const {
    return Error{.reason = Reason::kInvalid, .message = fmt::format("{}: {}", place(path), what)};
  }

  Status check_keys(const Document& object, const std::string& path, const std::vector<std::string>& known) const {
    for (const json::Member& member : object.as_object()) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      const auto meant = did_you_mean(member.key, known);
      return wrong(path.empty() ? member.key : path + "." + member.key,
                   fmt::format("unknown key{}; known are {}", meant ? fmt::format(", did you mean {}?", *meant) : "",
                               join(known, ", ")));
    }
    return ok();
  }

  static std::optional<std::string> scalar_text(const Document& value) {
    if (value.is_string()) return value.as_string();
    if (value.is_bool()) return value.as_bool() ? "true" : "false";
    if (value.is_int()) return std::to_string(value.as_int());
    if (value.is_number()) return fmt::format("{}", value.as_double());
    return std::nullopt;
  }

  Result<std::string> text(const Document& top, const std::string& key) const {
    const Document* value = top.find(key);
    if (value == nullptr || value->is_null()) return std::string();
    const auto read = scalar_text(*value);
    if (!read) return wrong(key, "must be a text");
    return *read;
  }

  Result<std::optional<std::int64_t>> number(const Document& top, const std::string& key) const {
    const Document* value = top.find(key);
    if (value == nullptr || value->is_null()) return std::optional<std::int64_t>();
    if (!value->is_int()) return wrong(key, "must be a whole number");
    return std::optional(value->as_int());
  }

  Result<std::vector<std::string>> texts(const Document& list, const std::string& path) const {
    std::vector<std::string> out;
    for (const Document& item : list.as_array()) {
      const auto read = scalar_text(item);
      if (!read) return wrong(fmt::format("{}[{}]", path, out.size()), "must be a text or a number");
      out.push_back(*read);
    }
    if (out.empty()) return wrong(path, "must not be empty");
    return out;
  }

  Result<std::vector<std::string>> command(const Document& top) const {
    const Document* value = top.find("command");
    if (value == nullptr) return std::vector<std::string>();
    if (!value->is_array()) return wrong("command", "must be a list of words, such as [train.py, --epochs, 3]");
    return texts(*value, "command");
  }

  Result<std::vector<Parameter>> parameters(const Document& top) const {
    const Document* value = top.find("parameters");
    std::vector<Parameter> out;
    if (value == nullptr) return out;
    if (!value->is_object()) return wrong("parameters", "must be names with their values, such as lr: [0.1, 0.01]");
    for (const json::Member& member : value->as_object()) {
      TRY_ASSIGN(Parameter parameter, parameter_of(member));
      out.push_back(std::move(parameter));
    }
    return out;
  }

  Result<Parameter> parameter_of(const json::Member& member) const {
    const std::string path = "parameters." + member.key;
    if (member.value.is_array()) {
      TRY_ASSIGN(auto items, texts(member.value, path));
      return Parameter{.name = member.key, .values = Choices{std::move(items)}};
    }
    if (member.value.is_object()) {
      TRY_ASSIGN(const Interval interval, interval_of(member.value, path));
      return Parameter{.name = member.key, .values = interval};
    }
    const auto written = scalar_text(member.value);
    if (!written) return wrong(path, "must be a list, a range such as 1..3, or {min: 1e-4, max: 0.1, scale: log}");
    return parse_parameter(member.key, *written, place(path));
  }

  Result<Interval> interval_of(const Document& value, const std::string& path) const {
    TRY(check_keys(value, path, {"min", "max", "scale"}));
    Interval interval;
    for (const auto& [key, into] : {std::pair{"min", &interval.low}, {"max", &interval.high}}) {
      const Document* number = value.find(key);
      if (number == nullptr || !number->is_number()) return wrong(path, fmt::format("{} must be a number", key));
      *into = number->as_double();
    }
    const Document* scale = value.find("scale");
    if (scale != nullptr && *scale != Document("log") && *scale != Document("linear")) {
      return wrong(path + ".scale", "must be linear or log");
    }
    interval.is_log = scale != nullptr && *scale == Document("log");
    TRY(check_interval(interval, place(path)));
    return interval;
  }

  const json::YamlDocument& document_;
  const std::string& file_;
};

}  // namespace

Result<SweepFile> parse_sweep_file(std::string_view yaml, const std::string& file) {
  auto documents = json::parse_yaml(yaml);
  if (!documents) return in_context(file, std::move(documents).error());
  if (documents->size() != 1) {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("{}: must hold one YAML document, got {}", file, documents->size())};
  }
  return Reader(documents->front(), file).read();
}

}  // namespace muster::cli
