#include "client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/strings.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class KubeconfigTest : public ::testing::Test {
 protected:
  KubeconfigTest() {
    char pattern[] = "/tmp/muster-kubeconfig-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    path_ = folder_ + "/config";
  }
  ~KubeconfigTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) { std::ofstream(folder_ + "/" + name) << content; }
  Result<Target> load(const std::string& content, const std::string& context = "") {
    write("config", content);
    return load_kubeconfig(path_, context);
  }
  std::string error(const std::string& content, const std::string& context = "") {
    const auto target = load(content, context);
    return target.has_value() ? "no error" : target.error().message;
  }

  std::string folder_;
  std::string path_;
};

constexpr const char* kTwoContexts = R"(apiVersion: v1
kind: Config
current-context: local
clusters:
- name: one
  cluster:
    server: https://127.0.0.1:8765
    certificate-authority-data: Y2E=
- name: two
  cluster:
    server: https://[::1]/
    insecure-skip-tls-verify: true
    tls-server-name: kube.example
users:
- name: alice
  user:
    token: abc
- name: bob
  user:
    client-certificate-data: Y2VydA==
    client-key: keys/bob.key
contexts:
- name: local
  context: {cluster: one, user: alice}
- name: remote
  context: {cluster: two, user: bob, namespace: team}
)";

TEST_F(KubeconfigTest, ReadsTheCurrentContext) {
  const auto target = load(kTwoContexts);
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(target->context, "local");
  EXPECT_EQ(target->ns, "default");
  EXPECT_EQ(target->token, "abc");
  EXPECT_EQ(target->endpoint.host, "127.0.0.1");
  EXPECT_EQ(target->endpoint.port, 8765);
  EXPECT_TRUE(target->endpoint.tls);
  EXPECT_EQ(target->endpoint.ca_pem, "ca");
  EXPECT_FALSE(target->endpoint.insecure_skip_verify);
}

TEST_F(KubeconfigTest, ReadsANamedContextWithCertificatesByFile) {
  std::filesystem::create_directory(folder_ + "/keys");
  write("keys/bob.key", "key");
  const auto target = load(kTwoContexts, "remote");
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(target->ns, "team");
  EXPECT_EQ(target->token, "");
  EXPECT_EQ(target->endpoint.host, "::1");
  EXPECT_EQ(target->endpoint.port, 443);
  EXPECT_EQ(target->endpoint.server_name, "kube.example");
  EXPECT_TRUE(target->endpoint.insecure_skip_verify);
  EXPECT_EQ(target->endpoint.client_certificate_pem, "cert");
  EXPECT_EQ(target->endpoint.client_key_pem, "key") << "relative to the kubeconfig";
}

TEST_F(KubeconfigTest, TokenFileWinsOverToken) {
  write("token", "from-file\n");
  std::string text = kTwoContexts;
  text.replace(text.find("token: abc"), 10, "token: abc\n    tokenFile: token");
  const auto target = load(text);
  EXPECT_EQ(target->token, "from-file");
  testing::SimLoop clock;
  const auto source = credentials_of(*target, clock);
  write("token", "renewed\n");
  clock.advance(std::chrono::seconds(59));
  EXPECT_EQ(source->get(clock)->token, "from-file");
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(source->get(clock)->token, "renewed") << "found next to the kubeconfig";
}

TEST_F(KubeconfigTest, ReadsWhatItWrites) {
  const auto target = load(make_kubeconfig("https://127.0.0.1:8765", "-----BEGIN X-----\n", "0123abc"));
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(target->context, "muster");
  EXPECT_EQ(target->token, "0123abc");
  EXPECT_EQ(target->endpoint.ca_pem, "-----BEGIN X-----\n");
  EXPECT_EQ(target->endpoint.port, 8765);
  EXPECT_EQ(target->ns, "default");
  EXPECT_EQ(load(make_kubeconfig("https://a:1", "x", "t", "team"))->ns, "team");
}

TEST_F(KubeconfigTest, TokenOfDigitsStaysText) {
  EXPECT_EQ(load(make_kubeconfig("https://a:1", "x", "12345678901234567890"))->token, "12345678901234567890");
  EXPECT_EQ(load(make_kubeconfig("https://a:1", "x", "123e45"))->token, "123e45");
}

