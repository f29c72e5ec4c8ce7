// LibraryHistory: finds the library that was at an address at a given time.
//
// The history is built from looks (LibraryLook), which are lists of the loaded objects: those that
// the program's calls to dlclose left in LibraryLog, and those of Update. If the first of two
// successive looks shows a library and the second does not, the library counts as loaded until the
// second; a library that only the second shows counts as loaded from the first on. If two libraries
// share an address between two successive looks, the earlier library counts. The looks at each
// dlclose of the program prevent this.
//
// Library A at an address, then B:        look   look  look          look
//                                           A ────┤     ┆             ┆
//                                                 ┆     ├──── B ──────┆
//
// Used on the recorder's thread. Bounded: the last kMaxPast unloadings are remembered. Libraries
// that were unloaded earlier are forgotten (IsForgotten). A library that is loaded and unloaded
// repeatedly counts once, if no other library uses its address.
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

// A library at one address. If the same library is unloaded and loaded there again, there is still
// one LoadedCode for both times.
struct LoadedCode {
  uint32_t id = 0;  // > 0, unique in the history
  Library library;
  std::unique_ptr<const KeptFiles::Image> image;  // nullptr if it is not kept
};

class LibraryHistory {
 public:
  static constexpr size_t kMaxPast = 16384;

  LibraryHistory();
  ~LibraryHistory();
  LibraryHistory(const LibraryHistory&) = delete;
  LibraryHistory& operator=(const LibraryHistory&) = delete;

  // Adds the libraries that have been loaded and unloaded up to now.
  void Update();

  // Returns the time (CLOCK_MONOTONIC) up to which the history does not change any more.
  Nanos known_until_ns() const { return known_until_ns_; }

  // Returns the library with `pc` at that time; nullptr if there was none. REQUIRES: time_ns <=
  // known_until_ns().
  std::shared_ptr<const LoadedCode> At(Pc pc, Nanos time_ns) const;

  // True if libraries of that time have been forgotten. Then At might return nullptr although there
  // was a library.
  bool IsForgotten(Nanos time_ns) const { return time_ns < forgotten_ns_; }

  // Returns a number that is equal for two times only if At gives the same answers for both.
  uint64_t EraAt(Nanos time_ns) const;

  // Keeps the files of libraries that were seen since the last call.
  void KeepFiles();

  // Returns the libraries that were seen since the last call.
  std::vector<Library> TakeNew();

  // Makes all loaded libraries count as new, for a new file of the recording.
  void BeginFile();

  // Returns the libraries that were unloaded more than a second ago and are not loaded again, each
  // once per unloading. No more samples of their code will come, so the caller reads the symbols
  // that it needs, and then no longer needs the files.
  std::vector<std::shared_ptr<LoadedCode>> TakeUnloaded();

  // Forgets libraries that are neither loaded nor in the remembered past.
  void BeginChunk();

 private:
  using Code = std::shared_ptr<LoadedCode>;

  struct Loaded {
    Code code;
    Nanos from_ns;
  };
  // A period in which a library was at a range of addresses.
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
  bool HadNoOtherLibrary(uint64_t begin, uint64_t end, Nanos since_ns) const;
  void ForgetOldest();
  void NoteChange(Nanos time_ns);
  const Past* FindPast(Pc pc, Nanos time_ns) const;

  KeptFiles files_;
  uint32_t last_id_ = 0;
  LoadCounts counts_;
  Nanos known_until_ns_;
  LibraryMap map_;                               // libraries loaded now
  std::map<uint64_t, Loaded> loaded_;            // libraries loaded now, by base
  std::vector<Code> unkept_;                     // libraries whose files have not been looked for
  std::vector<Code> new_;                        // libraries that TakeNew will return
  std::deque<std::pair<Nanos, Code>> unloaded_;  // with the time of unloading, ascending
  std::multimap<uint64_t, std::weak_ptr<LoadedCode>> all_;  // all known libraries, by base

  std::map<uint64_t, std::deque<Past>> past_;  // by the start of the range, then by to_ns
  std::deque<uint64_t> past_begins_;           // keys of past_, in the order of unloading
  uint64_t longest_past_ = 0;                  // size of the largest range, in bytes
  Nanos past_until_ns_;                        // the greatest to_ns
  Nanos forgotten_ns_;                         // the greatest to_ns of dropped periods

  std::deque<Nanos> changes_;  // when the loaded libraries changed, ascending
  uint64_t dropped_changes_ = 0;
};

}  // namespace jprof
