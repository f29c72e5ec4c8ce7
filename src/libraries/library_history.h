// LibraryHistory finds the library that was at an address at a given time.
//
// The history is built from looks (LibraryLook), which are lists of the loaded objects. The
// program's calls to dlclose put looks into LibraryLog, and Update takes a look of its own. If a
// library is in one look and not in the next look, the library counts as loaded until the time of
// the next look. If a library is in a look and not in the look before, the library counts as loaded
// from the time of the look before. If two libraries share an address between two successive looks,
// the earlier library counts. The looks at each dlclose of the program prevent this case.
//
// Library A at an address, then B:        look   look  look          look
//                                           A ────┤     ┆             ┆
//                                                 ┆     ├──── B ──────┆
//
// Used on the recorder's thread. Bounded: the last kMaxPast unloadings of executable segments are
// remembered. Libraries that were unloaded earlier are forgotten (IsForgotten). If a library is
// loaded and unloaded repeatedly, and no other library uses its address meanwhile, all its
// unloadings count as one.
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

// A library at one address. If the library is unloaded and the same library is loaded there again,
// both times share one LoadedCode.
struct LoadedCode {
  uint32_t id = 0;  // > 0, unique in the history
  Library library;
  std::unique_ptr<const KeptFiles::Image> image;  // nullptr if no symbols are kept
};

class LibraryHistory {
 public:
  static constexpr size_t kMaxPast = 16384;

  LibraryHistory();
  ~LibraryHistory();
  LibraryHistory(const LibraryHistory&) = delete;
  LibraryHistory& operator=(const LibraryHistory&) = delete;

  // Takes a look, and adds to the history what has been loaded or unloaded since the last call.
  void Update();

  // Returns the time (CLOCK_MONOTONIC) up to which the history is final.
  Nanos known_until_ns() const { return known_until_ns_; }

  // Returns the library that was at `pc` at the time `time_ns`; nullptr if there was none.
  // REQUIRES: time_ns <= known_until_ns().
  std::shared_ptr<const LoadedCode> At(Pc pc, Nanos time_ns) const;

  // True if libraries of the time `time_ns` have been forgotten. At() might then return nullptr
  // although there was a library.
  bool IsForgotten(Nanos time_ns) const { return time_ns < forgotten_ns_; }

  // Returns a number that identifies the loaded libraries at `time_ns`. If the numbers of two times
  // are equal, At() gives the same answers for both times.
  uint64_t EraAt(Nanos time_ns) const;

  // Keeps the files or symbols of the libraries that were seen since the last call (kept_files.h).
  void KeepFiles();

  // Returns the libraries that were seen since the last call.
  std::vector<Library> TakeNew();

  // Makes all loaded libraries count as new, for a new file of the recording.
  void BeginFile();

  // Returns the libraries that were unloaded more than a second ago and are not loaded again. Each
  // is returned once per unloading. No more samples of the code of these libraries will come. So
  // the caller needs their files only once more, to read the symbols of the samples that have come.
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
