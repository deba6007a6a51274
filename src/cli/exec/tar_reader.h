// TarReader: reads a tar archive (ustar, pax or GNU) as it arrives, for `muster cp`. The archive comes from a container
// that may be hostile: every number, name and length is checked, and anything unclear ends the reading with an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

struct TarEntry {
  enum class Kind { kFile, kFolder, kHardLink, kOther };
  Kind kind = Kind::kFile;
  std::string name;         // as it was sent: it may lead anywhere
  std::string link_target;  // of a hard link: the name of an earlier entry
  unsigned mode = 0;        // at most 0777
  std::int64_t size = 0;    // of a file
  std::string_view what;    // of kOther: "a symbolic link"
};

/// What receives the entries. Only a file has data; `end` follows the data of each file. An error ends the reading.
class TarSink {
 public:
  virtual ~TarSink() = default;
  virtual Status begin(const TarEntry& entry) = 0;
  virtual Status data(std::string_view bytes) = 0;
  virtual Status end() = 0;
};

class TarReader {
 public:
  explicit TarReader(TarSink& sink) : sink_(sink) {}

  /// Takes the next part of the archive.
  Status read(std::string_view bytes);
  /// The archive has no more parts. Fails when it is cut off.
  Status finish() const;

 private:
  enum class Content { kFile, kPax, kIgnored, kLongName, kLongLink };
  Status take_header();
  Status take_entry(char type, std::string name, std::string link, std::int64_t size);
  Status begin_extension(Content content, std::int64_t size);
  Status take_content(std::string_view bytes);
  Status end_content();
  Status take_pax(std::string_view records);
  void expect_content(Content content, std::int64_t size);

  TarSink& sink_;
  std::string block_;  // of a header, as far as it was read
  Content content_ = Content::kFile;
  std::int64_t content_left_ = 0;
  std::int64_t padding_left_ = 0;
  std::string extension_;  // the content of a header that extends the next one
  unsigned mode_ = 0;
  // What such headers say about the next entry.
  std::optional<std::string> next_name_;
  std::optional<std::string> next_link_;
  std::optional<std::int64_t> next_size_;
  bool is_over_ = false;
  std::int64_t bytes_after_end_ = 0;
};

}  // namespace muster::cli
