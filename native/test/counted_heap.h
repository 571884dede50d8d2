// Counts every allocation of the program whose one source file includes this: what must not touch the heap is seen to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace visavis::check {

inline std::atomic<long> allocations{0};

}  // namespace visavis::check

void* operator new(std::size_t size) {
  ++visavis::check::allocations;
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
