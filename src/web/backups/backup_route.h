// POST /apis/muster.dev/v1/backups: copies the database into the engine's own folder. The copy stays on the engine's
// machine: the response has its path, and the client reads it from there.
#pragma once

#include <functional>
#include <string>

#include "apiserver/http/router.h"
#include "base/result.h"
#include "base/time.h"
#include "base/unique_function.h"

namespace muster::web {

struct Backup {
  std::string path;
  std::string revision;
  Time made;
};
using OnBackup = UniqueFunction<void(Result<Backup>)>;

apiserver::Route backup_route(std::function<void(OnBackup)> back_up);

}  // namespace muster::web
