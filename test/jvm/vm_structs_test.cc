#include "jvm/vm_structs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace jprof {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Field order unlike HotSpot's on purpose: only the exported offsets may be relied on.
struct FakeEntry {
  const void* address;
  const char* field;
  uint64_t offset;
  int32_t is_static;
  const char* type;
};

VmStructs Read(std::vector<FakeEntry> entries) {
  entries.push_back({nullptr, nullptr, 0, 0, nullptr});
  VmStructsTable table = {};
  table.entries = reinterpret_cast<const char*>(entries.data());
  table.stride = sizeof(FakeEntry);
  table.type_name_offset = offsetof(FakeEntry, type);
  table.field_name_offset = offsetof(FakeEntry, field);
  table.is_static_offset = offsetof(FakeEntry, is_static);
  table.offset_offset = offsetof(FakeEntry, offset);
  table.address_offset = offsetof(FakeEntry, address);
  return ReadVmStructs(table);
}

TEST(VmStructsTest, FindsTheFieldUnderEachReleasesName) {
  EXPECT_EQ(Read({{nullptr, "_osthread", 560, 0, "JavaThread"}}).layout.thread_osthread, 560u);
  EXPECT_EQ(Read({{nullptr, "_osthread", 1016, 0, "Thread"}}).layout.thread_osthread, 1016u);
}

TEST(VmStructsTest, GivesTheAddressOfAStatic) {
  const char* info = "version";
  const VmStructs found =
      Read({{&info, "_s_internal_vm_info_string", 0, 1, "Abstract_VM_Version"}});
  ASSERT_NE(found.statics.internal_vm_info, nullptr);
  EXPECT_STREQ(*found.statics.internal_vm_info, "version");
}

TEST(VmStructsTest, AMissingFieldIsEmptyAndHasASentenceWithItsNames) {
  const VmStructs found = Read({});
  EXPECT_EQ(found.layout.thread_osthread, std::nullopt);
  EXPECT_EQ(found.statics.java_command, nullptr);
  EXPECT_THAT(found.missing, Contains(HasSubstr("Thread._osthread or JavaThread._osthread: ")));
  EXPECT_THAT(found.missing, Contains(HasSubstr("Arguments._java_command: ")));
}

TEST(VmStructsTest, AStaticIsNotTakenForAnInstanceField) {
  int address = 0;
  EXPECT_EQ(Read({{&address, "_thread_id", 12, 1, "OSThread"}}).layout.osthread_thread_id,
            std::nullopt);
}

TEST(VmStructsTest, AProcessWithoutAJvmGetsAnErrorThatSaysSo) {
  const Result<VmStructs> loaded = LoadVmStructs();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message(), HasSubstr("runs no JVM"));
}

}  // namespace
}  // namespace jprof
