#include "elf/memory_symbols.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "elf/symbol_table.h"

namespace jprof {
namespace {

Library LibraryOf(const void* function) {
  return *LibraryMap::Snapshot().Find(Pc{reinterpret_cast<uint64_t>(function)});
}

std::string NameOf(const Library& library, const ElfImage& image, const void* function) {
  const uint64_t address = reinterpret_cast<uint64_t>(function) + 1 - library.load_bias;
  const auto symbols = ResolveSymbols(image, {address});
  return symbols.ok() ? symbols.value().front().name : symbols.error().message();
}

TEST(MemorySymbolsTest, AnExportedFunctionIsNamedFromMemory) {
  const auto* const function = reinterpret_cast<const void*>(&::posix_openpt);
  const Library library = LibraryOf(function);
  const Result<ElfImage> image = ReadMemorySymbols(library);
  ASSERT_TRUE(image.ok()) << image.error().message();
  EXPECT_EQ(NameOf(library, image.value(), function), "posix_openpt");
  EXPECT_EQ(NameOf(library, image.value(), reinterpret_cast<const void*>(&::mblen)), "mblen");
}

TEST(MemorySymbolsTest, AllExportsOfAFileAreFoundInItsMemory) {
  const Library library = LibraryOf(reinterpret_cast<const void*>(&::posix_openpt));
  const Result<ElfImage> image = ReadMemorySymbols(library);
  ASSERT_TRUE(image.ok()) << image.error().message();
  const Result<ElfImage> file =
      ElfImage::Parse(std::move(ByteSource::OpenFile(library.path)).value(), library.path);
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(image.value().SectionOfType(SHT_DYNSYM)->sh_size,
            file.value().SectionOfType(SHT_DYNSYM)->sh_size);
}

TEST(MemorySymbolsTest, ALibraryThatIsNotLoadedHasNone) {
  Library library = LibraryOf(reinterpret_cast<const void*>(&::posix_openpt));
  library.build_id = "00";
  EXPECT_FALSE(ReadMemorySymbols(library).ok());
}

TEST(MemorySymbolsTest, ADynamicSectionThatLeadsOutsideIsRefused) {
  const Library library = LibraryOf(reinterpret_cast<const void*>(&::posix_openpt));
  for (const AddressRange dynamic :
       {AddressRange{0, 0}, AddressRange{16, 32}, AddressRange{library.top - 8, library.top + 8},
        AddressRange{library.base, library.base + (1 << 20)},
        AddressRange{library.base, library.base + 4096}}) {
    Library hostile = library;
    hostile.dynamic = dynamic;
    EXPECT_FALSE(ReadMemorySymbols(hostile).ok()) << dynamic.begin;
  }
}

}  // namespace
}  // namespace jprof
