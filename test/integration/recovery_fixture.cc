#include "integration/recovery_fixture.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>

#include "jfr/reader/jfr_reader.h"
#include "jfr/reader/jfr_repair.h"
#include "jfr/writer/accountant.h"
#include "jfr/writer/jfr_file.h"
#include "support/text.h"

namespace jprof::test {
namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int kAtOnce = 8;
constexpr unsigned kLongestLifeMs = 3'500;
constexpr int64_t kChunk = kSecondNs;
// The limit for filling a disk, which takes as long as the sampled threads need for enough CPU
// time.
constexpr auto kPatience = std::chrono::minutes(5);

int64_t EpochNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class EveryEvent : public profile::JfrVisitor {
 public:
  bool Wants(const profile::RecordedType&) override { return true; }
  void OnEvent(const profile::JfrEvent&) override {}
};

}  // namespace

RecoveryTest::~RecoveryTest() {
  if (!mounted_.empty()) umount2(mounted_.c_str(), MNT_DETACH);
}

RecoveryTest::Killed RecoveryTest::KillAtRandom(ServerProcess& server, const std::string& name,
                                                unsigned moment_ms) {
  usleep(moment_ms * 1000);  // a random moment
  kill(server.pid(), SIGKILL);
  return {name, EpochNanos()};
}

void RecoveryTest::KillAndRead(int count) {
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  std::vector<Killed> killed;
  for (int done = 0; done < count; done += kAtOnce) {
    std::vector<ServerProcess> servers;
    const int here = std::min(kAtOnce, count - done);
    for (int i = 0; i < here; ++i) {
      const std::string file = Path(std::to_string(done + i) + ".jfr");
      auto server = ServerProcess::Start(
          Java({"Server", "1", "1"}, {AgentArgument("start,cpu=1ms,chunktime=1s,file=" + file)}));
      ASSERT_TRUE(server.ok()) << server.error().message();
      servers.push_back(std::move(server).value());
    }
    for (int i = 0; i < here; ++i) {
      killed.push_back(KillAtRandom(servers[static_cast<size_t>(i)],
                                    std::to_string(done + i) + ".jfr",
                                    random() % (kLongestLifeMs / kAtOnce)));
    }
  }
  std::vector<std::string> names;
  for (const Killed& jvm : killed) names.push_back(jvm.name);
  ExpectReadable(names);
  // The recorder seals a chunk when it next looks at the time, which a shared machine can delay.
  // The files show how long chunks became.
  int64_t longest = kChunk;
  std::map<std::string, int64_t> lost;
  for (const Killed& jvm : killed) {
    const auto chunks = ReadChunkHeaders(Path(jvm.name));
    ASSERT_TRUE(chunks.ok()) << chunks.error().message();
    for (const ChunkHeader& chunk : chunks.value()) {
      longest = std::max(longest, chunk.duration_nanos);
    }
    const ChunkHeader& last = chunks.value().back();
    lost[jvm.name] = jvm.epoch_ns - (last.start_nanos + last.duration_nanos);
  }
  for (const auto& [name, nanos] : lost) EXPECT_LT(nanos, 2 * longest) << name;
}

void RecoveryTest::ExpectReadable(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    paths.push_back(Path(name));
    EveryEvent visitor;
    const auto read = profile::ReadJfr(Path(name), visitor);
    EXPECT_TRUE(read.ok()) << read.error().message();
    // If a kill interrupted an append, the file ends in part of a chunk, which the repair removes.
    // Other files stay as they are.
    const auto repaired = profile::RepairJfr(Path(name));
    ASSERT_TRUE(repaired.ok()) << repaired.error().message();
    EXPECT_THAT(AuditRecording(ReadFile(Path(name))), IsEmpty());
  }
  const auto recordings = Recording::ReadAll(jdk(), paths);
  ASSERT_TRUE(recordings.ok()) << recordings.error().message();
  for (const Recording& recording : recordings.value()) {
    EXPECT_GE(recording.Count("jdk.JVMInformation"), 1);
    EXPECT_THAT(UnresolvedReferences(recording), IsEmpty());
  }
}

std::string RecoveryTest::AwaitLog(const std::string& name, const std::string& text) {
  const auto deadline = steady_clock::now() + kPatience;
  std::string log = FileContent(Path(name));
  while (log.find(text) == std::string::npos && steady_clock::now() < deadline) {
    usleep(20'000);
    log = FileContent(Path(name));
  }
  EXPECT_THAT(log, HasSubstr(text));
  return log;
}

void RecoveryTest::FillOne(const std::string& disk, const std::string& run, int kilobytes) {
  const std::string size = "size=" + std::to_string(kilobytes) + "k";
  ASSERT_EQ(mount("jprof-test", disk.c_str(), "tmpfs", 0, size.c_str()), 0) << strerror(errno);
  mounted_ = disk;
  const std::string log = run + ".log";
  ProcessSpec spec = Java({"Server", "2", "60"},
                          {AgentArgument("start,cpu=1ms,wall=1ms,chunktime=1s,file=" + disk +
                                         "/out.jfr,log=" + Path(log))});
  spec.timeout = 3 * kPatience;
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  AwaitLog(log, "could not be written");
  const std::string full = "full-" + run + ".jfr";
  std::filesystem::copy_file(disk + "/out.jfr", Path(full));

  ASSERT_EQ(mount("jprof-test", disk.c_str(), "tmpfs", MS_REMOUNT, "size=256m"), 0);
  AwaitLog(log, "is being written again");
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  const std::string whole = "whole-" + run + ".jfr";
  std::filesystem::copy_file(disk + "/out.jfr", Path(whole));
  umount2(disk.c_str(), MNT_DETACH);
  mounted_.clear();

  const std::string said = FileContent(Path(log));
  EXPECT_EQ(CountOf(said, "could not be written"), 1U) << said;
  EXPECT_GT(AgentLog(said).LastCount("events not written"), 0) << said;
  ExpectReadable({full, whole});
  // The chunks that were sealed before and while the disk was full are still there.
  const std::string before = ReadFile(Path(full));
  EXPECT_EQ(ReadFile(Path(whole)).substr(0, before.size()), before);
  EXPECT_GE(ReadSound(whole).Count("jdk.DataLoss"), 1);
}

void RecoveryTest::FillAndRead(int count) {
  constexpr int kLeastKilobytes = 100;
  constexpr int kRange = 700;
  const std::string disk = Path("disk");
  ASSERT_EQ(mkdir(disk.c_str(), 0755), 0);
  if (mount("jprof-test", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "not permitted to mount a small disk: " << strerror(errno);
  }
  umount2(disk.c_str(), MNT_DETACH);
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  for (int i = 0; i < count && !HasFatalFailure(); ++i) {
    const int kilobytes = kLeastKilobytes + static_cast<int>(random() % kRange);
    SCOPED_TRACE(std::to_string(kilobytes) + " kB");
    FillOne(disk, std::to_string(i), kilobytes);
  }
}

}  // namespace jprof::test
