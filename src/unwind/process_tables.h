// ProcessTables: every unwind table that was ever made in this process, and the objects that are
// loaded now, each with the tables of its code. Publishes them to NativeCode::OfProcess().
//
// Two maps, for two things that are easily mistaken for one:
//
//   loaded object (place, path, build id) ─▶ tables ◀─ fingerprint of frames and code
//   one for each copy; forgotten when                  one for each distinct code; kept for the
//   the dynamic linker unloads it                      life of the process, never changed
//
// So copies of one file have ranges of their own and share the tables. An object that came since
// the last look is always identified by its own frames, never by its name. Thread-safe; not for
// handlers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "elf/library_map.h"
#include "unwind/frame_fingerprint.h"
#include "unwind/unwind_compiler.h"

namespace jprof {

struct UnwindTotals {
  size_t objects = 0;  // with a table, copies counted once
  size_t rows = 0;
  size_t bytes = 0;
};

class ProcessTables {
 public:
  // Never destroyed: its tables may be in use in a handler.
  static ProcessTables& OfProcess();

  // Lists the loaded objects, removes unloaded ones, compiles new ones and publishes them. True if
  // anything has changed. If it is cancelled, the next Update does the rest.
  bool Update(const IsCancelled& is_cancelled);

  UnwindTotals Totals();

 private:
  // Of each executable segment of an object, in their order; none if nothing is known of it.
  using Tables = std::vector<const UnwindTable*>;

  struct LoadedObject {
    Library library;
    const Tables* tables;
  };

  // Drops the objects that are gone, publishes the others; those without an entry yet.
  std::vector<Library> FindNew(const LibraryMap& map);
  void Publish() const;
  void Identify(const Library& library, const IsCancelled& is_cancelled);
  Result<const Tables*> TablesOf(const Library& library, const IsCancelled& is_cancelled);
  Tables Keep(std::vector<BuiltTable> compiled);

  std::mutex mutex_;  // of all below
  std::optional<LibraryMap::Generation> generation_;
  std::map<uint64_t, LoadedObject> loaded_;    // by base; points into tables_
  std::map<FrameFingerprint, Tables> tables_;  // entries stay and do not change
  UnwindTotals totals_;
};

}  // namespace jprof
