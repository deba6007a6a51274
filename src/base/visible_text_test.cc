#include "base/visible_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(VisibleText, ControlSequencesAreEscaped) {
  EXPECT_EQ(visible("R\x1b[1m \x07\x7f a\rb"), R"(R\x1b[1m \x07\x7f a\rb)");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            R"(\u009b31m)")
      << "the one-character form of ESC [";
  EXPECT_EQ(visible("\x9b"
                    "31m"),
            R"(\x9b31m)")
      << "and as a lone byte";
}

TEST(VisibleText, InvisibleAndDirectionalCharactersAreEscaped) {
  EXPECT_EQ(visible("a\u202eb\u200b\u2066\ufeff\U000e0041"), R"(a\u202eb\u200b\u2066\ufeff\U000e0041)");
}

TEST(VisibleText, ReadableTextIsKept) {
  const std::string text = "NAME\tAGE\n  a │ é 😀 训练 \"quoted\\n\"\n";
  EXPECT_EQ(visible(text), text);
  EXPECT_EQ(visible(visible("\x1b")), visible("\x1b"));
}

TEST(VisibleText, InvalidBytesAreShownAsBytes) {
  EXPECT_EQ(visible("cut \xe2\x80"), R"(cut \xe2\x80)");
  EXPECT_EQ(visible("\xe2x"), R"(\xe2x)");
  EXPECT_EQ(visible("\xff\xc0\xaf"), R"(\xff\xc0\xaf)");
}

}  // namespace
}  // namespace muster
