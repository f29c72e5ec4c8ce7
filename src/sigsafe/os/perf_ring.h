// NewestKernelChain: the kernel's stack at the moment when a perf_event fired, read from the
// event's ring buffer. The ring buffer consists of a page of control words and a page of records.
// The ring buffer is mapped read-only, and the kernel writes it backward (attribute
// write_backward): the newest record lies at the head, new records overwrite old ones, and the
// reader does not report to the kernel how far it has read.
//
// Async-signal-safe. Called on the event's thread, in the handler of the event's signal: the kernel
// writes the record before it sends the signal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

// Copies the addresses of the newest record's kernel part, innermost first, and returns their
// number, at most `room`. Returns 0 if the thread was in user code, if the ring has no record (a
// ring of zeros has none), or if the kernel has overwritten the record during the copy. REQUIRES:
// two pages of page_bytes each are readable at `ring`; page_bytes is a power of two.
uint32_t NewestKernelChain(const void* ring, size_t page_bytes, uint64_t* addresses, uint32_t room);

}  // namespace jprof
