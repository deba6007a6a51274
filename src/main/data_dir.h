// The engine's folder on disk, and what a starting engine finds or creates there.
//
//   DIR/kubeconfig     0600, complete before the engine reports that it is ready
//   DIR/token          the bearer token in the kubeconfig
//   DIR/account-key    0600, signs the tokens of service accounts
//   DIR/door.lock, DIR/door.sock, DIR/door-HASH   the process that holds the ports (door/format.h)
//   DIR/console-key    0600, proves the engine to browsers before they send a token
//   DIR/console-logouts  0600, the sessions of browsers that were logged out and would still be valid
//   DIR/engine.json    pid, start time and URL of the running engine
//   DIR/listen         HOST:PORT where the engine served last, used by the next start
//   DIR/engine.log     the engine's log when it was started by `muster up`
//   DIR/config.yaml    the configuration, unless --config names another file
//   DIR/pki/           certificate authority and server certificate
//   DIR/store/         the database (store/store.h)
//   DIR/pods/, DIR/volumes/, DIR/hosts/, DIR/trash/   pods as processes (agent/disk/paths.h)
#pragma once

#include <optional>
#include <string>

#include "base/ports.h"
#include "base/result.h"
#include "net/pki.h"

namespace muster {

/// Returns $MUSTER_DATA_DIR, else $XDG_DATA_HOME/muster, else ~/.local/share/muster.
std::string default_data_dir();

/// Returns its absolute path without symbolic links. It need not exist yet.
std::string real_data_dir(const std::string& data_dir);

/// Creates the folder if it does not exist. Rejects a folder that another user owns or that others may enter: it holds
/// the token, the keys and every Secret.
Status prepare_data_dir(const std::string& data_dir);

struct Credentials {
  std::string token;
  std::string account_key;
  net::SigningKey console_key;
  net::KeyPair ca;
  net::KeyPair server;
};
/// Reads the credentials, or creates them. The server certificate is renewed a month before it expires.
Result<Credentials> load_or_make_credentials(const std::string& data_dir, const std::vector<std::string>& names,
                                             Rng& rng, Time now);

/// Returns the owner's token; "" when no engine has run there.
std::string token_of(const std::string& data_dir);

/// Writes a file that every start of the engine writes. It is left alone when it has that content; on a full disk the
/// content is written over the old one, which takes no room.
Status update_file(const std::string& path, const std::string& content);

struct EngineRecord {
  int pid = 0;
  std::uint64_t start_ticks = 0;  // from /proc/PID/stat: distinguishes a reused pid
  std::string url;
  int content_port = 0;
  std::string note = {};  // what its user must know about the address; "": nothing
};
/// Writes it for this process.
Status write_engine_record(const std::string& data_dir, const EngineRecord& record);
/// Returns the engine that runs on this folder; nullopt when there is none.
std::optional<EngineRecord> running_engine(const std::string& data_dir);
/// The file stays, so that the next start has room for it also on a full disk.
void clear_engine_record(const std::string& data_dir);

Status remember_address(const std::string& data_dir, const std::string& address);
/// Returns "" when no engine has served on this folder.
std::string last_address(const std::string& data_dir);

}  // namespace muster
