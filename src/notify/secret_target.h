// A target that a Secret describes: the URL that somebody gave to `--notify`. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "json/document.h"
#include "notify/target.h"

namespace muster::notify {

/// `name` is what the job calls it: "secret/notify-x7kfp". Invalid unless the Secret is of the type that only the owner
/// may write and has a usable URL; the message does not have the URL in it.
Result<Target> target_of_secret(const std::string& name, const json::Document& secret);

/// Returns the form that the service behind the URL understands, by its host.
Form form_of_url(const std::string& url);
/// Returns what is wrong with the URL of a web hook; "" when nothing is.
std::string url_problem(const std::string& url);

}  // namespace muster::notify
