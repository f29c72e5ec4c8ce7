#include "sources/source_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/scoped_fd.h"
#include "sources/source_name.h"
#include "sources/source_service.h"
#include "sources/zip_maker.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using test::MakeZip;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SourceFinderTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.File(name); }

  void Write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = Path(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }

  // Returns the text of the source, or the error in brackets.
  std::string Found(const std::string& class_name, const std::string& file_name) {
    const Result<SourceText> found = finder_.Find(class_name, file_name);
    return found ? found.value().text : "[" + found.error().message() + "]";
  }

  FindSource AsFunction() {
    return [this](std::string_view class_name, std::string_view file_name) {
      return finder_.Find(class_name, file_name);
    };
  }

  test::TempFolder folder_;
  SourceFinder finder_;
};

TEST_F(SourceFinderTest, ProjectsModulesAndPlainPackagesAreFound) {
  Write("project/src/main/java/com/example/Main.java", "main");
  Write("project/module/src/test/kotlin/com/example/Tests.kt", "tests");
  Write("project/src/org/Plain.java", "plain");
  Write("project/net/Bare.java", "bare");
  ASSERT_TRUE(finder_.Add(Path("project")).ok());
  EXPECT_EQ(Found("com.example.Main$Inner", "Main.java"), "main");
  EXPECT_EQ(Found("com.example.TestsKt", "Tests.kt"), "tests");
  EXPECT_EQ(Found("org.Plain", "Plain.java"), "plain");
  EXPECT_EQ(Found("net.Bare", ""), "bare") << "the recording may not name the file";
  EXPECT_EQ(Found("net.Bare$$Lambda/0x0001", ""), "bare");
  const Result<SourceText> main = finder_.Find("com.example.Main", "Main.java");
  ASSERT_TRUE(main.ok());
  EXPECT_TRUE(main.value().is_file);
  EXPECT_TRUE(std::filesystem::equivalent(main.value().place,
                                          Path("project/src/main/java/com/example/Main.java")));
}

TEST_F(SourceFinderTest, AClassWithoutAFileNameCanBeOfAnyLanguage) {
  Write("project/src/main/kotlin/com/example/Shop.kt", "shop");
  Write("project/src/main/scala/com/example/Cart.scala", "cart");
  Write("project/src/main/kotlin/com/example/shop.v2.kt", "v2");
  Write("project/src/main/java/com/example/Main.java", "main");
  ASSERT_TRUE(finder_.Add(Path("project")).ok());
  const auto text_at = [this](std::string_view path) {
    const Result<SourceText> found = FindSourceOfPath(AsFunction(), path);
    return found ? found.value().text : "[" + found.error().message() + "]";
  };
  EXPECT_EQ(text_at("com/example/Main.java"), "main");
  EXPECT_EQ(text_at("module/com/example/Main.java"),
            "[no source of 'module.com.example.Main': "
            "looked for 'module/com/example/Main.java' in 1 place]");
  EXPECT_EQ(text_at("com/example/Shop.java"), "shop") << "a class Shop";
  EXPECT_EQ(text_at("com/example/ShopKt.java"), "shop") << "functions outside of classes";
  EXPECT_EQ(text_at("com/example/Cart.java"), "cart");
  EXPECT_EQ(text_at("com/example/shop.v2.kt"), "v2") << "names of files may have several dots";
  EXPECT_THAT(text_at("com/example/Shop.scala"), HasSubstr("no source"))
      << "another language is named";
}

TEST_F(SourceFinderTest, SearchesArchivesInTheOrderOfThePlaces) {
  Write("lib-sources.jar", MakeZip({{"com/example/Main.java", "of the jar"},
                                    {"com/example/Main.class", "no source"}}));
  Write("src.zip", MakeZip({{"java.base/java/lang/String.java", "string", false},
                            {"other/com/example/Main.java", "of the zip"}}));
  ASSERT_TRUE(finder_.Add(Path("lib-sources.jar")).ok());
  ASSERT_TRUE(finder_.Add(Path("src.zip")).ok());
  EXPECT_EQ(Found("com.example.Main", "Main.java"), "of the jar");
  EXPECT_EQ(Found("java.lang.String", "String.java"), "string");
  const Result<SourceText> string = finder_.Find("java.lang.String", "String.java");
  ASSERT_TRUE(string.ok());
  EXPECT_EQ(string.value().place, Path("src.zip") + "!/java.base/java/lang/String.java");
  EXPECT_FALSE(string.value().is_file);
}

