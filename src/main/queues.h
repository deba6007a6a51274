// The queues of the configuration, as objects of the API.
#pragma once

#include <vector>

#include "client/api_client.h"
#include "json/document.h"
#include "main/config.h"

namespace muster {

/// Returns the Queue that the entry describes.
json::Document queue_object(const QueueConfig& config);

/// Creates the queues, or gives existing ones the specification of the configuration. Does not wait; what fails is
/// logged. `client` must outlive the requests.
void make_queues(client::ApiClient& client, const std::vector<QueueConfig>& queues);

}  // namespace muster
