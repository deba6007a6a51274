#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/strings.h"
#include "json/document.h"
#include "main/ask_engine.h"
#include "main/commands.h"
#include "main/data_dir.h"
#include "store/restore.h"
#include "store/snapshots.h"

namespace muster {
namespace {

std::string store_of(const std::string& data_dir) {
  return data_dir + "/store";
}

Result<store::Revision> back_up(const std::string& data_dir, const std::string& file) {
  if (!running_engine(data_dir)) return store::back_up_offline(store_of(data_dir), file);
  TRY_ASSIGN(const json::Document snapshot, ask_engine(data_dir, "/apis/muster.dev/v1/backups"));
  return store::copy_snapshot(snapshot.string_at("path"), file);
}

/// Returns what is wrong with a file that `muster backup` cannot have written, before the database tries to open it.
std::optional<cli::Failure> no_backup(const std::string& file) {
  constexpr std::string_view kHead = "SQLite format 3";
  if (!std::filesystem::exists(file)) return std::nullopt;  // opening the file reports the error
  const bool is_file = std::filesystem::is_regular_file(file);
  std::string head(kHead.size(), '\0');
  if (std::FILE* opened = is_file ? std::fopen(file.c_str(), "rbe") : nullptr) {
    head.resize(std::fread(head.data(), 1, head.size(), opened));
    std::fclose(opened);
  }
  if (is_file && head == kHead) return std::nullopt;
  return cli::Failure{.code = cli::kExitFailed,
                      .what = fmt::format("{} is not a backup of Muster", quote(file)),
                      .why = is_file ? "it is not a database" : "it is not a file",
                      .fix = "name a file that muster backup wrote, or a snapshot in DIR/store/snapshots"};
}

class Backup final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("force", &force_, "overwrite FILE if it exists");
    flags.add("data-dir", &data_dir_, "data folder of the engine");
  }

  int run(cli::Session& session, const std::vector<std::string>& words) override {
    const Time now = session.loop().now();
    const std::string file =
        std::filesystem::absolute(words.empty() ? fmt::format("muster-{}.db", store::compact_time(now)) : words[0])
            .string();
    if (std::filesystem::is_directory(file)) {
      return session.fail(cli::usage_failure(fmt::format("{} is a folder", quote(file)),
                                             "name the file: muster backup " + file + "/muster.db"));
    }
    if (!force_ && std::filesystem::exists(file)) {
      return session.fail({.code = cli::kExitConflict,
                           .what = fmt::format("{} exists", quote(file)),
                           .fix = "another name, or --force to overwrite it"});
    }
    const auto revision = back_up(data_dir_, file);
    if (!revision) return session.fail(revision.error());
    session.out(fmt::format("{} (revision {})\n", file, *revision));
    return cli::kExitOk;
  }

 private:
  bool force_ = false;
  std::string data_dir_ = default_data_dir();
};

class Restore final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override { flags.add("data-dir", &data_dir_, "data folder of the engine"); }

  int run(cli::Session& session, const std::vector<std::string>& words) override {
    if (words.empty()) return session.fail(cli::usage_failure("restore takes one file", "muster restore FILE"));
    if (const auto engine = running_engine(data_dir_)) {
      return session.fail(
          Error{.reason = Reason::kConflict,
                .message = fmt::format("the engine on {} runs (pid {}); stop it first: muster down --data-dir {}",
                                       quote(data_dir_), engine->pid, data_dir_)});
    }
    const std::string file = std::filesystem::absolute(words[0]).string();
    if (const auto wrong = no_backup(file)) return session.fail(*wrong);
    const auto restored = store::restore(store_of(data_dir_), file, session.loop().now());
    if (!restored) return session.fail(restored.error());
    session.out(fmt::format("restored {} objects of revision {}\n", restored->objects, restored->copied));
    if (!restored->kept_aside.empty()) session.out(fmt::format("the old database is in {}\n", restored->kept_aside));
    session.out(fmt::format("revisions continue from {}; watches start again\n", restored->revision));
    return cli::kExitOk;
  }

 private:
  std::string data_dir_ = default_data_dir();
};

}  // namespace

std::unique_ptr<cli::Command> make_backup() {
  return std::make_unique<Backup>();
}

std::unique_ptr<cli::Command> make_restore() {
  return std::make_unique<Restore>();
}

}  // namespace muster