TEST_F(SourceFinderTest, FindsTheSourcesJarNextToAJarOfClasses) {
  Write("lib.jar", MakeZip({{"com/example/Main.class", "class"}}));
  EXPECT_THAT(finder_.Add(Path("lib.jar")).error().message(), HasSubstr("-sources.jar"));
  Write("lib-sources.jar", MakeZip({{"com/example/Main.java", "source"}}));
  ASSERT_TRUE(finder_.Add(Path("lib.jar")).ok());
  EXPECT_EQ(Found("com.example.Main", "Main.java"), "source");
}

TEST_F(SourceFinderTest, TheJdksSourcesAreFoundByItsHome) {
  Write("jdk/lib/src.zip", MakeZip({{"java.base/java/lang/String.java", "string"}}));
  EXPECT_FALSE(finder_.AddJdk(Path("none")));
  EXPECT_TRUE(finder_.AddJdk(Path("jdk")));
  EXPECT_EQ(Found("java.lang.String", "String.java"), "string");
}

TEST_F(SourceFinderTest, NamesArchivesOfOtherJdksByTheirReleaseFiles) {
  const std::string archive = MakeZip({{"java.base/java/lang/String.java", "string"}});
  Write("jdk/lib/src.zip", archive);
  Write("jdk/release", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.3\"\n");
  Write("old/src.zip", archive);
  Write("old/release", "JAVA_VERSION=\"1.8.0_1\x1b[31m\"\n");
  Write("alone/src.zip", archive);
  ASSERT_TRUE(finder_.AddJdk(Path("jdk")));
  ASSERT_TRUE(finder_.Add(Path("old/src.zip")).ok());
  ASSERT_TRUE(finder_.Add(Path("alone/src.zip")).ok());
  EXPECT_THAT(finder_.JdksOtherThan("25.0.3"),
              ElementsAre("'" + Path("old/src.zip") + "', of JDK 1.8.0_1\\x1b[31m"));
  EXPECT_THAT(finder_.JdksOtherThan("21"), testing::SizeIs(2));
}

TEST_F(SourceFinderTest, NoNameLeadsOutOfAFolder) {
  Write("secret.java", "secret");
  Write("secret/inner.java", "secret");
  Write("project/a/b.java", "inside");
  std::filesystem::create_symlink(Path("secret.java"), Path("project/a/link.java"));
  std::filesystem::create_symlink("../../secret.java", Path("project/a/relative.java"));
  std::filesystem::create_directory_symlink(Path("secret"), Path("project/linked"));
  std::filesystem::create_symlink("b.java", Path("project/a/same.java"));
  ASSERT_TRUE(finder_.Add(Path("project")).ok());
  EXPECT_EQ(Found("a.b", "b.java"), "inside");
  EXPECT_EQ(Found("a.same", "same.java"), "inside") << "a link that stays inside";
  for (const auto& [class_name, file_name] :
       std::vector<std::pair<std::string, std::string>>{{"a.link", "link.java"},
                                                        {"a.relative", "relative.java"},
                                                        {"linked.inner", "inner.java"},
                                                        {"a.b", "../../secret.java"},
                                                        {"...secret", "secret.java"},
                                                        {"a./..../x", "b.java"},
                                                        {"/" + Path("secret"), ""},
                                                        {"a.b", Path("secret.java")}}) {
    EXPECT_THAT(Found(class_name, file_name), testing::StartsWith("[")) << class_name;
  }
}

TEST_F(SourceFinderTest, OnlyRegularSourceFilesOfABoundedSizeAreRead) {
  Write("project/a/key.pem", "secret");
  Write("project/a/Large.java", std::string(kMaxSourceBytes + 1, 'x'));
  Write("project/a/Most.java", std::string(kMaxSourceBytes, 'x'));
  ASSERT_EQ(mkfifo(Path("project/a/Pipe.java").c_str(), 0600), 0);
  ASSERT_TRUE(finder_.Add(Path("project")).ok());
  EXPECT_THAT(Found("a.key", "key.pem"), HasSubstr("not the name of a class"));
  EXPECT_THAT(Found("a.Large", "Large.java"), testing::StartsWith("["));
  EXPECT_EQ(Found("a.Most", "Most.java").size(), kMaxSourceBytes);
  EXPECT_THAT(Found("a.Pipe", "Pipe.java"), testing::StartsWith("["));
}

