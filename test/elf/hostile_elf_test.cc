// Tests ELF files that are truncated, damaged or malicious. Reading them returns an Error or any
// names, and never faults. Under AddressSanitizer these tests detect every read out of bounds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "elf/fake_elf.h"
#include "elf/symbol_table.h"

namespace jprof {
namespace {

// Resolves all symbols of `bytes` from a heap block of exactly their size, so that AddressSanitizer
// detects a read past the end.
void ResolveAll(const std::string& bytes) {
  const auto block = std::make_unique<char[]>(bytes.size());
  memcpy(block.get(), bytes.data(), bytes.size());
  Result<ElfImage> image =
      ElfImage::Parse(ByteSource::Memory(block.get(), bytes.size()), "hostile.so");
  if (!image.ok()) return;
  std::vector<uint64_t> addresses;
  for (uint64_t address = 0; address < 0x20000; address += 0x411) addresses.push_back(address);
  addresses.push_back(UINT64_MAX);
  static_cast<void>(ResolveSymbols(image.value(), addresses).ok());
  image.value().BuildId();
}

std::string SmallElf() {
  FakeElf elf;
  for (uint64_t i = 0; i < 24; ++i) {
    elf.Add("_ZN3abc" + std::to_string(i) + "Ev", 0x1000 + i * 0x20, i % 3 * 0x10);
  }
  return elf.Bytes();
}

std::string RealLibrary() {
  const LibraryMap map = LibraryMap::Snapshot();
  for (const Library& library : map.libraries()) {
    if (library.path.find("libgcc_s") == std::string::npos) continue;
    const Result<ByteSource> file = ByteSource::OpenFile(library.path);
    if (!file.ok()) return {};
    std::string bytes(file.value().size(), '\0');
    if (file.value().Read(0, bytes.data(), bytes.size())) return bytes;
  }
  return {};
}

TEST(HostileElfTest, AFileCutAnywhereNeverFaults) {
  const std::string small = SmallElf();
  for (size_t length = 0; length <= small.size(); ++length) ResolveAll(small.substr(0, length));
  const std::string real = RealLibrary();
  ASSERT_FALSE(real.empty());
  for (size_t length = 0; length < real.size(); length += 1 + real.size() / 400) {
    ResolveAll(real.substr(0, length));
  }
}

TEST(HostileElfTest, FlippedBytesNeverFault) {
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): failures must be reproducible
  const std::string small = SmallElf();
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = small;
    const size_t flips = 1 + random() % 8;
    for (size_t i = 0; i < flips; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    ResolveAll(damaged);
  }
}

TEST(HostileElfTest, ARealLibraryWithDamagedHeadersAndSymbolsNeverFaults) {
  const std::string real = RealLibrary();
  ASSERT_FALSE(real.empty());
  Elf64_Ehdr header;
  memcpy(&header, real.data(), sizeof header);
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): failures must be reproducible
  for (int round = 0; round < 300; ++round) {
    std::string damaged = real;
    const size_t section = header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr));
    damaged[section] = static_cast<char>(random());
    if (round % 3 == 0) damaged[random() % sizeof header] = static_cast<char>(random());
    damaged[random() % 0x4000] = static_cast<char>(random());
    ResolveAll(damaged);
  }
}

TEST(HostileElfTest, OverlappingSymbolsEndInAnErrorSoon) {
  FakeElf elf;
  for (uint64_t i = 0; i < 100'000; ++i) elf.Add("f", i % 16, UINT64_MAX);
  const std::string bytes = elf.Bytes();
  std::vector<uint64_t> addresses;
  for (uint64_t i = 0; i < 10'000; ++i) addresses.push_back(i);
  EXPECT_FALSE(ResolveSymbols(ParseBytes(bytes).value(), addresses).ok());
}

TEST(HostileElfTest, ASparseFileOfEndlessSymbolsIsAnErrorSoon) {
  constexpr uint64_t kFileSize = uint64_t{1} << 40;
  const uint64_t symbols_size = kFileSize / 2 / sizeof(Elf64_Sym) * sizeof(Elf64_Sym);
  std::string bytes = FakeElf().Add("f", 0x1100, 8).Bytes();
  Elf64_Ehdr header;
  memcpy(&header, bytes.data(), sizeof header);
  const size_t symbols = header.e_shoff + 4 * sizeof(Elf64_Shdr);
  memcpy(bytes.data() + symbols + offsetof(Elf64_Shdr, sh_size), &symbols_size,
         sizeof symbols_size);
  const std::string path = testing::TempDir() + "holes-" + std::to_string(getpid()) + ".so";
  std::ofstream(path) << bytes;
  const bool has_holes = truncate(path.c_str(), static_cast<off_t>(kFileSize)) == 0;
  Result<ByteSource> file = ByteSource::OpenFile(path);
  std::filesystem::remove(path);
  if (!has_holes) GTEST_SKIP() << "no files of this size here";
  ASSERT_TRUE(file.ok());
  const Result<ElfImage> image = ElfImage::Parse(std::move(file).value(), "holes.so");
  ASSERT_TRUE(image.ok());
  const auto resolved = ResolveSymbols(image.value(), {0x1100});
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().message(), "holes.so: more symbols than any program has");
}

TEST(HostileElfTest, ANameWithoutATerminatorIsEmpty) {
  std::string bytes = FakeElf().Add("f", 0x1100, 8).Bytes();
  bytes[sizeof(Elf64_Ehdr) + 2] = 'x';  // replaces the NUL that ends the string table
  const auto symbols = ResolveSymbols(ParseBytes(bytes).value(), {0x1100});
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(symbols.value().front().name, "");
}

TEST(HostileElfTest, NotesWithWrongSizesHaveNoBuildId) {
  const std::string good("\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xAB\xCD\0\1", 20);
  EXPECT_EQ(FindBuildId(good), "abcd0001");
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_EQ(FindBuildId(good.substr(0, length)), "") << length;
  }
  EXPECT_EQ(FindBuildId(std::string(64, '\xFF')), "");
}

TEST(HostileElfTest, OtherFilesAreErrorsThatNameThem) {
  EXPECT_EQ(ParseBytes("#!/bin/sh").error().message(),
            "test.so is not a little-endian 64-bit ELF file");
  EXPECT_FALSE(ByteSource::OpenFile("/dev/null").ok());
  EXPECT_FALSE(ByteSource::OpenFile("/").ok());
}

}  // namespace
}  // namespace jprof
