#include "main/data_dir.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/random.h"
#include "base/strings.h"
#include "json/document.h"
#include "linux/files.h"
#include "linux/process.h"

namespace muster {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string record_path(const std::string& data_dir) {
  return data_dir + "/engine.json";
}

Error broken_file(const std::string& path, std::string_view problem, std::string_view fix) {
  return {.reason = Reason::kInvalid, .message = fmt::format("{}: {}; {}", path, problem, fix)};
}

constexpr std::string_view kRestore =
    "restore the file from a backup, or remove it with its pair: the engine makes new ones";

/// Returns NotFound when the file does not exist. Secrets are for the engine's user alone.
Result<std::string> read_key_file(const std::string& path, mode_t forbidden) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return errno_error("read " + quote(path), errno);
  if (!S_ISREG(found.st_mode)) return broken_file(path, "must be a file, got a folder, a link or a device", kRestore);
  if ((found.st_mode & forbidden) != 0) {
    return broken_file(path, fmt::format("others may use it, its mode is {:04o}", found.st_mode & 07777),
                       fmt::format("run `chmod 600 {}`", path));
  }
  return read_file(path);
}

/// An older engine or a person may have written a token of another form.
Status check_secret(const std::string& path, const std::string& token) {
  constexpr std::size_t kShortest = 32;
  const bool is_text = std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (is_text && token.size() >= kShortest) return ok();
  return broken_file(path,
                     fmt::format("must hold at least {} letters and digits, got {}", kShortest,
                                 is_text ? fmt::format("{}", token.size()) : "other characters"),
                     "restore the file from a backup, or remove it: the engine makes a new one, and what was issued "
                     "with the old one is refused");
}

Result<std::string> load_or_make_secret(const std::string& path, Rng& rng) {
  if (auto token = read_key_file(path, 077); token) {
    std::string text(trim(*token));
    TRY(check_secret(path, text));
    return text;
  } else if (token.error().reason != Reason::kNotFound) {
    return std::move(token).error();
  }
  std::string token = make_token(rng);
  TRY(write_file_atomically(path, token + "\n", 0600));
  return token;
}

/// Proves the engine to browsers.
Result<net::SigningKey> load_or_make_console_key(const std::string& path) {
  auto pem = read_file(path);
  if (!pem && pem.error().reason != Reason::kNotFound) return std::move(pem).error();
  if (!pem) {
    TRY_ASSIGN(pem, net::SigningKey::make_pem());
    TRY(write_file_atomically(path, *pem, 0600));
  }
  auto key = net::SigningKey::read(*pem);
  return key ? std::move(key) : in_context(path, key.error());
}

Status save(const std::string& base, const net::KeyPair& pair) {
  TRY(write_file_atomically(base + ".key", pair.key_pem, 0600));
  return write_file_atomically(base + ".crt", pair.certificate_pem, 0644);
}

Result<net::KeyPair> load(const std::string& base) {
  auto certificate = read_key_file(base + ".crt", 022);
  auto key = read_key_file(base + ".key", 077);
  const auto is_absent = [](const auto& file) { return !file && file.error().reason == Reason::kNotFound; };
  if (is_absent(certificate) && !is_absent(key)) return broken_file(base + ".crt", "does not exist", kRestore);
  if (is_absent(key) && !is_absent(certificate)) return broken_file(base + ".key", "does not exist", kRestore);
  if (!certificate) return std::move(certificate).error();
  if (!key) return std::move(key).error();
  net::KeyPair pair{.certificate_pem = *std::move(certificate), .key_pem = *std::move(key)};
  if (const Status good = net::check_pair(pair); !good) {
    return broken_file(base + ".key",
                       fmt::format("is not a key that belongs to {}.crt: {}", base, good.error().message), kRestore);
  }
  return pair;
}

/// Nothing was signed by an authority whose first start was cut short between its two files.
bool is_unfinished_ca(const std::string& pki) {
  return !std::filesystem::exists(pki + "/ca.crt") && !std::filesystem::exists(pki + "/server.names");
}

Result<net::KeyPair> load_or_make_ca(const std::string& pki, Time now) {
  if (!is_unfinished_ca(pki)) {
    auto ca = load(pki + "/ca");
    if (ca || ca.error().reason != Reason::kNotFound) return ca;
  }
  TRY_ASSIGN(net::KeyPair made, net::make_ca(now));
  TRY(save(pki + "/ca", made));
  return made;
}

/// The names are stored next to the certificate, so that another --listen address gets a new certificate. They are gone
/// while the pair is replaced: after a crash in between, its files may not belong together.
Result<net::KeyPair> load_or_make_server(const std::string& pki, const net::KeyPair& ca,
                                         const std::vector<std::string>& names, Time now) {
  const std::string wanted = join(names, "\n");
  const auto kept = read_file(pki + "/server.names");
  if (kept && *kept == wanted) {
    auto pair = load(pki + "/server");
    if (!pair && pair.error().reason != Reason::kNotFound) return pair;
    const auto expiry = pair ? net::certificate_expiry(pair->certificate_pem) : Result<Time>(pair.error());
    if (expiry && *expiry > now + std::chrono::days(30)) return pair;
  }
  TRY_ASSIGN(net::KeyPair made, net::make_server_certificate(ca, names, now));
  std::error_code none;
  std::filesystem::remove(pki + "/server.names", none);
  TRY(save(pki + "/server", made));
  TRY(write_file_atomically(pki + "/server.names", wanted, 0600));
  return made;
}

}  // namespace

