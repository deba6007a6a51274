// Tests of who the processes of a pod are, of what the pod's users may do to volumes, and of what nobody may do in it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/strings.h"
#include "linux/process.h"
#include "testing/either_user.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void write_as_root(const std::string& path, mode_t mode) {
  std::ofstream(path) << "old\n";
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

std::string owner_of(const std::string& path) {
  struct stat what = {};
  if (::lstat(path.c_str(), &what) != 0) return "missing";
  return std::to_string(what.st_uid) + ":" + std::to_string(what.st_gid);
}

// ---- whatever the engine's user ----

class Confined : public EitherUserTest {
 protected:
  std::string run_shell(const std::string& script) {
    const AttemptRecord record = pod_->run(TestPod::shell(script));
    EXPECT_EQ(record.find("main")->message, "");
    return pod_->output();
  }
  /// Runs statements of Python, each of which has to fail, and returns the names of their errors.
  std::string errors_of(const std::vector<std::string>& statements) {
    std::string script =
        "import ctypes, errno, os, socket, fcntl\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(*args):\n  if libc.syscall(*args) < 0: raise OSError(ctypes.get_errno(), '')\n";
    for (const std::string& statement : statements) {
      script += "try:\n  " + statement + "\n  print('done')\nexcept OSError as e: print(errno.errorcode[e.errno])\n";
    }
    const AttemptRecord record = pod_->run(TestPod::command({"/usr/bin/python3", "-c", script}));
    EXPECT_EQ(record.find("main")->message, "");
    return pod_->output();
  }
};

TEST_AS_EITHER_USER(Confined);

TEST_P(Confined, OnlyTheSystemsFoldersOfTheHostAreVisible) {
  EXPECT_EQ(run_shell("ls -d /home /srv /mnt /media /boot /work " + pod_->folder() + " 2>/dev/null; ls -A /var"),
            "tmp\n");
}

