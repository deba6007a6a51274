#include "cli/run/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/python_layouts_for_tests.h"

namespace muster::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JobFoldersTest : public python::PythonLayouts {
 protected:
  JobFoldersTest()
      : project(make_folders(root)),
        from{.working_dir = project + "/src", .home = home, .data_dir = root + "/engine"},
        safe(from, "") {}

  static std::string make_folders(const std::string& root) {
    for (const char* folder : {"/p/src", "/home/.aws", "/home/sets", "/engine/volumes", "/data/images", "/data/models"})
      std::filesystem::create_directories(root + folder);
    write(root + "/data/models/w.pt", "");
    return root + "/p";
  }
  JobFolders folders() const { return {project, from.working_dir, safe}; }
  std::vector<std::string> places(const JobFolders& of) const {
    std::vector<std::string> out;
    for (const MountedFolder& folder : of.folders()) {
      if (folder.place() == project) continue;
      const std::string& place = folder.place();
      out.push_back(place.starts_with(root) ? place.substr(root.size()) : place);
    }
    return out;
  }
  std::vector<std::string> named_by(const std::vector<std::string>& arguments) const {
    JobFolders all = folders();
    all.add_arguments(arguments);
    return places(all);
  }
  std::string mount_problem(const std::string& text) const {
    const auto mount = parse_mount(text, from, safe);
    const auto* failure = std::get_if<Failure>(&mount);
    return failure == nullptr ? "" : failure->what;
  }

  std::string project;
  RunFrom from;
  SafeFolders safe;
};

TEST_F(JobFoldersTest, ArgumentsNameFoldersInManyForms) {
  EXPECT_THAT(named_by({"--data", root + "/data/images"}), ElementsAre("/data/images"));
  EXPECT_THAT(named_by({"--data=" + root + "/data/images," + root + "/data/models"}),
              ElementsAre("/data/images", "/data/models"));
  EXPECT_THAT(named_by({"../../data/images"}), ElementsAre("/data/images"));
  EXPECT_THAT(named_by({"model.path=" + root + "/data/models/w.pt"}), ElementsAre("/data/models")) << "of a file";
  EXPECT_THAT(named_by({root + "/data/models", root + "/data/models/w.pt"}), ElementsAre("/data/models")) << "once";
  EXPECT_THAT(
      named_by({"../notes", "src", "word", "--lr=0.1", "https://x/y", "/usr/share", "/tmp", "/dev/null", "", "/"}),
      IsEmpty());
}

TEST_F(JobFoldersTest, AnOutputThatDoesNotExistYetShowsTheFolderAboveIt) {
  EXPECT_THAT(named_by({"--output_dir", root + "/data/images/run/1"}), ElementsAre("/data/images"));
  JobFolders all = folders();
  all.add_arguments({"--out=" + home + "/results"});
  EXPECT_THAT(places(all), IsEmpty());
  all.add_arguments({"--other=" + home + "/out/run/1"});
  const auto note_about = [&](const std::string& folder) {
    return "note: " + home + folder + " does not exist, so the job keeps nothing there; to let it write there: mkdir " +
           home + folder;
  };
  EXPECT_THAT(all.notes(), ElementsAre(note_about("/results"), note_about("/out")));
}

TEST_F(JobFoldersTest, WhatIsSecretIsNotShownAndSaid) {
  JobFolders all = folders();
  write(home + "/.aws/credentials", "");
  write(home + "/config.yaml", "");
  all.add_arguments({home, home + "/.aws", "--config=" + home + "/config.yaml", root + "/engine/volumes"});
  EXPECT_THAT(places(all), IsEmpty());
  EXPECT_THAT(all.notes(),
              Contains("note: the job does not see " + home + ": it is your home folder; name a folder in it"));
  EXPECT_THAT(all.notes(), Contains("note: the job does not see " + home + "/config.yaml: " + home +
                                    ": it is your home folder; move it into a folder of its own"));
  EXPECT_EQ(all.notes().size(), 4U);
}

TEST_F(JobFoldersTest, EachFolderHasALineThatSaysWhy) {
  JobFolders all = folders();
  all.add_arguments({"--data=" + root + "/data/images"});
  all.add_path(home + "/sets", "HF_HOME");
  EXPECT_THAT(all.notes(), ElementsAre("mount: " + root + "/data/images (writable), because of --data",
                                       "mount: " + home + "/sets (writable), because of HF_HOME"));
}

TEST_F(JobFoldersTest, LinksOutOfTheProjectAreFollowed) {
  link(project + "/data", root + "/data/images");
  link(project + "/src/best.pt", "../weights");
  link(project + "/weights", "../data/models/w.pt");
  link(project + "/inside", "src");
  link(project + "/dangling", root + "/absent");
  link(project + "/python", "/usr/bin/python3");
  link(project + "/me", home);
  link(project + "/.venv/lib64", root + "/home/sets");
  link(project + "/a/b/c/too-deep", root + "/home/sets");
  JobFolders all = folders();
  all.add_links_of_project();
  EXPECT_THAT(places(all), ::testing::UnorderedElementsAre("/data/images", "/data/models"));
  EXPECT_THAT(all.notes(), Contains("mount: " + root + "/data/images (writable), because of the link data"));
  // An argument that goes through a link is followed at any depth.
  EXPECT_THAT(named_by({"../a/b/c/too-deep"}), ElementsAre("/home/sets"));
  EXPECT_THAT(named_by({"../data"}), ElementsAre("/data/images"));
}

TEST_F(JobFoldersTest, MountsAreCheckedBeforeAnythingStarts) {
  const auto mount = parse_mount(root + "/data/images:/in:ro", from, safe);
  ASSERT_EQ(mount.index(), 0U);
  EXPECT_EQ(std::get<0>(mount).place(), "/in");
  EXPECT_TRUE(std::get<0>(mount).read_only);
  EXPECT_EQ(std::get<0>(parse_mount("../../data", from, safe)).path, root + "/data");
  EXPECT_EQ(std::get<0>(parse_mount("~/sets", from, safe)).path, home + "/sets");
  EXPECT_EQ(mount_problem("/absent"), "--mount /absent: /absent does not exist");
  EXPECT_THAT(mount_problem(root + "/data/models/w.pt"), HasSubstr("w.pt is not a folder"));
  EXPECT_THAT(mount_problem(root + "/engine/volumes"), HasSubstr("/engine/volumes: it is the engine's"));
  EXPECT_THAT(mount_problem("~/.aws"), HasSubstr(".aws holds credentials"));
  EXPECT_THAT(mount_problem("/"), HasSubstr("no job sees /: it is the whole machine"));
  EXPECT_THAT(mount_problem(root + "/data:in"), HasSubstr("the target must begin with /"));
  EXPECT_THAT(mount_problem("a:b:c:d"), HasSubstr("must be SOURCE[:TARGET][:ro]"));
}

TEST_F(JobFoldersTest, AMountNeverHidesTheSystem) {
  const auto taken = [&](const std::string& target) {
    return std::holds_alternative<MountedFolder>(parse_mount(root + "/data:" + target, from, safe));
  };
  for (const char* target : {"/usr", "/usr/lib", "/etc/ssl", "/lib64", "/bin", "/opt", "/usr/local", "/proc/x", "/dev",
                             "/run", "/run/muster/bin", "/var", "/"}) {
    EXPECT_FALSE(taken(target)) << target;
  }
  for (const char* target : {"/data", "/opt/conda", "/usr/local/share/x", "/tmp", "/dev/shm", "/root/x", "/mnt"}) {
    EXPECT_TRUE(taken(target)) << target;
  }
}

}  // namespace
}  // namespace muster::cli