std::string default_data_dir() {
  if (auto dir = environment("MUSTER_DATA_DIR"); !dir.empty()) return dir;
  if (auto xdg = environment("XDG_DATA_HOME"); !xdg.empty()) return xdg + "/muster";
  return environment("HOME") + "/.local/share/muster";
}

std::string real_data_dir(const std::string& data_dir) {
  if (data_dir.empty()) return "";
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(data_dir, error), error);
  return error ? data_dir : real.string();
}

Status prepare_data_dir(const std::string& data_dir) {
  TRY(make_directories(data_dir, 0700));
  struct stat found {};
  if (::stat(data_dir.c_str(), &found) != 0) return errno_error("stat " + quote(data_dir), errno);
  const std::string where = "data directory " + quote(data_dir);
  if (found.st_uid != ::geteuid()) {
    return Error{
        .reason = Reason::kForbidden,
        .message = fmt::format("{}: belongs to user {}, and the engine runs as user {}; start it as its owner, "
                               "or choose another with --data-dir",
                               where, found.st_uid, ::geteuid())};
  }
  if ((found.st_mode & 077) != 0) {
    return Error{.reason = Reason::kForbidden,
                 .message = fmt::format("{}: others may enter it, its mode is {:04o}; run `chmod 700 {}`", where,
                                        found.st_mode & 07777, data_dir)};
  }
  return ok();
}

Result<Credentials> load_or_make_credentials(const std::string& data_dir, const std::vector<std::string>& names,
                                             Rng& rng, Time now) {
  const std::string pki = data_dir + "/pki";
  TRY(make_directories(pki, 0700));
  TRY_ASSIGN(std::string token, load_or_make_secret(data_dir + "/token", rng));
  TRY_ASSIGN(std::string account_key, load_or_make_secret(data_dir + "/account-key", rng));
  TRY_ASSIGN(net::SigningKey console_key, load_or_make_console_key(data_dir + "/console-key"));
  TRY_ASSIGN(net::KeyPair ca, load_or_make_ca(pki, now));
  TRY_ASSIGN(net::KeyPair server, load_or_make_server(pki, ca, names, now));
  return Credentials{.token = std::move(token),
                     .account_key = std::move(account_key),
                     .console_key = std::move(console_key),
                     .ca = std::move(ca),
                     .server = std::move(server)};
}

std::string token_of(const std::string& data_dir) {
  return std::string(trim(read_file(data_dir + "/token").value_or("")));
}

Status update_file(const std::string& path, const std::string& content) {
  const auto there = read_file(path);
  if (there && *there == content && ::chmod(path.c_str(), 0600) == 0) return ok();
  Status written = write_file_atomically(path, content, 0600);
  if (written || !there || written.error().reason != Reason::kStorageFull) return written;
  return linux_os::overwrite_file(path, content, 0600);
}

Status write_engine_record(const std::string& data_dir, const EngineRecord& of) {
  const json::Document record = json::Object{{"pid", ::getpid()},
                                             {"startTicks", linux_os::start_time_of(::getpid()).value_or(0)},
                                             {"url", of.url},
                                             {"contentPort", of.content_port},
                                             {"note", of.note}};
  return update_file(record_path(data_dir), json::serialize(record) + "\n");
}

std::optional<EngineRecord> running_engine(const std::string& data_dir) {
  const auto text = read_file(record_path(data_dir));
  if (!text) return std::nullopt;
  const auto record = json::parse(*text);
  if (!record) return std::nullopt;
  EngineRecord engine{.pid = static_cast<int>(record->int_at("pid")),
                      .start_ticks = static_cast<std::uint64_t>(record->int_at("startTicks")),
                      .url = record->string_at("url"),
                      .content_port = static_cast<int>(record->int_at("contentPort")),
                      .note = record->string_at("note")};
  // A zombie also has the same start time. In a container without an init process it may never be reaped.
  const auto process = linux_os::open_exactly({.pid = engine.pid, .start_time = engine.start_ticks});
  if (engine.pid <= 0 || !process || linux_os::has_ended(*process)) return std::nullopt;
  if (linux_os::is_being_killed(engine.pid)) return std::nullopt;
  return engine;
}

Status remember_address(const std::string& data_dir, const std::string& address) {
  return update_file(data_dir + "/listen", address + "\n");
}

std::string last_address(const std::string& data_dir) {
  return std::string(trim(read_file(data_dir + "/listen").value_or("")));
}

void clear_engine_record(const std::string& data_dir) {
  const std::string path = record_path(data_dir);
  if (!update_file(path, "{}\n")) ::unlink(path.c_str());
}

}  // namespace muster
