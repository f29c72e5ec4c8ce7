#include "chunks/native_names.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sigsafe/os/clock.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr char kFunction[] = "jprof_test_named_code";
constexpr char kLibrary[] = "libjprof_named_code.so";

Pc PcOf(const void* function) { return Pc{reinterpret_cast<uint64_t>(function) + 1}; }

// Loads a library that is built from named_code.cc, and unloads it at the end.
class NamedCode {
 public:
  explicit NamedCode(const char* path = JPROF_NAMED_CODE, const char* function = kFunction)
      : handle_(dlopen(path, RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    function_ = dlsym(handle_, function);
  }
  ~NamedCode() { dlclose(handle_); }
  NamedCode(const NamedCode&) = delete;
  NamedCode& operator=(const NamedCode&) = delete;

  Pc pc() const { return PcOf(function_); }

 private:
  void* handle_;
  void* function_ = nullptr;
};

TEST(NativeNamesTest, NamesTheLibraryAndTheSymbolOfAFunction) {
  const StubNames stubs;
  NativeNames names(stubs);
  const Pc pc = PcOf(reinterpret_cast<const void*>(&::posix_openpt));
  names.Note(pc, MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(pc, MonotonicNanos()).library, "libc.so.6");
  EXPECT_EQ(names.Of(pc, MonotonicNanos()).symbol, "posix_openpt");
}

TEST(NativeNamesTest, FindsALibraryLoadedAfterTheLastLook) {
  const StubNames stubs;
  NativeNames names(stubs);
  const NamedCode library;
  names.Note(library.pc(), MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(library.pc(), MonotonicNanos()).library, kLibrary);
  EXPECT_EQ(names.Of(library.pc(), MonotonicNanos()).symbol, kFunction);
}

TEST(NativeNamesTest, ALibraryThatWasUnloadedKeepsItsNames) {
  const StubNames stubs;
  NativeNames names(stubs);
  Pc pc{};
  {
    const NamedCode library;
    pc = library.pc();
    names.Note(pc, MonotonicNanos());
  }
  names.Resolve();
  EXPECT_EQ(names.Of(pc, MonotonicNanos()).library, kLibrary);
  EXPECT_EQ(names.Of(pc, MonotonicNanos()).symbol, kFunction);
}

class GoneFile {
 public:
  GoneFile() { std::filesystem::copy_file(JPROF_NAMED_CODE, path()); }
  std::string path() const { return folder_.File("libjprof_gone.so"); }
  void Remove() const { std::filesystem::remove(path()); }

 private:
  const test::TempFolder folder_;
};

TEST(NativeNamesTest, ALibraryWhoseFileIsRemovedKeepsItsNames) {
  const GoneFile file;
  const StubNames stubs;
  NativeNames names(stubs);
  const NamedCode library(file.path().c_str());
  names.LookAtLibraries();
  file.Remove();
  names.Note(library.pc(), MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(library.pc(), MonotonicNanos()).library, "libjprof_gone.so");
  EXPECT_EQ(names.Of(library.pc(), MonotonicNanos()).symbol, kFunction);
}

TEST(NativeNamesTest, ALibraryWithoutItsFileHasExportedNames) {
  const GoneFile file;
  const NamedCode library(file.path().c_str());
  file.Remove();
  const StubNames stubs;
  NativeNames names(stubs);
  names.LookAtLibraries();
  names.Note(library.pc(), MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(library.pc(), MonotonicNanos()).library, "libjprof_gone.so");
  EXPECT_EQ(names.Of(library.pc(), MonotonicNanos()).symbol, kFunction);
}

TEST(NativeNamesTest, NamesAnAddressByTheLibraryThatWasThereAtTheTime) {
  const StubNames stubs;
  NativeNames names(stubs);
  Pc pc{};
  Nanos named_ns = 0;
  {
    const NamedCode library;
    pc = library.pc();
    named_ns = MonotonicNanos();
    names.Note(pc, named_ns);
  }
  names.LookAtLibraries();
  const Nanos between_ns = MonotonicNanos();
  names.Note(pc, between_ns);
  const NamedCode other(JPROF_OTHER_CODE, "jprof_test_other_code");
  ASSERT_EQ(other.pc(), pc) << "the libraries have not taken the place of each other";
  const Nanos other_ns = MonotonicNanos();
  names.Note(pc, other_ns);
  names.Resolve();
  EXPECT_EQ(names.Of(pc, named_ns).library, kLibrary);
  EXPECT_EQ(names.Of(pc, named_ns).symbol, kFunction);
  EXPECT_EQ(names.Of(pc, between_ns).library, "generated code");
  EXPECT_EQ(names.Of(pc, other_ns).library, "libjprof_other_code.so");
  EXPECT_EQ(names.Of(pc, other_ns).symbol, "jprof_test_other_code");
}

// The kernel maps a library named "[vdso]", but JMC fails to read a class of that name.
TEST(NativeNamesTest, NoLibraryHasTheNameOfAnArrayClass) {
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  if (vdso == 0) GTEST_SKIP() << "this kernel maps no vdso";
  const StubNames stubs;
  NativeNames names(stubs);
  names.Note(Pc{vdso}, MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(Pc{vdso}, MonotonicNanos()).library, "vdso");
  EXPECT_EQ(names.OfKernel(Pc{1}).library, "kernel");
}

TEST(NativeNamesTest, CodeOutsideAllLibrariesIsGeneratedCode) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const StubNames stubs;
  NativeNames names(stubs);
  names.Note(PcOf(page), MonotonicNanos());
  names.Note(Pc{0}, MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(PcOf(page), MonotonicNanos()).library, "generated code");
  EXPECT_EQ(names.Of(PcOf(page), MonotonicNanos()).symbol, "[unknown]");
  EXPECT_EQ(names.Of(Pc{0}, MonotonicNanos()).library, "generated code");
  munmap(page, 4096);
}

TEST(NativeNamesTest, AddressesNotedAfterAResolveAreResolvedByTheNext) {
  const StubNames stubs;
  NativeNames names(stubs);
  const Pc first = PcOf(reinterpret_cast<const void*>(&::posix_openpt));
  const Pc second = PcOf(reinterpret_cast<const void*>(&::mblen));
  names.Note(first, MonotonicNanos());
  names.Resolve();
  names.Note(second, MonotonicNanos());
  names.Note(first, MonotonicNanos());
  names.Resolve();
  EXPECT_EQ(names.Of(first, MonotonicNanos()).symbol, "posix_openpt");
  EXPECT_EQ(names.Of(second, MonotonicNanos()).symbol, "mblen");
}

TEST(NativeNamesTest, ReturnsEachNewLibraryOnce) {
  const StubNames stubs;
  NativeNames names(stubs);
  const auto count = [](const std::vector<Library>& libraries) {
    int found = 0;
    for (const Library& library : libraries) {
      found += library.path.find(kLibrary) != std::string::npos ? 1 : 0;
    }
    return found;
  };
  EXPECT_FALSE(names.TakeNewLibraries().empty());
  EXPECT_TRUE(names.TakeNewLibraries().empty());
  const NamedCode library;
  names.Note(library.pc(), MonotonicNanos());
  EXPECT_EQ(count(names.TakeNewLibraries()), 1);
  names.Note(PcOf(reinterpret_cast<const void*>(&::posix_openpt)), MonotonicNanos());
  EXPECT_TRUE(names.TakeNewLibraries().empty());
}

}  // namespace
}  // namespace jprof
