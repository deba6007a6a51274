#pragma once

namespace muster::net {

/// AES-128-GCM of TLS with the widest instructions of the processor (VAES, three times as fast as what OpenSSL 3.0
/// has): most of what a large list or a hundred watchers cost is encryption.
///
/// The property query for SSL_CTX_new_ex that prefers it; null where processor or build do not have it, and OpenSSL's
/// own is used. It serves the records of TLS 1.3 only, so AES-128 of TLS 1.2 must not be on offer beside it.
const char* vector_aes_properties();

}  // namespace muster::net
