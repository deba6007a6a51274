#include "net/vector_aes.h"

#ifdef MUSTER_VECTOR_AES

#include <cpuid.h>
#include <intel-ipsec-mb.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

// The library's entry points for one processor generation. Its header offers them through a manager only, which would
// bring every cipher for every generation into the program: three times the size.
extern "C" {
void aes_gcm_pre_128_vaes_avx512(const void* key, gcm_key_data* made);
void aes_gcm_enc_128_vaes_avx512(const gcm_key_data* key, gcm_context_data* context, std::uint8_t* out,
                                 const std::uint8_t* in, std::uint64_t size, const std::uint8_t* iv,
                                 const std::uint8_t* aad, std::uint64_t aad_size, std::uint8_t* tag,
                                 std::uint64_t tag_size);
void aes_gcm_dec_128_vaes_avx512(const gcm_key_data* key, gcm_context_data* context, std::uint8_t* out,
                                 const std::uint8_t* in, std::uint64_t size, const std::uint8_t* iv,
                                 const std::uint8_t* aad, std::uint64_t aad_size, std::uint8_t* tag,
                                 std::uint64_t tag_size);
}

namespace muster::net {
namespace {

constexpr char kName[] = "vector-aes";
constexpr char kNames[] = "AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6";
constexpr char kProperties[] = "provider=vector-aes";
constexpr char kPreferred[] = "?provider=vector-aes";
constexpr std::size_t kKeySize = 16;
constexpr std::size_t kIvSize = 12;
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kMostAad = 32;  // a record's head has 5 bytes

/// One direction of one connection. A message is what OpenSSL makes of a TLS 1.3 record: IV, head, text at once, tag.
struct Cipher {
  alignas(64) gcm_key_data key;
  bool has_key = false;
  bool encrypts = false;
  enum class Step { kIdle, kHead, kText, kDone } step = Step::kIdle;  // what may come next
  std::array<std::uint8_t, kIvSize> iv{};
  std::array<std::uint8_t, kMostAad> aad{};
  std::size_t aad_size = 0;
  std::array<std::uint8_t, kTagSize> made_tag{};
  std::array<std::uint8_t, kTagSize> given_tag{};
  bool has_tag = false;

  Cipher() = default;
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  ~Cipher() { OPENSSL_cleanse(&key, sizeof key); }
};

Cipher& self(void* cipher) {
  return *static_cast<Cipher*>(cipher);
}

void* make_cipher(void*) {
  return new Cipher;
}

void free_cipher(void* cipher) {
  delete static_cast<Cipher*>(cipher);
}

int set_params(void* opaque, const OSSL_PARAM params[]) {
  Cipher& cipher = self(opaque);
  if (const OSSL_PARAM* tag = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG)) {
    if (tag->data == nullptr) return tag->data_size == kTagSize ? 1 : 0;
    if (cipher.encrypts || tag->data_type != OSSL_PARAM_OCTET_STRING || tag->data_size != kTagSize) return 0;
    std::memcpy(cipher.given_tag.data(), tag->data, kTagSize);
    cipher.has_tag = true;
  }
  if (const OSSL_PARAM* size = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN)) {
    std::size_t wanted = 0;
    if (OSSL_PARAM_get_size_t(size, &wanted) != 1 || wanted != kIvSize) return 0;
  }
  return 1;
}

int begin(Cipher& cipher, bool encrypts, std::span<const unsigned char> key, std::span<const unsigned char> iv,
          const OSSL_PARAM* params) {
  cipher.encrypts = encrypts;
  if (key.data() != nullptr) {
    if (key.size() != kKeySize) return 0;
    aes_gcm_pre_128_vaes_avx512(key.data(), &cipher.key);
    cipher.has_key = true;
  }
  if (iv.data() != nullptr) {
    if (iv.size() != kIvSize) return 0;
    std::memcpy(cipher.iv.data(), iv.data(), kIvSize);
    cipher.aad_size = 0;
    cipher.has_tag = false;
    cipher.step = Cipher::Step::kHead;
  }
  return params == nullptr ? 1 : set_params(&cipher, params);
}

int begin_encrypting(void* cipher, const unsigned char* key, std::size_t key_size, const unsigned char* iv,
                     std::size_t iv_size, const OSSL_PARAM params[]) {
  return begin(self(cipher), true, {key, key_size}, {iv, iv_size}, params);
}

int begin_decrypting(void* cipher, const unsigned char* key, std::size_t key_size, const unsigned char* iv,
                     std::size_t iv_size, const OSSL_PARAM params[]) {
  return begin(self(cipher), false, {key, key_size}, {iv, iv_size}, params);
}

int take_head(Cipher& cipher, std::span<const unsigned char> head) {
  if (cipher.step != Cipher::Step::kHead || head.size() > kMostAad) return 0;
  std::memcpy(cipher.aad.data(), head.data(), head.size());
  cipher.aad_size = head.size();
  cipher.step = Cipher::Step::kText;
  return 1;
}

/// Without an IV of its own, or a second time under one, nothing is encrypted: that would give the key away.
int take_text(Cipher& cipher, unsigned char* out, std::span<const unsigned char> text) {
  if (!cipher.has_key || (cipher.step != Cipher::Step::kHead && cipher.step != Cipher::Step::kText)) return 0;
  const auto run = cipher.encrypts ? aes_gcm_enc_128_vaes_avx512 : aes_gcm_dec_128_vaes_avx512;
  gcm_context_data context;
  run(&cipher.key, &context, out, text.data(), text.size(), cipher.iv.data(), cipher.aad.data(), cipher.aad_size,
      cipher.made_tag.data(), kTagSize);
  cipher.step = Cipher::Step::kDone;
  return 1;
}

