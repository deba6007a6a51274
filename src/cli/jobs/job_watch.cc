#include "cli/jobs/job_watch.h"

#include <algorithm>

namespace muster::cli {

namespace {

std::string place_of(const json::Document& object) {
  return object.string_at("metadata", "namespace") + "/" + object.string_at("metadata", "name");
}

}  // namespace

JobWatch::JobWatch(Session& session, const std::string& ns, const client::ListOptions& options) {
  for (ServedKind& kind : job_kinds()) kinds_.push_back({.kind = std::move(kind)});
  for (OfKind& of : kinds_) {
    of.live = std::make_unique<client::LiveList>(session.loop(), session.api(),
                                                 client::LiveQuery{.resource = of.kind.resource,
                                                                   .ns = ns,
                                                                   .label_selector = options.label_selector,
                                                                   .field_selector = options.field_selector},
                                                 sink_of(of));
  }
}

void JobWatch::start() {
  for (OfKind& of : kinds_) of.live->start();
}

bool JobWatch::listed() const {
  return std::ranges::all_of(kinds_, &OfKind::answered);
}

std::vector<JobChange> JobWatch::take() {
  if (!std::exchange(first_taken_, true)) {
    std::ranges::stable_sort(changes_, newest_first, &JobChange::found);
  }
  return std::exchange(changes_, {});
}

client::LiveSink JobWatch::sink_of(OfKind& of) {
  client::LiveSink sink;
  // This object owns the lists, and its kinds stay where they are, so the callbacks outlive neither.
  sink.on_list = [this, &of](const json::Document& list) { got_list(of, list); };
  sink.on_event = [this, &of](const std::string& type, const json::Document& object) {
    saw(of, object, type == "DELETED");
  };
  sink.on_failed = [this, &of](const Error& error) { failed(of, error); };
  return sink;
}

void JobWatch::got_list(OfKind& of, const json::Document& list) {
  of.answered = of.listed = true;
  // A list that comes again, after a watch was lost, shows by its gaps what was deleted meanwhile.
  const auto before = std::exchange(of.known, {});
  for (const json::Document& item : list.array_at("items")) saw(of, item, false);
  for (const auto& [place, object] : before) {
    if (!of.known.contains(place)) saw(of, object, true);
  }
}

void JobWatch::saw(OfKind& of, const json::Document& object, bool deleted) {
  Selected job{of.kind, object.string_at("metadata", "namespace"), object.string_at("metadata", "name")};
  changes_.push_back({.found = {std::move(job), object}, .deleted = deleted});
  if (deleted) {
    of.known.erase(place_of(object));
  } else {
    of.known[place_of(object)] = object;
  }
}

/// A kind that the server lacks or keeps from this user is left out, unless that is true of all of them.
void JobWatch::failed(OfKind& of, const Error& error) {
  of.answered = true;
  const bool was_listed = std::exchange(of.listed, false);
  if (was_listed || (listed() && std::ranges::none_of(kinds_, &OfKind::listed))) failure_ = error;
}

}  // namespace muster::cli
