#include "base/output_place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/output_file.h"
#include "base/scoped_fd.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uid_t kOther = 54321;  // a user id that no account has

class OutputPlaceTest : public ::testing::Test {
 protected:
  // Makes a folder that all users may write to if `mode` permits it, like /tmp.
  std::string SharedFolder(mode_t mode) {
    const std::string path = folder_.File("shared");
    EXPECT_EQ(mkdir(path.c_str(), 0755), 0);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string Victim() {
    std::ofstream(folder_.File("victim")) << "precious";
    return folder_.File("victim");
  }
  static std::string TextOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void LinkAs(uid_t owner, const std::string& target, const std::string& path) {
    ASSERT_EQ(symlink(target.c_str(), path.c_str()), 0);
    ASSERT_EQ(lchown(path.c_str(), owner, owner), 0);
  }
  static Status Write(const std::string& path) {
    Result<OutputPlace> place = OutputPlace::ResolveFile(path);
    if (!place) return place.error();
    Result<OutputFile> file = OutputFile::Create(std::move(place).value());
    if (!file) return file.error();
    const Status written = WriteAll(file.value().fd(), "new", path);
    return written ? file.value().Publish() : written;
  }
  static Result<ScopedFd> Append(const std::string& path) {
    const Result<OutputPlace> place = OutputPlace::Resolve(path);
    if (!place) return place.error();
    return place.value().OpenFile(O_WRONLY | O_APPEND | O_CREAT);
  }
  static void ExpectRefused(const std::string& path, const std::string& text) {
    const Status written = Write(path);
    ASSERT_FALSE(written.ok()) << path;
    EXPECT_THAT(written.error().message(), HasSubstr(text));
    EXPECT_THAT(written.error().message(), Not(HasSubstr("\n")));
  }

  test::TempFolder folder_;
};

// PlantedLinkTest needs root, which can make links that belong to another user.
class PlantedLinkTest : public OutputPlaceTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make what belongs to another user";
  }
};

TEST_F(PlantedLinkTest, IsNotFollowedInASharedFolder) {
  const std::string victim = Victim();
  for (const mode_t mode : {01777, 0777, 01733, 0770}) {
    const std::string shared = SharedFolder(mode);
    ASSERT_EQ(chown(shared.c_str(), 0, kOther), 0);
    for (const uid_t owner : {kOther, uid_t{0}}) {
      LinkAs(owner, victim, shared + "/x.jfr");
      ExpectRefused(shared + "/x.jfr", "'" + shared + "/x.jfr' is a link");
      unlink((shared + "/x.jfr").c_str());
    }
    rmdir(shared.c_str());
  }
  EXPECT_EQ(TextOf(victim), "precious");
}

TEST_F(PlantedLinkTest, IsNotFollowedInAFolderOfItsOwner) {
  const std::string victim = Victim();
  const std::string shared = SharedFolder(0755);
  ASSERT_EQ(chown(shared.c_str(), kOther, kOther), 0);
  LinkAs(kOther, victim, shared + "/x.jfr");
  ExpectRefused(shared + "/x.jfr", "'" + shared + "/x.jfr' is a link");
  EXPECT_TRUE(Write(shared + "/y.jfr").ok());  // a name that is no link
  EXPECT_EQ(TextOf(victim), "precious");
}

TEST_F(PlantedLinkTest, IsNotFollowedInTheMiddleOfAPath) {
  const std::string shared = SharedFolder(01777);
  ASSERT_EQ(mkdir(folder_.File("private").c_str(), 0700), 0);
  LinkAs(kOther, folder_.File("private"), shared + "/logs");
  ExpectRefused(shared + "/logs/x.jfr", "'" + shared + "/logs' is a link");
  // A link of this user leads to the planted link.
  LinkAs(0, shared + "/logs", folder_.File("mine"));
  ExpectRefused(folder_.File("mine/x.jfr"), "'" + shared + "/logs' is a link");
}

