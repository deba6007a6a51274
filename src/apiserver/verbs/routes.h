// The engine's own paths that the API server answers itself. `context` must live as long as the routes.
#pragma once

#include <vector>

#include "apiserver/context.h"
#include "apiserver/http/router.h"

namespace muster::apiserver {

// The files of a claim: /apis/muster.dev/v1/namespaces/NS/persistentvolumeclaims/NAME/files/PATH.
//
//   GET PATH                         a file, with Range, If-Range and If-None-Match; a folder as a FileList, in pages
//                                    by `limit` and `continue`
//   GET PATH?stat=true               what PATH is, as a File
//   PUT PATH[?mode=0755]             writes a file, streamed; If-Match and `If-None-Match: *` are honoured
//   POST PATH?makeFolder=true        makes the folder and those above it
//   POST PATH?moveTo=PATH[&overwrite=true]
//   DELETE PATH[?recursive=true]     If-Match is honoured
//
// A name is any bytes, each percent-encoded where needed. Where they are no UTF-8, an entry has its `encodedName`, too,
// which is the segment of the path.
std::vector<Route> claim_files_routes(Context& context);

/// /apis/muster.dev/v1/namespaces/NS/pods/NAME/attempts/N/log: the log of any attempt that is still kept, by the
/// parameters of pods/NAME/log; the pod may be gone. `fold=true`, which both know, folds progress bars.
Route attempt_log_route(Context& context);

/// /apis/muster.dev/v1/[namespaces/NS/]jobs: the newest jobs of all kinds, by name where they are equally old, up to
/// `limit`; metadata.remainingItemCount says how many more there are. `fields`, with commas between them, leaves all
/// other members out of the objects.
std::vector<Route> newest_jobs_routes(Context& context);

}  // namespace muster::apiserver
