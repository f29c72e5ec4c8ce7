#include "base/memory_budget.h"

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>

#include "sigsafe/base/check.h"

namespace jprof {

constinit thread_local MemoryBudget* MemoryBudget::of_thread_ = nullptr;

namespace {

// True if malloc and malloc_usable_size come from the same library, and so know the same blocks.
bool KnowsSizes() {
  Dl_info of_malloc{};
  Dl_info of_size{};
  return dladdr(reinterpret_cast<void*>(&malloc), &of_malloc) != 0 &&
         dladdr(reinterpret_cast<void*>(&malloc_usable_size), &of_size) != 0 &&
         of_malloc.dli_fbase == of_size.dli_fbase;
}

}  // namespace

MemoryBudget::MemoryBudget(size_t bytes) : most_(bytes), counts_(KnowsSizes()) {
  JPROF_CHECK(of_thread_ == nullptr);
  of_thread_ = this;
}

MemoryBudget::~MemoryBudget() { of_thread_ = nullptr; }

void MemoryBudget::Expect(size_t bytes) {
  if (of_thread_ == nullptr) return;
  const size_t held = of_thread_->held_;
  of_thread_->is_exceeded_ |= held + held / 4 + bytes > of_thread_->most_;
}

void MemoryBudget::Count(void* block) {
  if (!counts_) return;
  held_ += malloc_usable_size(block);
  is_exceeded_ |= held_ > most_;
}

// Subtracts at most what was counted: a block can be older than the budget.
void MemoryBudget::Discount(void* block) {
  if (counts_) held_ -= std::min(held_, malloc_usable_size(block));
}

}  // namespace jprof
