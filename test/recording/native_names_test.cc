#include "recording/native_names.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr char kFunction[] = "jprof_test_named_code";
constexpr char kLibrary[] = "libjprof_named_code.so";

Pc PcOf(const void* function) { return Pc{reinterpret_cast<uint64_t>(function) + 1}; }

// The library of named_code.cc, while loaded.
class NamedCode {
 public:
  explicit NamedCode(const char* path = JPROF_NAMED_CODE) : handle_(dlopen(path, RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    function_ = dlsym(handle_, kFunction);
  }
  ~NamedCode() { dlclose(handle_); }
  NamedCode(const NamedCode&) = delete;
  NamedCode& operator=(const NamedCode&) = delete;

  Pc pc() const { return PcOf(function_); }

 private:
  void* handle_;
  void* function_ = nullptr;
};

TEST(NativeNamesTest, AFunctionOfALibraryHasBothNames) {
  const StubNames stubs;
  NativeNames names(stubs);
  const Pc pc = PcOf(reinterpret_cast<const void*>(&::posix_openpt));
  names.Note(pc);
  names.Resolve();
  EXPECT_EQ(names.Of(pc).library, "libc.so.6");
  EXPECT_EQ(names.Of(pc).symbol, "posix_openpt");
}

TEST(NativeNamesTest, ALibraryThatWasLoadedAfterTheLastLookIsFoundAtOnce) {
  const StubNames stubs;
  NativeNames names(stubs);
  const NamedCode library;
  names.Note(library.pc());
  names.Resolve();
  EXPECT_EQ(names.Of(library.pc()).library, kLibrary);
  EXPECT_EQ(names.Of(library.pc()).symbol, kFunction);
}

TEST(NativeNamesTest, ALibraryThatWasUnloadedKeepsItsNames) {
  const StubNames stubs;
  NativeNames names(stubs);
  Pc pc{};
  {
    const NamedCode library;
    pc = library.pc();
    names.Note(pc);
  }
  names.Resolve();
  EXPECT_EQ(names.Of(pc).library, kLibrary);
  EXPECT_EQ(names.Of(pc).symbol, kFunction);
}

TEST(NativeNamesTest, ALibraryWhoseFileIsGoneStillHasItsOwnName) {
  const test::TempFolder folder;
  const std::string copy = folder.File("libjprof_gone.so");
  std::filesystem::copy_file(JPROF_NAMED_CODE, copy);
  const StubNames stubs;
  NativeNames names(stubs);
  const NamedCode library(copy.c_str());
  names.Note(library.pc());
  std::filesystem::remove(copy);
  names.Resolve();
  EXPECT_EQ(names.Of(library.pc()).library, "libjprof_gone.so");
  EXPECT_EQ(names.Of(library.pc()).symbol, "[unknown]");
}

// As the kernel maps it; JMC fails to read a class of the name "[vdso]".
TEST(NativeNamesTest, NoNameBeginsLikeThatOfAnArray) {
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  if (vdso == 0) GTEST_SKIP() << "this kernel maps no vdso";
  const StubNames stubs;
  NativeNames names(stubs);
  names.Note(Pc{vdso});
  names.Resolve();
  EXPECT_EQ(names.Of(Pc{vdso}).library, "vdso");
  EXPECT_EQ(names.OfKernel(Pc{1}).library, "kernel");
}

TEST(NativeNamesTest, CodeOutsideAllLibrariesIsGeneratedCode) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const StubNames stubs;
  NativeNames names(stubs);
  names.Note(PcOf(page));
  names.Note(Pc{0});
  names.Resolve();
  EXPECT_EQ(names.Of(PcOf(page)).library, "generated code");
  EXPECT_EQ(names.Of(PcOf(page)).symbol, "[unknown]");
  EXPECT_EQ(names.Of(Pc{0}).library, "generated code");
  munmap(page, 4096);
}

TEST(NativeNamesTest, AddressesNotedAfterAResolveAreResolvedByTheNext) {
  const StubNames stubs;
  NativeNames names(stubs);
  const Pc first = PcOf(reinterpret_cast<const void*>(&::posix_openpt));
  const Pc second = PcOf(reinterpret_cast<const void*>(&::mblen));
  names.Note(first);
  names.Resolve();
  names.Note(second);
  names.Note(first);
  names.Resolve();
  EXPECT_EQ(names.Of(first).symbol, "posix_openpt");
  EXPECT_EQ(names.Of(second).symbol, "mblen");
}

TEST(NativeNamesTest, EachLibraryIsNewOnce) {
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
  names.Note(library.pc());
  EXPECT_EQ(count(names.TakeNewLibraries()), 1);
  names.Note(PcOf(reinterpret_cast<const void*>(&::posix_openpt)));
  EXPECT_TRUE(names.TakeNewLibraries().empty());
}

}  // namespace
}  // namespace jprof
