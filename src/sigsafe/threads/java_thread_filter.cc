#include "sigsafe/threads/java_thread_filter.h"

namespace jprof {
namespace {

// A negative tid becomes a number far out of range.
size_t BitOf(Tid tid) { return static_cast<size_t>(Value(tid)); }

}  // namespace

static_assert(JavaThreadFilter::kRegionSize == size_t{512} * 1024);

void JavaThreadFilter::Set(Tid tid) {
  if (tid != Tid{0}) bits_.Set(BitOf(tid));
}

void JavaThreadFilter::Clear(Tid tid) { bits_.Clear(BitOf(tid)); }

bool JavaThreadFilter::Test(Tid tid) const { return bits_.Test(BitOf(tid)); }

void JavaThreadFilter::ClearAll() { bits_.ClearAll(); }

}  // namespace jprof
