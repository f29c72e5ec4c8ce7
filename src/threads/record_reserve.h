// RecordReserve: owns the memory of the thread records, and populates its pages before they are
// used, so that neither a handler nor a starting thread takes a page fault for a record.
//
// KeepAhead is called at start and by the task watcher, one thread at a time; everything else is
// immutable. Leaked on purpose, like the records.
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.h"
#include "os/pages.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {

class RecordReserve {
 public:
  // After KeepAhead, so many records beyond the highest record ever used are populated.
  static constexpr size_t kAhead = 1024;

  static Result<RecordReserve*> Create();

  ThreadRecords& records() { return records_; }

  void KeepAhead();

  size_t ResidentBytes() const { return pages_.ResidentBytes(); }

 private:
  explicit RecordReserve(Pages pages) : pages_(std::move(pages)), records_(pages_.region()) {}

  const Pages pages_;
  ThreadRecords records_;
  size_t populated_ = 0;  // number of records
};

}  // namespace jprof