TEST_F(PlantedLinkTest, DoesNotCreateItsMissingTarget) {
  const std::string shared = SharedFolder(01777);
  LinkAs(kOther, folder_.File("made"), shared + "/x.jfr");
  ExpectRefused(shared + "/x.jfr", "'" + shared + "/x.jfr' is a link");
  EXPECT_NE(access(folder_.File("made").c_str(), F_OK), 0);
}

TEST_F(PlantedLinkTest, IsLeftAloneAtTheNameOfTheUnfinishedFile) {
  const std::string victim = Victim();
  const std::string shared = SharedFolder(01777);
  const std::string part = ".x.html." + std::to_string(getpid()) + ".part";
  LinkAs(kOther, victim, shared + "/" + part);
  ExpectRefused(shared + "/x.html", part);
  EXPECT_EQ(TextOf(victim), "precious");
}

TEST_F(PlantedLinkTest, IsReplacedIfItIsAHardLink) {
  const std::string victim = Victim();
  const std::string shared = SharedFolder(01777);
  ASSERT_EQ(link(victim.c_str(), (shared + "/x.html").c_str()), 0);
  ASSERT_TRUE(Write(shared + "/x.html").ok());
  EXPECT_EQ(TextOf(victim), "precious");
  EXPECT_EQ(TextOf(shared + "/x.html"), "new");
}

TEST_F(PlantedLinkTest, IsNotAppendedTo) {
  const std::string victim = Victim();
  const std::string shared = SharedFolder(01777);
  ASSERT_EQ(link(victim.c_str(), (shared + "/hard").c_str()), 0);
  LinkAs(kOther, victim, shared + "/soft");
  ASSERT_EQ(mkfifo((shared + "/fifo").c_str(), 0666), 0);
  ASSERT_EQ(chown((shared + "/fifo").c_str(), kOther, kOther), 0);
  for (const std::string name : {"hard", "soft", "fifo"}) {
    const Result<ScopedFd> log = Append(shared + "/" + name);
    ASSERT_FALSE(log.ok()) << name;
    EXPECT_THAT(log.error().message(), HasSubstr(shared + "/" + name));
  }
  EXPECT_TRUE(Append(shared + "/new").ok());
  EXPECT_TRUE(Append(shared + "/new").ok());
}

TEST_F(OutputPlaceTest, FollowsOwnLinksInOwnFolders) {
  const std::string victim = Victim();
  ASSERT_EQ(mkdir(folder_.File("real").c_str(), 0755), 0);
  ASSERT_EQ(symlink("real", folder_.File("way").c_str()), 0);
  ASSERT_EQ(symlink("../victim", folder_.File("real/x.jfr").c_str()), 0);
  ASSERT_TRUE(Write(folder_.File("way/x.jfr")).ok());
  EXPECT_EQ(TextOf(victim), "new");
  ASSERT_TRUE(Write(folder_.File("way/.././way//y.jfr")).ok());
  EXPECT_EQ(TextOf(folder_.File("real/y.jfr")), "new");
}

TEST_F(OutputPlaceTest, IgnoresAFolderThatReplacesTheResolvedOne) {
  ASSERT_EQ(mkdir(folder_.File("a").c_str(), 0755), 0);
  Result<OutputPlace> place = OutputPlace::Resolve(folder_.File("a/x"));
  ASSERT_TRUE(place.ok());
  ASSERT_EQ(rename(folder_.File("a").c_str(), folder_.File("b").c_str()), 0);
  ASSERT_EQ(symlink("/", folder_.File("a").c_str()), 0);
  auto file = OutputFile::Create(std::move(place).value());
  ASSERT_TRUE(file.ok() && file.value().Publish().ok());
  EXPECT_EQ(access(folder_.File("b/x").c_str(), F_OK), 0);
}

