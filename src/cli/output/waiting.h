// Why things wait, for people who wait for them: a column of `get`, and a line on stderr from `wait` and `logs -f`.
#pragma once

#include <memory>
#include <string>

#include "cli/connect/session.h"
#include "cli/objects/selection.h"
#include "cli/output/table.h"

namespace muster::cli {

/// For a table of pods or of jobs: the cause of each row that waits. Asks for pending pods only when there is such a
/// row.
RowNotes why_rows_wait(Session& session, const Kind& kind, const std::string& ns, const json::Document& table);

/// Says on stderr what a job or pod waits for, and again when that changes. What lasts less than a second is not
/// mentioned. Loop thread only.
class WaitingLine {
 public:
  enum class Until { kStarted, kEnded };

  WaitingLine(Session& session, Selected what, Until until);
  ~WaitingLine();
  /// The object as it is now.
  void saw(const json::Document& object);
  /// "Pending, needs 4 nvidia.com/gpu, there is none"; "" for an object that has no state.
  std::string state() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::cli