TEST_F(KubeconfigTest, TokenThatYamlReadsAsANumberIsReported) {
  std::string text = kTwoContexts;
  text.replace(text.find("token: abc"), 10, "token: 123");
  EXPECT_EQ(error(text), path_ + ":17: token: must be a string, got integer; put it in quotes");
}

TEST_F(KubeconfigTest, UnknownNamesAreReportedWithLineAndSuggestion) {
  EXPECT_EQ(error(kTwoContexts, "remot"), path_ + ":3: there is no context \"remot\"; did you mean \"remote\"?");
  EXPECT_EQ(error(kTwoContexts, "zzzzzz"), path_ + ":3: there is no context \"zzzzzz\"; there is local, remote");
  std::string text = kTwoContexts;
  text.replace(text.find("cluster: one, user: alice"), 25, "cluster: ones, user: carol");
  EXPECT_EQ(error(text), path_ + ":24: there is no cluster \"ones\"; did you mean \"one\"?\n" + path_ +
                             ":24: there is no user \"carol\"; there is alice, bob");
  EXPECT_EQ(error("current-context: a\n"), path_ + ":1: there is no context \"a\"; the file has none under contexts:");
}

TEST_F(KubeconfigTest, AllProblemsAreReportedAtOnce) {
  const std::string message = error(R"(current-context: c
contexts:
- {name: c, context: {cluster: k, user: u}}
clusters:
- name: k
  cluster:
    server: 127.0.0.1:8765
    certificate-authority: missing.pem
    proxy-url: http://p
users:
- name: u
  user:
    client-certificate-data: "%%%"
    exec: {command: aws}
)");
  EXPECT_THAT(message,
              HasSubstr(path_ + ":7: server: must be https://HOST:PORT without a path, got \"127.0.0.1:8765\""));
  EXPECT_THAT(message, HasSubstr(path_ + ":8: certificate-authority: "));
  EXPECT_THAT(message, HasSubstr(path_ + ":9: proxy-url: proxies are not supported; reach the server directly"));
  EXPECT_THAT(message,
              HasSubstr(path_ + ":13: client-certificate-data: is not base64; encode the PEM file with base64 -w0"));
  EXPECT_THAT(message,
              HasSubstr(path_ + ":14: exec.apiVersion: must be client.authentication.k8s.io/v1 or v1beta1, got \"\""));
}

TEST_F(KubeconfigTest, InvalidServersAreRejected) {
  for (const std::string server : {"ftp://a", "https://", "https://a:0", "https://a:99999", "https://a:b",
                                   "https://a/path", "https://u@a", "https://[::1", "\"\""}) {
    std::string text = kTwoContexts;
    text.replace(text.find("https://127.0.0.1:8765"), 22, server);
    EXPECT_THAT(error(text), StartsWith(path_ + ":7: server: must be https://HOST:PORT without a path, got "))
        << server;
  }
  std::string text = kTwoContexts;
  text.replace(text.find("https://127.0.0.1:8765"), 22, "http://plain");
  const auto target = load(text);
  EXPECT_FALSE(target->endpoint.tls);
  EXPECT_EQ(target->endpoint.port, 80);
}

TEST_F(KubeconfigTest, CertificateAndKeyGoTogether) {
  std::string text = kTwoContexts;
  text.replace(text.find("    client-key: keys/bob.key\n"), 29, "");
  EXPECT_EQ(error(text, "remote"), path_ + ":19: client-certificate and client-key must be given together");
}

TEST_F(KubeconfigTest, InvalidFilesAreRejected) {
  EXPECT_THAT(load_kubeconfig(folder_ + "/absent", "").error().message, HasSubstr("absent"));
  EXPECT_EQ(load_kubeconfig(folder_ + "/absent", "").error().reason, Reason::kNotFound);
  EXPECT_EQ(error("- a\n- b\n"), path_ + ": is not a kubeconfig; it must be one YAML object");
  EXPECT_EQ(error(""), path_ + ": is not a kubeconfig; it must be one YAML object");
  EXPECT_EQ(error("kind: Config\n"), path_ + ": has no current-context; choose one with --context");
  EXPECT_THAT(error("a: [\n"), StartsWith(path_ + ": "));
}

