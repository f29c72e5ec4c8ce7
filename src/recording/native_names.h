// NativeNames: library and symbol of code addresses found in samples.
//
// The recorder's thread. Note remembers the library while it is loaded, so that a dlclose before
// the recording is written loses no name; symbols are read in one batch per library, by Resolve.
// Bounded: what no stack of this chunk or the one before has named is forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/recently_used.h"
#include "elf/library_map.h"
#include "jvm/stub_names.h"
#include "os/kernel_symbols.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct NativeName {
  // File name without folders; "generated code" outside all libraries, "vdso", "kernel" or its
  // module. Never like an array's: JMC reads the names of classes that begin with '['.
  std::string library;
  std::string symbol;  // demangled; "[unknown]"
};

class NativeNames {
 public:
  // REQUIRES: `stubs` outlives this.
  explicit NativeNames(const StubNames& stubs);

  // As soon as `pc` is met.
  void Note(Pc pc);

  // Looks up everything noted so far.
  void Resolve();

  // REQUIRES: noted in this chunk, and resolved since.
  const NativeName& Of(Pc pc) {
    const NativeName* name = names_.Find(Value(pc));
    JPROF_CHECK(name != nullptr);
    return *name;
  }

  // Of an address in the kernel; at any time. Reads all of the kernel's names when first called.
  const NativeName& OfKernel(Pc pc);

  // A stack that is kept still has this frame: a name that is known stays.
  void Keep(Pc pc) { names_.Find(Value(pc)); }

  // REQUIRES: all that was noted has been resolved.
  void BeginChunk();

  // Addresses whose names are known now, the kernel's too.
  size_t size() const { return names_.size() + kernel_names_.size(); }

  // Libraries seen since the last call, for jdk.NativeLibrary.
  std::vector<Library> TakeNewLibraries();

  // Another file follows: all libraries that are loaded are new to it.
  void BeginFile() { new_ = loaded_.libraries(); }

 private:
  // Path and base: a library that is loaded again elsewhere is another one.
  using LibraryKey = std::pair<std::string, uint64_t>;

  static LibraryKey KeyOf(const Library& library) { return {library.path, library.base}; }
  const Library* FindLibrary(Pc pc);
  void TakeSnapshot();

  const StubNames& stubs_;
  LibraryMap loaded_;
  uint64_t snapshot_loads_ = 0;  // objects loaded by the process until then
  // Entries stay through the chunk.
  std::map<LibraryKey, Library> seen_;
  std::vector<Library> new_;
  std::map<const Library*, std::vector<uint64_t>> unresolved_;  // pcs
  RecentlyUsed<uint64_t, NativeName> names_;                    // by pc; a generation is a chunk
  RecentlyUsed<uint64_t, NativeName> kernel_names_;             // the same
  std::optional<KernelSymbols> kernel_;                         // none until it is asked for a name
};

}  // namespace jprof
