#include "sigsafe/hotspot/code_cache.h"

#include <gtest/gtest.h>

#include "sigsafe/hotspot/fake_vm.h"

namespace jprof {
namespace {

using test::FakeVm;

TEST(CodeCacheTest, FindsTheBlobOfAddressesOfCodeOnly) {
  FakeVm vm;
  const uint64_t stub = vm.AddStub("stub", 0, std::vector<uint8_t>(1000, 0x90));
  const uint64_t begin = vm.AddNmethod({});
  CodeBlob blob;
  for (uint64_t at = 0; at < 1000; ++at) {
    ASSERT_TRUE(FindCodeBlob(vm.layout(), stub + at, &blob)) << at;
    ASSERT_EQ(blob.code_begin, stub);
    ASSERT_FALSE(blob.is_nmethod);
  }
  for (uint64_t at = 0; at < 256; ++at) {
    ASSERT_TRUE(FindCodeBlob(vm.layout(), begin + at, &blob)) << at;
    ASSERT_EQ(blob.code_begin, begin);
    ASSERT_TRUE(blob.is_nmethod);
    ASSERT_EQ(blob.frame_size, 4);
    ASSERT_EQ(blob.frame_complete, 16);
  }
  EXPECT_FALSE(FindCodeBlob(vm.layout(), begin - 1, &blob));
  EXPECT_FALSE(FindCodeBlob(vm.layout(), begin + 256, &blob));
  EXPECT_FALSE(FindCodeBlob(vm.layout(), vm.layout().code_high - 1, &blob));  // a free segment
  EXPECT_FALSE(FindCodeBlob(vm.layout(), 0, &blob));
}

TEST(CodeCacheTest, AFreedBlockIsNoCode) {
  FakeVm vm;
  const uint64_t begin = vm.AddNmethod({});
  CodeBlob blob;
  ASSERT_TRUE(FindCodeBlob(vm.layout(), begin, &blob));
  const uint64_t block = blob.address - vm.layout().heap_block_size;
  reinterpret_cast<uint8_t*>(block)[vm.layout().heap_block_size / 2] = 0;
  EXPECT_FALSE(FindCodeBlob(vm.layout(), begin, &blob));
}

}  // namespace
}  // namespace jprof