constexpr const char* kWithPlugin = R"(current-context: c
clusters: [{name: k, cluster: {server: 'https://h:6443'}}]
contexts: [{name: c, context: {cluster: k, user: u}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./plugin
      args: [-c, now]
      env: [{name: WORD, value: secret}]
      provideClusterInfo: true
      interactiveMode: Never
)";

TEST_F(KubeconfigTest, ACredentialPluginIsRunFromTheFilesFolder) {
  write("plugin",
        "#!/bin/sh\n"
        "case \"$KUBERNETES_EXEC_INFO\" in *https://h:6443*) ;; *) exit 9 ;; esac\n"
        "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",'\n"
        "printf '\"status\":{\"token\":\"%s-%s\"}}' \"$WORD\" \"$2\"\n");
  std::filesystem::permissions(folder_ + "/plugin", std::filesystem::perms::owner_all);
  const auto target = load(kWithPlugin);
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(target->token, "secret-now");
  ASSERT_TRUE(target->exec.has_value());
  ASSERT_TRUE(target->issued.has_value());
  testing::SimLoop clock;
  const auto source = credentials_of(*target, clock);
  EXPECT_EQ(source->get(clock)->token, "secret-now") << "not run again";
  write("plugin", "#!/bin/sh\nexit 4\n");
  EXPECT_THAT(source->renew(*source->get(clock), clock).error().message, HasSubstr("failed with exit code 4"));
  EXPECT_EQ(target->exec->interactive_mode, "Never");
}

TEST_F(KubeconfigTest, AMissingCredentialPluginIsNamed) {
  EXPECT_THAT(error(kWithPlugin),
              HasSubstr("credential plugin \"" + folder_ + "/./plugin\": the program does not exist"));
}

TEST(InCluster, ReadsTheServiceAccount) {
  std::map<std::string, std::string> variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                  {"KUBERNETES_SERVICE_PORT", "443"}};
  const auto variable = [&](const char* name) { return variables[name]; };
  const auto read = [](const std::string& path) -> Result<std::string> {
    if (path.ends_with("/token")) return std::string("t\n");
    if (path.ends_with("/ca.crt")) return std::string("CA");
    if (path.ends_with("/namespace")) return std::string("team\n");
    return Error{.reason = Reason::kNotFound, .message = path};
  };
  const auto target = in_cluster_target(variable, read);
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(target->endpoint.host, "10.0.0.1");
  EXPECT_EQ(target->endpoint.port, 443);
  EXPECT_EQ(target->endpoint.ca_pem, "CA");
  EXPECT_EQ(target->token, "t");
  EXPECT_EQ(target->token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
  EXPECT_EQ(target->ns, "team");
  variables["KUBERNETES_SERVICE_PORT"] = "none";
  EXPECT_EQ(in_cluster_target(variable, read).error().reason, Reason::kInvalid);
  variables.clear();
  EXPECT_EQ(in_cluster_target(variable, read).error().reason, Reason::kNotFound);
}

TEST_F(KubeconfigTest, AFileThatOthersMayWriteRunsNoPlugin) {
  const std::string with_plugin = R"(
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "https://h:1"}}]
users:
- name: a
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: sh
      args: [-c, "touch )" + folder_ +
                                  R"(/ran; exit 3"]
)";
  write("config", with_plugin);
  for (const mode_t mode : {0620, 0602, 0777}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const std::string said = error(with_plugin);
    EXPECT_THAT(said, StartsWith(path_ + ": names a credential plugin, which is not run because others may write"));
    EXPECT_THAT(said, HasSubstr("run `chmod go-w " + path_ + "`"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ran"));
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_THAT(error(with_plugin), HasSubstr("failed with exit code 3"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/ran"));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(path_.c_str(), 1000, 1000), 0);
  EXPECT_THAT(error(with_plugin), HasSubstr("the file belongs to user 1000, and you are user 0"));
}

}  // namespace
}  // namespace muster::client
