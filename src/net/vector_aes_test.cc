#include "net/vector_aes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace muster::net {
namespace {

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Kind = std::unique_ptr<EVP_CIPHER, FreeCipher>;
using Use = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

constexpr int kTagSize = 16;

const unsigned char* bytes(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

/// What OpenSSL does for a record of TLS 1.3: key once, then IV, head and text.
struct Message {
  std::string key, iv, head, text;
};

class VectorAes : public testing::Test {
 protected:
  void SetUp() override {
    if (vector_aes_properties() == nullptr) GTEST_SKIP() << "this processor has no VAES";
    ours_ = Kind(EVP_CIPHER_fetch(nullptr, "id-aes128-GCM", vector_aes_properties()));
    openssl_ = Kind(EVP_CIPHER_fetch(nullptr, "id-aes128-GCM", "provider=default"));
    ASSERT_TRUE(ours_ && openssl_);
    ASSERT_NE(EVP_CIPHER_get0_provider(ours_.get()), EVP_CIPHER_get0_provider(openssl_.get()));
  }

  std::string random_bytes(std::size_t size) {
    std::string out(size, 0);
    for (char& byte : out) byte = static_cast<char>(random_());
    return out;
  }

  Message random_message(std::size_t size) {
    return {random_bytes(16), random_bytes(12), random_bytes(5), random_bytes(size)};
  }

  static Use begin(const EVP_CIPHER* kind, const Message& message, bool encrypts) {
    Use use(EVP_CIPHER_CTX_new());
    const int direction = encrypts ? 1 : 0;
    EXPECT_EQ(EVP_CipherInit_ex(use.get(), kind, nullptr, nullptr, nullptr, direction), 1);
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(use.get(), EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr), 1);
    EXPECT_EQ(EVP_CipherInit_ex(use.get(), nullptr, nullptr, bytes(message.key), nullptr, -1), 1);
    EXPECT_EQ(EVP_CipherInit_ex(use.get(), nullptr, nullptr, nullptr, bytes(message.iv), direction), 1);
    return use;
  }

  static bool update(const Use& use, const std::string& head, std::string& text) {
    int size = 0;
    return EVP_CipherUpdate(use.get(), nullptr, &size, bytes(head), static_cast<int>(head.size())) == 1 &&
           EVP_CipherUpdate(use.get(), bytes(text), &size, bytes(text), static_cast<int>(text.size())) == 1 &&
           size == static_cast<int>(text.size());
  }

  /// In place, as TLS does it; the tag follows the text.
  static std::string encrypt(const EVP_CIPHER* kind, const Message& message) {
    const Use use = begin(kind, message, true);
    std::string text = message.text;
    std::string tag(kTagSize, 0);
    int size = 0;
    EXPECT_TRUE(update(use, message.head, text));
    EXPECT_EQ(EVP_CipherFinal_ex(use.get(), bytes(tag), &size), 1);
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(use.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, tag.data()), 1);
    return text + tag;
  }

  static std::optional<std::string> decrypt(const EVP_CIPHER* kind, const Message& message) {
    const Use use = begin(kind, message, false);
    std::string text = message.text.substr(0, message.text.size() - kTagSize);
    std::string tag = message.text.substr(text.size());
    int size = 0;
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(use.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()), 1);
    if (!update(use, message.head, text) || EVP_CipherFinal_ex(use.get(), bytes(tag), &size) != 1) return std::nullopt;
    return text;
  }

  Kind ours_;
  Kind openssl_;
  std::mt19937 random_{20240607};
};

TEST_F(VectorAes, GivesTheBytesOfOpenSsl) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= 1100; ++size) sizes.push_back(size);
  for (const std::size_t around : {2048, 4096, 16384, 16385}) {
    for (std::size_t size = around - 17; size <= around + 17; ++size) sizes.push_back(size);
  }
  for (const std::size_t size : sizes) {
    Message message = random_message(size);
    const std::string encrypted = encrypt(ours_.get(), message);
    ASSERT_EQ(encrypted, encrypt(openssl_.get(), message)) << size << " bytes";
    const std::string plain = std::exchange(message.text, encrypted);
    ASSERT_EQ(decrypt(ours_.get(), message), plain) << size << " bytes";
  }
}

TEST_F(VectorAes, RefusesWhatWasChangedOnTheWay) {
  Message message = random_message(100);
  message.text = encrypt(openssl_.get(), message);
  ASSERT_TRUE(decrypt(ours_.get(), message));
  for (std::size_t bit = 0; bit < message.text.size() * 8; ++bit) {
    Message changed = message;
    changed.text[bit / 8] = static_cast<char>(changed.text[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decrypt(ours_.get(), changed)) << "bit " << bit;
  }
  Message other_head = message;
  other_head.head[4] = static_cast<char>(other_head.head[4] ^ 1);
  EXPECT_FALSE(decrypt(ours_.get(), other_head));
}

TEST_F(VectorAes, EncryptsOnlyOnceUnderAnIv) {
  const Message message = random_message(32);
  const Use use = begin(ours_.get(), message, true);
  std::string text = message.text;
  int size = 0;
  EXPECT_TRUE(update(use, message.head, text));
  EXPECT_EQ(EVP_CipherUpdate(use.get(), bytes(text), &size, bytes(text), 16), 0);
}

TEST_F(VectorAes, RefusesTextWithoutAnIvOrKey) {
  std::string text(16, 'x');
  int size = 0;
  const Use use(EVP_CIPHER_CTX_new());
  const std::string key(16, 'k');
  ASSERT_EQ(EVP_CipherInit_ex(use.get(), ours_.get(), nullptr, bytes(key), nullptr, 1), 1);
  EXPECT_EQ(EVP_CipherUpdate(use.get(), bytes(text), &size, bytes(text), 16), 0);
  const Use no_key(EVP_CIPHER_CTX_new());
  const std::string iv(12, 'i');
  ASSERT_EQ(EVP_CipherInit_ex(no_key.get(), ours_.get(), nullptr, nullptr, bytes(iv), 1), 1);
  EXPECT_EQ(EVP_CipherUpdate(no_key.get(), bytes(text), &size, bytes(text), 16), 0);
}

TEST_F(VectorAes, RefusesADecryptionWithoutATag) {
  Message message = random_message(40);
  message.text = encrypt(openssl_.get(), message);
  const Use use = begin(ours_.get(), message, false);
  std::string text = message.text.substr(0, 40);
  int size = 0;
  EXPECT_TRUE(update(use, message.head, text));
  EXPECT_EQ(EVP_CipherFinal_ex(use.get(), bytes(text), &size), 0);
}

}  // namespace
}  // namespace muster::net
