// The defaults of built-in kinds that their schema does not contain. These are pure functions over Documents: those
// in Resource::set_defaults run on every write before validation, those in Resource::start once, for a new object.
#pragma once

#include <string>

#include "json/document.h"

namespace muster::api {

void default_deployment(json::Document& deployment);
void default_namespace(json::Document& ns);
void default_secret(json::Document& secret);
void default_service(json::Document& service);
void default_persistent_volume(json::Document& volume);
void default_persistent_volume_claim(json::Document& claim);

void start_empty(json::Document& object);    // sets an empty status
void start_pending(json::Document& object);  // sets the phase Pending
void start_namespace(json::Document& ns);
void start_pod(json::Document& pod);
void start_service(json::Document& service);

/// Returns Guaranteed, Burstable or BestEffort, derived from the requests and limits of all containers.
std::string qos_class(const json::Document& pod);

}  // namespace muster::api
