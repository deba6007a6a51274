// The log of any attempt of a pod that is still kept; the pod may be gone.
//
//   GET /apis/muster.dev/v1/namespaces/NS/pods/NAME/attempts/N/log
//
// It takes the parameters of pods/NAME/log. `fold=true`, which both know, folds progress bars. `uid` names the pod
// among those that have had the name, for an attempt of an earlier job; without it the newest job's attempt is meant.
#pragma once

#include "apiserver/context/context.h"
#include "apiserver/http/router.h"

namespace muster::web {

/// `context` outlives the requests of the route.
apiserver::Route attempt_log_route(apiserver::Context& context);

}  // namespace muster::web
