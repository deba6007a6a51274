// A document from its text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "json/document.h"

namespace muster::agent {

inline json::Document doc(const std::string& text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *std::move(parsed) : json::Document();
}

}  // namespace muster::agent
