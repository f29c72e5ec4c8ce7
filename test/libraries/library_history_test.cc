#include "libraries/library_history.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Loads a library, and unloads it as the wrapper of dlclose does: with a look before and a look
// after.
class Visitor {
 public:
  Visitor(const char* path, const char* function) : handle_(dlopen(path, RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    pc_ = Pc{reinterpret_cast<uint64_t>(dlsym(handle_, function)) + 1};
  }
  ~Visitor() {
    LibraryLog::OfProcess().Look();
    dlclose(handle_);
    LibraryLog::OfProcess().Look();
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  static Visitor Named() { return Visitor(JPROF_NAMED_CODE, "jprof_test_named_code"); }
  static Visitor Other() { return Visitor(JPROF_OTHER_CODE, "jprof_test_other_code"); }

  Pc pc() const { return pc_; }

 private:
  void* handle_;
  Pc pc_{};
};

class LibraryHistoryTest : public testing::Test {
 protected:
  LibraryHistoryTest() { LibraryLog::OfProcess().Open(); }
  ~LibraryHistoryTest() override { LibraryLog::OfProcess().Close(); }

  // Returns the file name of the library at `pc` at `time_ns`, without folders.
  std::string At(Pc pc, Nanos time_ns) const {
    const auto code = history_.At(pc, time_ns);
    if (code == nullptr) return "(none)";
    return code->library.path.substr(code->library.path.rfind('/') + 1);
  }

  LibraryHistory history_;
};

constexpr char kNamed[] = "libjprof_named_code.so";
constexpr char kOther[] = "libjprof_other_code.so";

TEST_F(LibraryHistoryTest, FindsEachLibraryAtItsTime) {
  const Nanos begin_ns = MonotonicNanos();
  Pc pc{};
  std::vector<std::pair<Nanos, const char*>> seen;
  for (int i = 0; i < 3; ++i) {
    {
      const Visitor named = Visitor::Named();
      pc = named.pc();
      seen.emplace_back(MonotonicNanos(), kNamed);
    }
    const Visitor other = Visitor::Other();
    ASSERT_EQ(other.pc(), pc) << "the libraries have not taken the place of each other";
    seen.emplace_back(MonotonicNanos(), kOther);
  }
  history_.Update();
  for (const auto& [time_ns, library] : seen) EXPECT_EQ(At(pc, time_ns), library);
  EXPECT_EQ(At(pc, begin_ns), kNamed) << "from the look before on, for nobody else was there";
  EXPECT_EQ(At(pc, history_.known_until_ns()), "(none)");
  EXPECT_EQ(At(Pc{reinterpret_cast<uint64_t>(&::posix_openpt)}, begin_ns), "libc.so.6");
}

TEST_F(LibraryHistoryTest, ErasDifferIfLibrariesDiffer) {
  const Nanos begin_ns = MonotonicNanos();
  history_.Update();
  {
    const Visitor named = Visitor::Named();
    history_.Update();
    const Nanos named_ns = MonotonicNanos();
    history_.Update();
    EXPECT_NE(history_.EraAt(named_ns), history_.EraAt(begin_ns));
    EXPECT_EQ(history_.EraAt(named_ns), history_.EraAt(history_.known_until_ns()));
  }
  const Nanos named_ns = history_.known_until_ns();
  history_.Update();
  EXPECT_NE(history_.EraAt(history_.known_until_ns()), history_.EraAt(named_ns));
}

TEST_F(LibraryHistoryTest, ALibraryLoadedAgainAtItsAddressHasOneLoadedCode) {
  Pc pc{};
  std::vector<Nanos> times;
  for (int i = 0; i < 3; ++i) {
    const Visitor named = Visitor::Named();
    pc = named.pc();
    times.push_back(MonotonicNanos());
  }
  history_.Update();
  EXPECT_EQ(history_.At(pc, times[0]), history_.At(pc, times[1]));
  EXPECT_EQ(history_.At(pc, times[0]), history_.At(pc, times[2]));
}

TEST_F(LibraryHistoryTest, EachLibraryIsNewOncePerFile) {
  history_.TakeNew();
  { const Visitor named = Visitor::Named(); }
  { const Visitor named = Visitor::Named(); }
  history_.Update();
  ASSERT_EQ(history_.TakeNew().size(), 1u);
  EXPECT_TRUE(history_.TakeNew().empty());
  history_.BeginFile();
  EXPECT_GT(history_.TakeNew().size(), 2u);
}

TEST_F(LibraryHistoryTest, ForgetsTheOldestUnloadingsAndReportsIt) {
  const Nanos begin_ns = MonotonicNanos();
  Pc pc{};
  const size_t turns = LibraryHistory::kMaxPast / 2 + 10;
  for (size_t i = 0; i < turns; ++i) {
    { const Visitor named = Visitor::Named(); }
    const Visitor other = Visitor::Other();
    pc = other.pc();
    if (i % 50 == 0) history_.Update();
  }
  history_.Update();
  EXPECT_EQ(At(pc, begin_ns), "(none)");
  EXPECT_TRUE(history_.IsForgotten(begin_ns));
  EXPECT_FALSE(history_.IsForgotten(history_.known_until_ns()));
}

}  // namespace
}  // namespace jprof
