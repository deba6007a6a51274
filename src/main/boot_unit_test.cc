#include "main/boot_unit.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/strings.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class BootUnits : public ::testing::Test {
 protected:
  BootUnits() {
    char name[] = "/tmp/muster-boot-XXXXXX";
    folder_ = ::mkdtemp(name);
    ::setenv("HOME", folder_.c_str(), 1);
    ::unsetenv("XDG_DATA_HOME");
    unit_ = {.program = "/opt/muster", .data_dir = folder_ + "/.local/share/muster", .args = {}};
    host_ = {.is_root = false,
             .systemd_runs = true,
             .user = "me",
             .unit_folder = folder_ + "/units",
             .run = [this](const std::vector<std::string>& words) -> Status {
               ran_.push_back(join(words, " "));
               if (ran_.back() != fails_) return ok();
               return Error{.reason = Reason::kInternalError, .message = "`" + fails_ + "` ended with exit code 1"};
             }};
  }
  ~BootUnits() override { std::filesystem::remove_all(folder_); }

  std::string installed(bool engine_runs) {
    bool started = false;
    const auto said = install_boot_unit(host_, unit_, engine_runs, started);
    started_ = started;
    return said ? join(*said, "\n") : said.error().message;
  }

  std::string folder_;
  BootHost host_;
  BootUnit unit_;
  std::vector<std::string> ran_;
  std::string fails_;
  bool started_ = false;
};

TEST_F(BootUnits, AUsersUnitIsEnabledWithLingeringAndStarted) {
  const std::string path = folder_ + "/units/muster.service";
  EXPECT_EQ(installed(false), "unit        " + path +
                                  "\nenabled     muster.service: systemd starts the engine at boot"
                                  "\nlingering   on for me: the engine starts at boot, before anybody logs in");
  EXPECT_TRUE(started_);
  EXPECT_THAT(ran_, ElementsAre("systemctl --user daemon-reload", "systemctl --user enable muster.service",
                                "loginctl enable-linger me", "systemctl --user start muster.service"));
  const std::string text = *read_file(path);
  EXPECT_THAT(text, HasSubstr("\nKillMode=process\n"));
  EXPECT_THAT(text, HasSubstr("\nWantedBy=default.target\n"));
  EXPECT_THAT(text, HasSubstr("ExecStart=\"/opt/muster\" serve --data-dir \"" + unit_.data_dir + "\"\n"));
  ran_.clear();
  const auto removed = remove_boot_unit(host_, unit_.data_dir);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->front(), "removed " + path);
  EXPECT_THAT(ran_, ElementsAre("systemctl --user disable muster.service", "systemctl --user daemon-reload"));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(*remove_boot_unit(host_, unit_.data_dir), IsEmpty());
}

TEST_F(BootUnits, RootsUnitIsOfTheSystem) {
  host_.is_root = true;
  installed(false);
  EXPECT_THAT(ran_, ElementsAre("systemctl daemon-reload", "systemctl enable muster.service",
                                "systemctl start muster.service"));
  EXPECT_THAT(*read_file(folder_ + "/units/muster.service"), HasSubstr("\nWantedBy=multi-user.target\n"));
}

TEST_F(BootUnits, AnEngineThatRunsIsNotStartedAgain) {
  EXPECT_THAT(installed(true), HasSubstr("\nnot started because the engine runs already"));
  EXPECT_FALSE(started_);
  EXPECT_EQ(ran_.back(), "loginctl enable-linger me");
}

TEST_F(BootUnits, WithoutSystemdTheUnitIsWrittenAndNothingIsRun) {
  host_.systemd_runs = false;
  EXPECT_THAT(installed(false),
              HasSubstr("\nnot enabled because systemd does not run here; where it runs: systemctl --user enable "
                        "muster.service && loginctl enable-linger me"));
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_FALSE(started_);
  EXPECT_TRUE(has_boot_unit(host_, unit_.data_dir));
}

TEST_F(BootUnits, LingeringThatIsRefusedIsSaidAndDoesNotFail) {
  fails_ = "loginctl enable-linger me";
  EXPECT_THAT(installed(false), HasSubstr("lingering   off: `loginctl enable-linger me` ended with exit code 1"));
  EXPECT_TRUE(started_);
}

TEST_F(BootUnits, AUnitOfSomebodyElseIsLeftAlone) {
  std::filesystem::create_directories(host_.unit_folder);
  ASSERT_TRUE(write_file_atomically(host_.unit_folder + "/muster.service", "[Service]\n", 0644));
  EXPECT_THAT(installed(false), HasSubstr("is not a unit that muster made; remove it first"));
  EXPECT_THAT(*remove_boot_unit(host_, unit_.data_dir), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(host_.unit_folder + "/muster.service"));
}

TEST_F(BootUnits, EveryDataFolderHasAUnitOfItsOwnAndSpecialCharactersStay) {
  unit_.data_dir = folder_ + "/my \"100%\" $data";
  unit_.args = {"--listen", "0.0.0.0:8765"};
  const std::string name = unit_name(unit_.data_dir);
  EXPECT_THAT(name, Not("muster.service"));
  EXPECT_EQ(name, unit_name(unit_.data_dir));
  EXPECT_THAT(unit_text(unit_, false), HasSubstr("/my \\\"100%%\\\" $$data\" \"--listen\" \"0.0.0.0:8765\"\n"));
}

}  // namespace
}  // namespace muster
