// NewestKernelChain: the kernel's stack at the moment when a perf_event fired, read from the
// event's ring buffer: a page of control words and a page of records. The ring is mapped read-only
// and written backward (attribute write_backward): the newest record lies at the head, older
// records are overwritten, and no position has to be returned to the kernel.
//
// Async-signal-safe. Called on the event's thread in the handler of its signal: the kernel writes
// the record before it sends the signal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

// Copies the addresses of the newest record's kernel part, innermost first, at most `room`, and
// returns their number. Returns 0 if the thread was in user code, or if the ring has no record; a
// ring of zeros has none. REQUIRES: 2 * page_bytes are readable at `ring`; page_bytes is a power of
// two.
uint32_t NewestKernelChain(const void* ring, size_t page_bytes, uint64_t* addresses, uint32_t room);

}  // namespace jprof
