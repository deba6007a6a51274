// The engine's end of its door, the process that holds the engine's listening sockets while the engine is away
// (door/format.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ports.h"
#include "base/result.h"
#include "linux/process.h"

namespace muster::door {

class Door {
 public:
  /// `directory` is the engine's, absolute.
  Door(Loop& loop, std::string directory) : loop_(loop), directory_(std::move(directory)) {}
  /// The door then takes over the sockets, as it does when the engine is killed.
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Takes the sockets that an earlier engine has left in its door. From now on the door accepts no connections.
  Status take(std::string_view token);
  /// Uses these sockets instead, which somebody else holds: there is no door.
  void use(std::vector<Fd> sockets);

  /// The sockets that were taken; whoever listens moves those out that it needs.
  std::vector<Fd>& taken() { return taken_; }
  /// Whether some were moved out.
  bool gave_some() const { return taken_.size() < count_; }
  /// Closes the rest of them, here and in the door: an address that differs a little can then be bound.
  Status drop_taken();

  /// Lets the door hold exactly these sockets, which stay open for as long as this object lives. Starts a door if there
  /// is none, and again when it has ended.
  void hold(std::vector<int> sockets);
  /// Ends the door, or keeps it if pods run: they could listen where the engine has listened.
  void close(bool pods_run);

 private:
  Status start();
  Status send_sockets();
  void keep();
  void hear();

  Loop& loop_;
  std::string directory_;
  bool is_needed_ = true;
  std::vector<Fd> taken_;
  std::size_t count_ = 0;  // of those that there were
  std::vector<int> sockets_;
  Fd link_;
  std::optional<linux_os::Child> child_;  // unless an earlier engine started it
  Loop::Id watch_ = 0;
  Loop::Id retry_ = 0;
};

/// Ends the door of an engine that does not run. Succeeds when there is none. Its sockets are closed on return.
Status end_door(const std::string& directory, std::string_view token);

/// Whether a door holds the sockets of the engine of this folder.
bool has_door(const std::string& directory);

}  // namespace muster::door
