// edit: opens objects in the user's editor and sends the changes.
#include <fmt/core.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/objects/selection.h"
#include "cli/objects/three_way.h"
#include "cli/output/output.h"
#include "json/yaml.h"

extern char** environ;

namespace muster::cli {

namespace {

/// Runs the editor in a shell, so that `EDITOR="code --wait"` works, and unblocks the signals that our loop blocks.
Status run_editor(const std::string& editor, const std::string& path) {
  std::string script = editor + " \"$1\"";
  std::string words[] = {"sh", "-c", script, "sh", path};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, "/bin/sh", nullptr, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) return errno_error("start /bin/sh", failure);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return errno_error("wait for the editor", errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ok();
  return Error{.reason = Reason::kInternalError,
               .message = fmt::format("the editor {} ended with {} {}; set KUBE_EDITOR or EDITOR to another",
                                      quote(editor), WIFEXITED(status) ? "exit code" : "signal",
                                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status))};
}

constexpr std::string_view kHead =
    "# Please edit the object below. Lines beginning with a '#' will be ignored,\n"
    "# and an empty file will abort the edit. If an error occurs while saving this file will be\n"
    "# reopened with the relevant failures.\n"
    "#\n";

std::string as_comment(const std::string& text) {
  std::string out;
  for (const std::string& line : split(trim(text), '\n')) out += "# " + line + "\n";
  return out + "#\n";
}

/// Removes the comments at the top of the file, which this command wrote.
std::string without_head(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == '#') {
    const std::size_t end = text.find('\n', at);
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return text.substr(at);
}

class Edit final : public Command {
 public:
  explicit Edit(EditFile edit_file) : edit_file_(std::move(edit_file)) {}

  void add_flags(Flags& flags) override {
    flags.add("filename", &files_, "objects named in these files", 'f');
    flags.add("recursive", &recursive_, "include sub-folders of -f", 'R');
    Output::add_object_flag(flags, &output_text_);
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    auto output = Output::parse_for_object(output_text_);
    if (!output) return session.fail(output.error());
    Selection selection;
    selection.take_files(files_, recursive_);
    auto selected = selection.collect(session, words, "muster edit pj NAME");
    if (auto* failure = std::get_if<Failure>(&selected)) return session.fail(*failure);
    for (const Selected& one : std::get<0>(selected)) {
      const int code = edit(session, one, *output);
      if (code != kExitOk) return code;
    }
    return kExitOk;
  }

 private:
  /// Returns the object in the file, or nullopt when the file was emptied.
  static Result<std::optional<json::Document>> read_object(const std::string& text, const json::Document& original) {
    TRY_ASSIGN(auto documents, json::parse_yaml(text));
    if (documents.empty()) return std::optional<json::Document>();
    const auto invalid = [](std::string message) { return Error{.reason = Reason::kInvalid, .message = message}; };
    if (documents.size() > 1) return invalid("the file holds more than one object; edit one at a time");
    json::Document& edited = documents.front().value;
    if (!edited.is_object()) return invalid("the file must hold an object");
    std::vector<std::string> fixed;
    if (edited.string_at("apiVersion") != original.string_at("apiVersion")) fixed.emplace_back("apiVersion");
    if (edited.string_at("kind") != original.string_at("kind")) fixed.emplace_back("kind");
    for (const char* field : {"name", "namespace"}) {
      if (edited.string_at("metadata", field) != original.string_at("metadata", field)) {
        fixed.push_back(std::string("metadata.") + field);
      }
    }
    if (fixed.empty()) return std::optional(std::move(edited));
    return invalid(join(fixed, ", ") + ": cannot be changed");
  }

  int edit(Session& session, const Selected& one, const Output& output) const {
    auto live = session.get(one.object());
    if (!live) return session.fail(live.error());
    const json::Document original = for_people(*live);
    std::string body = json::to_yaml(original);
    std::string complaint;
    for (;;) {
      auto text = let_edit(std::string(kHead) + complaint + body);
      if (!text) return session.fail(text.error());
      const std::string edited_body = without_head(*text);
      if (!complaint.empty() && edited_body == body) return give_up(session, *text);
      auto edited = read_object(edited_body, original);
      body = edited_body;
      if (!edited) {
        complaint = as_comment(edited.error().message);
        continue;
      }
      const json::Document patch = *edited ? three_way_patch(original, **edited, original) : json::Object{};
      if (patch.as_object().empty()) {
        session.err("Edit cancelled, no changes made.\n");
        return kExitOk;
      }
      auto saved = save(session, one, patch, original);
      if (saved) return report(session, one, *saved, output);
      if (session.interrupted()) return kExitInterrupted;
      // The server is unreachable or another client wrote first: editing again would not help.
      if (saved.error().reason == Reason::kServiceUnavailable || saved.error().reason == Reason::kConflict) {
        keep_copy(session, *text);
        return session.fail(saved.error());
      }
      complaint = as_comment(error_text(failure_of(saved.error())));
    }
  }

  /// Returns the text after the editor has exited.
  Result<std::string> let_edit(const std::string& text) const {
    TRY_ASSIGN(const std::string path, write_temporary(text));
    const Status ended = edit_file_(path);
    auto changed = read_file(path);
    ::unlink(path.c_str());
    TRY(ended);
    return changed;
  }

  static Result<std::string> write_temporary(const std::string& text) {
    std::string path = std::filesystem::temp_directory_path() / "muster-edit-XXXXXX.yaml";
    const int fd = ::mkstemps(path.data(), 5);
    if (fd < 0) return errno_error("make " + quote(path), errno);
    ::close(fd);
    TRY(write_file_atomically(path, text, 0600));
    return path;
  }

  static void keep_copy(Session& session, const std::string& text) {
    if (auto path = write_temporary(text)) {
      session.err(fmt::format("A copy of your changes has been stored to \"{}\"\n", *path));
    }
  }

  static int give_up(Session& session, const std::string& text) {
    keep_copy(session, text);
    return session.fail(Failure{.what = "Edit cancelled, no valid changes were saved."});
  }

  static Result<json::Document> save(Session& session, const Selected& one, json::Document patch,
                                     const json::Document& original) {
    // A merge patch replaces whole lists; the resourceVersion protects changes that other clients made meanwhile.
    patch["metadata"]["resourceVersion"] = original.string_at("metadata", "resourceVersion");
    return session.await([&](client::OnDocument done) {
      session.api().patch(one.object(), client::PatchType::kMerge, patch,
                          {.field_manager = "muster-edit", .field_validation = "Strict"}, std::move(done));
    });
  }

  static int report(Session& session, const Selected& one, const json::Document& saved, const Output& output) {
    if (output.is_table()) {
      session.out(one.label() + " edited\n");
    } else {
      output.print(session, output.object(saved, one.kind.label()));
    }
    return kExitOk;
  }

  EditFile edit_file_;
  std::vector<std::string> files_;
  bool recursive_ = false;
  std::string output_text_;
};

}  // namespace

std::unique_ptr<Command> make_edit(EditFile edit_file) {
  return std::make_unique<Edit>(std::move(edit_file));
}

std::unique_ptr<Command> make_edit() {
  return make_edit([editor = read_environment().editor](const std::string& path) { return run_editor(editor, path); });
}

}  // namespace muster::cli
