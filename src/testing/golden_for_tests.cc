#include "testing/golden_for_tests.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "base/files.h"
#include "json/yaml.h"
#include "testing/source_dir.h"

namespace muster::testing {

void expect_golden(const std::string& folder, const std::string& name,
                   const std::function<json::Document(const json::Document& script)>& play) {
  const std::string path = source_dir() + "/" + folder + "/" + name;
  const auto text = read_file(path + ".in.yaml");
  ASSERT_TRUE(text) << text.error().message;
  const auto script = json::parse_yaml(*text);
  ASSERT_TRUE(script) << script.error().message;
  const std::string actual = json::to_yaml(play(script->front().value));
  const std::string expected = path + ".plan.yaml";
  const char* update = std::getenv("MUSTER_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    ASSERT_TRUE(write_file_atomically(expected, actual, 0644));
    return;
  }
  EXPECT_EQ(actual, read_file(expected).value_or("")) << "if the new plan is right: MUSTER_UPDATE_GOLDEN=1";
}

}  // namespace muster::testing
