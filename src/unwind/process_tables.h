// ProcessTables holds all unwind tables that have been compiled in this process, and the objects
// that are loaded now, each with the tables of its code. It publishes the objects and their tables
// to NativeCode::OfProcess().
//
// It has two maps:
//
//   loaded object (address, path, build id) ─▶ tables ◀─ fingerprint of frames and code
//   one for each copy; removed when                      one for each distinct code; kept for the
//   the dynamic linker unloads the copy                  life of the process, immutable
//
// So each loaded copy of a file has its own addresses, and all copies share the tables. An object
// that was loaded since the last update is always identified by its own frames, never by its name.
//
// The tables of an object are compiled only once walks have needed many rules
// (NativeCode::WantsTables): until then handlers read the rules from the object itself. An object
// without an .eh_frame_hdr gets its tables at once.
//
// Bounded: once there are 128 MiB of tables, no further tables are compiled. Thread-safe; not for
// signal handlers.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "elf/library_map.h"
#include "os/loaded_objects.h"
#include "unwind/frame_index.h"
#include "unwind/unwind_compiler.h"

namespace jprof {

// A 128-bit hash of the input from which the unwind tables of an object are compiled.
//
// Objects with equal fingerprints have equal tables: the hash includes the bytes of the frame
// entries, their addresses relative to the object's load bias, and the ranges of the object's code.
// So copies of one file share their tables. A file that has the build id or the path of another
// file, but different code, does not get the other file's tables. Objects whose entries have
// absolute addresses share no tables, because their entries depend on the load address.
struct FrameFingerprint {
  uint64_t first = 0;
  uint64_t second = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  friend auto operator<=>(const FrameFingerprint&, const FrameFingerprint&) = default;
};

FrameFingerprint FingerprintOf(const Library& library, const FrameIndexes& frames);

struct UnwindTotals {
  size_t objects = 0;  // distinct objects with tables: copies of one file count once
  size_t rows = 0;
  size_t bytes = 0;
};

class ProcessTables {
 public:
  // Returns the instance of the process. It is never destroyed: a signal handler might be using the
  // tables.
  static ProcessTables& OfProcess();

  // Removes unloaded objects, adds new objects, compiles the tables that are wanted, and publishes
  // the result. Returns true if an object has been loaded or unloaded since the last call. If the
  // call is cancelled, the next Update compiles the missing tables.
  bool Update(const IsCancelled& is_cancelled);

  // Removes unloaded objects and compiles nothing. Without this call, walks would use the tables of
  // an unloaded object for new code at its addresses, until the next Update. Called by a thread
  // that has just unloaded an object and might hold locks of the program. Therefore the call does
  // not wait: if an Update is running, that Update removes the objects instead.
  void RemoveUnloaded();

  UnwindTotals Totals();

 private:
  // One table for each executable segment of an object, in the order of the segments; empty if the
  // object has no frame entries.
  using Tables = std::vector<const UnwindTable*>;

  struct LoadedObject {
    Library library;
    const Tables* tables;  // nullptr: not compiled yet
  };

  // Removes the objects that are not in `map` from loaded_. Returns the libraries of `map` with
  // code that have no entry in loaded_.
  std::vector<Library> FindNew(const LibraryMap& map);
  void AddNew();
  void CompileMissing(const IsCancelled& is_cancelled);
  void RemoveAndPublish();
  void Publish() const;
  void Identify(const Library& library, const IsCancelled& is_cancelled);
  Result<const Tables*> TablesOf(const Library& library, const IsCancelled& is_cancelled);
  Tables Keep(std::vector<BuiltTable> compiled);

  // True if objects that are still in loaded_ may have been unloaded. RemoveUnloaded sets the flag
  // before it tries to lock the mutex. Once it has the mutex, it clears the flag and then looks for
  // unloaded objects. Update reads the flag after it has released the mutex. The operations are
  // seq_cst: if RemoveUnloaded cannot get the mutex because of an Update, that Update sees true.
  std::atomic<bool> has_unloaded_{false};
  std::mutex mutex_;  // guards all below
  std::optional<LoadCounts> generation_;
  uint64_t removed_unloads_ = 0;               // count of unloads when loaded_ was last updated
  std::map<uint64_t, LoadedObject> loaded_;    // keyed by base address; points into tables_
  std::map<FrameFingerprint, Tables> tables_;  // entries are never removed or changed
  UnwindTotals totals_;
};

}  // namespace jprof
