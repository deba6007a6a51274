// Tests of what a pod sees and may do, and of how the shim logs its output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/strings.h"
#include "shim/format.h"
#include "testing/either_user.h"

namespace muster::agent {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class Sandbox : public EitherUserTest {
 protected:
  std::string run_shell(const std::string& script) { return run(TestPod::shell(script)); }
  std::string run(Launch launch) {
    record_ = pod_->run(std::move(launch));
    const ContainerRecord* main = record_.find("main");
    EXPECT_NE(main, nullptr);
    EXPECT_EQ(main == nullptr ? "" : main->message, "");
    return pod_->output();
  }
  /// At /log, read-only.
  void mount_own_log(Launch& launch) const {
    launch.volumes.push_back({"log", HostFolder{pod_->pod_folder(), FolderOrigin::kNamed}});
    launch.containers[0].mounts.push_back({.volume = "log", .sub_path = "logs", .target = "/log", .read_only = true});
  }
  static void mount(Launch& launch, const std::string& target, const std::string& sub_path = "",
                    bool read_only = false) {
    launch.containers[0].mounts.push_back(
        {.volume = "vol", .sub_path = sub_path, .target = target, .read_only = read_only});
  }

  AttemptRecord record_;
};

TEST_AS_EITHER_USER(Sandbox);

TEST_P(Sandbox, TheHostsTreeIsVisibleAndReadOnly) {
  const std::string out =
      run_shell("test -x /usr/bin/env && echo visible; for d in / /usr /etc /var; do touch $d/muster-test; done");
  EXPECT_THAT(out, HasSubstr("visible\n"));
  for (const char* folder : {"/", "/usr/", "/etc/", "/var/"}) {
    EXPECT_THAT(out, HasSubstr(std::string("touch: cannot touch '") + (folder[1] == 0 ? "/" : folder) +
                               (folder[1] == 0 ? "/" : "") + "muster-test': Read-only file system"));
    EXPECT_FALSE(std::filesystem::exists(std::string(folder) + "muster-test"));
  }
}

TEST_P(Sandbox, OwnFoldersAreWritableAndNotTheHosts) {
  const std::string out = run_shell(
      "for d in /root /tmp /var/tmp /run /dev/shm; do echo x > $d/muster-own-file && echo $d; done; ls /tmp; echo > "
      "/dev/null");
  EXPECT_EQ(out, "/root\n/tmp\n/var/tmp\n/run\n/dev/shm\nmuster-own-file\n");
  for (const char* folder : {"/root", "/tmp", "/var/tmp", "/run", "/dev/shm"}) {
    std::error_code not_ours_to_see;
    EXPECT_FALSE(std::filesystem::exists(std::string(folder) + "/muster-own-file", not_ours_to_see));
  }
}

TEST_P(Sandbox, AVolumeAppearsWhereTheHostHasNoFolder) {
  Launch launch =
      TestPod::shell("echo data > /t9k/mnt/file; echo deep > /usr/share/muster-test/a/b/file; ls /usr/share | wc -l");
  mount(launch, "/t9k/mnt");
  mount(launch, "/usr/share/muster-test/a/b", "deep/er");
  const std::string out = run(launch);
  EXPECT_EQ(read_file(pod_->volume() + "/file").value_or(""), "data\n");
  EXPECT_EQ(read_file(pod_->volume() + "/deep/er/file").value_or(""), "deep\n");
  EXPECT_FALSE(std::filesystem::exists("/t9k"));
  EXPECT_FALSE(std::filesystem::exists("/usr/share/muster-test"));
  EXPECT_GT(parse_int(trim(out)).value_or(0), 5) << "what the host has there is still to be seen";
}

TEST_P(Sandbox, AVolumeMayLieInsideAnother) {
  Launch launch = TestPod::shell("echo in > /vol/inner/file; cat /vol/inner/file");
  mount(launch, "/vol/inner", "elsewhere");
  EXPECT_EQ(run(launch), "in\n");
  EXPECT_EQ(read_file(pod_->volume() + "/elsewhere/file").value_or(""), "in\n");
}

TEST_P(Sandbox, AReadOnlyMountIsReadOnly) {
  Launch launch = TestPod::shell("touch /ro/x 2>&1; touch /vol/y && echo fine");
  mount(launch, "/ro", "", true);
  EXPECT_EQ(run(launch), "touch: cannot touch '/ro/x': Read-only file system\nfine\n");
}

TEST_P(Sandbox, ASubPathDoesNotLeaveItsVolume) {
  std::filesystem::create_symlink("/etc", pod_->volume() + "/link");
  std::filesystem::create_symlink("../../../..", pod_->volume() + "/up");
  for (const char* sub_path : {"link", "up", "..", "a/../../b"}) {
    TestPod pod(GetParam());
    std::filesystem::create_symlink("/etc", pod.volume() + "/link");
    std::filesystem::create_symlink("../../../..", pod.volume() + "/up");
    Launch launch = TestPod::shell("ls /out");
    mount(launch, "/out", sub_path);
    const AttemptRecord record = pod.run(launch);
    EXPECT_EQ(record.find("main")->message,
              std::string("volume \"vol\": subPath \"") + sub_path + "\" leaves the volume: EXDEV (cross-device link)");
  }
}

TEST_P(Sandbox, FileVolumesHaveTheirModesAndContents) {
  Launch launch = TestPod::shell("cd /secret; stat -c '%a %n' key sub/text; od -An -c key; touch x");
  launch.volumes.push_back({"secret", FileFolder{{"key", 0400, std::string("a\0b", 3)}, {"sub/text", 0644, "hello"}}});
  launch.containers[0].mounts.push_back({.volume = "secret", .sub_path = "", .target = "/secret", .read_only = true});
  EXPECT_EQ(run(launch), "400 key\n644 sub/text\n   a  \\0   b\ntouch: cannot touch 'x': Read-only file system\n");
  EXPECT_FALSE(std::filesystem::exists(pod_->folder() + "/volumes/secret/key")) << "contents are in memory only";
}

TEST_P(Sandbox, AWorkingDirectoryIsMadeWhenMissing) {
  Launch launch = TestPod::shell("pwd; touch here && echo writable");
  launch.containers[0].cwd = "/work-of/the-pod";
  EXPECT_EQ(run(launch), "/work-of/the-pod\nwritable\n");
  EXPECT_FALSE(std::filesystem::exists("/work-of"));
}

TEST_P(Sandbox, HostnameHostsProcAndPidsAreThePodsOwn) {
  const std::string hosts = pod_->volume() + "/hosts";
  std::ofstream(hosts) << "127.9.9.9 pod-0 pod-0.jobs\n";
  Launch launch =
      TestPod::shell("hostname; getent hosts pod-0.jobs | awk '{print $1}'; echo $$; set -- /proc/[0-9]*; echo $#");
  launch.hosts = hosts;
  // The only processes are init and this shell, which counts them with its built-ins.
  EXPECT_EQ(run(launch), "pod-0\n127.9.9.9\n2\n2\n");
}

TEST_P(Sandbox, HiddenFoldersAreEmptyAndWhatIsBoundThroughIsThere) {
  const std::string secret = pod_->volume() + "/../state";
  std::filesystem::create_directory(secret);
  Launch launch = TestPod::shell(
      "ls /usr/lib/python3 2>/dev/null | wc -l; test -d /usr/share/doc && ls /usr/share/doc | wc -l; ls -d " +
      pod_->volume() + "; touch " + pod_->volume() + "/x");
  launch.hidden = {"/usr/share/doc"};
  launch.through = {pod_->volume()};  // under /tmp, of which the pod has its own
  const std::string out = run(launch);
  EXPECT_THAT(out, HasSubstr("\n0\n" + pod_->volume() + "\n"));
  EXPECT_THAT(out, HasSubstr("Read-only file system"));
}

TEST_P(Sandbox, LinksAreMade) {
  Launch launch = TestPod::shell("readlink /run/muster/bin/python");
  launch.links = {{"/run/muster/bin/python", "/usr/bin/python3"}};
  EXPECT_EQ(run(launch), "/usr/bin/python3\n");
}

TEST_P(Sandbox, RootInsideCannotReachTheHost) {
  const std::string out = run_shell(
      "mount -o remount,rw /usr 2>/dev/null && echo remounted\n"
      "ls /proc/1/root/ 2>/dev/null && echo followed\n"
      "(echo x > /proc/sys/kernel/core_pattern) 2>/dev/null && echo written\n"
      "mknod /tmp/disk b 259 0 2>/dev/null && echo made\n"
      "ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg)' && echo devices\n"
      "grep NoNewPrivs /proc/self/status");
  EXPECT_EQ(out, "NoNewPrivs:\t1\n");
}

TEST_P(Sandbox, AProcessHasNoDescriptorsButItsThree) {
  // 3 is the folder that ls itself has open.
  EXPECT_EQ(run_shell("exec ls /proc/self/fd"), "0\n1\n2\n3\n");
}

// ---- logs ----

TEST_P(Sandbox, NoLineIsLostWhenTheServerDies) {
  pod_->start(TestPod::shell("seq 1 100000; seq 100001 100010 >&2"));
  pod_->go();
  pod_->hang_up();
  pod_->wait();
  std::string expected;
  for (int i = 1; i <= 100000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(pod_->output("stdout") == expected) << "not every line, once and in order";
  EXPECT_THAT(pod_->output("stderr"), EndsWith("100009\n100010\n"));
}

TEST_P(Sandbox, BytesOutAreBytesInButWhatALineWritesOver) {
  const std::string out =
      run_shell("printf 'b\\r\\n\\n'; head -c 40000 /dev/zero | tr '\\0' x; printf '\\nno newline'");
  EXPECT_EQ(out, "b\r\n\n" + std::string(40000, 'x') + "\nno newline");
  for (const std::string& line : split(pod_->log(), '\n')) EXPECT_LE(line.size(), 40 + MUSTER_LOG_PIECE);
}

TEST_P(Sandbox, AnUnfinishedLineIsWrittenBeforeItsNewline) {
  // The pod reads its own log through a volume and ends only when the text has arrived there.
  Launch launch =
      TestPod::shell("printf 'epoch 1'; until grep -q 'stdout P epoch 1' /log/main/0.0.log; do :; done; echo");
  mount_own_log(launch);
  EXPECT_EQ(run(launch), "epoch 1\n");
}

TEST_P(Sandbox, ALineThatIsWrittenOverIsSeenWhileItGrowsAndStoredOnce) {
  Launch launch = TestPod::shell(
      "printf '\\r 10%%'; until grep -saq 'stdout P  10%' /log/main/0.state; do :; done\n"
      "printf 'oh\\r' >&2; until grep -saq 'stderr P oh' /log/main/0.state; do :; done\n"
      "printf '\\r 99%%\\r100%%\\n'; while grep -saq stdout /log/main/0.state; do :; done\n"
      "grep -saq stderr /log/main/0.state && echo next");
  mount_own_log(launch);
  EXPECT_EQ(run(launch), "100%\nnext\noh\r") << "the last state of a line that never ends is not lost";
}

TEST_P(Sandbox, ABarOfManyStatesTakesALineInTheLog) {
  EXPECT_EQ(run_shell("seq -f 'step %.0f of 200000' -s '\r' 1 200000"), "step 200000 of 200000\n");
  EXPECT_LT(pod_->log().size(), 300U);
}

}  // namespace
}  // namespace muster::agent
