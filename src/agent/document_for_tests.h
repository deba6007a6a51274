// Builds JSON documents from text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "json/document.h"

namespace muster::agent {

inline json::Document doc(const std::string& text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *std::move(parsed) : json::Document();
}

/// Returns a pointer that does not own `document`, which must outlive it.
inline std::shared_ptr<const json::Document> borrowed(const json::Document& document) {
  return {std::shared_ptr<const json::Document>(), &document};
}

}  // namespace muster::agent
