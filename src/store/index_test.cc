#include "store/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Slot slot(Revision revision) {
  Slot made;
  made.entry.revision = revision;
  made.entry.bytes = std::make_shared<const std::string>(10 * revision, 'x');
  return made;
}

std::vector<std::string> names(const Index& index, const std::string& resource, const std::string& ns) {
  std::vector<std::string> seen;
  index.scan(resource, ns, [&](const Key& key, const Entry&) { seen.push_back(key.ns + "/" + key.name); });
  return seen;
}

TEST(Index, ScansInOrderAndByNamespace) {
  Index index;
  Revision revision = 0;
  for (const Key& key : {Key{"pods", "b", "x"}, Key{"pods", "a", "z"}, Key{"pods", "a", "y"}, Key{"pods", "ab", "a"},
                         Key{"nodes", "", "n1"}}) {
    ++revision;
    index.commit(key, revision, slot(revision));
  }
  EXPECT_THAT(names(index, "pods", ""), ElementsAre("a/y", "a/z", "ab/a", "b/x"));
  EXPECT_THAT(names(index, "pods", "a"), ElementsAre("a/y", "a/z"));
  EXPECT_THAT(names(index, "pods", "c"), IsEmpty());
  EXPECT_THAT(names(index, "nodes", ""), ElementsAre("/n1"));
  EXPECT_THAT(names(index, "secrets", ""), IsEmpty());
  EXPECT_EQ(index.count("pods"), 4u);
  std::vector<std::string> some;
  index.scan({"pods", "a", "a", "z"}, [&](const Key& key, const Entry&) {
    some.push_back(key.name);
    return true;
  });
  EXPECT_THAT(some, ElementsAre("z"));
  index.scan({"pods", "", "a", "y "}, [&](const Key& key, const Entry&) {
    some.push_back(key.name);
    return key.ns != "ab";
  });
  EXPECT_THAT(some, ElementsAre("z", "z", "a"));
  EXPECT_EQ(index.count("secrets"), 0u);
}

TEST(Index, AcceptedIsTheLatestButNotCommitted) {
  Index index;
  const Key key{"pods", "a", "x"};
  index.commit(key, 1, slot(1));
  index.accept(key, 2, slot(2));
  EXPECT_EQ(index.committed(key)->entry.revision, 1u);
  EXPECT_EQ(index.latest(key)->entry.revision, 2u);
  index.accept(key, 3, std::nullopt);
  EXPECT_EQ(index.latest(key), nullptr);

  index.commit(key, 2, slot(2));  // the write with revision 3 is not committed yet
  EXPECT_EQ(index.committed(key)->entry.revision, 2u);
  EXPECT_EQ(index.latest(key), nullptr);

  const auto previous = index.commit(key, 3, std::nullopt);
  ASSERT_TRUE(previous.has_value());
  EXPECT_EQ(previous->entry.revision, 2u);
  EXPECT_EQ(index.committed(key), nullptr);
  EXPECT_EQ(index.count("pods"), 0u);
}

TEST(Index, DroppingAcceptedWritesShowsTheCommittedStateAgain) {
  Index index;
  const Key key{"pods", "a", "x"};
  index.commit(key, 1, slot(1));
  index.accept(key, 2, std::nullopt);
  index.accept({"pods", "a", "new"}, 3, slot(3));
  index.drop_accepted();
  EXPECT_EQ(index.latest(key)->entry.revision, 1u);
  EXPECT_EQ(index.latest({"pods", "a", "new"}), nullptr);
}

TEST(Index, CountsWhatNamespacesUse) {
  Index index;
  const Key key{"pods", "a", "x"};
  index.commit(key, 1, slot(1));
  EXPECT_EQ(index.used("a"), (Usage{1, 10}));
  index.accept(key, 2, slot(2));
  index.accept({"secrets", "a", "y"}, 3, slot(3));
  EXPECT_EQ(index.used("a"), (Usage{2, 50})) << "with what is not committed yet";
  index.commit(key, 2, slot(2));
  EXPECT_EQ(index.used("a"), (Usage{2, 50}));
  // A write that was dropped counts again when it turns out to be committed.
  index.drop_accepted();
  EXPECT_EQ(index.used("a"), (Usage{1, 20}));
  index.commit({"secrets", "a", "y"}, 3, slot(3));
  EXPECT_EQ(index.used("a"), (Usage{2, 50}));
  index.accept(key, 4, std::nullopt);
  index.accept(key, 5, slot(5));
  index.commit(key, 4, std::nullopt);
  EXPECT_EQ(index.used("a"), (Usage{2, 80})) << "removed and made again";
  index.commit(key, 5, slot(5));
  index.accept(key, 6, std::nullopt);
  index.commit(key, 6, std::nullopt);
  index.commit({"secrets", "a", "y"}, 7, std::nullopt);
  EXPECT_EQ(index.used("a"), Usage());
  EXPECT_TRUE(index.used().empty());
}

}  // namespace
}  // namespace muster::store
