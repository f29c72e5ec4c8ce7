#include "sigsafe/hotspot/compiled_scopes.h"

#include <gtest/gtest.h>

#include "sigsafe/hotspot/fake_vm.h"

namespace jprof {
namespace {

using test::FakeVm;

class CompiledScopesTest : public testing::Test {
 protected:
  CompiledScopesTest() {
    FakeVm::Nmethod nmethod;
    nmethod.method = 0x1000;
    nmethod.places = {{20, {{0x1000, 7}}}, {40, {{0x3000, 1}, {0x2000, 300}, {0x1000, 9}}}};
    nmethod.code[35] = 0xe8;  // a call that returns to 40
    nmethod.code[55] = 0xe8;  // a call that returns to 60, which has no debug information
    begin_ = vm_.AddNmethod(nmethod);
    EXPECT_TRUE(FindCodeBlob(vm_.layout(), begin_, &blob_));
  }

  // Returns "method:bci" of each scope, or "none". A "~" comes first if there is no debug
  // information for exactly this pc.
  std::string ScopesAt(uint64_t offset, PcMeaning meaning) {
    CompiledScopes scopes;
    if (!CompiledScopes::Find(vm_.layout(), blob_, begin_ + offset, meaning, &scopes)) {
      return "none";
    }
    std::string text = scopes.exact() ? "" : "~";
    CompiledScopes::Scope scope{};
    do {
      if (!scopes.Next(&scope)) return text + "unreadable";
      text += std::to_string(scope.method >> 12) + ":" + std::to_string(scope.bci) + " ";
    } while (!scope.outermost);
    return text;
  }

  FakeVm vm_;
  uint64_t begin_;
  CodeBlob blob_;
};

TEST_F(CompiledScopesTest, ACallHasTheScopesOfItsReturnAddressCalleeFirst) {
  EXPECT_EQ(ScopesAt(40, PcMeaning::kReturn), "3:1 2:300 1:9 ");
}

TEST_F(CompiledScopesTest, AnInterruptedInstructionHasTheNextKnownScopes) {
  EXPECT_EQ(ScopesAt(0, PcMeaning::kNext), "~1:7 ");
  EXPECT_EQ(ScopesAt(20, PcMeaning::kNext), "1:7 ");
  EXPECT_EQ(ScopesAt(21, PcMeaning::kNext), "~3:1 2:300 1:9 ");
}

TEST_F(CompiledScopesTest, OnlyTheMethodIsKnownAfterTheLastDebugInformation) {
  EXPECT_EQ(ScopesAt(100, PcMeaning::kNext), "~1:-1 ");
}

// A synchronized method waits for its monitor there.
TEST_F(CompiledScopesTest, TheEntryOfAMethodIsItsFirstBytecode) {
  FakeVm::Nmethod nmethod;
  nmethod.method = 0x1000;
  nmethod.places = {{20, {{0x2000, -1}, {0x1000, 9}}}, {40, {{0x1000, -1}}}};
  nmethod.code[15] = 0xe8;
  nmethod.code[35] = 0xe8;
  begin_ = vm_.AddNmethod(nmethod);
  ASSERT_TRUE(FindCodeBlob(vm_.layout(), begin_, &blob_));
  EXPECT_EQ(ScopesAt(20, PcMeaning::kReturn), "2:0 1:9 ");
  EXPECT_EQ(ScopesAt(40, PcMeaning::kReturn), "1:0 ");
}

TEST_F(CompiledScopesTest, RefusesAReturnAddressWithoutACallBefore) {
  EXPECT_EQ(ScopesAt(39, PcMeaning::kReturn), "none");
  EXPECT_EQ(ScopesAt(30, PcMeaning::kReturn), "none");
}

TEST_F(CompiledScopesTest, TheWrapperOfANativeMethodIsOneScope) {
  FakeVm::Nmethod wrapper;
  wrapper.method = 0x5000;
  wrapper.level = 0;
  begin_ = vm_.AddNmethod(wrapper);
  ASSERT_TRUE(FindCodeBlob(vm_.layout(), begin_, &blob_));
  EXPECT_EQ(ScopesAt(30, PcMeaning::kReturn), "5:-1 ");
}

}  // namespace
}  // namespace jprof
