#include "main/small_blocks.h"

#ifdef MUSTER_SANITIZED
// Sanitizers follow every block themselves.
namespace muster {
void keep_small_blocks() {}
}  // namespace muster
#else

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// The C library's own sizes, so that nothing is lost to rounding: 24, 40, 56, … bytes.
constexpr std::size_t kStep = 16;
constexpr std::size_t kShelves = 20;
constexpr std::size_t kLargest = kStep * kShelves - 8;  // on a shelf
constexpr std::uint32_t kMostOnAShelf = 300;

constexpr std::size_t shelf_of(std::size_t size) {
  return (size + 7) / kStep;
}

struct Block {
  Block* next;
};

struct Shelf {
  Block* first = nullptr;
  std::uint32_t count = 0;
};

struct Shelves {
  bool open = false;
  std::array<Shelf, kShelves> by_size;
};

// Without a destructor: whoever keeps blocks runs until the process ends.
constinit thread_local Shelves shelves;

void* from_library(std::size_t size) {
  for (;;) {
    if (void* block = std::malloc(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

namespace muster {
void keep_small_blocks() {
  shelves.open = true;
}
}  // namespace muster

// Every block is the C library's, so whatever does not come back here may go back there.

void* operator new(std::size_t size) {
  if (size > kLargest) return from_library(size);
  const std::size_t number = shelf_of(size);
  Shelf& shelf = shelves.by_size[number];
  if (shelf.first == nullptr) return from_library(number * kStep + 8);
  Block* block = shelf.first;
  shelf.first = block->next;
  --shelf.count;
  return block;
}

void operator delete(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return;
  if (size > kLargest || !shelves.open) return std::free(memory);
  Shelf& shelf = shelves.by_size[shelf_of(size)];
  if (shelf.count == kMostOnAShelf) return std::free(memory);
  shelf.first = new (memory) Block{shelf.first};
  ++shelf.count;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

#endif
