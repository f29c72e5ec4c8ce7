// Writes the recordings that the tests of formats read.
//
//   formats_maker recordings FOLDER        small.jfr, many.jfr and heap.jfr, whose content the
//                                          tests know, and large.jfr
//   formats_maker hostile FOLDER COUNT     N.jfr: hostile recordings
//   formats_maker collapsed IN KIND OUT    collapsed stacks with the thread as their first frame
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "conversion/all_formats.h"
#include "conversion/parse_slice.h"
#include "formats/convert_to.h"
#include "formats/small_recording.h"
#include "profile/heap_recording.h"
#include "profile/hostile_recording.h"
#include "profile/synthetic_recording.h"

namespace {

using namespace jprof;  // NOLINT(google-build-using-namespace): a program of one file

using test::kMillis;
using test::MadeFrame;
using test::SmallRecording;

// Names that break careless writers and readers: quotes, the end of a script, the separators of
// collapsed stacks, control characters, and characters beyond the first Unicode plane.
const std::string kHostileMethod = "a\"b\\c</script>;d\ne\x01\x7f\u20AC\U0001F600";
const std::string kHostileThread = "w;1 \U0001F600\t\"<";

// Starts the recording, and waits a second so that the first sample is a second after the start.
void Begin(SmallRecording& recording) {
  recording.Begin();
  recording.Wait(1000 * kMillis);
}

bool MakeSmall(const std::string& path) {
  const MadeFrame run{"app/Main", "run", "()V", FrameType::kJitCompiled, 10};
  const MadeFrame sort{"app/Sort", "sort", "([I)V", FrameType::kInlined, 20};
  const MadeFrame swap{"app/Sort", "swap", "([III)V", FrameType::kInlined, 30};
  const MadeFrame hostile{"app/X", kHostileMethod, "(Ljava/lang/String;J)V",
                          FrameType::kInterpreted, 40};
  const MadeFrame wait{"libc.so.6", "futex_wait", "()L;", FrameType::kNative, 0};
  const MadeFrame syscall{"kernel", "do_syscall_64", "(Lk;)L;", FrameType::kKernel, 0};
  SmallRecording recording(path);
  Begin(recording);
  recording.Cpu(3, {1, "main"}, {swap, sort, run});
  recording.Wait(500 * kMillis);
  recording.Cpu(2, {1, "main"}, {sort, sort, run});
  recording.Cpu(4, {2, kHostileThread}, {hostile, run});
  // The method `run` once more, compiled by C1, alone and with a method inlined into it.
  recording.Cpu(1, {3, "main"}, {{"app/Main", "run", "()V", FrameType::kC1Compiled, 11}});
  recording.Cpu(1, {3, "main"}, {swap, {"app/Main", "run", "()V", FrameType::kC1Compiled, 11}});
  recording.Wall(50, {1, "main"}, ThreadState::kParked, {syscall, wait, run});
  recording.Wall(1, {2, kHostileThread}, ThreadState::kRunnable, {hostile, run});
  recording.Wall(7, {3, "main"}, ThreadState::kSleeping, {wait, run});
  return recording.Seal();
}

// Writes five samples of the first thread, and one sample of each of 1199 other threads and of
// three virtual threads without a name.
bool MakeMany(const std::string& path) {
  const MadeFrame run{"app/Main", "run", "()V", FrameType::kJitCompiled, 10};
  SmallRecording recording(path);
  Begin(recording);
  for (int32_t tid = 1; tid <= 1200; ++tid) {
    recording.Cpu(tid == 1 ? 5 : 1, {tid, "worker-" + std::to_string(tid)}, {run});
  }
  for (int64_t id = 2001; id <= 2003; ++id) recording.VirtualCpu(id, {run});
  return recording.Seal();
}

// Writes two samples of allocations: 3 MB in 3 objects of 1 MB, and 5 MB in some 5000 objects of
// 1000 bytes. In the last snapshot, 2 MB in 2000 objects of 1000 bytes are live; an earlier
// snapshot has more.
bool MakeHeap(const std::string& path) {
  test::HeapRecording recording;
  const test::HeapObject big{.type = "[J",
                             .stack = {"app/Main.run", "app/Sums.make"},
                             .size = 1'000'000,
                             .weight = 3'000'000,
                             .error = 500'000};
  test::HeapObject small{.type = "app/Node",
                         .stack = {"app/Main.run", "app/Cache.put"},
                         .size = 1000,
                         .weight = 2'000'400,
                         .error = 1'500'000};
  recording.Allocate(big);
  recording.Allocate(small);
  small.weight = 3'000'000;
  recording.Allocate(small);
  recording.Snapshot({.time_us = 10, .objects = {big, small}});
  small.weight = 2'000'000;
  recording.Snapshot({.time_us = 20, .objects = {small}});
  test::WriteFile(path, recording.Build());
  return true;
}

bool MakeHostile(const std::string& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const std::vector<uint8_t> choices = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8)};
    std::ofstream file(folder + "/" + std::to_string(i) + ".jfr", std::ios::binary);
    const std::string bytes = test::HostileRecording(choices);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) return false;
  }
  return true;
}

bool Collapse(const std::string& input, const std::string& kind, const std::string& output) {
  const ScopedFd out(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  profile::SliceOptions chosen;
  chosen.event = kind;
  Result<profile::Slice> slice = ParseSlice(chosen);
  if (!slice) return false;
  ConvertOptions options;
  options.format.threads = ThreadFrames::kFirst;
  const auto report =
      test::ConvertTo(input, *AllFormats().Named("collapsed"), out.get(), options, slice.value());
  if (!report) std::fprintf(stderr, "%s\n", report.error().message().c_str());
  return report.ok();
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  bool made = false;
  if (arguments.size() == 2 && arguments[0] == "recordings") {
    made = MakeSmall(arguments[1] + "/small.jfr") && MakeMany(arguments[1] + "/many.jfr") &&
           MakeHeap(arguments[1] + "/heap.jfr") &&
           test::MakeRecording(arguments[1] + "/large.jfr",
                               {.samples = 20'000, .stacks = 2'000, .depth = 30, .threads = 9});
  } else if (arguments.size() == 3 && arguments[0] == "hostile") {
    made = MakeHostile(arguments[1], std::atoi(arguments[2].c_str()));
  } else if (arguments.size() == 4 && arguments[0] == "collapsed") {
    made = Collapse(arguments[1], arguments[2], arguments[3]);
  } else {
    std::fprintf(stderr, "usage: see formats_maker.cc\n");
    return 2;
  }
  return made ? 0 : 1;
}
