// What the kernel saw of its own stack when a perf_event fired, read from the event's ring buffer:
// a page of control words and a page of records, which is mapped for reading alone and written
// backward (attribute write_backward), so that the newest record lies at the head and older ones
// are overwritten. Nothing has to be given back to the kernel.
//
// Async-signal-safe. On the thread that the event watches, in the handler of its signal: the kernel
// writes the record before it sends the signal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

// Copies the addresses of the newest record's kernel part, innermost first, at most `room`; returns
// their number. 0: the thread was in user code, or there is no record. A page of zeros is a ring
// without records. REQUIRES: 2 * page_bytes are readable at `ring`; page_bytes is a power of two.
uint32_t NewestKernelChain(const void* ring, size_t page_bytes, uint64_t* addresses, uint32_t room);

}  // namespace jprof
