// NativeNames: library and symbol of code addresses found in samples.
//
// The recorder's thread. Note remembers the library while it is loaded, so that a dlclose before
// the recording is written loses no name; symbols are read in one batch per library, by Resolve.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "elf/library_map.h"
#include "jvm/stub_names.h"
#include "os/kernel_symbols.h"
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

  // REQUIRES: noted, and resolved since.
  const NativeName& Of(Pc pc) const { return names_.at(Value(pc)); }

  // Of an address in the kernel; at any time. Reads all of the kernel's names when first called.
  const NativeName& OfKernel(Pc pc);

  // Libraries seen since the last call, for jdk.NativeLibrary.
  std::vector<Library> TakeNewLibraries();

  // Another file follows: all libraries that are loaded are new to it.
  void BeginFile() { new_ = loaded_.libraries(); }

 private:
  const Library* FindLibrary(Pc pc);
  void TakeSnapshot();

  const StubNames& stubs_;
  LibraryMap loaded_;
  uint64_t snapshot_loads_ = 0;  // objects loaded by the process until then
  // By path and base: a library that is loaded again elsewhere is another one. Entries stay.
  std::map<std::pair<std::string, uint64_t>, Library> seen_;
  std::vector<Library> new_;
  std::map<const Library*, std::vector<uint64_t>> unresolved_;  // pcs
  std::unordered_map<uint64_t, NativeName> names_;              // by pc
  std::unordered_map<uint64_t, NativeName> kernel_names_;       // by pc
  std::optional<KernelSymbols> kernel_;                         // none until it is asked for a name
};

}  // namespace jprof
