#include "main/backup.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/strings.h"
#include "cli/flags.h"
#include "cli/print_error.h"
#include "client/api_client.h"
#include "json/document.h"
#include "main/data_dir.h"
#include "net/event_loop.h"
#include "net/http_client.h"
#include "store/restore.h"
#include "store/snapshots.h"

namespace muster {
namespace {

constexpr const char* kBackupHelp = R"(backup: copy the engine's database into a file, while it runs or not

Usage:
  muster backup [FILE] [--data-dir DIR]

The copy is checked row by row before it gets its name. It holds every object, Secrets included; volumes and logs are not in it.

Examples:
  muster backup                        ./muster-20261116T010203Z.db
  muster backup /mnt/nas/muster.db

Flags:
)";

constexpr const char* kRestoreHelp = R"(restore: put a copy in the place of the engine's database

Usage:
  muster restore FILE [--data-dir DIR]

The engine must be stopped (muster down). FILE comes from muster backup, or is one of the snapshots that the engine makes by itself
in DIR/store/snapshots. The old database is kept beside the new one. Revisions go on from beyond all that clients have seen, so
that every watch starts anew.

Examples:
  muster restore /mnt/nas/muster.db

Flags:
)";

std::string store_of(const std::string& data_dir) {
  return data_dir + "/store";
}

/// Asks the running engine for a copy. Its path.
Result<std::string> ask_engine(const std::string& data_dir) {
  net::EventLoop loop;
  net::Endpoint endpoint;
  endpoint.host = "localhost";
  endpoint.unix_path = data_dir + "/api.sock";
  endpoint.tls = false;
  net::HttpClient transport(loop, endpoint);
  client::ApiClient api(transport, "");
  std::string body;
  std::optional<Status> end;
  net::ResponseSink sink;
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_data = [&body](std::string_view data) { body += data; };
  sink.on_end = [&end](Status status) { end = std::move(status); };
  const auto call = api.stream("POST", "/apis/muster.dev/v1/backups", std::move(sink));
  loop.run_until([&] { return end.has_value(); });
  TRY(*end);
  TRY_ASSIGN(const json::Document answer, json::parse(body));
  return answer.string_at("path");
}

Result<store::Revision> back_up(const std::string& data_dir, const std::string& file) {
  if (!running_engine(data_dir)) return store::back_up_offline(store_of(data_dir), file);
  TRY_ASSIGN(const std::string snapshot, ask_engine(data_dir));
  return store::copy_snapshot(snapshot, file);
}

struct Arguments {
  std::string data_dir = default_data_dir();
  std::vector<std::string> words;
};

/// The exit code when there is nothing more to do.
std::optional<int> parse(const std::vector<std::string>& args, const char* help, Arguments& arguments) {
  cli::Flags flags;
  flags.add_string("data-dir", &arguments.data_dir, "folder that holds everything the engine keeps");
  if (cli::Flags::asks_for_help(args)) {
    fmt::print("{}{}", help, flags.help());
    return 0;
  }
  auto words = flags.parse(args);
  if (!words) return cli::print_error(words.error());
  arguments.words = *std::move(words);
  return std::nullopt;
}

}  // namespace

int backup_command(const std::vector<std::string>& args) {
  Arguments arguments;
  if (const auto code = parse(args, kBackupHelp, arguments)) return *code;
  if (arguments.words.size() > 1) {
    return cli::print_error(cli::usage_failure("backup takes at most one file", "muster backup [FILE]"));
  }
  const Time now = net::EventLoop().now();
  const std::string file =
      std::filesystem::absolute(arguments.words.empty() ? fmt::format("muster-{}.db", store::compact_time(now))
                                                        : arguments.words[0])
          .string();
  if (std::filesystem::is_directory(file)) {
    return cli::print_error(cli::usage_failure(fmt::format("{} is a folder", quote(file)),
                                               "name the file: muster backup " + file + "/muster.db"));
  }
  const auto revision = back_up(arguments.data_dir, file);
  if (!revision) return cli::print_error(revision.error());
  fmt::print("{} (revision {})\n", file, *revision);
  return 0;
}

int restore_command(const std::vector<std::string>& args) {
  Arguments arguments;
  if (const auto code = parse(args, kRestoreHelp, arguments)) return *code;
  if (arguments.words.size() != 1) {
    return cli::print_error(cli::usage_failure("restore takes one file", "muster restore FILE"));
  }
  if (const auto engine = running_engine(arguments.data_dir)) {
    return cli::print_error(
        Error{.reason = Reason::kConflict,
              .message = fmt::format("the engine on {} runs (pid {}); stop it first: muster down --data-dir {}",
                                     quote(arguments.data_dir), engine->pid, arguments.data_dir)});
  }
  const std::string file = std::filesystem::absolute(arguments.words[0]).string();
  const auto restored = store::restore(store_of(arguments.data_dir), file, net::EventLoop().now());
  if (!restored) return cli::print_error(restored.error());
  fmt::print("restored {} objects of revision {}\n", restored->objects, restored->copied);
  if (!restored->kept_aside.empty()) fmt::print("the old database is in {}\n", restored->kept_aside);
  fmt::print("revisions go on from {}; watches start anew\n", restored->revision);
  return 0;
}

}  // namespace muster
