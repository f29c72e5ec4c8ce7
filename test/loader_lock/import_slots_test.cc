// Tests the import slots of an object that the test lays out in memory. It has relocations of both
// formats, tables with relative or relocated addresses, and damaged tables.
#include "loader_lock/import_slots.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <map>
#include <string>

#include "loader_lock/import_relocations.h"
#include "support/imports_of.h"

namespace jprof {
namespace {

constexpr std::string_view kNames[] = {"alpha", "beta"};

enum class Addresses { kRelative, kRelocated };

// An object in memory, as a linker would have written it, with one segment that contains
// everything.
class FakeObject {
 public:
  static constexpr uint32_t kAlpha = 1;
  static constexpr uint32_t kBeta = 2;
  static constexpr uint32_t kAlphabet = 3;  // a name that starts with "alpha"
  static constexpr uint32_t kDefinedAlpha = 4;

  explicit FakeObject(Addresses addresses) : addresses_(addresses) {
    memcpy(image_.strings, "\0alpha\0beta\0alphabet", 21);
    image_.symbols[kAlpha].st_name = 1;
    image_.symbols[kBeta].st_name = 7;
    image_.symbols[kAlphabet].st_name = 12;
    image_.symbols[kDefinedAlpha].st_name = 1;
    image_.symbols[kDefinedAlpha].st_shndx = 5;
    image_.symbols[kDefinedAlpha].st_value = 0x40;
    segments_[0].p_type = PT_LOAD;
    segments_[0].p_flags = PF_R | PF_W;
    segments_[0].p_memsz = sizeof image_;
    segments_[1].p_type = PT_DYNAMIC;
    segments_[1].p_vaddr = offsetof(Image, dynamic);
    segments_[1].p_memsz = sizeof image_.dynamic;
    Address(DT_SYMTAB, offsetof(Image, symbols));
    Address(DT_STRTAB, offsetof(Image, strings));
    Size(DT_STRSZ, sizeof image_.strings);
  }

  void Rela(int begin_tag, int size_tag, uint32_t type, uint32_t symbol, uint64_t slot) {
    image_.rela[0] = {slot, ELF64_R_INFO(uint64_t{symbol}, type), 0};
    Address(begin_tag, offsetof(Image, rela));
    Size(size_tag, sizeof image_.rela[0]);
  }
  void Rel(int begin_tag, int size_tag, uint32_t type, uint32_t symbol, uint64_t slot) {
    image_.rel[0] = {0, 0};
    image_.rel[1] = {slot, ELF64_R_INFO(uint64_t{symbol}, type)};
    Address(begin_tag, offsetof(Image, rel));
    Size(size_tag, sizeof image_.rel);
  }
  void Address(int tag, uint64_t offset) {
    Size(tag, addresses_ == Addresses::kRelocated ? Base() + offset : offset);
  }
  void Size(int tag, uint64_t value) {
    image_.dynamic[entries_].d_tag = tag;
    image_.dynamic[entries_++].d_un.d_val = value;
  }

  std::vector<ImportSlot> Imports() const {
    dl_phdr_info info = {};
    info.dlpi_addr = Base();
    info.dlpi_phdr = segments_;
    info.dlpi_phnum = 2;
    return test::ImportsOf(info, kNames);
  }

  uintptr_t Base() const { return reinterpret_cast<uintptr_t>(&image_); }
  uintptr_t SlotAddress(size_t index) const { return Base() + SlotOffset(index); }
  static uint64_t SlotOffset(size_t index) { return offsetof(Image, slots) + index * 8; }
  static uint64_t ImageSize() { return sizeof(Image); }
  ElfW(Phdr) & segment() { return segments_[0]; }
  ElfW(Sym) & symbol(uint32_t index) { return image_.symbols[index]; }

 private:
  struct Image {
    ElfW(Dyn) dynamic[16] = {};
    ElfW(Sym) symbols[5] = {};
    char strings[21] = {};
    Elf64_Rela rela[1] = {};
    Elf64_Rel rel[2] = {};
    uintptr_t slots[4] = {};
  };

  const Addresses addresses_;
  alignas(16) Image image_;
  ElfW(Phdr) segments_[2] = {};
  size_t entries_ = 0;
};

class ImportSlotsTest : public testing::TestWithParam<Addresses> {
 protected:
  FakeObject object_{GetParam()};

  void ExpectOne(size_t slot, size_t name) const {
    const std::vector<ImportSlot> found = object_.Imports();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].address, object_.SlotAddress(slot));
    EXPECT_EQ(found[0].name, name);
    EXPECT_EQ(found[0].own_definition, 0u);
  }
};

