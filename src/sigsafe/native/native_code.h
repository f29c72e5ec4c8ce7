// NativeCode: the address ranges of the process's code, and where their unwind rules are: in a table,
// or, until enough walks have needed them for a table to be worth its time, in the library itself.
//
// Publish is called by one thread at a time, outside handlers (unwind/unwind_publisher). Find is
// called on any thread, in handlers too, also while Publish runs; Find is wait-free. Nothing is
// ever freed.
//
// There are two arrays. `published_` counts publications, and its lowest bit selects the current
// array; the next publication fills the other one. So a search is invalid only if two publications
// have started since its first step: the second publication overwrites the searched array. `begun_`
// is the number of the publication that was started last.
//
//   reader                                        publisher, for publication n
//   p = published_            (acquire)           begun_ = n                  (relaxed)
//   searches array p & 1      (acquire)           fills array n & 1           (release)
//   begun_ <= p + 1 ?         (relaxed)           published_ = n              (release)
//
// A reader that has loaded (acquire) an entry stored (release) for publication p + 2 also sees
// begun_ = p + 2, and searches again. After a library was unloaded, the next publication omits its
// range; the table of the library stays for the life of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/native/unwind_table.h"
#include "sigsafe/os/guarded_load.h"

namespace jprof {

struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;                    // exclusive
  const UnwindTable* table = nullptr;  // nullptr: not compiled yet, or the library has no rules
  uint64_t frame_header = 0;           // address of the library's .eh_frame_hdr; 0 if it has none

  bool has_rules() const { return table != nullptr || frame_header != 0; }
};

class NativeCode {
 public:
  // A table of libjvm takes some 14 to 28 ms to compile, and a rule about a microsecond to read. The
  // handlers of a program spend at most a few milliseconds before the tables are compiled.
  static constexpr uint32_t kReadsBeforeTables = 2000;

  static constexpr size_t kMaxRanges = 4096;  // processes have tens to some hundreds of ranges

  constexpr NativeCode() = default;
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

  // The instance that handlers use.
  static NativeCode& OfProcess();

  // Replaces all ranges. `ranges` are ascending and disjoint; ranges beyond kMaxRanges are dropped.
  // REQUIRES: the tables are never freed.
  void Publish(const CodeRange* ranges, size_t count);

  // Returns the number of calls to Publish so far. Async-signal-safe.
  uint64_t publications() const { return published_.load(std::memory_order_acquire); }

  // Returns the range that contains `pc`, or {} if there is none. Async-signal-safe.
  CodeRange Find(uint64_t pc) const;

  // Sets *rule to the rule for the instruction at `pc`. Returns false if `pc` is in no range with
  // rules. Until the range has a table, the rule is read from the library; a rule that can then not
  // be found is kNoInformation. `faults` is that of StackMemory. Async-signal-safe.
  bool FindRule(uint64_t pc, LoadFaults faults, UnwindRule* rule) const;

  // True if so many rules have been read from libraries that tables should be compiled, or if a
  // rule could not be found in a library. Once true, stays true. Any thread.
  bool WantsTables() const { return wants_.load(std::memory_order_relaxed) >= kReadsBeforeTables; }

 private:
  // All members are written by Publish (release) and read by Find (acquire).
  struct Array {
    std::atomic<size_t> count{0};
    std::atomic<uint64_t> begin[kMaxRanges] = {};
    std::atomic<uint64_t> end[kMaxRanges] = {};
    std::atomic<const UnwindTable*> table[kMaxRanges] = {};
    std::atomic<uint64_t> frame_header[kMaxRanges] = {};
  };

  static CodeRange Search(const Array& array, uint64_t pc);

  // The number of rules that were read from libraries; no longer counted once tables are wanted. A
  // rule that was not found counts as kReadsBeforeTables.
  mutable std::atomic<uint32_t> wants_{0};
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> published_{0};
  Array arrays_[2];
};

static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace jprof
