#include "sigsafe/os/perf_ring.h"

#include <linux/perf_event.h>

#include <atomic>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// The maximum number of addresses of a chain: more than the kernel records by default (127,
// kernel.perf_event_max_stack). Longer chains are ignored.
constexpr uint64_t kMostAddresses = 512;

// A mark is a value that stands in a chain in place of an address, and starts a part of the chain,
// such as the kernel's part or the user's part. All values from kFirstMark on are marks.
constexpr auto kFirstMark = static_cast<uint64_t>(PERF_CONTEXT_MAX);

// The records of a ring, in words of eight bytes. Records start and end at word boundaries.
class Words {
 public:
  Words(const void* ring, size_t page_bytes)
      : words_(reinterpret_cast<const uint64_t*>(static_cast<const uint8_t*>(ring) + page_bytes)),
        mask_(page_bytes / sizeof(uint64_t) - 1) {}

  // Returns word number `word` of the record at position `head` of the ring. The load is acquire,
  // so that a later call of HeadOf reads the position after this load, and not before it.
  uint64_t At(uint64_t head, uint64_t word) const {
    const uint64_t& place = words_[(head / sizeof(uint64_t) + word) & mask_];
    return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(place)).load(std::memory_order_acquire);
  }

 private:
  const uint64_t* const words_;
  const uint64_t mask_;
};

// Returns the position of the newest record. The load is acquire: it pairs with the kernel's
// barrier between the write of a record and the update of data_head (Linux v6.1
// kernel/events/ring_buffer.c, perf_output_put_handle).
uint64_t HeadOf(const void* ring) {
  const auto* control = static_cast<const perf_event_mmap_page*>(ring);
  return std::atomic_ref<__u64>(const_cast<__u64&>(control->data_head))
      .load(std::memory_order_acquire);
}

}  // namespace

uint32_t NewestKernelChain(const void* ring, size_t page_bytes, uint64_t* addresses,
                           uint32_t room) {
  JPROF_CHECK(page_bytes != 0 && (page_bytes & (page_bytes - 1)) == 0);
  const uint64_t head = HeadOf(ring);
  if (head == 0) return 0;  // nothing written yet
  const Words words(ring, page_bytes);
  // A record consists of a perf_event_header, the number of addresses, and the addresses, because
  // only PERF_SAMPLE_CALLCHAIN was requested.
  const uint64_t header = words.At(head, 0);
  const auto type = static_cast<uint32_t>(header);
  const uint64_t record_bytes = header >> 48;
  const uint64_t count = words.At(head, 1);
  if (type != PERF_RECORD_SAMPLE || count > kMostAddresses ||
      record_bytes != (2 + count) * sizeof(uint64_t)) {
    return 0;
  }
  uint32_t copied = 0;
  for (uint64_t i = 0; i < count && copied < room; ++i) {
    const uint64_t address = words.At(head, 2 + i);
    if (address == static_cast<uint64_t>(PERF_CONTEXT_KERNEL)) continue;
    if (address >= kFirstMark) break;  // the start of the user's part
    addresses[copied++] = address;
  }
  // The result is 0 if the event has fired again during the copy and has overwritten the record.
  return head - HeadOf(ring) + record_bytes <= page_bytes ? copied : 0;
}

}  // namespace jprof
