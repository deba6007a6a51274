// ClaimFiles: the files in claims, whether a pod uses them or not. It is a part of the seam between apiserver and agent
// (node_api.h). Paths are relative to the claim's folder, and no link leads outside of it.
//
// Loop thread only. Callbacks run on the loop, once, never inline. Destroying a reading or a writing drops its
// callbacks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_function.h"
#include "json/document.h"
#include "node/scalars.h"

namespace muster::node {

/// On claims: how many bytes their files take on the disk, as measured last.
inline constexpr const char* kUsedAnnotation = "muster.dev/used";

enum class FileType { kFile, kFolder, kLink, kOther };

struct FileEntry {
  std::string name;  // "" for the claim's own folder
  FileType type = FileType::kFile;
  std::int64_t size = 0;
  Time modified;
  unsigned mode = 0;  // permissions
  std::string etag;   // differs when the content may differ
};

struct FilePlace {
  json::Document claim;
  std::string path;  // "" is the claim's own folder
};

/// What the files of a claim take on the disk.
struct ClaimUse {
  std::int64_t bytes = 0;
  std::int64_t entries = 0;
  bool is_complete = true;  // false: there are more entries than were counted
  Time measured;
};

/// A page of a folder's entries, sorted by name.
struct FilePage {
  std::vector<FileEntry> entries;
  bool is_last = true;
  std::optional<ClaimUse> use;  // of the whole claim, as measured last; only with the claim's own folder
};
struct PageRequest {
  std::string after;  // only names after this one
  std::size_t limit = 0;
};

/// An open file.
class FileReading {
 public:
  using OnBytes = UniqueFunction<void(Result<std::string>)>;
  virtual ~FileReading() = default;
  virtual const FileEntry& entry() const = 0;
  /// Delivers at most `size` bytes; fewer only at the end of the file.
  virtual void read(std::int64_t offset, std::size_t size, OnBytes done) = 0;
};

struct FileWriteOptions {
  std::optional<unsigned> mode;  // permissions; by default those of the file that is replaced, or 0644
  std::string if_match;          // the ETag of the file that may be replaced; "*": any, "": none is needed
  bool only_new = false;         // AlreadyExists when there is such a file
};

/// A file being written under another name. Destroying it before `commit` leaves nothing behind.
class FileWriting {
 public:
  using OnDone = UniqueFunction<void(Status)>;
  struct Written {
    FileEntry entry;
    bool is_new = false;
  };
  using OnWritten = UniqueFunction<void(Result<Written>)>;
  virtual ~FileWriting() = default;
  /// One call at a time.
  virtual void write(std::string bytes, OnDone done) = 0;
  /// Puts the file in its place, once its content is on the disk.
  virtual void commit(OnWritten done) = 0;
};

class ClaimFiles {
 public:
  template <typename T>
  using On = UniqueFunction<void(Result<T>)>;
  using OnDone = UniqueFunction<void(Status)>;

  virtual ~ClaimFiles() = default;
  virtual void stat(FilePlace place, On<FileEntry> done) = 0;
  virtual void list(FilePlace folder, PageRequest page, On<FilePage> done) = 0;
  virtual void open(FilePlace file, On<std::unique_ptr<FileReading>> done) = 0;
  virtual void create(FilePlace file, FileWriteOptions options, On<std::unique_ptr<FileWriting>> done) = 0;
  /// Also creates the folders above it. Returns ok if the folder exists.
  virtual void make_folder(FilePlace folder, OnDone done) = 0;
  enum class Existing { kKept, kReplaced };
  virtual void move(FilePlace from, std::string to, Existing existing, OnDone done) = 0;
  enum class Depth { kOne, kAll };
  /// A folder that is not empty is a Conflict unless all of it is to be removed. `if_match` is that of
  /// FileWriteOptions.
  virtual void remove(FilePlace place, Depth depth, std::string if_match, OnDone done) = 0;
  /// Reads what trainings have logged for TensorBoard in this folder and below it: all files, or those of the owner.
  virtual void scalars(FilePlace folder, std::optional<EventOwner> owner, On<ScalarRuns> done) = 0;
  /// Finds out whether there is anything to read for it.
  virtual void has_events(FilePlace folder, On<bool> done) = 0;
};

}  // namespace muster::node
