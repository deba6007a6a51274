// The members of objects that a client asks for with `fields`. Of a job "summary" is one of them: what people are told
// about it (jobs/summary.h), which the object itself does not have.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "json/excerpt.h"

namespace muster::web {

/// Summaries by the revision of their job: making one takes 30 to 50 us, and every page that is opened asks for all of
/// them.
class SummaryCache {
 public:
  /// Null when it is not there.
  const json::Document* find(const std::string& uid, const std::string& revision) const;
  void put(const std::string& uid, std::string revision, json::Document summary);

 private:
  struct Entry {
    std::string revision;
    json::Document summary;
  };
  std::unordered_map<std::string, Entry> by_uid_;
};

class ObjectFields {
 public:
  /// Whether a text is an object, or an event of a watch, which says what happened to it.
  enum class Text { kObject, kEvent };
  /// A cache outlives it.
  ObjectFields(Text text, const std::vector<std::string>& fields, SummaryCache* cache = nullptr);

  Result<json::Document> read(std::string_view text) const;
  /// Reads a list of objects, whose items need not say what they are.
  Result<json::Document> read_list(std::string_view text) const;

 private:
  json::Document make_summary(std::string_view text) const;

  Text text_;
  bool with_summary_;
  json::Excerpt kept_;
  SummaryCache* cache_;
};

/// Returns the text of the whole object, with its summary if it is a job.
std::string with_summary(std::string_view object);

}  // namespace muster::web
