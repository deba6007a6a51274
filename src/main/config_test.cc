#include "main/config.h"

#include <gmock/gmock.h>
#include <stdlib.h>  // NOLINT: mkdtemp

#include <filesystem>

#include "main/queues.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(std::string_view yaml) {
  auto config = parse_config(yaml, "muster.yaml");
  return config ? "accepted" : config.error().message;
}

TEST(Config, AnEmptyFileMeansTheDefaults) {
  auto config = parse_config("", "muster.yaml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->unmapped, "host");
  EXPECT_TRUE(config->environments.empty());
}

TEST(Config, ReadsQueues) {
  auto config = parse_config(
      "scheduling: strict\n"
      "network: {mode: job, allow: ['127.0.0.1:5000']}\n"
      "queues:\n"
      "- name: research\n"
      "  quota: {nvidia.com/gpu: 4}\n"
      "  priority: 7\n"
      "  namespaces: [lab]\n",
      "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->scheduling, "strict");
  EXPECT_EQ(config->network.mode, "job");
  EXPECT_THAT(config->network.allow, ElementsAre("127.0.0.1:5000"));
  ASSERT_EQ(config->queues.size(), 1u);
  const json::Document queue = queue_object(config->queues[0]);
  EXPECT_EQ(queue.string_at("metadata", "name"), "research");
  EXPECT_EQ(queue.string_at("spec", "quota", "requests", "nvidia.com/gpu"), "4");
  EXPECT_EQ(queue.int_at("spec", "priority"), 7);
  const json::Document& selects = queue.array_at("spec", "namespaceSelector", "matchExpressions").at(0);
  EXPECT_EQ(selects.string_at("key"), "kubernetes.io/metadata.name");
  EXPECT_EQ(selects.array_at("values").at(0).as_string(), "lab");
}

TEST(Config, BoundsWhatANamespaceStores) {
  const auto usual = parse_config("", "muster.yaml");
  EXPECT_EQ(usual->limits.objects_per_namespace, 250'000);
  EXPECT_EQ(usual->limits.bytes_per_namespace.value(), std::int64_t{1} << 30);
  const auto config = parse_config("limits: {bytesPerNamespace: 2Gi}\n", "muster.yaml");
  EXPECT_EQ(config->limits.objects_per_namespace, 250'000);
  EXPECT_EQ(config->limits.bytes_per_namespace.value(), std::int64_t{2} << 30);
  EXPECT_THAT(message_of("limits: {objectsPerNamespace: 5}\n"), HasSubstr("limits.objectsPerNamespace"));
  EXPECT_THAT(message_of("limits: {bytesPerNamespace: 5}\n"), HasSubstr("must be at least 1Mi"));
}

TEST(Config, ReportsMistakesInQueues) {
  EXPECT_THAT(message_of("queues:\n- quota: {cpu: 4}\n"), HasSubstr("queues[0].name"));
  EXPECT_THAT(message_of("queues:\n- name: a\n  priority: 101\n"), HasSubstr("muster.yaml:3:"));
  EXPECT_THAT(message_of("scheduling: strikt\n"), HasSubstr("strict"));
  EXPECT_THAT(message_of("network: hots\n"), HasSubstr("host"));
  EXPECT_THAT(message_of("network: {allow: ['10.0.0.1:80']}\n"),
              HasSubstr("network.allow: must be an address of loopback"));
  EXPECT_EQ(parse_config("network: host\n", "c")->network.mode, "host");
}

TEST(Config, ReadsEnvironmentsAndResources) {
  auto config = parse_config(
      "environments:\n"
      "- image: 't9kpublic/pytorch-*'\n"
      "  venv: /opt/torch\n"
      "  env: {PET_TEE: '1'}\n"
      "- image: '*'\n"
      "  host: true\n"
      "resources:\n"
      "  nvidia.com/gpu: 8\n",
      "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->environments.size(), 2u);
  EXPECT_EQ(config->environments[0].venv, "/opt/torch");
  EXPECT_EQ(config->environments[0].env.at("PET_TEE"), "1");
  EXPECT_TRUE(config->environments[1].host);
  EXPECT_EQ(config->resources.at("nvidia.com/gpu").value(), 8);
}

TEST(Config, MetricsHaveLimits) {
  EXPECT_EQ(parse_config("", "muster.yaml")->metrics.history, "24h");
  const auto config = parse_config("metrics: {keepEnded: 1h, maxSize: 1Gi}", "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->metrics.history, "24h");
  EXPECT_EQ(config->metrics.keep_ended, "1h");
  EXPECT_EQ(config->metrics.max_size.value(), 1 << 30);
  EXPECT_EQ(parse_config("unmapped: host", "muster.yaml")->metrics.max_size.value(), 256 << 20);
  EXPECT_EQ(message_of("metrics:\n  history: 1s\n  keepEnded: soon\n"),
            "muster.yaml:2:3: metrics.history: must be 10m to 744h, got \"1s\"; write 24h\n"
            "muster.yaml:3:3: metrics.keepEnded: must be a duration, got \"soon\"; write 168h");
}

TEST(Config, AnUnknownKeyIsNamedWithItsLineAndTheKeyThatWasMeant) {
  EXPECT_EQ(message_of("unmapped: host\nenvironment: []\n"),
            "muster.yaml:2:1: unknown key \"environment\"; did you mean \"environments\"?");
}

TEST(Config, AllProblemsAreToldAtOnce) {
  const std::string message = message_of("unmapped: sometimes\nenvironments:\n- venv: /opt/torch\n");
  EXPECT_THAT(message, HasSubstr("muster.yaml:1:1: unmapped: Unsupported value: \"sometimes\""));
  EXPECT_THAT(message, HasSubstr("environments[0].image"));
}

TEST(Config, EventsLiveAsLongAsItSays) {
  EXPECT_EQ(parse_config("", "muster.yaml")->event_ttl, "1h");
  EXPECT_EQ(parse_config("eventTTL: 30m\n", "muster.yaml")->event_ttl, "30m");
  EXPECT_EQ(message_of("eventTTL: soon\n"),
            "muster.yaml:1:1: eventTTL: must be a duration above zero, got \"soon\"; write 1h or 30m");
  EXPECT_THAT(message_of("eventTTL: 0s\n"), HasSubstr("above zero"));
}

TEST(Config, TensorBoardsRunForAnHourWithoutVisitorsUnlessItSaysAnother) {
  EXPECT_EQ(parse_config("", "muster.yaml")->tensorboard.idle_after, "1h");
  EXPECT_EQ(parse_config("unmapped: host\n", "muster.yaml")->tensorboard.idle_after, "1h");
  EXPECT_EQ(parse_config("tensorboard: {idleAfter: 5m}\n", "muster.yaml")->tensorboard.idle_after, "5m");
  EXPECT_EQ(message_of("tensorboard:\n  idleAfter: often\n"),
            "muster.yaml:2:3: tensorboard.idleAfter: must be a duration, got \"often\"; write 1h, or 0s for never");
}

TEST(Config, JobsStallAfterTenMinutesUnlessItSaysAnother) {
  EXPECT_EQ(parse_config("", "muster.yaml")->stalled_after, "10m");
  EXPECT_EQ(parse_config("unmapped: host\n", "muster.yaml")->stalled_after, "10m");
  EXPECT_EQ(parse_config("stalledAfter: 0s\n", "muster.yaml")->stalled_after, "0s");
  EXPECT_EQ(message_of("stalledAfter: -1s\n"),
            "muster.yaml:1:1: stalledAfter: must be a duration, got \"-1s\"; write 10m, or 0s for never");
}

TEST(Config, AnEnvironmentNeedsExactlyOneSource) {
  EXPECT_EQ(message_of("environments:\n- image: '*'\n"),
            "muster.yaml:2:3: environments[0]: give one of venv, rootfs and host: true");
}

TEST(Config, AnEnvironmentBringsWhatAnImageWould) {
  const auto config = parse_config(
      "environments:\n"
      "- image: 'torch*'\n"
      "  rootfs: /srv/torch\n"
      "  writable: true\n"
      "  workingDir: /workspace\n"
      "  command: [tini, --]\n"
      "  mounts: [{path: /data, from: /srv/data}]\n"
      "  home: /srv/home\n",
      "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const EnvironmentConfig& environment = config->environments[0];
  EXPECT_EQ(environment.rootfs, "/srv/torch");
  EXPECT_TRUE(environment.writable);
  EXPECT_EQ(environment.working_dir, "/workspace");
  EXPECT_EQ(environment.command, (std::vector<std::string>{"tini", "--"}));
  EXPECT_EQ(environment.mounts[0].from, "/srv/data");
  EXPECT_EQ(environment.home, "/srv/home");
}

TEST(Config, EnvironmentsThatThisMachineDoesNotHaveAreErrorsAtTheStart) {
  const auto config = parse_config(
      "environments:\n"
      "- {image: a, venv: /nowhere}\n"
      "- {image: b, rootfs: /nowhere, home: relative, mounts: [{path: /, from: /proc}]}\n"
      "- {image: c, host: true}\n",
      "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const Status checked = check_environments(*config, "/var/lib/engine");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "environments[0].venv: \"/nowhere\" has no bin/python; create it with `python3 -m venv /nowhere`\n"
            "environments[1].rootfs: must be an existing folder, got \"/nowhere\"\n"
            "environments[1].mounts[0].from: must not be / or lie in /proc, /dev or /sys, got \"/proc\"\n"
            "environments[1].mounts[0].path: must not be / or lie in /proc, /dev or /sys, got \"/\"\n"
            "environments[1].home: must be an absolute path, got \"relative\"");
}

TEST(Config, VisibleFoldersAreCleanAndExist) {
  const auto config = parse_config("visible: [/usr/share]\n", "muster.yaml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->visible, std::vector<std::string>{"/usr/share"});
  EXPECT_EQ(message_of("visible: [/proc/1]\n"),
            "muster.yaml:1:11: visible[0]: must not be / or lie in /proc, /dev or /sys, got \"/proc/1\"");
  EXPECT_EQ(message_of("visible: [/nowhere]\n"),
            "muster.yaml:1:11: visible[0]: must be an existing folder, got \"/nowhere\"");
}

TEST(Config, NoFolderShowsTheDataDirectory) {
  std::string pattern = "/tmp/muster-config-XXXXXX";
  const std::string data = ::mkdtemp(pattern.data());
  std::filesystem::create_directory_symlink("/", data + "/link");
  for (const std::string& folder : {data, std::filesystem::path(data).parent_path().string()}) {
    const auto config = parse_config("visible: [" + folder + "]\n", "muster.yaml", data);
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error().message, HasSubstr("must not be the engine's data directory"));
  }
  const auto linked = parse_config("visible: [" + data + "/link]\n", "muster.yaml", "/nowhere/data");
  ASSERT_FALSE(linked);
  EXPECT_THAT(linked.error().message, HasSubstr("must not be / or lie in /proc, /dev or /sys"));
  std::filesystem::remove_all(data);
}

TEST(Config, SnapshotsHaveARhythmAndACount) {
  for (const char* yaml : {"", "unmapped: host\n", "snapshots: {}\n"}) {
    const auto config = parse_config(yaml, "muster.yaml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->snapshots.every, "1h");
    EXPECT_EQ(config->snapshots.keep, 24);
  }
  const auto config = parse_config("snapshots: {every: 0s, keep: 3}\n", "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->snapshots.every, "0s");
  EXPECT_EQ(config->snapshots.keep, 3);
  EXPECT_EQ(message_of("snapshots:\n  every: 5s\n"),
            "muster.yaml:2:3: snapshots.every: must be 0s, or 1m or more, got \"5s\"");
  EXPECT_THAT(message_of("snapshots:\n  keep: 0\n"), HasSubstr("snapshots.keep"));
  EXPECT_THAT(message_of("snapshots:\n  kep: 3\n"), HasSubstr("did you mean \"keep\"?"));
}

TEST(Config, TheReserveOfTheDiskIsAnAmount) {
  EXPECT_FALSE(parse_config("unmapped: host\n", "f")->disk.reserve);
  const auto config = parse_config("disk: {reserve: 512Mi}\n", "f");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->disk.reserve->value(), 512 << 20);
  EXPECT_TRUE(parse_config("disk: {reserve: 0}\n", "f")->disk.reserve->is_zero());
  EXPECT_THAT(message_of("disk:\n  reserve: -1Mi\n"),
              HasSubstr("disk.reserve: must be 0 or more, got -1048576; write 512Mi, or 0 for no reserve"));
  EXPECT_THAT(message_of("disk: {reserve: much}\n"), HasSubstr("disk.reserve"));
}

TEST(Config, LogsHaveLimits) {
  for (const char* yaml : {"", "unmapped: host\n", "logs: {}\n"}) {
    const auto config = parse_config(yaml, "muster.yaml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->logs.max_bytes_per_container.value(), 50 << 20);
    EXPECT_EQ(config->logs.keep_for, "168h");
    EXPECT_EQ(config->logs.keep_bytes.value(), 1 << 30);
    EXPECT_EQ(config->logs.keep_pods, 500);
  }
  const auto config =
      parse_config("logs: {maxBytesPerContainer: 1Mi, keepFor: 1h, keepBytes: 2Mi, keepPods: 0}\n", "f");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->logs.max_bytes_per_container.value(), 1 << 20);
  EXPECT_EQ(config->logs.keep_bytes.value(), 2 << 20);
  EXPECT_EQ(config->logs.keep_pods, 0);
  EXPECT_EQ(message_of("logs:\n  keepFor: soon\n"),
            "muster.yaml:2:3: logs.keepFor: must be a duration above zero, got \"soon\"; write 168h or 30m");
  EXPECT_EQ(message_of("logs:\n  maxBytesPerContainer: 1k\n"),
            "muster.yaml:2:3: logs.maxBytesPerContainer: must be at least 64Ki, got 1k");
}

TEST(Config, ImagesOfGitSyncRunOurProgramWithTheGitSection) {
  auto config = parse_config(
      "git:\n"
      "  insteadOf: {'https://code.example/': 'http://127.0.0.1:1/'}\n"
      "  allowedSchemes: [https, http]\n",
      "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  add_built_in_environments(*config);
  const EnvironmentConfig& own = config->environments.front();
  EXPECT_EQ(own.image, "*git-sync*");
  EXPECT_EQ(own.command, std::vector<std::string>{"/run/muster/bin/muster-git-sync"});
  EXPECT_EQ(own.env.at("GIT_CONFIG_COUNT"), "1");
  EXPECT_EQ(own.env.at("GIT_CONFIG_KEY_0"), "url.http://127.0.0.1:1/.insteadOf");
  EXPECT_EQ(own.env.at("GIT_CONFIG_VALUE_0"), "https://code.example/");
  EXPECT_EQ(own.env.at("MUSTER_GIT_ALLOWED_SCHEMES"), "https:http");
}

TEST(Config, APatternForAllImagesDoesNotHideTheEnginesOwnPrograms) {
  auto config = parse_config(
      "environments:\n"
      "- {image: '*pytorch*', venv: /v}\n"
      "- {image: 'mine/git-sync:*', rootfs: /r}\n"
      "- {image: '*', host: true}\n",
      "muster.yaml");
  ASSERT_TRUE(config) << config.error().message;
  add_built_in_environments(*config);
  std::vector<std::string> order;
  for (const EnvironmentConfig& environment : config->environments) order.push_back(environment.image);
  EXPECT_THAT(order, ::testing::ElementsAre("mine/git-sync:*", "*git-sync*", "*/rsync:*", "*pytorch*", "*"));
}

}  // namespace
}  // namespace muster
