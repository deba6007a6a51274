// label and annotate: set and remove entries of metadata.labels and metadata.annotations.
#include <fmt/core.h>

#include <map>
#include <set>

#include "api/rules/rule_texts.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/objects/selection.h"
#include "cli/output/output.h"

namespace muster::cli {

namespace {

struct Changes {
  std::map<std::string, std::string> set;
  std::set<std::string> removed;
  std::vector<std::string> objects;  // the words before the first KEY=VALUE or KEY-
};

/// Labels and annotations differ in their field, in the values they allow and in kubectl's wording.
struct Sort {
  std::string_view field;  // of metadata
  std::string_view noun;
  std::string_view a_noun;
  std::string_view field_manager;
  bool is_label;
};
constexpr Sort kLabels{"labels", "label", "a label", "muster-label", true};
constexpr Sort kAnnotations{"annotations", "annotation", "an annotation", "muster-annotate", false};

class Mark final : public Command {
 public:
  explicit Mark(const Sort& sort) : sort_(sort) {}

  void add_flags(Flags& flags) override {
    selection_.add_flags(flags);
    flags.add("overwrite", &overwrite_, "replace existing values");
    flags.add("list", &list_, fmt::format("only print the {}", sort_.field));
    flags.add("dry-run", &dry_run_, "none, or server: check without changing");
    flags.set_choices("dry-run", {"none", "server"});
    Output::add_object_flag(flags, &output_text_);
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    auto output = Output::parse_for_object(output_text_);
    if (!output) return session.fail(output.error());
    if (dry_run_ != "none" && dry_run_ != "server") {
      return session.fail(usage_failure(fmt::format("--dry-run: must be none or server, got {}", quote(dry_run_))));
    }
    auto changes = parse(words);
    if (!changes) return session.fail(changes.error());
    if (changes->set.empty() && changes->removed.empty() && !list_) {
      return session.fail(usage_failure(fmt::format("at least one {} update is required", sort_.noun),
                                        "KEY=VALUE sets one, KEY- removes it"));
    }
    auto selected = selection_.collect(
        session, changes->objects, fmt::format("muster {} pj NAME KEY=VALUE", sort_.is_label ? "label" : "annotate"));
    if (auto* failure = std::get_if<Failure>(&selected)) return session.fail(*failure);
    if (std::get<0>(selected).empty()) session.err("No resources found\n");
    int code = kExitOk;
    for (const Selected& one : std::get<0>(selected)) {
      const int ended = change(session, one, *changes, *output);
      if (code == kExitOk) code = ended;
      if (ended == kExitInterrupted || ended == kExitUnreachable) return ended;
    }
    return code;
  }

 private:
  Result<Changes> parse(const std::vector<std::string>& words) const {
    Changes out;
    std::vector<std::string> problems;
    for (const std::string& word : words) {
      const std::size_t equals = word.find('=');
      const bool removes = equals == std::string::npos && word.size() > 1 && word.ends_with('-');
      if (equals == std::string::npos && !removes) {
        if (out.set.empty() && out.removed.empty()) {
          out.objects.push_back(word);
        } else {
          problems.push_back(fmt::format("{}: objects come before {}", word, sort_.field));
        }
        continue;
      }
      const std::string key = removes ? word.substr(0, word.size() - 1) : word.substr(0, equals);
      // Kubernetes also accepts upper case in the prefix of an annotation's key.
      const auto wrong = api::qualified_name_problems(sort_.is_label ? key : to_lower(key));
      if (!wrong.empty()) {
        problems.push_back(
            fmt::format("{} is not a valid key for {}: {}", quote(key), sort_.a_noun, join(wrong, "; ")));
      }
      if (removes) {
        out.removed.insert(key);
        continue;
      }
      const std::string value = word.substr(equals + 1);
      if (sort_.is_label && !is_label_value(value)) {
        problems.push_back(
            fmt::format("{}: {} is not a valid value for a label; at most 63 letters, digits, '-', '_' and '.', "
                        "with a letter or digit at both ends",
                        key, quote(value)));
      }
      out.set[key] = value;
    }
    for (const std::string& key : out.removed) {
      if (out.set.contains(key)) problems.push_back(fmt::format("cannot set and remove {} at once", quote(key)));
    }
    if (problems.empty()) return out;
    return Error{.reason = Reason::kBadRequest, .message = join(problems, "\n")};
  }

