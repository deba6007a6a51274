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
// A name is any bytes, each percent-encoded where needed. If they are not UTF-8, an entry also has its `encodedName`,
// which is the segment of the path.
#pragma once

#include <vector>

#include "apiserver/context/context.h"
#include "apiserver/http/router.h"
#include "node/claim_files.h"

namespace muster::web {

/// Both outlive the requests of the routes.
std::vector<apiserver::Route> claim_files_routes(const apiserver::Context& context, node::ClaimFiles& files);

}  // namespace muster::web