TEST_P(Confined, TheDataDirectoryIsHiddenEvenInAFolderThatIsShown) {
  const std::string shown = std::filesystem::path(pod_->volume()).parent_path();
  Launch launch = TestPod::shell("ls -A " + pod_->volume() + "; ls -A " + shown);
  launch.through = {shown};
  launch.hidden = {pod_->volume()};
  std::ofstream(pod_->volume() + "/secret") << "x";
  const AttemptRecord record = pod_->run(std::move(launch));
  EXPECT_EQ(record.find("main")->message, "");
  EXPECT_THAT(pod_->output(), ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(pod_->output(), HasSubstr(std::filesystem::path(pod_->volume()).filename().string()));
}

TEST_P(Confined, TheHostnameFileIsThePodsOwn) {
  if (!std::filesystem::exists("/etc/hostname")) GTEST_SKIP() << "the host has no /etc/hostname";
  EXPECT_EQ(run_shell("cat /etc/hostname"), "pod-0\n");
}

TEST_P(Confined, TemporaryFoldersInMemoryHaveASize) {
  // The kernel rounds half of an odd number of pages up.
  const std::string half = std::to_string((::sysconf(_SC_PHYS_PAGES) + 1) / 2 * ::sysconf(_SC_PAGESIZE) / 1024);
  EXPECT_EQ(run_shell("df --output=size -k /run /tmp /var/tmp /dev/shm | tail -4 | tr -d ' '"),
            "262144\n" + half + "\n" + half + "\n" + half + "\n");
}

TEST_P(Confined, TemporaryFoldersAreNotLargerThanTheLimitOfMemory) {
  Launch launch = TestPod::shell("df --output=size -k /tmp /var/tmp /dev/shm | tail -3 | tr -d ' '");
  launch.containers[0].memory = 64 << 20;
  EXPECT_EQ(pod_->run(launch).containers[0].message, "");
  EXPECT_EQ(pod_->output(), "65536\n65536\n65536\n");
}

TEST_P(Confined, NoSetuidOrSetgidBitCanBeSet) {
  EXPECT_EQ(errors_of({"os.chmod('/vol', 0o2777)", "os.open('/vol/a', os.O_CREAT | os.O_WRONLY, 0o4755)",
                       "os.open('/vol', os.O_TMPFILE | os.O_WRONLY, 0o4755)", "os.mkdir('/vol/b', 0o2755)",
                       "os.mknod('/vol/c', 0o104755)", "call(452, -100, b'/vol', 0o4755, 0)",
                       "os.open('/vol/d', os.O_CREAT | os.O_WRONLY, 0o755)", "os.chmod('/vol/d', 0o1755)",
                       "os.fchmod(os.open('/vol/d', os.O_RDONLY), 0o6755)"}),
            "EPERM\nEPERM\nEPERM\nEPERM\nEPERM\nEPERM\ndone\ndone\nEPERM\n");
}

TEST_P(Confined, SystemCallsThatReachPastThePodAreRefused) {
  EXPECT_EQ(errors_of({"socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
                       "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)",
                       "call(425, 8, 0)",                                   // io_uring_setup
                       "call(428, -100, b'/vol', 1)",                       // open_tree
                       "call(437, -100, b'/vol', 0, 0)",                    // openat2
                       "call(435, 0, 0)",                                   // clone3
                       "libc.unshare(0x10000000) == 0 or call(425, 8, 0)",  // CLONE_NEWUSER
                       "fcntl.ioctl(0, 0x5412, b'x')"}),                    // TIOCSTI
            "EPERM\nEPERM\nEPERM\nEPERM\nENOSYS\nENOSYS\nEPERM\nEPERM\n");
}

TEST_P(Confined, ThreadsAndProcessesWork) {
  EXPECT_EQ(run_shell("/usr/bin/python3 -c 'import threading, subprocess\n"
                      "t = threading.Thread(target=lambda: print(subprocess.check_output([\"echo\", \"fine\"])))\n"
                      "t.start(); t.join()'"),
            "b'fine\\n'\n");
}

// ---- pods of a root engine ----

class MappedUsers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    pod_ = std::make_unique<TestPod>(EngineUser::kRoot);
  }
  static Launch shell_as(std::uint32_t uid, std::uint32_t gid, const std::string& script) {
    Launch launch = TestPod::shell(script);
    launch.containers[0].user = LaunchUser{.uid = uid, .gid = gid};
    return launch;
  }
  /// Mounts the folder volume() at /vol as one that its owner has named, or as a hostPath.
  void name_volume(Launch& launch, FolderOrigin origin = FolderOrigin::kNamed) const {
    launch.volumes.push_back({"named", HostFolder{pod_->volume(), origin}});
    launch.containers[0].mounts[0].volume = "named";
  }
  std::string run(Launch launch) {
    const AttemptRecord record = pod_->run(std::move(launch));
    message_ = record.find("main")->message;
    return pod_->output();
  }

  std::unique_ptr<TestPod> pod_;
  std::string message_;
};

TEST_F(MappedUsers, RootInsideIsAnUnprivilegedIdOutside) {
  const std::string out = run(TestPod::shell("id -u; tr -s ' ' < /proc/self/uid_map; grep CapEff /proc/self/status"));
  EXPECT_EQ(out, "0\n 0 100000 65536\nCapEff:\t00000000000004fb\n");
}

TEST_F(MappedUsers, DroppedCapabilitiesAreGone) {
  Launch launch = TestPod::shell("grep CapEff /proc/self/status; grep CapBnd /proc/self/status");
  launch.containers[0].capabilities = 0x400;
  EXPECT_EQ(run(launch), "CapEff:\t0000000000000400\nCapBnd:\t0000000000000400\n");
}

TEST_F(MappedUsers, WhoMayLockMemoryHasTheHighestLimitThatThereIs) {
  Launch launch = TestPod::shell("ulimit -l; grep CapEff /proc/self/status");
  launch.containers[0].capabilities = 0x44fb;
  const auto most = linux_os::most_locked_memory();
  EXPECT_EQ(run(launch), (most ? std::to_string(*most / 1024) : "unlimited") + "\nCapEff:\t00000000000044fb\n");
}

