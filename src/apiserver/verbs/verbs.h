// One function per verb and subresource. Each answers `reply` exactly once, either at once or after the store's commit.
#pragma once

#include "apiserver/access/account_tokens.h"
#include "apiserver/context/context.h"
#include "apiserver/http/reply.h"
#include "apiserver/http/request.h"
#include "net/http.h"

namespace muster::apiserver {

void get_object(Context& context, const ResourceRequest& request, Reply reply);
void list_objects(Context& context, const ResourceRequest& request, Reply reply);
void create_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
void update_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
void patch_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
void delete_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
void delete_collection(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);

/// pods/NAME/log
void read_pod_log(Context& context, const ResourceRequest& request, Reply reply);
/// pods/NAME/exec and pods/NAME/attach
void exec_in_pod(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
/// pods/NAME/portforward
void forward_ports(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
/// pods/NAME/binding
void bind_pod(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);
/// serviceaccounts/NAME/token
void request_token(Context& context, const AccountTokens& tokens, const ResourceRequest& request,
                   const net::Request& http, Reply reply);
/// NAME/scale: GET, PUT, PATCH
void answer_scale(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply);

/// Answers the questions of authorization.k8s.io and authentication.k8s.io, which are never stored.
void answer_review(const ResourceRequest& request, const net::Request& http, Reply reply);

/// `{"kind":"Status","status":"Success",…}`.
std::string success_status(json::Object details, int code);

}  // namespace muster::apiserver
