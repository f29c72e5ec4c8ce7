// LibraryHistory: which library was at an address at a given time.
//
// Built from looks at the loaded objects: those that the program's dlclose left in LibraryLog, and
// its own. Between two looks of which the first shows a library and the second does not, the
// library counts as loaded up to the second; one that only the second shows, from the first on. Of
// two libraries at one address between the same looks, which the program's dlclose does not let
// happen, the earlier one counts.
//
// Library A at an address, then B:        look   look  look          look
//                                           A ────┤     ┆             ┆
//                                                 ┆     ├──── B ──────┆
//
// The recorder's thread. Bounded: kMaxPast ends of libraries are remembered, and the library of
// earlier times at such an address is not known (IsForgotten). A library that comes and goes alone
// at its address counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "elf/library_map.h"
#include "libraries/kept_files.h"
#include "libraries/library_log.h"
#include "sigsafe/base/types.h"

namespace jprof {

// A library at one address: one object for as long as the same library is loaded there, also if it
// is unloaded and loaded again.
struct LoadedCode {
  uint32_t id = 0;  // > 0, unique in the history
  Library library;
  std::unique_ptr<const KeptFiles::Image> image;  // nullptr: not kept
};

class LibraryHistory {
 public:
  static constexpr size_t kMaxPast = 16384;

  LibraryHistory();
  ~LibraryHistory();
  LibraryHistory(const LibraryHistory&) = delete;
  LibraryHistory& operator=(const LibraryHistory&) = delete;

  // Learns of all that has been loaded and unloaded up to now.
  void Update();

  // The history up to this time (CLOCK_MONOTONIC) does not change any more.
  Nanos known_until_ns() const { return known_until_ns_; }

  // nullptr: no library. REQUIRES: time_ns <= known_until_ns().
  std::shared_ptr<const LoadedCode> At(Pc pc, Nanos time_ns) const;

  // At does not know any more what was at addresses without a library at that time.
  bool IsForgotten(Nanos time_ns) const { return time_ns < forgotten_ns_; }

  // Equal for two times: At answers the same for both.
  uint64_t EraAt(Nanos time_ns) const;

  // Keeps the files of libraries that were seen since the last call.
  void KeepFiles();

  // Libraries that were seen since the last call.
  std::vector<Library> TakeNew();

  // All loaded libraries count as new.
  void BeginFile();

  // Libraries that were unloaded a while ago: their files are needed no more, once the symbols are
  // read that are known to be wanted. Each is returned once for each end.
  std::vector<std::shared_ptr<LoadedCode>> TakeUnloaded();

  // Forgets libraries of which no past is left.
  void BeginChunk();

 private:
  using Code = std::shared_ptr<LoadedCode>;

  struct Loaded {
    Code code;
    Nanos from_ns;
  };
  // A time for which the library was at a range of addresses.
  struct Past {
    uint64_t end;
    Nanos from_ns;
    Nanos to_ns;  // exclusive
    Code code;
  };

  void Apply(LibraryLook look);
  Code CodeOf(const Library& library);
  void End(const Loaded& loaded, Nanos to_ns);
  void AddPast(uint64_t begin, Past past);
  bool WasAlone(uint64_t begin, uint64_t end, Nanos since_ns) const;
  void ForgetOldest();
  void NoteChange(Nanos time_ns);
  const Past* FindPast(Pc pc, Nanos time_ns) const;

  KeptFiles files_;
  uint32_t last_id_ = 0;
  LoadCounts counts_;
  Nanos known_until_ns_;
  LibraryMap map_;                     // of now
  std::map<uint64_t, Loaded> loaded_;  // of now, by base
  std::vector<Code> unkept_;           // whose files have not been looked for
  std::vector<Code> new_;
  std::deque<std::pair<Nanos, Code>> unloaded_;             // by the time of the end, ascending
  std::multimap<uint64_t, std::weak_ptr<LoadedCode>> all_;  // by base

  std::map<uint64_t, std::deque<Past>> past_;  // by the begin of the range; each by to_ns
  std::deque<uint64_t> past_begins_;           // in the order of their ends
  uint64_t longest_past_ = 0;                  // bytes
  Nanos past_until_ns_;                        // the greatest to_ns
  Nanos forgotten_ns_;                         // the greatest to_ns of what was dropped

  std::deque<Nanos> changes_;  // ascending
  uint64_t dropped_changes_ = 0;
};

}  // namespace jprof
