// Databases that older engines wrote: testdata has one of each layout, and every engine must open all of them.
// MUSTER_UPDATE_GOLDEN=1 creates the one of the current layout when it is missing; existing ones are never rewritten.

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cstdlib>

#include "store/database.h"
#include "testing/source_dir.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kTestdata = testing::source_dir() + "/src/store/testdata/";

class LayoutTest : public StoreTest {
 protected:
  static std::string golden(std::int64_t layout) { return fmt::format("{}layout-{}", kTestdata, layout); }

  /// Writes what every golden has: an update, a delete, a cluster-scoped object, an empty namespace, text beyond ASCII.
  void write_golden_contents() {
    open();
    ASSERT_TRUE(put(pod("a"), 0, "first").has_value());
    ASSERT_TRUE(put(pod("b"), 0, "gone soon").has_value());
    ASSERT_TRUE(put(pod("a"), store_->latest(pod("a"))->revision, "second, größer").has_value());
    ASSERT_TRUE(remove(pod("b"), store_->latest(pod("b"))->revision).has_value());
    ASSERT_TRUE(put({"nodes", "", "n"}, 0, std::string(5000, 'n')).has_value());
    close();
  }

  void copy_golden(std::int64_t layout) {
    std::filesystem::create_directories(options_.directory);
    for (const char* name : {"muster.db", "revision"}) {
      std::filesystem::copy_file(golden(layout) + "/" + name, options_.directory + "/" + name);
    }
  }

  void run_sql(const std::string& sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open((options_.directory + "/muster.db").c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    sqlite3_close(raw);
  }
};

TEST_F(LayoutTest, EveryOlderLayoutIsOpened) {
  const char* update = std::getenv("MUSTER_UPDATE_GOLDEN");
  if (update != nullptr && !std::filesystem::exists(golden(Database::kLayout))) {
    write_golden_contents();
    std::filesystem::create_directories(golden(Database::kLayout));
    for (const std::string name : {"muster.db", "revision"}) {
      std::filesystem::copy_file(options_.directory + "/" + name, golden(Database::kLayout) + "/" + name);
    }
  }
  for (std::int64_t layout = 1; layout <= Database::kLayout; ++layout) {
    std::filesystem::remove_all(options_.directory);
    copy_golden(layout);
    for (int i = 0; i < 2; ++i) {  // first as stored, then as this engine has left it
      open();
      EXPECT_THAT(store_->problems(), IsEmpty()) << layout;
      EXPECT_THAT(all(), ElementsAre("default/a=second, größer@4")) << layout;
      EXPECT_THAT(all("nodes"), ElementsAre("/n=" + std::string(5000, 'n') + "@6")) << layout;
      EXPECT_GE(store_->revision(), 6u);
      ASSERT_TRUE(put(pod("new"), 0, "written by this engine").has_value());
      ASSERT_TRUE(remove(pod("new"), store_->latest(pod("new"))->revision).has_value());
      close();
    }
  }
}

TEST_F(LayoutTest, ANewerLayoutIsRefusedAndLeftAlone) {
  copy_golden(Database::kLayout);
  run_sql(fmt::format("PRAGMA user_version = {}", Database::kLayout + 1));
  const auto before = std::filesystem::file_size(options_.directory + "/muster.db");
  const Error error = open_error();
  EXPECT_EQ(error.reason, Reason::kConflict);
  EXPECT_THAT(error.message, HasSubstr(fmt::format("has layout {}, this engine knows layouts up to {}; use the newer "
                                                   "engine that wrote it",
                                                   Database::kLayout + 1, Database::kLayout)));
  EXPECT_EQ(std::filesystem::file_size(options_.directory + "/muster.db"), before);
  run_sql(fmt::format("PRAGMA user_version = {}", Database::kLayout));
  open();
  EXPECT_THAT(store_->problems(), IsEmpty());
}

}  // namespace
}  // namespace muster::store
