#include "os/perf_rings.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace jprof {
namespace {

constexpr int kZeros = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

Result<PerfRings*> PerfRings::Reserve(size_t count) {
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* base = mmap(nullptr, count * 2 * page_bytes, PROT_READ, kZeros, -1, 0);
  if (base == MAP_FAILED) {
    return Error::FromErrno("mmap", std::to_string(count) + " rings of perf_events");
  }
  return new PerfRings(static_cast<uint8_t*>(base), count, page_bytes);
}

// mmap replaces the old mapping in one step: a reader sees either the old or the new mapping.
Status PerfRings::Map(int fd, size_t place) {
  void* mapped = mmap(PlaceOf(place), 2 * page_bytes_, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
  if (mapped != MAP_FAILED) return {};
  const bool limit = errno == EPERM;
  Error error = Error::FromErrno("mmap", "ring of a perf_event");
  if (limit) {
    error = Error(error.message() +
                  ", no more memory may be locked; raise kernel.perf_event_mlock_kb or ulimit -l");
  }
  Unmap(place);  // the kernel might have unmapped the zeros before the failure
  return error;
}

// If the process has no mappings left, the old ring stays, which is readable as well.
void PerfRings::Unmap(size_t place) {
  static_cast<void>(mmap(PlaceOf(place), 2 * page_bytes_, PROT_READ, kZeros | MAP_FIXED, -1, 0));
}

}  // namespace jprof
