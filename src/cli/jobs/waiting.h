// Shows why objects are waiting: in a column of `get`, and in a line on stderr during `wait` and `logs -f`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/connect/session.h"
#include "cli/jobs/find_job.h"
#include "cli/output/table.h"

namespace muster::cli {

/// Returns the cause for each waiting row of a table of pods or jobs. Requests the pending pods only if a row is
/// waiting.
RowNotes why_rows_wait(Session& session, const ServedKind& kind, const std::string& ns, const json::Document& table);

/// Returns whether the wide form of the table says so by itself.
bool tells_why_rows_wait(const json::Document& table);

/// Returns for each job what it waits for, or why it failed; "" for all others.
std::vector<std::string> reasons_of(Session& session, const std::string& ns, const std::vector<FoundJob>& jobs);

/// Prints on stderr what a job or pod is waiting for, and again when that changes. States that last less than a second
/// are not reported. Loop thread only.
class WaitingLine {
 public:
  enum class Until { kStarted, kEnded };

  using Say = std::function<void(std::string_view lines)>;
  /// `say` prints the line; without it stderr does.
  WaitingLine(Session& session, Selected what, Until until, Say say = nullptr);
  ~WaitingLine();
  /// Receives the current version of the object.
  void saw(const json::Document& object);
  /// Returns a text such as "Pending, needs 4 nvidia.com/gpu, there is none"; "" for an object that has no state.
  std::string state() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::cli