  std::map<std::string, std::string> entries_of(const json::Document& object) const {
    std::map<std::string, std::string> out;
    const json::Document* entries = object.at("metadata", sort_.field);
    if (entries == nullptr || !entries->is_object()) return out;
    for (const json::Member& member : entries->as_object()) {
      out[member.key] = member.value.is_string() ? member.value.as_string() : "";
    }
    return out;
  }

  /// Returns kubectl's error when an existing value would change and --overwrite is not given.
  std::optional<std::string> clash(const std::map<std::string, std::string>& before, const Changes& changes) const {
    if (overwrite_) return std::nullopt;
    std::vector<std::string> taken;
    for (const auto& [key, value] : changes.set) {
      const auto found = before.find(key);
      if (found == before.end() || found->second == value) continue;
      taken.push_back(fmt::format("'{}' already has a value ({})", key, found->second));
    }
    if (taken.empty()) return std::nullopt;
    if (sort_.is_label) return join(taken, ", ") + ", and --overwrite is false";
    return "--overwrite is false but found the following declared annotation(s): " + join(taken, "; ");
  }

  /// Returns kubectl's word for the outcome.
  std::string_view done(bool changed, const Changes& changes) const {
    if (!sort_.is_label) return "annotated";
    if (!changed) return "not labeled";
    return changes.set.empty() ? "unlabeled" : "labeled";
  }

  int change(Session& session, const Selected& one, const Changes& changes, const Output& output) const {
    auto before = session.get(one.object());
    if (!before) return session.fail(before.error());
    const auto entries = entries_of(*before);
    json::Document after = *before;
    if (!changes.set.empty() || !changes.removed.empty()) {
      if (const auto taken = clash(entries, changes)) return session.fail(Failure{.what = *taken});
      json::Object patch;
      for (const auto& [key, value] : changes.set) patch.set(key, value);
      for (const std::string& key : changes.removed) {
        if (!entries.contains(key)) session.out(fmt::format("{} {} not found.\n", sort_.noun, quote(key)));
        patch.set(key, nullptr);
      }
      client::WriteOptions options{.field_manager = std::string(sort_.field_manager)};
      options.dry_run = dry_run_ == "server";
      const json::Document body =
          json::Object{{"metadata", json::Object{{std::string(sort_.field), std::move(patch)}}}};
      auto reply = session.await([&](client::OnDocument on_reply) {
        session.api().patch(one.object(), client::PatchType::kMerge, body, options, std::move(on_reply));
      });
      if (!reply) return session.fail(reply.error());
      after = *std::move(reply);
    }
    if (list_) {
      for (const auto& [key, value] : entries_of(after)) session.out(fmt::format("{}={}\n", key, value));
    } else if (!output.is_table()) {
      output.print(session, output.object(after, one.kind.label()));
    } else {
      session.out(fmt::format("{} {}{}\n", one.label(), done(entries != entries_of(after), changes),
                              dry_run_ == "server" ? " (server dry run)" : ""));
    }
    return kExitOk;
  }

  const Sort& sort_;
  Selection selection_;
  bool overwrite_ = false;
  bool list_ = false;
  std::string dry_run_ = "none";
  std::string output_text_;
};

}  // namespace

std::unique_ptr<Command> make_label() {
  return std::make_unique<Mark>(kLabels);
}

std::unique_ptr<Command> make_annotate() {
  return std::make_unique<Mark>(kAnnotations);
}

}  // namespace muster::cli
