#include "arena/code_sync/git_sync.h"

#include <gmock/gmock.h>

#include "base/strings.h"

namespace muster::arena {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> out{"GIT_SYNC_REPO=https://h/p.git", "GIT_SYNC_DEST=p", "GIT_SYNC_ROOT=/code",
                               "GIT_SYNC_ONE_TIME=true", "PATH=/bin"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::string commands_for(const std::vector<std::string>& more) {
  const auto fetch = read_git_variables(with(more));
  EXPECT_TRUE(fetch) << fetch.error().message;
  std::string out;
  for (const auto& command : git_commands(*fetch, "/new")) out += join(command, " ") + "\n";
  return out;
}

std::string message_for(const std::vector<std::string>& more) {
  const auto fetch = read_git_variables(with(more));
  return fetch ? "none" : fetch.error().message;
}

TEST(GitSync, FetchesTheBranchOfTheRepositorysHead) {
  EXPECT_EQ(commands_for({}),
            "git -c credential.helper= clone --progress -- https://h/p.git /new\n"
            "git -C /new -c credential.helper= submodule update --init --recursive\n");
}

TEST(GitSync, FollowsBranchRevisionDepthAndSubmodules) {
  EXPECT_EQ(commands_for({"GIT_SYNC_BRANCH=dev", "GIT_SYNC_REV=v1.2", "GIT_SYNC_DEPTH=1", "GIT_SYNC_SUBMODULES=off"}),
            "git -c credential.helper= clone --progress --depth 1 --branch dev -- https://h/p.git /new\n"
            "git -C /new -c credential.helper= fetch --progress --depth 1 origin v1.2\n"
            "git -C /new checkout --quiet --detach FETCH_HEAD\n");
  EXPECT_THAT(commands_for({"GIT_SYNC_SUBMODULES=shallow"}), HasSubstr("submodule update --init\n"));
}

TEST(GitSync, AllowsTheConfiguredSchemesOnly) {
  EXPECT_THAT(read_git_variables(with({}))->variables, Contains("GIT_ALLOW_PROTOCOL=https:http:ssh:git"));
  const auto fetch = read_git_variables(with({"MUSTER_GIT_ALLOWED_SCHEMES=https", "GIT_ALLOW_PROTOCOL=ext"}));
  EXPECT_THAT(fetch->variables, Contains("GIT_ALLOW_PROTOCOL=https"));
  EXPECT_THAT(fetch->variables, Not(Contains("GIT_ALLOW_PROTOCOL=ext")));
}

TEST(GitSync, AFolderOfThePodIsARepository) {
  const auto fetch = read_git_variables({"GIT_SYNC_REPO=/home/me/p", "GIT_SYNC_DEST=p", "GIT_SYNC_DEPTH=1"});
  ASSERT_TRUE(fetch) << fetch.error().message;
  EXPECT_THAT(fetch->variables, Contains("GIT_ALLOW_PROTOCOL=https:http:ssh:git:file"));
  EXPECT_THAT(fetch->variables, Contains("GIT_CONFIG_GLOBAL=/tmp/muster-git-config"));
  EXPECT_EQ(join(git_commands(*fetch, "/new")[0], " "),
            "git -c credential.helper= clone --progress --depth 1 -- file:///home/me/p /new");
}

TEST(GitSync, TheReasonIsTheFirstThatGitNames) {
  EXPECT_EQ(reason_in("Cloning into '/c'...\r\nwarning: Could not find remote branch nope to clone.\n"
                      "fatal: Remote branch nope not found in upstream origin\n"),
            "Remote branch nope not found in upstream origin");
  EXPECT_EQ(reason_in("fatal: repository '/x' does not exist\nfatal: clone of '/x' into submodule path '/c' failed\n"),
            "repository '/x' does not exist");
  EXPECT_EQ(reason_in("git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.\n"),
            "git@h: Permission denied (publickey).");
  EXPECT_EQ(reason_in("Cloning into '/c'..."), "");
}

TEST(GitSync, CredentialsAreInNoCommand) {
  EXPECT_THAT(commands_for({"GIT_SYNC_USERNAME=me", "GIT_SYNC_PASSWORD=pa55"}), Not(HasSubstr("pa55")));
}

TEST(GitSync, TheLoginInAnAddressIsInNoCommand) {
  const auto fetch = read_git_variables({"GIT_SYNC_REPO=https://me:pa%4055@h:8443/p.git", "GIT_SYNC_DEST=p"});
  ASSERT_TRUE(fetch);
  EXPECT_EQ(fetch->repository, "https://h:8443/p.git");
  EXPECT_THAT(fetch->variables, Contains("GIT_SYNC_USERNAME=me"));
  EXPECT_THAT(fetch->variables, Contains("GIT_SYNC_PASSWORD=pa@55"));
  EXPECT_THAT(fetch->variables, Not(Contains(HasSubstr("GIT_SYNC_REPO"))));
  const auto own = read_git_variables(
      {"GIT_SYNC_REPO=https://me:old@h/p.git", "GIT_SYNC_DEST=p", "GIT_SYNC_USERNAME=you", "GIT_SYNC_PASSWORD=new"});
  EXPECT_THAT(own->variables, Contains("GIT_SYNC_PASSWORD=new"));
  EXPECT_THAT(own->variables, Not(Contains(HasSubstr("old"))));
  EXPECT_EQ(read_git_variables({"GIT_SYNC_REPO=ssh://git@h/p.git", "GIT_SYNC_DEST=p"})->repository,
            "ssh://git@h/p.git");
}

TEST(GitSync, CredentialsAreForTheServerOfTheRepository) {
  EXPECT_EQ(git_server("https://me@Host:8443/a/b.git"), "https://Host:8443");
  EXPECT_EQ(git_server("http://h"), "http://h");
  for (const char* other : {"ssh://git@h/p", "git@h:p.git", "/folder", ""}) EXPECT_EQ(git_server(other), "") << other;
  for (const char* fine :
       {"Username for 'https://h': ", "Password for 'https://h': ", "Password for 'https://me@h': "}) {
    EXPECT_TRUE(may_answer(fine, "https://h", "me")) << fine;
  }
  for (const char* other :
       {"Username for 'https://evil': ", "Username for 'http://h': ", "Username for 'https://h:81': ",
        "Username for 'https://h.evil': ", "Password for 'https://me@evil': ", "Password for 'https://h/me@evil': ",
        "Password for 'https://you@h': ", "Password for 'https://h@evil': ", "Username for '': ", ""}) {
    EXPECT_FALSE(may_answer(other, "https://h", "me")) << other;
  }
  EXPECT_TRUE(may_answer("Password for 'https://a%40b@h': ", "https://h", "a@b"));
  EXPECT_FALSE(may_answer("Username for '': ", "", ""));
}

TEST(GitSync, PasswordsInAddressesAreCut) {
  EXPECT_EQ(
      without_passwords("Submodule 'x' (https://me:pa55@h/p.git) registered, http://u:a:b@c@h https://h:8443/a@b:c"),
      "Submodule 'x' (https://me:***@h/p.git) registered, http://u:***@h https://h:8443/a@b:c");
  EXPECT_EQ(without_passwords("ssh://git@h/p, nothing://"), "ssh://git@h/p, nothing://");
}

TEST(GitSync, UsesAnSshKeyWhenAsked) {
  const auto fetch = read_git_variables(with({"GIT_SYNC_SSH=true"}));
  EXPECT_THAT(fetch->variables, Contains(HasSubstr("GIT_SSH_COMMAND=ssh -q -i /etc/git-secret/ssh ")));
  EXPECT_THAT(message_for({"GIT_SYNC_SSH=true", "GIT_SSH_KEY_FILE=/k; id"}),
              "GIT_SSH_KEY_FILE: must be a path of letters, digits and /._-, got \"/k; id\"");
}

TEST(GitSync, RefusesByNameWhatItDoesNotDo) {
  EXPECT_EQ(message_for({"GIT_SYNC_WEBHOOK_URL=http://h", "GIT_SYNC_BRANHC=dev"}),
            "GIT_SYNC_BRANHC: git-sync has no such variable; did you mean GIT_SYNC_BRANCH?\n"
            "GIT_SYNC_WEBHOOK_URL: is not supported; remove it");
  EXPECT_EQ(message_for({"GIT_SYNC_DEPTH=deep"}), "GIT_SYNC_DEPTH: must be a whole number, got \"deep\"");
  EXPECT_EQ(message_for({"GIT_SYNC_SUBMODULES=all"}),
            "GIT_SYNC_SUBMODULES: must be recursive, shallow or off, got \"all\"");
  EXPECT_EQ(
      message_for({"GIT_SYNC_BRANCH=--upload-pack=id"}),
      "GIT_SYNC_BRANCH: must be the name of a branch, got \"--upload-pack=id\"; a branch does not start with '-'");
  EXPECT_EQ(message_for({"GIT_SYNC_DEST=../x"}), "GIT_SYNC_DEST: must be the name of a folder, got \"../x\"");
}

TEST(GitSync, IgnoresWhatMattersToALastingProgramOnly) {
  EXPECT_EQ(message_for({"GIT_SYNC_PERIOD=10s", "GIT_SYNC_HTTP_BIND=:80"}), "none");
}

}  // namespace
}  // namespace muster::arena
