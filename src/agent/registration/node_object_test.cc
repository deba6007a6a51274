#include "agent/registration/node_object.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

TEST(NodeName, IsTheHostNameInSmallLetters) {
  EXPECT_EQ(node_name_of("vm"), "vm");
  EXPECT_EQ(node_name_of("Node-1.Example.COM"), "node-1.example.com");
}

TEST(NodeName, IsANameAndALabelWhateverTheHostIsCalled) {
  EXPECT_EQ(node_name_of("My_Machine"), "my-machine");
  EXPECT_EQ(node_name_of("-a-..b."), "a.b");
  EXPECT_EQ(node_name_of("(none)"), "none");
  EXPECT_EQ(node_name_of(""), "localhost");
  EXPECT_EQ(node_name_of("\xe6\x9c\xba"), "localhost");
  EXPECT_EQ(node_name_of(std::string(64, 'a')), std::string(63, 'a'));
  EXPECT_EQ(node_name_of(std::string(62, 'a') + ".b"), std::string(62, 'a'));
}

}  // namespace
}  // namespace muster::agent
