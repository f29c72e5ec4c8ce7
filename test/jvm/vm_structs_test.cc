#include "jvm/vm_structs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace jprof {
namespace {

using testing::Contains;
using testing::HasSubstr;

// An entry of the exported table. The order of its fields differs from HotSpot's on purpose: the
// reader must rely only on the exported offsets.
struct FakeEntry {
  const void* address;
  const char* field;
  uint64_t offset;
  int32_t is_static;
  const char* type;
  const char* value_type = nullptr;
};

VmStructs Read(std::vector<FakeEntry> entries, std::vector<VmTables::Type> more_types = {}) {
  entries.push_back({nullptr, nullptr, 0, 0, nullptr});
  VmFieldArray array = {};
  array.entries = reinterpret_cast<const char*>(entries.data());
  array.stride = sizeof(FakeEntry);
  array.type_name_offset = offsetof(FakeEntry, type);
  array.field_name_offset = offsetof(FakeEntry, field);
  array.value_type_offset = offsetof(FakeEntry, value_type);
  array.is_static_offset = offsetof(FakeEntry, is_static);
  array.offset_offset = offsetof(FakeEntry, offset);
  array.address_offset = offsetof(FakeEntry, address);
  VmTables tables;
  tables.fields = ReadFields(array);
  tables.types = {{"int", 4}, {"u2", 2}};
  tables.types.insert(tables.types.end(), more_types.begin(), more_types.end());
  return ReadVmStructs(std::move(tables));
}

TEST(VmStructsTest, FindsTheFieldUnderEachReleasesName) {
  EXPECT_EQ(Read({{nullptr, "_osthread", 560, 0, "JavaThread"}}).fields.thread_osthread, 560u);
  EXPECT_EQ(Read({{nullptr, "_osthread", 1016, 0, "Thread"}}).fields.thread_osthread, 1016u);
}

TEST(VmStructsTest, GivesTheAddressOfAStatic) {
  const char* info = "version";
  const VmStructs found =
      Read({{&info, "_s_internal_vm_info_string", 0, 1, "Abstract_VM_Version"}});
  ASSERT_NE(found.statics.internal_vm_info, nullptr);
  EXPECT_STREQ(*found.statics.internal_vm_info, "version");
}

TEST(VmStructsTest, AMissingFieldIsEmptyAndIsReportedByName) {
  const VmStructs found = Read({});
  EXPECT_EQ(found.fields.thread_osthread, std::nullopt);
  EXPECT_EQ(found.statics.java_command, nullptr);
  EXPECT_THAT(found.missing, Contains(HasSubstr("Thread._osthread or JavaThread._osthread: ")));
  EXPECT_THAT(found.missing, Contains(HasSubstr("Arguments._java_command: ")));
}

TEST(VmStructsTest, AStaticIsNotTakenForAnInstanceField) {
  int address = 0;
  EXPECT_EQ(Read({{&address, "_thread_id", 12, 1, "OSThread"}}).fields.osthread_thread_id,
            std::nullopt);
}

TEST(VmStructsTest, FieldsHaveTheWidthAndSignOfTheirType) {
  const VmFields fields = Read({{nullptr, "_frame_size", 44, 0, "CodeBlob", "int"},
                                {nullptr, "_method_idnum", 40, 0, "ConstMethod", "u2"},
                                {nullptr, "_pool_holder", 24, 0, "ConstantPool", "InstanceKlass*"}})
                              .fields;
  EXPECT_EQ(fields.blob_frame_size.offset, 44u);
  EXPECT_EQ(fields.blob_frame_size.width, 4);
  EXPECT_TRUE(fields.blob_frame_size.is_signed);
  EXPECT_EQ(fields.const_idnum.width, 2);
  EXPECT_FALSE(fields.const_idnum.is_signed);
  EXPECT_EQ(fields.pool_holder.width, 8);
  EXPECT_FALSE(fields.const_constants.exists());
}

TEST(VmStructsTest, AFieldOfUnknownTypeIsNotUsed) {
  EXPECT_FALSE(Read({{nullptr, "_frame_size", 44, 0, "CodeBlob", "Strange"}})
                   .fields.blob_frame_size.exists());
}

TEST(VmStructsTest, NamesTheFirstMissingPartOfAWalk) {
  EXPECT_EQ(Read({}).missing_for_walks, "CodeHeap._memory");
  const VmStructs more = Read({{nullptr, "_memory", 8, 0, "CodeHeap"},
                               {nullptr, "_segmap", 16, 0, "CodeHeap"},
                               {nullptr, "_anchor", 24, 0, "JavaThread"},
                               {nullptr, "_anchor", 32, 0, "JavaCallWrapper"},
                               {nullptr, "_body", 6, 0, "Symbol"}});
  EXPECT_EQ(more.missing_for_walks, "size of HeapBlock");
}

TEST(VmStructsTest, RowsOfOnePartReplaceEachOther) {
  int variable = 0;
  const std::vector<FakeEntry> others = {{nullptr, "_memory", 8, 0, "CodeHeap"},
                                         {nullptr, "_segmap", 16, 0, "CodeHeap"},
                                         {nullptr, "_anchor", 24, 0, "JavaThread"},
                                         {nullptr, "_anchor", 32, 0, "JavaCallWrapper"},
                                         {nullptr, "_body", 6, 0, "Symbol"}};
  const std::vector<VmTables::Type> types = {
      {"HeapBlock", 8}, {"ConstantPool", 64}, {"ConstMethod", 48}};
  for (const char* name : {"_heap", "_heaps"}) {
    std::vector<FakeEntry> entries = others;
    entries.push_back({&variable, name, 0, 1, "CodeCache"});
    EXPECT_EQ(Read(entries, types).missing_for_walks, "AbstractInterpreter._code");
  }
  EXPECT_EQ(Read(others, types).missing_for_walks, "CodeCache._heaps or CodeCache._heap");
}

TEST(VmStructsTest, ReportsAProcessWithoutAJvm) {
  const Result<VmStructs> loaded = LoadVmStructs();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message(), HasSubstr("runs no JVM"));
}

}  // namespace
}  // namespace jprof