INSTANTIATE_TEST_SUITE_P(DynamicSection, ImportSlotsTest,
                         testing::Values(Addresses::kRelative, Addresses::kRelocated),
                         [](const auto& addresses) {
                           return addresses.param == Addresses::kRelative ? "Relative"
                                                                          : "Relocated";
                         });

TEST_P(ImportSlotsTest, ASlotOfThePltIsFound) {
  object_.Rela(DT_JMPREL, DT_PLTRELSZ, kJumpSlotRelocation, FakeObject::kBeta,
               FakeObject::SlotOffset(2));
  object_.Size(DT_PLTREL, DT_RELA);
  ExpectOne(2, 1);
}

TEST_P(ImportSlotsTest, ASlotForAnAddressInCodeIsFound) {
  object_.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kAlpha,
               FakeObject::SlotOffset(1));
  ExpectOne(1, 0);
}

TEST_P(ImportSlotsTest, RelocationsWithoutAddendAreRead) {
  object_.Rel(DT_REL, DT_RELSZ, kGlobDatRelocation, FakeObject::kAlpha, FakeObject::SlotOffset(3));
  ExpectOne(3, 0);
}

TEST_P(ImportSlotsTest, ThePltCanHaveRelocationsWithoutAddend) {
  object_.Rel(DT_JMPREL, DT_PLTRELSZ, kJumpSlotRelocation, FakeObject::kBeta,
              FakeObject::SlotOffset(0));
  object_.Size(DT_PLTREL, DT_REL);
  ExpectOne(0, 1);
}

TEST_P(ImportSlotsTest, ANameWithTheSamePrefixIsAnother) {
  object_.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kAlphabet,
               FakeObject::SlotOffset(0));
  EXPECT_TRUE(object_.Imports().empty());
}

TEST_P(ImportSlotsTest, OtherRelocationsAreNoSlots) {
  object_.Rela(DT_RELA, DT_RELASZ, 1 << 20, FakeObject::kAlpha, FakeObject::SlotOffset(0));
  EXPECT_TRUE(object_.Imports().empty());
}

TEST_P(ImportSlotsTest, ReturnsTheObjectsOwnDefinition) {
  object_.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kDefinedAlpha,
               FakeObject::SlotOffset(0));
  const std::vector<ImportSlot> found = object_.Imports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].own_definition, object_.Base() + 0x40);
}

TEST_P(ImportSlotsTest, IgnoresAddressesOutsideTheObject) {
  for (const uint64_t slot : {FakeObject::ImageSize(), FakeObject::ImageSize() - 4,
                              FakeObject::SlotOffset(0) + 1, ~uint64_t{7}}) {
    FakeObject object(GetParam());
    object.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kAlpha, slot);
    EXPECT_TRUE(object.Imports().empty()) << slot;
  }
  for (const uint32_t symbol : {1000u, UINT32_MAX}) {
    FakeObject object(GetParam());
    object.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, symbol, FakeObject::SlotOffset(0));
    EXPECT_TRUE(object.Imports().empty()) << symbol;
  }
  object_.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kAlpha,
               FakeObject::SlotOffset(0));
  object_.symbol(FakeObject::kAlpha).st_name = UINT32_MAX;
  EXPECT_TRUE(object_.Imports().empty());
}

TEST_P(ImportSlotsTest, DoesNotReadTablesBeyondTheObject) {
  for (const int tag : {DT_RELASZ, DT_STRSZ}) {
    FakeObject object(GetParam());
    object.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kAlpha,
                FakeObject::SlotOffset(0));
    object.Size(tag, UINT64_MAX - 7);
    EXPECT_TRUE(object.Imports().empty()) << tag;
  }
}

TEST_P(ImportSlotsTest, IgnoresASlotInAReadOnlySegment) {
  object_.Rela(DT_RELA, DT_RELASZ, kGlobDatRelocation, FakeObject::kAlpha,
               FakeObject::SlotOffset(0));
  object_.segment().p_flags = PF_R;
  EXPECT_TRUE(object_.Imports().empty());
}

TEST(LoadedObjectTest, EveryObjectOfThisProcessCanBeRead) {
  static constexpr std::string_view kEverywhere[] = {"malloc"};
  size_t slots = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<size_t*>(data) += LoadedObject(*info).FindImports(kEverywhere, {});
        return 0;
      },
      &slots);
  EXPECT_GT(slots, 0u);
}

}  // namespace
}  // namespace jprof
