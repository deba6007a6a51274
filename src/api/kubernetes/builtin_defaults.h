// What Kubernetes sets in objects of its own kinds beyond what their schema says. Pure functions over Documents,
// reached through Resource::set_defaults, on every write before validation, and Resource::start, once for a new object.
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

void start_empty(json::Document& object);    // a status without anything
void start_pending(json::Document& object);  // its phase
void start_namespace(json::Document& ns);
void start_pod(json::Document& pod);
void start_service(json::Document& service);

/// Guaranteed, Burstable or BestEffort, from requests and limits of all containers.
std::string qos_class(const json::Document& pod);

}  // namespace muster::api
