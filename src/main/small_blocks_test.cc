#include "main/small_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace muster {
namespace {

void* take(std::size_t size) {
  void* block = ::operator new(size);
  std::memset(block, 0x5a, size);
  return block;
}

/// On a thread of its own: what it keeps is nobody else's.
template <typename Body>
void on_a_thread(Body body) {
  std::thread(body).join();
}

TEST(SmallBlocks, EveryBlockHasRoomForItsSize) {
  on_a_thread([] {
    keep_small_blocks();
    for (int round = 0; round < 3; ++round) {
      std::vector<std::pair<void*, std::size_t>> blocks;
      for (std::size_t size = 0; size < 700; ++size) blocks.emplace_back(take(size), size);
      std::set<void*> different;
      for (const auto& [block, size] : blocks) different.insert(block);
      EXPECT_EQ(different.size(), blocks.size());
      for (const auto& [block, size] : blocks) ::operator delete(block, size);
    }
  });
}

TEST(SmallBlocks, TakesBlocksWithAndWithoutTheirSizeFromAnyThread) {
  std::vector<void*> blocks;
  for (int i = 0; i < 2000; ++i) blocks.push_back(take(48));
  on_a_thread([&blocks] {
    keep_small_blocks();
    for (std::size_t i = 0; i < blocks.size(); i += 2) {
      ::operator delete(blocks[i], 48);
      ::operator delete(blocks[i + 1]);
    }
    for (void*& block : blocks) block = take(48);
  });
  for (void* block : blocks) ::operator delete(block, 48);
}

#ifndef MUSTER_SANITIZED
TEST(SmallBlocks, GivesTheLastOneOfASizeAgain) {
  on_a_thread([] {
    keep_small_blocks();
    void* block = take(25);
    ::operator delete(block, 25);
    void* again = take(40);  // both are blocks of 40 bytes
    EXPECT_EQ(again, block);
    ::operator delete(again, 40);
  });
}
#endif

}  // namespace
}  // namespace muster
