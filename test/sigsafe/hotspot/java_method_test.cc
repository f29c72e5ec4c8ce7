#include "sigsafe/hotspot/java_method.h"

#include <gtest/gtest.h>

#include "sigsafe/hotspot/fake_vm.h"

namespace jprof {
namespace {

using test::FakeVm;

uint64_t IdOf(const FakeVm& vm, uint64_t method) {
  JavaMethod java;
  return LoadJavaMethod(vm.layout(), method, &java) ? java.id : 0;
}

TEST(JavaMethodTest, AMethodHasItsIdAndItsBytecodesTheirIndexes) {
  FakeVm vm;
  const uint64_t method = vm.AddMethod(0x12345, 40);
  JavaMethod java;
  ASSERT_TRUE(LoadJavaMethod(vm.layout(), method, &java));
  EXPECT_TRUE(IsMethodId(java.id));
  EXPECT_EQ(ClassNumberOf(java.id), 0x12345u);
  EXPECT_EQ(java.address, method);
  EXPECT_FALSE(java.is_native);
  const uint64_t first = vm.BytecodesOf(method);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first), 0);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first + 39), 39);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first + 40), -1);
  EXPECT_EQ(BytecodeIndexOf(vm.layout(), java, first - 1), -1);
}

TEST(JavaMethodTest, AFrameHasAPointerToItsBytecodesOrTheirIndex) {
  FakeVm vm;
  JavaMethod java;
  ASSERT_TRUE(LoadJavaMethod(vm.layout(), vm.AddMethod(7, 40), &java));
  EXPECT_EQ(StoredBytecodeIndex(vm.layout(), java, vm.BytecodesOf(java.address) + 5), 5);
  EXPECT_EQ(StoredBytecodeIndex(vm.layout(), java, 39), 39);
  EXPECT_EQ(StoredBytecodeIndex(vm.layout(), java, 40), -1);
  EXPECT_EQ(StoredBytecodeIndex(vm.layout(), java, 0), -1);
}

TEST(JavaMethodTest, AMethodInTheMemoryOfAnotherHasAnotherId) {
  FakeVm vm;
  const uint64_t method = vm.AddMethod(7, 1);
  const uint64_t before = IdOf(vm, method);
  vm.SetClassNumber(method, 8);
  EXPECT_NE(IdOf(vm, method), before);
  EXPECT_EQ(ClassNumberOf(IdOf(vm, method)), 8u);
}

TEST(JavaMethodTest, TwoVersionsOfAMethodHaveDifferentIds) {
  FakeVm vm;
  EXPECT_NE(IdOf(vm, vm.AddMethod(7, 1)), IdOf(vm, vm.AddMethod(7, 2)));
}

// All methods that the VM makes for method handles have the number of one ordinary method.
TEST(JavaMethodTest, AMethodOfTheVmForMethodHandlesHasAnIdFromItsAddress) {
  FakeVm vm;
  const uint64_t method = vm.AddMethod(0x12345, 1);
  const uint64_t numbered = IdOf(vm, method);
  vm.SetAccessFlags(method, 0x1110);  // final, native and synthetic
  JavaMethod java;
  ASSERT_TRUE(LoadJavaMethod(vm.layout(), method, &java));
  EXPECT_TRUE(IsMethodId(java.id));
  EXPECT_EQ(ClassNumberOf(java.id), 0u);
  EXPECT_TRUE(java.is_native);
  EXPECT_NE(java.id, IdOf(vm, vm.AddMethod(0x12345, 1)));
  vm.SetAccessFlags(method, 0x0110);  // final and native
  EXPECT_EQ(IdOf(vm, method), numbered);
}

TEST(JavaMethodTest, WithoutNumbersOfClassesTheIdComesFromTheAddress) {
  FakeVm vm;
  vm.HideClassNumbers();
  const uint64_t first = vm.AddMethod(7, 1);
  const uint64_t second = vm.AddMethod(7, 1);
  EXPECT_TRUE(IsMethodId(IdOf(vm, first)));
  EXPECT_EQ(ClassNumberOf(IdOf(vm, first)), 0u);
  EXPECT_NE(IdOf(vm, first), IdOf(vm, second));
}

TEST(JavaMethodTest, RefusesOtherMemory) {
  FakeVm vm;
  JavaMethod java;
  uint64_t nothing[8] = {};
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), 0, &java));
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), vm.AddMethod(1, 1) + 4, &java));
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), reinterpret_cast<uint64_t>(nothing), &java));
  EXPECT_FALSE(LoadJavaMethod(vm.layout(), vm.AddMethod(0, 1), &java))
      << "a class without a number";
}

}  // namespace
}  // namespace jprof
