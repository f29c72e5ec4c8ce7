#include "formats/page/editor_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using ::testing::HasSubstr;

TEST(EditorAddressTest, AcceptsAnEditorNameThatNeedsWholePaths) {
  const auto editor = EditorAddress::Parse("vscode");
  ASSERT_TRUE(editor.ok());
  EXPECT_EQ(editor.value().text, "vscode://file{path}:{line}");
  EXPECT_TRUE(editor.value().needs_whole_path);
}

TEST(EditorAddressTest, AcceptsHttpAndAddressesOfKnownEditors) {
  for (const char* address : {"http://localhost:63342/api/file/{path}:{line}",
                              "https://ide.example/{path}#{line}", "idea://open?file={path}"}) {
    const auto editor = EditorAddress::Parse(address);
    ASSERT_TRUE(editor.ok()) << address;
    EXPECT_EQ(editor.value().text, address);
    EXPECT_FALSE(editor.value().needs_whole_path);
  }
}

TEST(EditorAddressTest, RefusesAddressesThatOpenNoEditor) {
  for (const char* address :
       {"emacs", "javascript:harm('{path}')", "javascript://{path}", "data://{path}", "://{path}",
        "http://localhost/{line}", "http://a\n{path}", "{path}"}) {
    const auto editor = EditorAddress::Parse(address);
    ASSERT_FALSE(editor.ok()) << address;
    EXPECT_THAT(editor.error().message(), HasSubstr("idea, vscode"));
  }
}

TEST(EditorAddressTest, WithoutAnEditorThereIsNoAddress) {
  const auto editor = EditorAddress::Parse("");
  ASSERT_TRUE(editor.ok());
  EXPECT_EQ(editor.value().text, "");
}

}  // namespace
}  // namespace jprof