TEST_F(OutputPlaceTest, ARelativePathStartsInTheWorkingFolder) {
  char before[4096];
  ASSERT_NE(getcwd(before, sizeof before), nullptr);
  ASSERT_EQ(mkdir(folder_.File("a").c_str(), 0755), 0);
  ASSERT_EQ(symlink("a", folder_.File("b").c_str()), 0);
  ASSERT_EQ(chdir(folder_.File("").c_str()), 0);
  EXPECT_TRUE(Write("x").ok());
  EXPECT_TRUE(Write("b/x").ok());
  ASSERT_EQ(chdir(before), 0);
  EXPECT_EQ(TextOf(folder_.File("x")), "new");
  EXPECT_EQ(TextOf(folder_.File("a/x")), "new");
}

TEST_F(OutputPlaceTest, RefusesAndNamesAPlaceThatCannotHoldAFile) {
  const std::string victim = Victim();
  ASSERT_EQ(symlink("missing", folder_.File("dangling").c_str()), 0);
  ASSERT_EQ(symlink("missing/x", folder_.File("dangling-deep").c_str()), 0);
  ASSERT_EQ(symlink("loop", folder_.File("loop").c_str()), 0);
  const std::string socket_path = folder_.File("socket");
  sockaddr_un address{AF_UNIX, {}};
  ASSERT_LT(socket_path.size(), sizeof address.sun_path);
  socket_path.copy(address.sun_path, socket_path.size());
  const ScopedFd listener(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);

  ExpectRefused(folder_.File("dangling"), "dangling' is a link to '" + folder_.File("missing"));
  ExpectRefused(folder_.File("dangling-deep"), "dangling-deep' is a link to '");
  ExpectRefused(folder_.File("loop"), "Too many levels of symbolic links");
  ExpectRefused(socket_path, "neither a file nor a stream");
  ExpectRefused(folder_.File("none/x"), "No such file or directory");
  ExpectRefused(victim + "/x", "Not a directory");
  for (const std::string path : {"/tmp", "/tmp/", "/", "/tmp/.", "/tmp/..", "."}) {
    ExpectRefused(path, "is a folder");
  }
  ExpectRefused("", "is empty");
  ExpectRefused("/dev/null", "is a device or FIFO");
  EXPECT_THAT(folder_.Names(),
              ElementsAre("dangling", "dangling-deep", "loop", "socket", "victim"));
}

TEST_F(OutputPlaceTest, ADeviceAFifoAndADescriptorAreStreams) {
  const std::string fifo = folder_.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/null"), std::string("/dev/fd/2"), fifo}) {
    const Result<OutputPlace> place = OutputPlace::Resolve(path);
    ASSERT_TRUE(place.ok()) << place.error().message();
    EXPECT_EQ(place.value().kind(), OutputPlace::Kind::kStream);
  }
  const Result<OutputPlace> place = OutputPlace::Resolve(fifo);
  const auto unread = place.value().OpenStream(OutputPlace::Unread::kRefuse);
  ASSERT_FALSE(unread.ok());
  EXPECT_THAT(unread.error().message(), HasSubstr("no process reads"));
  const ScopedFd reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  const auto stream = place.value().OpenStream(OutputPlace::Unread::kRefuse);
  ASSERT_TRUE(stream.ok()) << stream.error().message();
  char byte = 0;
  EXPECT_EQ(write(stream.value().get(), "x", 1), 1);
  EXPECT_EQ(read(reader.get(), &byte, 1), 1);
}

TEST_F(OutputPlaceTest, WritesToADescriptorAtItsCurrentPosition) {
  const ScopedFd file(open(folder_.File("x").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(write(file.get(), "before ", 7), 7);
  const auto place = OutputPlace::Resolve("/proc/self/fd/" + std::to_string(file.get()));
  ASSERT_TRUE(place.ok());
  const auto stream = place.value().OpenStream(OutputPlace::Unread::kWait);
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(write(stream.value().get(), "after", 5), 5);
  EXPECT_EQ(TextOf(folder_.File("x")), "before after");
}

TEST_F(OutputPlaceTest, TryLeavesNoFile) {
  EXPECT_TRUE(OutputFile::Try(folder_.File("x")).ok());
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

}  // namespace
}  // namespace jprof