TEST_F(MappedUsers, FilesThatOnlyTheHostsRootMayReadStayClosed) {
  ASSERT_TRUE(std::filesystem::exists("/etc/shadow"));
  EXPECT_EQ(run(TestPod::shell("cat /etc/shadow")), "cat: /etc/shadow: Permission denied\n");
}

TEST_F(MappedUsers, OwnFoldersBelongToTheContainersUserWhoHasAName) {
  Launch launch = shell_as(1000, 1001, "touch /root/x /run/x /tmp/x; stat -c '%U %u %a' . ; whoami; echo ~pod");
  launch.containers[0].cwd = "/root";
  EXPECT_EQ(run(launch), "pod 1000 700\npod\n/root\n");
}

TEST_F(MappedUsers, IdsInTheEnginesVolumesAreTheSameInsideAndOnDiskExceptRoots) {
  const std::string out = run(TestPod::shell(
      "touch /vol/root /vol/user; chown 1000:1001 /vol/user; chmod 700 /vol; stat -c %u:%g /vol /vol/*"));
  EXPECT_EQ(out, "0:0\n0:0\n1000:1001\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/root"), "100000:100000");
  EXPECT_EQ(owner_of(pod_->volume() + "/user"), "1000:1001");
}

TEST_F(MappedUsers, ThePodsRootWorksWithWhatTheHostsRootHasPutIntoAClaim) {
  write_as_root(pod_->volume() + "/old", 0600);
  EXPECT_EQ(run(TestPod::shell("cat /vol/old; echo new >> /vol/old; stat -c %u:%g /vol/old")), "old\n0:0\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/old"), "100000:100000");
  EXPECT_EQ(read_file(pod_->volume() + "/old").value_or(""), "old\nnew\n");
}

TEST_F(MappedUsers, AUserWorksWithWhatAPodsRootHasPutIntoAClaim) {
  write_as_root(pod_->volume() + "/old", 0600);
  ASSERT_EQ(::chown((pod_->volume() + "/old").c_str(), 100000, 100000), 0);
  EXPECT_EQ(run(shell_as(1000, 1000, "cat /vol/old; stat -c %u:%g /vol/old")), "old\n1000:1000\n");
}

TEST_F(MappedUsers, AUserWorksWithWhatRootHasPutIntoAClaim) {
  const std::string outside = pod_->folder() + "/outside";
  write_as_root(outside, 0644);
  std::filesystem::create_directories(pod_->volume() + "/job/deep");
  std::filesystem::create_symlink(outside, pod_->volume() + "/job/link");
  std::filesystem::create_directory_symlink(pod_->folder(), pod_->volume() + "/job/folder");
  write_as_root(pod_->volume() + "/job/deep/script.py", 0600);
  const std::string out =
      run(shell_as(1000, 1000, "cd /vol/job && echo new >> deep/script.py && mkdir log && cat deep/script.py"));
  EXPECT_EQ(out, "old\nnew\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/job/deep/script.py"), "1000:1000");
  EXPECT_EQ(owner_of(pod_->volume() + "/job/log"), "1000:1000");
  EXPECT_EQ(owner_of(outside), "0:0") << "links are not followed";
}

TEST_F(MappedUsers, ANamedFolderOfRootIsThePodsRootsToo) {
  Launch launch = TestPod::shell("touch /vol/made && stat -c %u /vol/made");
  name_volume(launch);
  EXPECT_EQ(run(launch), "0\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/made"), "0:0");
}

TEST_F(MappedUsers, InAHostPathThePodsRootIsUnprivilegedWhoeverOwnsIt) {
  write_as_root(pod_->volume() + "/secret", 0600);
  ASSERT_EQ(::chmod(pod_->volume().c_str(), 0777), 0);
  Launch launch = TestPod::shell("touch /vol/made && stat -c %u /vol/made; cat /vol/secret");
  name_volume(launch, FolderOrigin::kHostPath);
  EXPECT_EQ(run(launch), "0\ncat: /vol/secret: Permission denied\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/made"), "100000:100000");
  EXPECT_EQ(owner_of(pod_->volume() + "/secret"), "0:0");
}

