// Unpack: writes the entries of an archive below a folder of this machine, for `muster cp`. The archive comes from a
// container that may be hostile, so each path is opened name by name without following a link, and only files and
// folders are made. openat2 would do the same in one call, but a pod of the engine has no openat2.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "cli/exec/tar_reader.h"

namespace muster::cli {

class Unpack final : public TarSink {
 public:
  using OnSkip = std::function<void(const std::string& name, std::string_view what)>;
  /// The entry `base`, and what lies below it, becomes `name` in the folder. Any other entry is an error. Links,
  /// devices and pipes are reported and left out.
  static Result<std::unique_ptr<Unpack>> open(const std::string& folder, const std::string& base,
                                              const std::string& name, OnSkip on_skip);
  /// Removes a file that is not complete.
  ~Unpack() override;
  Unpack(const Unpack&) = delete;
  Unpack& operator=(const Unpack&) = delete;

  Status begin(const TarEntry& entry) override;
  Status data(std::string_view bytes) override;
  Status end() override;
  bool has_written() const { return has_written_; }

 private:
  using Parts = std::vector<std::string>;
  Unpack(Fd top, std::string folder, Parts base, Parts name, OnSkip on_skip);
  Result<Parts> destination(const std::string& sent) const;
  std::string shown(const Parts& parts) const;
  /// Opens a folder below the top. With a mode, missing folders are made.
  Result<int> enter(const Parts& parts, std::optional<unsigned> mode);
  Status make_room(int folder, const Parts& parts) const;
  Status begin_file(const Parts& parts, unsigned mode);
  Status link_file(const Parts& parts, const std::string& target);

  Fd top_;
  std::string folder_;  // as the user wrote it, for messages
  Parts base_;
  Parts name_;
  OnSkip on_skip_;
  Parts entered_;  // the path of `inner_`
  Fd inner_;       // the folder that was opened last
  Fd file_;        // being written
  int file_folder_ = -1;
  Parts file_path_;
  bool has_written_ = false;
};

}  // namespace muster::cli
