#include "main/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

TEST(Doctor, ShowsOneLinePerCheckAndTheFixOfWhatIsNotGood) {
  EXPECT_EQ(cli::report_of({{"engine", Health::kAbsent, "not running", "muster up"},
                            {"data", Health::kGood, "writable", "never shown"},
                            {"sandbox", Health::kBad, "pods cannot be isolated", "first\nsecond"}}),
            "– engine    not running\n"
            "            fix: muster up\n"
            "✔ data      writable\n"
            "✖ sandbox   pods cannot be isolated\n"
            "            fix: first\n"
            "            fix: second\n");
}

TEST(Doctor, LooksAtTheFolderItIsGiven) {
  std::string pattern = std::filesystem::temp_directory_path() / "muster-doctor-XXXXXX";
  const std::string folder = ::mkdtemp(pattern.data());
  const auto find = [&](const std::string& name) {
    const auto checks = check_machine(folder);
    const auto found = std::ranges::find(checks, name, &Check::name);
    return found == checks.end() ? Check{} : *found;
  };
  EXPECT_EQ(find("engine").health, Health::kAbsent);
  EXPECT_THAT(find("data").finding, HasSubstr(folder + " is writable"));
  EXPECT_EQ(find("config").name, "");
  ASSERT_TRUE(write_file_atomically(folder + "/config.yaml", "unmaped: host\n", 0600));
  EXPECT_EQ(find("config").health, Health::kBad);
  EXPECT_THAT(find("config").finding, HasSubstr("did you mean \"unmapped\"?"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster
