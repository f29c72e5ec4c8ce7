// NativeNames: library and symbol of code addresses found in samples, as they were at the time of
// the sample.
//
// The recorder's thread. Note stores the library of an address at a time; Resolve reads symbols in
// one batch per library, from the file that was kept when the library was first seen. An address
// has a name for each code that was there: a library may have been unloaded, and another loaded at
// its place. Bounded: addresses that occur in no stack of this chunk or the previous one are
// dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/recently_used.h"
#include "jvm/stub_names.h"
#include "libraries/library_history.h"
#include "os/kernel_symbols.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct NativeName {
  // File name without folders; "generated code" outside all libraries, "unloaded library", "vdso",
  // "kernel" or its module. Never begins with '[', which JMC parses as an array class.
  std::string library;
  std::string symbol;  // demangled; "[unknown]"
};

class NativeNames {
 public:
  // REQUIRES: `stubs` outlives this.
  explicit NativeNames(const StubNames& stubs) : stubs_(stubs) {}

  // Called at each drain: learns of libraries that were loaded and unloaded, and keeps the files of
  // new ones. What was noted of unloaded ones is looked up.
  void LookAtLibraries();

  // Called when `pc` is first seen at a time of this era. Times are of CLOCK_MONOTONIC, and past.
  void Note(Pc pc, Nanos time_ns);

  // Equal for two times: every address is of the same code at both.
  uint64_t EraAt(Nanos time_ns);

  // Whether the address is of the same code at both times.
  bool IsSame(Pc pc, Nanos one_ns, Nanos other_ns);

  // Looks up everything noted so far.
  void Resolve();

  // REQUIRES: noted in this chunk for the code of that time, and resolved afterwards. The address
  // of the name is that of no other name in this chunk.
  const NativeName& Of(Pc pc, Nanos time_ns);

  // Whether some address has had several names.
  bool has_had_others() const { return has_had_others_; }

  // The name of an address in the kernel; no Note needed. The first call reads all names of the
  // kernel, and so does the first in a chunk before which modules have come or gone.
  const NativeName& OfKernel(Pc pc);

  // Keeps the names of `pc`, if known: a stored stack still has this frame.
  void Keep(Pc pc) { names_.Find(Value(pc)); }

  // REQUIRES: all noted addresses have been resolved.
  void BeginChunk();

  // The number of addresses with known names, including the kernel's.
  size_t size() const { return names_.size() + kernel_names_.size(); }

  // Libraries seen since the last call, for jdk.NativeLibrary.
  std::vector<Library> TakeNewLibraries() { return history_.TakeNew(); }

  // The next chunk begins another file: all loaded libraries count as new.
  void BeginFile() { history_.BeginFile(); }

 private:
  // What was at an address: a library (LoadedCode::id), a stub (StubName::id), or neither.
  struct CodeId {
    uint32_t library = 0;
    uint32_t stub = 0;

    friend bool operator==(const CodeId&, const CodeId&) = default;
  };
  struct NameOfCode {
    CodeId code;
    NativeName name;
  };
  struct Unresolved {
    std::shared_ptr<const LoadedCode> code;
    std::vector<std::pair<uint64_t, NativeName*>> names;  // with the pc
  };

  void LearnUntil(Nanos time_ns);
  CodeId CodeAt(Pc pc, Nanos time_ns);
  NativeName MakeName(Pc pc, Nanos time_ns, const LoadedCode* code);
  static void Resolve(const Unresolved& unresolved);
  void ForgetOldKernel();

  const StubNames& stubs_;
  LibraryHistory history_;
  bool has_had_others_ = false;
  std::map<uint32_t, Unresolved> unresolved_;            // by LoadedCode::id
  RecentlyUsed<uint64_t, std::list<NameOfCode>> names_;  // by pc; a generation is a chunk
  RecentlyUsed<uint64_t, NativeName> kernel_names_;      // the same
  std::optional<KernelSymbols> kernel_;                  // read at the first request
  std::string kernel_modules_;                           // as kernel_ was read
};

}  // namespace jprof
