// LibraryMap is a snapshot of the ELF objects loaded in this process, searchable by pc.
//
// Snapshot may be called on any thread outside signal handlers: it takes the dynamic linker's lock
// and allocates. A snapshot is immutable and may be read by any number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/loaded_objects.h"
#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr char kVdsoPath[] = "[vdso]";

struct AddressRange {
  uint64_t begin;
  uint64_t end;  // exclusive

  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

struct Library {
  // The path of the file: the target of /proc/self/exe for the executable, kVdsoPath for the vDSO.
  std::string path;
  uint64_t load_bias = 0;  // difference between a pc and the address in the file's symbols
  uint64_t base = 0;       // lowest address of the segments
  uint64_t top = 0;        // end of the segments, just above their highest address
  std::vector<AddressRange> executable;
  AddressRange frame_header = {0, 0};   // .eh_frame_hdr; {0, 0}: none
  AddressRange frame_segment = {0, 0};  // the loaded segment that contains frame_header
  AddressRange dynamic = {0, 0};        // the dynamic section; {0, 0}: none
  std::string build_id;                 // hexadecimal digits; empty: none

  friend bool operator==(const Library&, const Library&) = default;
};

class LibraryMap {
 public:
  // Returns a map of the objects that dl_iterate_phdr lists, and of the vDSO.
  static LibraryMap Snapshot() { return Of(LoadedObjects()); }

  // Returns a map of the objects in a copy, and of the vDSO.
  static LibraryMap Of(std::vector<ObjectCopy> objects);

  // Copies `range` up to the first byte that cannot be read. The call keeps `library` loaded during
  // the copying. Returns false if `library` was unloaded before the copying.
  static bool CopyWhileLoaded(const Library& library, const AddressRange& range,
                              std::vector<uint8_t>* bytes);

  explicit LibraryMap(std::vector<Library> libraries);

  // Returns the library with `pc` in an executable segment; nullptr if there is none, as for
  // generated code. The pointer is valid while the map exists.
  const Library* Find(Pc pc) const;

  // Returns the libraries in the order of loading, the executable first and the vDSO last.
  const std::vector<Library>& libraries() const { return libraries_; }

 private:
  struct Segment {
    AddressRange range;
    size_t library;
  };

  std::vector<Library> libraries_;
  std::vector<Segment> segments_;  // executable segments in ascending order
};

}  // namespace jprof
