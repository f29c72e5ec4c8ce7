#include <gtest/gtest.h>

#include <string>

#include "attach/proc_texts.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr char kMaps[] =
    "55d0c8a00000-55d0c8a01000 r--p 00000000 fe:00 123  /usr/bin/java\n"
    "7f10a0000000-7f10a0021000 rw-p 00000000 00:00 0 \n"
    "7f10b0000000-7f10b0100000 r-xp 00001000 fe:00 77   /opt/a b/lib/server/libjvm.so\n"
    "7f10b0100000-7f10b0200000 rw-p 00101000 fe:00 77   /opt/a b/lib/server/libjvm.so\n"
    "7f10c0000000-7f10c0100000 r-xp 00000000 00:28 4    /tmp/.jprof-1-libprofiler.so (deleted)\n"
    "7fff00000000-7fff00021000 rw-p 00000000 00:00 0    [stack]\n"
    "garbage without a path\n";

TEST(MappedFilesTest, ListsEachFileOnceAndNoAnonymousMemory) {
  const std::vector<MappedFile> files = ParseMappedFiles(kMaps);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].path, "/usr/bin/java");
  EXPECT_EQ(files[1].path, "/opt/a b/lib/server/libjvm.so");
  EXPECT_FALSE(files[1].deleted);
}

TEST(MappedFilesTest, ListsEachOfTheMostPossibleFilesOnce) {
  constexpr int kMost = 65'530;  // vm.max_map_count
  std::string maps;
  for (int i = 0; i < kMost; ++i) {
    maps += "7f10b0000000-7f10b0100000 r-xp 00001000 fe:00 77 /f" + std::to_string(i % (kMost / 2));
    maps += '\n';
  }
  EXPECT_EQ(ParseMappedFiles(maps).size(), kMost / 2u);
}

TEST(MappedFilesTest, ADeletedFileKeepsItsPath) {
  const std::vector<MappedFile> files = ParseMappedFiles(kMaps);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[2].path, "/tmp/.jprof-1-libprofiler.so");
  EXPECT_TRUE(files[2].deleted);
}

TEST(MappedFilesTest, AFileIsFoundByItsWholeNameOnly) {
  const std::vector<MappedFile> files = ParseMappedFiles(kMaps);
  ASSERT_NE(FindMapped(files, "libjvm.so"), nullptr);
  EXPECT_EQ(FindMapped(files, "jvm.so"), nullptr);
  EXPECT_EQ(FindMapped({}, "libjvm.so"), nullptr);
}

TEST(MappedFilesTest, ConvertsPathsToThoseThatTheProcessSees) {
  std::vector<MappedFile> files = {{"/jail/lib/a.so"}, {"/jailed/b.so"}, {"/jail"}};
  StripRoot(&files, "/");
  EXPECT_EQ(files[0].path, "/jail/lib/a.so");
  StripRoot(&files, "/jail");
  EXPECT_EQ(files[0].path, "/lib/a.so");
  EXPECT_EQ(files[1].path, "/jailed/b.so");
  EXPECT_EQ(files[2].path, "/jail");
}

TEST(MappedFilesTest, FindsThisProgramInItsRealMaps) {
  const Result<std::string> maps = ReadFile("/proc/self/maps");
  ASSERT_TRUE(maps.ok());
  EXPECT_NE(FindMapped(ParseMappedFiles(maps.value()), "attach_test"), nullptr);
}

}  // namespace
}  // namespace jprof