TEST_F(MappedUsers, InANamedFolderOfAnotherThePodsRootIsUnprivileged) {
  write_as_root(pod_->volume() + "/secret", 0600);
  ASSERT_EQ(::chown(pod_->volume().c_str(), 1234, 1234), 0);
  Launch launch = TestPod::shell("touch /vol/made && stat -c %u /vol /vol/made; cat /vol/secret");
  name_volume(launch);
  EXPECT_EQ(run(launch), "1234\n0\ncat: /vol/secret: Permission denied\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/made"), "100000:100000");
}

TEST_F(MappedUsers, ANamedFolderKeepsItsOwnersWhoeverWorksThere) {
  write_as_root(pod_->volume() + "/roots", 0644);
  Launch launch = shell_as(1000, 1000, "cat /vol/roots; echo x >> /vol/roots");
  name_volume(launch);
  EXPECT_THAT(run(launch), HasSubstr("Permission denied"));
  EXPECT_EQ(owner_of(pod_->volume() + "/roots"), "0:0");
}

TEST_F(MappedUsers, VolumesGetTheGroupOfThePod) {
  Launch launch =
      shell_as(1000, 1000, "touch /vol/made; stat -c %g:%a /vol; stat -c %g /vol/made; stat -c %a /s/key; cat /s/key");
  launch.group = 7000;
  launch.containers[0].user->groups = {7000};
  launch.volumes.push_back({"secret", FileFolder{{"key", 0400, "value\n"}}});
  launch.containers[0].mounts.push_back({.volume = "secret", .sub_path = "", .target = "/s", .read_only = true});
  ASSERT_EQ(::chmod(pod_->volume().c_str(), 0700), 0);
  EXPECT_EQ(run(launch), "7000:2770\n7000\n440\nvalue\n");
}

TEST_F(MappedUsers, AnIdBeyondTheRangeIsSaid) {
  run(shell_as(70000, 0, "true"));
  EXPECT_EQ(message_, "become user 70000, group 0: a pod has the ids 0 to 65535: EINVAL (invalid argument)");
}

/// A pod whose volume is on a file system without idmapped mounts.
class WithoutIdmappedMounts : public MappedUsers {
 protected:
  void SetUp() override {
    MappedUsers::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(::mount("muster-test", pod_->volume().c_str(), "ramfs", 0, "mode=0755"), 0);
  }
  void TearDown() override {
    if (pod_) ::umount2(pod_->volume().c_str(), MNT_DETACH);
  }
};

TEST_F(WithoutIdmappedMounts, RootIsRefusedWithTheReason) {
  run(TestPod::shell("true"));
  EXPECT_EQ(message_,
            "run as root: the file system of volume \"vol\" has no idmapped mounts: EINVAL (invalid argument); set "
            "runAsUser: EPERM (operation not permitted)");
}

TEST_F(WithoutIdmappedMounts, TheFoldersOwnerRunsThePodWithoutCapabilities) {
  ASSERT_EQ(::chown(pod_->volume().c_str(), 1234, 1235), 0);
  const std::string out =
      run(TestPod::shell("id -u; id -G; touch /vol/made /root/x && grep -E 'Cap(Eff|Prm)' /proc/self/status"));
  EXPECT_EQ(out, "1234\n1235\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/made"), "1234:1235");
}

TEST_F(WithoutIdmappedMounts, TheGivenUserRunsThePod) {
  ASSERT_EQ(::chmod(pod_->volume().c_str(), 0777), 0);
  EXPECT_EQ(run(shell_as(1000, 1000, "id -u; touch /vol/made")), "1000\n");
  EXPECT_EQ(owner_of(pod_->volume() + "/made"), "1000:1000");
}

}  // namespace
}  // namespace muster::agent
