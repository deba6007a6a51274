// Many streams of the API over one WebSocket: a browser opens no more than six connections to a server, and a page
// watches a dozen kinds and follows the logs of many ranks.
//
//   the client:   {"open": ID, "path": "/api/v1/pods?watch=true", "fields": ["metadata.name", …]}
//                 {"close": ID}
//   the server:   {"id": ID}                     and after the line end whole lines of that stream
//                 {"id": ID, "end": STATUS}      it ended; STATUS is null, or the server's Status if it failed
//
// Each path is requested by GET, as if the client had a connection for it. `fields` leaves everything else out of the
// objects of a watch or a list, so that thousands of them stay small; "summary" is one of a job's (object_fields.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/router.h"
#include "base/ports.h"
#include "base/result.h"
#include "net/http.h"
#include "web/jobs/object_fields.h"

namespace muster::web {

/// One message of the client.
struct StreamOrder {
  std::int64_t id = 0;
  std::string path;  // empty: close the stream
  std::vector<std::string> fields;
};
Result<StreamOrder> parse_stream_order(std::string_view text);

/// Gathers the bytes of a stream into whole lines, and leaves out of events and lists what was not asked for. What a
/// log shows of a line that is still written over is passed on as a line that ends in a carriage return.
class StreamLines {
 public:
  /// A cache outlives it.
  explicit StreamLines(const std::vector<std::string>& fields, SummaryCache* cache = nullptr);
  /// Returns the lines that are now complete, with their ends.
  std::string take(std::string_view bytes);
  /// Returns the rest, a last line without its end.
  std::string take_rest();

 private:
  void append_line(std::string_view line, std::string& out) const;

  std::optional<ObjectFields> of_event_;
  std::optional<ObjectFields> of_list_;
  std::string unfinished_;
};

/// GET /apis/muster.dev/v1/watch, for the owner: streams are opened through `api`, which trusts this process. Both
/// outlive the requests of the route.
apiserver::Route stream_route(Loop& loop, net::Transport& api);

}  // namespace muster::web
