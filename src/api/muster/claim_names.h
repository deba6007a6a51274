// Claims that only the owner of the engine uses.
#pragma once

namespace muster::api {

/// On PVCs: no service account mounts the claim or reads its files.
inline constexpr const char* kOwnerOnlyAnnotation = "muster.dev/owner-only";
/// The claim that `muster run` makes for the caches and logins of its jobs, with that annotation.
inline constexpr const char* kHomeClaim = "home";

}  // namespace muster::api
