#include "sigsafe/hotspot/java_method.h"

#include <gtest/gtest.h>

#include "sigsafe/hotspot/fake_vm.h"

namespace jprof {
namespace {

using test::FakeVm;

TEST(JavaMethodTest, AMethodHasItsIdAndItsBytecodesTheirIndexes) {
  FakeVm vm;
  const uint64_t method = vm.AddMethod(0x1234560, 40);
  JavaMethod java;
  ASSERT_TRUE(LoadJavaMethod(vm.layout(), method, &java));
  EXPECT_EQ(java.id, 0x1234560u);
  EXPECT_FALSE(java.is_native);
  const uint64_t first = vm.BytecodesOf(method);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first), 0);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first + 39), 39);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first + 40), -1);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first - 1), -1);
}

// All methods that the VM makes for method handles have the number of one ordinary method.
TEST(JavaMethodTest, AMethodOfTheVmForMethodHandlesHasItsAddressAsItsId) {
  FakeVm vm;
  const uint64_t method = vm.AddMethod(0x1234560, 1);
  vm.SetAccessFlags(method, 0x1110);  // final, native and synthetic
  JavaMethod java;
  ASSERT_TRUE(LoadJavaMethod(vm.layout(), method, &java));
  ASSERT_TRUE(HasMark(java.id));
  EXPECT_EQ(AddressedMethodOf(java.id).address, method);
  EXPECT_TRUE(java.is_native);
  vm.SetAccessFlags(method, 0x0110);  // final and native
  ASSERT_TRUE(LoadJavaMethod(vm.layout(), method, &java));
  EXPECT_EQ(java.id, 0x1234560u);
}

TEST(JavaMethodTest, RefusesOtherMemory) {
  FakeVm vm;
  JavaMethod java;
  uint64_t nothing[8] = {};
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), 0, &java));
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), vm.AddMethod(1, 1) + 4, &java));
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), reinterpret_cast<uint64_t>(nothing), &java));
}

}  // namespace
}  // namespace jprof
