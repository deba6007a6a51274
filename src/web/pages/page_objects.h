// Which object has a page: read from the store, so that a page whose object was just replaced is already the new one's.
#pragma once

#include <string>

#include "apiserver/context/context.h"
#include "web/pages/page_name.h"

namespace muster::web {

/// Returns the uid of the TensorBoard, the Notebook or, of Arena's TensorBoards, the Deployment; "" when there is none.
std::string uid_of_page(const apiserver::Context& context, const PageName& page);

}  // namespace muster::web
