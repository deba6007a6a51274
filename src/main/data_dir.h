// The engine's folder on disk, and what a starting engine finds or makes there.
//
//   DIR/kubeconfig     0600, complete before the engine says it is ready
//   DIR/token          the bearer token inside it
//   DIR/engine.json    pid, start time and URL of the running engine
//   DIR/listen         HOST:PORT where it served last, for the next start
//   DIR/engine.log     its log, when started by `muster up`
//   DIR/config.yaml    its configuration, unless --config names another
//   DIR/pki/           certificate authority and server certificate
//   DIR/store/         the database (store/store.h)
//   DIR/pods/, DIR/volumes/, DIR/hosts/, DIR/trash/   pods as processes (agent/paths.h)
#pragma once

#include <optional>
#include <string>

#include "base/ports.h"
#include "base/result.h"
#include "net/pki.h"

namespace muster {

/// $MUSTER_DATA_DIR, $XDG_DATA_HOME/muster, ~/.local/share/muster.
std::string default_data_dir();

/// Makes the folder when it is not there. One that belongs to somebody else or that others may enter is refused: it
/// holds the token, the keys and every Secret.
Status prepare_data_dir(const std::string& data_dir);

struct Credentials {
  std::string token;
  net::KeyPair ca;
  net::KeyPair server;
};
/// Read when they are there, made otherwise; the server certificate is renewed a month before it ends.
Result<Credentials> load_or_make_credentials(const std::string& data_dir, const std::vector<std::string>& names,
                                             Rng& rng, Time now);

struct EngineRecord {
  int pid = 0;
  std::uint64_t start_ticks = 0;  // of /proc/PID/stat: tells a reused pid apart
  std::string url;
};
Status write_engine_record(const std::string& data_dir, const std::string& url);
/// The engine that runs on this folder; nullopt when none does.
std::optional<EngineRecord> running_engine(const std::string& data_dir);
void remove_engine_record(const std::string& data_dir);

Status remember_address(const std::string& data_dir, const std::string& address);
/// "" when no engine has served on this folder.
std::string last_address(const std::string& data_dir);

}  // namespace muster