TEST_F(SourceFinderTest, RefusesAPathThatIsNeitherFolderNorArchive) {
  Write("notes.txt", "text");
  Write("empty.zip", "");
  Write("text.jar", "no archive at all, but long enough to look for an end in it");
  EXPECT_THAT(finder_.Add(Path("none")).error().message(), HasSubstr("No such file"));
  EXPECT_THAT(finder_.Add(Path("notes.txt")).error().message(), HasSubstr("name a folder"));
  EXPECT_THAT(finder_.Add(Path("empty.zip")).error().message(), HasSubstr("not a ZIP archive"));
  EXPECT_THAT(finder_.Add(Path("text.jar")).error().message(), HasSubstr("not a ZIP archive"));
  EXPECT_TRUE(finder_.empty());
}

TEST(SourceNameTest, MakesPathsFromThePackageAndTheFile) {
  EXPECT_THAT(SourcePathsOf("com.example.Main$1", "Main.java"),
              ElementsAre("com/example/Main.java"));
  EXPECT_THAT(SourcePathsOf("Main", ""),
              ElementsAre("Main.java", "Main.kt", "Main.scala", "Main.groovy"));
  EXPECT_THAT(SourcePathsOf("", ""), IsEmpty());
  EXPECT_THAT(SourcePathsOf("a..b", "b.java"), IsEmpty());
  EXPECT_THAT(SourcePathsOf("a.b", "b.java/../../x.java"), IsEmpty());
  EXPECT_THAT(SourcePathsOf("a.b", std::string("b\0.java", 7)), IsEmpty());
  EXPECT_THAT(SourcePathsOf(std::string(2000, 'a'), "b.java"), IsEmpty());
}

// The service answers over a socket as its finder does, and ends when a question is malformed.
TEST_F(SourceFinderTest, AServiceAnswersAsItsFinderDoes) {
  Write("project/a/Main.java", "main");
  ASSERT_TRUE(finder_.Add(Path("project")).ok());
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const ScopedFd theirs(ends[1]);
  ScopedFd ours(ends[0]);
  std::thread service([&] { AnswerForSources(theirs.get(), finder_); });
  const FindSource asking = [&ours](std::string_view class_name, std::string_view file_name) {
    return AskForSource(ours.get(), class_name, file_name);
  };
  const Result<SourceText> main = FindSourceOfPath(asking, "a/Main.java");
  ASSERT_TRUE(main.ok()) << main.error().message();
  EXPECT_EQ(main.value().text, "main");
  EXPECT_EQ(main.value().place, finder_.Find("a.Main", "").value().place);
  EXPECT_TRUE(main.value().is_file);
  EXPECT_FALSE(asking("a.Missing", "").ok());
  EXPECT_FALSE(asking("a.Main", "../project/a/Main.java").ok());
  EXPECT_FALSE(asking(std::string(5000, 'a'), "").ok());
  EXPECT_TRUE(asking("a.Main", "").ok()) << "it goes on";
  ASSERT_EQ(write(ours.get(), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8), 8);
  service.join();
}

// Damages every byte of an archive, one at a time, and cuts the archive at every length. No such
// archive gives a wrong text or is read out of bounds (AddressSanitizer).
TEST_F(SourceFinderTest, DamagedArchivesGiveTheRightTextOrNone) {
  const std::string text = "public class Main { int value = 4711; }";
  const std::string zip = MakeZip({{"a/Main.java", text}, {"a/Stored.java", text, false}});
  const auto check = [&](const std::string& damaged) {
    Write("damaged.zip", damaged);
    SourceFinder finder;
    if (!finder.Add(Path("damaged.zip"))) return;
    for (const std::string name : {"Main", "Stored"}) {
      const Result<SourceText> found = finder.Find("a." + name, name + ".java");
      if (found) {
        EXPECT_EQ(found.value().text, text);
      }
    }
  };
  for (size_t length = 0; length < zip.size(); ++length) check(zip.substr(0, length));
  for (size_t at = 0; at < zip.size(); ++at) {
    for (const char value : {'\0', '\xFF'}) {
      std::string damaged = zip;
      damaged[at] = value;
      check(damaged);
    }
  }
}

TEST_F(SourceFinderTest, RefusesEndlessAndEncryptedArchives) {
  Write("bomb.zip", MakeZip({{"a/Bomb.java", std::string(kMaxSourceBytes * 4, '0')},
                             {"a/Fine.java", "fine"},
                             {"a/Closed.java", "closed", true, 1}}));
  ASSERT_TRUE(finder_.Add(Path("bomb.zip")).ok());
  EXPECT_THAT(Found("a.Bomb", "Bomb.java"), testing::StartsWith("["));
  EXPECT_THAT(Found("a.Closed", "Closed.java"), testing::StartsWith("["));
  EXPECT_EQ(Found("a.Fine", "Fine.java"), "fine");
}

}  // namespace
}  // namespace jprof
