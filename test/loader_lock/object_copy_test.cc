#include "loader_lock/object_copy.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "loader_lock/import_slots.h"
#include "os/loaded_objects.h"

namespace jprof {
namespace {

using testing::Each;
using testing::ElementsAreArray;

std::vector<std::pair<std::string, uint64_t>> ObjectsOfTheLinker() {
  std::vector<std::pair<std::string, uint64_t>> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        static_cast<decltype(objects)*>(out)->emplace_back(info->dlpi_name, info->dlpi_addr);
        return 0;
      },
      &objects);
  return objects;
}

// Returns the extent of the library of this process that contains `address`.
ObjectExtent ExtentAround(const void* address) {
  struct Search {
    uintptr_t address;
    ObjectExtent extent;
  } search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        auto* const wanted = static_cast<Search*>(out);
        const ObjectExtent extent = LoadedObject(*info).Extent();
        if (extent.begin <= wanted->address && wanted->address < extent.end) {
          wanted->extent = extent;
        }
        return 0;
      },
      &search);
  return search.extent;
}

TEST(ObjectCopyTest, HasTheObjectsOfTheLinkerInTheSameOrder) {
  std::vector<std::pair<std::string, uint64_t>> copied;
  for (const ObjectCopy& object : LoadedObjects()) {
    copied.emplace_back(object.path, object.load_bias);
    EXPECT_FALSE(object.headers.empty()) << object.path;
  }
  EXPECT_THAT(copied, ElementsAreArray(ObjectsOfTheLinker()));
}

TEST(ObjectCopyTest, WritesWhatFitsAndReturnsTheNeededSizes) {
  const ObjectSizes sizes = CopyObjects({});
  EXPECT_EQ(sizes.objects, ObjectsOfTheLinker().size());
  constexpr char kUntouched = '\x7F';
  std::vector<char> text(sizes.text, kUntouched);
  const size_t half = sizes.text / 2;
  const ObjectSizes again = CopyObjects({{}, {}, std::span(text).first(half)});
  EXPECT_EQ(again.text, sizes.text);
  EXPECT_EQ(again.headers, sizes.headers);
  EXPECT_THAT(std::vector<char>(text.begin() + static_cast<ptrdiff_t>(half), text.end()),
              Each(kUntouched));
}

TEST(ObjectCopyTest, CountsLoadsAndUnloads) {
  const LoadCounts before = ReadLoadCounts();
  void* const handle = dlopen("libresolv.so.2", RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  const LoadCounts loaded = ReadLoadCounts();
  EXPECT_GT(loaded.loads, before.loads);
  EXPECT_EQ(loaded.unloads, before.unloads);
  dlclose(handle);
  EXPECT_GT(ReadLoadCounts().unloads, before.unloads);
}

TEST(ObjectCopyTest, CopiesMemoryOnlyWhileTheObjectIsLoaded) {
  void* const handle = dlopen("libresolv.so.2", RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  const ObjectExtent extent = ExtentAround(dlsym(handle, "__b64_ntop"));
  ASSERT_NE(extent.end, 0u);
  std::string build_id;
  for (const ObjectCopy& object : LoadedObjects()) {
    if (object.path.find("libresolv") == std::string::npos) continue;
    for (const char byte : object.build_id) {
      char digits[3];
      snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
      build_id += digits;
    }
  }
  std::vector<uint8_t> bytes(4);
  const ObjectIdentity library{extent.begin, extent.end, build_id};
  EXPECT_EQ(CopyWhileLoaded(library, extent.begin, bytes), 4u);
  EXPECT_THAT(bytes, testing::ElementsAre(0x7F, 'E', 'L', 'F'));
  EXPECT_EQ(CopyWhileLoaded({extent.begin, extent.end, "abcd"}, extent.begin, bytes), std::nullopt);
  dlclose(handle);
  EXPECT_EQ(CopyWhileLoaded(library, extent.begin, bytes), std::nullopt);
}

}  // namespace
}  // namespace jprof
