#include "sigsafe/hotspot/vm_texts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "sigsafe/hotspot/fake_vm.h"
#include "support/guarded_page.h"

namespace jprof {
namespace {

using test::FakeVm;

std::string TextOf(const VmText& text) {
  std::string copy(text.size, '?');
  return text.CopyTo(reinterpret_cast<uint8_t*>(copy.data())) ? copy : "unreadable";
}

class VmTextsTest : public testing::Test {
 protected:
  // Returns the data of a method with these texts.
  JavaMethod Method(const FakeVm::Texts& texts) {
    JavaMethod java;
    EXPECT_TRUE(LoadJavaMethod(vm_.layout(), vm_.AddMethod(7, 5, texts), &java));
    return java;
  }

  FakeVm vm_;
};

TEST_F(VmTextsTest, AMethodHasItsNames) {
  VmMethodTexts texts;
  ASSERT_TRUE(FindTexts(vm_.layout(), Method({.name = "burnLong", .descriptor = "(J)I"}), &texts));
  EXPECT_EQ(TextOf(texts.name), "burnLong");
  EXPECT_EQ(TextOf(texts.descriptor), "(J)I");
  EXPECT_EQ(texts.lines.size, 0u);
}

// The numbers after 0xff have several bytes, and a byte of a number can be 0 on releases before
// JDK 20.
TEST_F(VmTextsTest, TheTableOfLinesEndsAtItsLastEntry) {
  const std::string entries[] = {"\x0a", "\x0a\x13", std::string("\xff\xc8\x05\x00", 4),
                                 "\xff\xff\xff\xff\xff\x01\x05\x0a"};
  for (const std::string& lines : entries) {
    VmMethodTexts texts;
    ASSERT_TRUE(FindTexts(vm_.layout(), Method({.lines = lines}), &texts));
    EXPECT_EQ(TextOf(texts.lines), lines);
  }
}

TEST_F(VmTextsTest, AClassHasItsNamesAndItsLoader) {
  VmClassTexts texts;
  ASSERT_TRUE(FindTexts(vm_.layout(),
                        Method({.class_name = "b/C",
                                .source_file = "D.java",
                                .loader_class = "b/Loader",
                                .loader_name = "plug-in"}),
                        &texts));
  EXPECT_EQ(TextOf(texts.name), "b/C");
  EXPECT_EQ(TextOf(texts.source_file), "D.java");
  EXPECT_TRUE(texts.has_loader);
  EXPECT_EQ(TextOf(texts.loader_class), "b/Loader");
  EXPECT_EQ(TextOf(texts.loader_name), "plug-in");
}

TEST_F(VmTextsTest, AClassOfTheBootLoaderHasNoLoader) {
  VmClassTexts texts;
  ASSERT_TRUE(FindTexts(vm_.layout(), Method({.source_file = ""}), &texts));
  EXPECT_FALSE(texts.has_loader);
  EXPECT_EQ(texts.source_file.size, 0u);
  EXPECT_EQ(texts.loader_class.size, 0u);
}

// The page after the text is inaccessible, and the test does not catch faults.
TEST_F(VmTextsTest, NothingBehindATextIsRead) {
  const test::GuardedPage page(32);
  for (uint32_t size = 1; size <= 17; ++size) {
    const std::string text(size, 'x');
    uint8_t* at = static_cast<uint8_t*>(page.region().data) + 32 - size;
    memcpy(at, text.data(), size);
    EXPECT_EQ(TextOf({reinterpret_cast<uint64_t>(at), size}), text);
  }
}

}  // namespace
}  // namespace jprof
