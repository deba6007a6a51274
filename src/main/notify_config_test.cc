#include "main/notify_config.h"

#include <gmock/gmock.h>
#include <stdlib.h>  // NOLINT: mkdtemp

#include <filesystem>

#include "main/config.h"
#include "main/data_dir.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string notify_message(const std::string& entry) {
  const auto config = parse_config("notify:\n- " + entry + "\n", "c.yaml");
  return config ? "accepted" : config.error().message;
}

TEST(NotifyConfig, MistakesNameTheirPlace) {
  EXPECT_THAT(notify_message("{name: team, type: slak, url: 'https://h/x'}"), HasSubstr("c.yaml:2:16: notify[0].type"));
  EXPECT_THAT(notify_message("{name: team, type: slack}"), HasSubstr("notify[0].url: give one of url and urlFile"));
  EXPECT_THAT(notify_message("{name: team, type: slack, url: 'h/x'}"), HasSubstr("must be a URL such as https://"));
  EXPECT_THAT(notify_message("{name: a/b, type: slack, url: 'https://h/x'}"),
              HasSubstr("notify[0].name: must be at most"));
  EXPECT_THAT(notify_message("{name: team, type: slack, url: 'https://h/x', on: [sucess]}"),
              HasSubstr("must be start, stall, success or failure, got \"sucess\""));
  EXPECT_THAT(notify_message("{name: team, type: slack, url: 'https://h/x', to: [a@b]}"),
              HasSubstr("belongs to type mail, got type slack"));
  EXPECT_THAT(notify_message("{name: me, type: command}"), HasSubstr("name a program"));
  EXPECT_THAT(notify_message("{name: me, type: mail, to: [me], from: a@b}"),
              HasSubstr("must be addresses, got \"me\""));
  EXPECT_THAT(notify_message("{name: me, type: mail, to: [a@b], from: a@b, smtp: 'h:25', security: none, user: u, "
                             "passwordFile: /f}"),
              HasSubstr("the password would be readable on its way"));
  EXPECT_THAT(notify_message("{name: me, type: mail, to: [a@b], from: a@b, sendmail: msmtp}"),
              HasSubstr("must be a whole path such as /usr/bin/msmtp, got \"msmtp\""));
  EXPECT_THAT(notify_message("{name: me, type: mail, to: [a@b], from: a@b, smtp: 'h:25', sendmail: /usr/bin/msmtp}"),
              HasSubstr("give one of sendmail and smtp"));
  EXPECT_EQ(notify_message("{name: me, type: mail, to: [a@b], from: a@b}"), "accepted");
}

TEST(NotifyConfig, AUrlMayComeFromAFile) {
  std::string folder = (std::filesystem::temp_directory_path() / "notify-config.XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ASSERT_TRUE(update_file(folder + "/url", "https://oapi.dingtalk.com/robot/send?access_token=T\n"));
  ASSERT_TRUE(update_file(folder + "/secret", "SEC\n"));
  const auto config = parse_config("notify:\n- {name: team, type: dingtalk, urlFile: " + folder +
                                       "/url, secretFile: " + folder + "/secret, on: [failure], jobs: all}\n",
                                   "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const auto targets = notify_targets(config->notify);
  ASSERT_TRUE(targets) << targets.error().message;
  ASSERT_EQ(targets->size(), 1u);
  const auto& hook = std::get<notify::WebHook>(targets->front().way);
  EXPECT_EQ(hook.url, "https://oapi.dingtalk.com/robot/send?access_token=T");
  EXPECT_EQ(hook.sign_secret, "SEC");
  EXPECT_TRUE(targets->front().all_jobs);
  EXPECT_THAT(targets->front().on, ElementsAre(notify::Occasion::kFailure));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(notify_targets(config->notify).error().message, HasSubstr("notify[team]: urlFile: "));
}

}  // namespace
}  // namespace muster
