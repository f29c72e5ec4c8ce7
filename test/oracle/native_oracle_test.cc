// Compares NativeCursor with libunwind, frame by frame, where signals interrupt code of the C
// library, zlib, the dynamic linker and code_under_test.cc.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <regex.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "oracle/interrupted_point.h"
#include "oracle/libunwind_oracle.h"
#include "oracle/points_wanted.h"
#include "os/task_list.h"
#include "sigsafe/os/thread_id.h"
#include "unwind/unwind_publisher.h"

namespace jprof::test {
namespace {

// Compares at points where signals interrupt a thread that runs `body` again and again.
Agreement CompareWhile(const std::function<void(uint64_t)>& body, bool with_bounds = true) {
  std::atomic<Tid> tid{Tid{0}};
  std::atomic<bool> stop{false};
  StackBounds bounds;
  std::thread busy([&] {
    bounds = OwnStackBounds();
    body(0);
    tid = CurrentTid();
    for (uint64_t n = 0; !stop; ++n) body(n);
  });
  while (tid.load() == Tid{0}) std::this_thread::yield();
  UnwindPublisher::Update();
  LibunwindOracle oracle;
  Agreement agreement;
  while (agreement.points < PointsWanted()) {
    const InterruptedPoint* point = Interrupt(tid, with_bounds ? bounds : StackBounds());
    if (point == nullptr) break;
    oracle.Compare(*point, &agreement);
  }
  stop = true;
  busy.join();
  return agreement;
}

void ExpectAgreement(const Agreement& agreement) {
  printf("%s", agreement.Text().c_str());
  EXPECT_EQ(agreement.points, PointsWanted());
  EXPECT_EQ(agreement.agreed + agreement.known_faults, agreement.points) << agreement.Text();
  EXPECT_EQ(agreement.rooted, agreement.points) << agreement.Text();
}

int CompareInts(const void* left, const void* right) {
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

TEST(NativeOracleTest, AgreesInTheCLibrary) {
  ExpectAgreement(CompareWhile([](uint64_t n) {
    int numbers[64];
    for (int i = 0; i < 64; ++i) numbers[i] = static_cast<int>((n + 1) * 7919 * (i + 3) % 1009);
    qsort(numbers, 64, sizeof(int), CompareInts);
    char text[512];
    snprintf(text, sizeof text, "%d %s %.17g %08lx %-20s|", numbers[0], "text",
             1.0 / static_cast<double>(n + 1), static_cast<unsigned long>(n), "more");
    std::vector<char*> blocks;
    for (size_t size = 1; size < 5000; size = size * 3 + n % 5) {
      blocks.push_back(static_cast<char*>(malloc(size)));
      memset(blocks.back(), 1, size);
    }
    char target[4096];
    memcpy(target, blocks.back(), 4000);
    for (char* block : blocks) free(block);
    regex_t pattern;
    regcomp(&pattern, "(a|b)*c+[0-9]{2,3}(x|y|z)$", REG_EXTENDED);
    static_cast<void>(regexec(&pattern, "aababaababbccc123z", 0, nullptr, 0));
    regfree(&pattern);
  }));
}

TEST(NativeOracleTest, AgreesInZlib) {
  void* zlib = dlopen("libz.so.1", RTLD_LAZY);
  if (zlib == nullptr) GTEST_SKIP() << dlerror();
  using Compress =
      int (*)(unsigned char*, unsigned long*, const unsigned char*, unsigned long, int);
  using Uncompress = int (*)(unsigned char*, unsigned long*, const unsigned char*, unsigned long);
  const auto compress = reinterpret_cast<Compress>(dlsym(zlib, "compress2"));
  const auto uncompress = reinterpret_cast<Uncompress>(dlsym(zlib, "uncompress"));
  std::vector<unsigned char> plain(20000);
  std::vector<unsigned char> packed(40000);
  std::vector<unsigned char> back(plain.size());
  ExpectAgreement(CompareWhile([&](uint64_t n) {
    for (size_t i = 0; i < plain.size(); ++i) {
      plain[i] = static_cast<unsigned char>(i * i * (n + 1) >> 9);
    }
    unsigned long packed_size = packed.size();
    unsigned long back_size = back.size();
    compress(packed.data(), &packed_size, plain.data(), plain.size(), 1 + static_cast<int>(n % 9));
    uncompress(back.data(), &back_size, packed.data(), packed_size);
  }));
}

using HardCode = uint64_t (*)(uint64_t);

HardCode LoadHardCode() {
  void* library = dlopen(JPROF_CODE_UNDER_TEST, RTLD_LAZY);
  return library == nullptr ? nullptr
                            : reinterpret_cast<HardCode>(dlsym(library, "jprof_test_hard_code"));
}

TEST(NativeOracleTest, AgreesInCodeWithoutFramePointers) {
  const HardCode run = LoadHardCode();
  ASSERT_NE(run, nullptr) << dlerror();
  ExpectAgreement(CompareWhile([&](uint64_t n) { run(n); }));
}

TEST(NativeOracleTest, AgreesWithoutKnowingWhereTheStackEnds) {
  const HardCode run = LoadHardCode();
  ASSERT_NE(run, nullptr) << dlerror();
  ExpectAgreement(CompareWhile([&](uint64_t n) { run(n); }, false));
}

// Symbols are bound lazily after each load, so that the dynamic linker's resolver is on the stack.
TEST(NativeOracleTest, AgreesInTheDynamicLinker) {
  ExpectAgreement(CompareWhile([](uint64_t) {
    void* library = dlopen("libm.so.6", RTLD_LAZY);
    static_cast<void>(dlsym(library, "sin"));
    static_cast<void>(dlsym(RTLD_DEFAULT, "no_such_function"));
    dlclose(library);
  }));
}

}  // namespace
}  // namespace jprof::test
