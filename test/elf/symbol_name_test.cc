#include "elf/symbol_name.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(SymbolNameTest, NamesAreDemangledAndLoseTheirVersion) {
  EXPECT_EQ(DemangledName("_ZN5jprof3FooEi"), "jprof::Foo");
  EXPECT_EQ(DemangledName("_ZN5jprof3FooEi@@V1"), "jprof::Foo");
  EXPECT_EQ(DemangledName("fopen@GLIBC_2.2.5"), "fopen");
  EXPECT_EQ(DemangledName("_Znonsense!"), "_Znonsense!");
  EXPECT_EQ(DemangledName("@odd"), "@odd");
  EXPECT_EQ(DemangledName(""), "");
}

TEST(SymbolNameTest, LeavesOutParametersWhateverFollows) {
  EXPECT_EQ(DemangledName("_ZNK1A1bEi"), "A::b");                        // (int) const
  EXPECT_EQ(DemangledName("_ZNO1A1bEv"), "A::b");                        // () &&
  EXPECT_EQ(DemangledName("_ZN1A1bEPFivE.cold"), "A::b [clone .cold]");  // (int (*)())
  EXPECT_EQ(DemangledName("_ZN1A1bEi.constprop.0.isra.0"),
            "A::b [clone .constprop.0] [clone .isra.0]");
}

TEST(SymbolNameTest, OtherParenthesesStay) {
  EXPECT_EQ(DemangledName("_ZN1AclEi"), "A::operator()");
  EXPECT_EQ(DemangledName("_ZN12_GLOBAL__N_11fEv"), "(anonymous namespace)::f");
  EXPECT_EQ(DemangledName("_ZN12_GLOBAL__N_11xE"), "(anonymous namespace)::x");
  EXPECT_EQ(DemangledName("_ZZ1fiENKUlvE_clEv"), "f(int)::{lambda()#1}::operator()");
  EXPECT_EQ(DemangledName("_ZZ1fiE1x"), "f(int)::x");
}

}  // namespace
}  // namespace jprof