int update(void* opaque, unsigned char* out, std::size_t* out_size, std::size_t room, const unsigned char* in,
           std::size_t in_size) {
  *out_size = in_size;
  if (out == nullptr) return take_head(self(opaque), {in, in_size});
  return room < in_size ? 0 : take_text(self(opaque), out, {in, in_size});
}

int finish(void* opaque, unsigned char*, std::size_t* out_size, std::size_t) {
  Cipher& cipher = self(opaque);
  *out_size = 0;
  if (cipher.step != Cipher::Step::kDone) return 0;
  if (cipher.encrypts) return 1;
  cipher.step = Cipher::Step::kIdle;
  return cipher.has_tag && CRYPTO_memcmp(cipher.made_tag.data(), cipher.given_tag.data(), kTagSize) == 0 ? 1 : 0;
}

int get_params(OSSL_PARAM params[]) {
  const auto tell = [params](const char* name, std::size_t value) {
    OSSL_PARAM* wanted = OSSL_PARAM_locate(params, name);
    return wanted == nullptr || OSSL_PARAM_set_size_t(wanted, value) == 1;
  };
  OSSL_PARAM* mode = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_MODE);
  if (mode != nullptr && OSSL_PARAM_set_uint(mode, EVP_CIPH_GCM_MODE) != 1) return 0;
  OSSL_PARAM* aead = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD);
  if (aead != nullptr && OSSL_PARAM_set_int(aead, 1) != 1) return 0;
  OSSL_PARAM* own_iv = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_CUSTOM_IV);
  if (own_iv != nullptr && OSSL_PARAM_set_int(own_iv, 1) != 1) return 0;
  return tell(OSSL_CIPHER_PARAM_KEYLEN, kKeySize) && tell(OSSL_CIPHER_PARAM_IVLEN, kIvSize) &&
                 tell(OSSL_CIPHER_PARAM_BLOCK_SIZE, 1)
             ? 1
             : 0;
}

int get_cipher_params(void* opaque, OSSL_PARAM params[]) {
  const Cipher& cipher = self(opaque);
  if (OSSL_PARAM* tag = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG)) {
    if (!cipher.encrypts || cipher.step != Cipher::Step::kDone || tag->data_size != kTagSize) return 0;
    if (OSSL_PARAM_set_octet_string(tag, cipher.made_tag.data(), kTagSize) != 1) return 0;
  }
  OSSL_PARAM* tag_size = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  if (tag_size != nullptr && OSSL_PARAM_set_size_t(tag_size, kTagSize) != 1) return 0;
  return get_params(params);
}

const OSSL_PARAM* known_params(void*) {
  static const OSSL_PARAM known[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, nullptr),
                                     OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, nullptr),
                                     OSSL_PARAM_END};
  return known;
}

const OSSL_PARAM* known_cipher_params(void*, void*) {
  static const OSSL_PARAM known[] = {OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, nullptr, 0),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                     OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                     OSSL_PARAM_END};
  return known;
}

/// OpenSSL keeps every function of a table under one type.
template <typename Function>
OSSL_DISPATCH entry(int id, Function* function) {
  return {id, reinterpret_cast<void (*)()>(function)};
}

const OSSL_ALGORITHM* algorithms(void*, int operation, int* no_cache) {
  static const OSSL_DISPATCH functions[] = {entry(OSSL_FUNC_CIPHER_NEWCTX, make_cipher),
                                            entry(OSSL_FUNC_CIPHER_FREECTX, free_cipher),
                                            entry(OSSL_FUNC_CIPHER_ENCRYPT_INIT, begin_encrypting),
                                            entry(OSSL_FUNC_CIPHER_DECRYPT_INIT, begin_decrypting),
                                            entry(OSSL_FUNC_CIPHER_UPDATE, update),
                                            entry(OSSL_FUNC_CIPHER_FINAL, finish),
                                            entry(OSSL_FUNC_CIPHER_GET_PARAMS, get_params),
                                            entry(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, known_params),
                                            entry(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_cipher_params),
                                            entry(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, known_cipher_params),
                                            entry(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_params),
                                            entry(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, known_cipher_params),
                                            {0, nullptr}};
  static const OSSL_ALGORITHM offered[] = {{kNames, kProperties, functions, nullptr},
                                           {nullptr, nullptr, nullptr, nullptr}};
  *no_cache = 0;
  return operation == OSSL_OP_CIPHER ? offered : nullptr;
}

int start_provider(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH*, const OSSL_DISPATCH** out, void** context) {
  static const OSSL_DISPATCH functions[] = {entry(OSSL_FUNC_PROVIDER_QUERY_OPERATION, algorithms), {0, nullptr}};
  *out = functions;
  *context = const_cast<OSSL_CORE_HANDLE*>(handle);  // there must be one; nothing of ours is in it
  return 1;
}

/// By its bit: Clang 14 does not know the name.
bool has_vaes() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & bit_VAES) != 0;
}

bool processor_can() {
  return has_vaes() && __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

const char* offer() {
  if (!processor_can() || OSSL_PROVIDER_add_builtin(nullptr, kName, start_provider) != 1) return nullptr;
  constexpr int kKeepDefaults = 1;  // everything else is OpenSSL's own
  // Held to the end: OpenSSL leaves alone what it has lent.
  static const OSSL_PROVIDER* const loaded = OSSL_PROVIDER_try_load(nullptr, kName, kKeepDefaults);
  return loaded == nullptr ? nullptr : kPreferred;
}

}  // namespace

const char* vector_aes_properties() {
  static const char* const properties = offer();
  return properties;
}

}  // namespace muster::net

#else

namespace muster::net {

const char* vector_aes_properties() {
  return nullptr;
}

}  // namespace muster::net

#endif
