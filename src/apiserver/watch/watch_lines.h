// The lines of a watch's stream: events, bookmarks and errors, each in the form the watcher asked for.
#pragma once

#include <string>
#include <string_view>

#include "api/resource.h"
#include "apiserver/http/negotiation.h"
#include "base/error.h"
#include "base/time.h"
#include "net/http.h"
#include "store/store.h"

namespace muster::apiserver {

void append_event(std::string& out, const api::Resource& resource, const Form& form, std::string_view type,
                  const net::Bytes& object, Time now);
/// Every event up to this revision has been sent, so the watcher may resume from there.
std::string bookmark_line(const api::Resource& resource, const Form& form, store::Revision revision, bool initial_end);
/// The error for a watch whose response head is already sent.
std::string error_line(const Error& error);

}  // namespace muster::apiserver
