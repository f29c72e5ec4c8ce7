// Writes the pages that the browser test opens into a folder:
//
//   small.html, wall.html   flame graphs whose content the test knows
//   deep.html               one stack of 20 000 frames
//   large.html              100 000 distinct stacks
//   calls.html              slow calls
//   requests.html           slow requests
//   validation.html         results of a validation
//   heap.html               estimated bytes
//   scaled.html             the same bytes, scaled to the bytes that the JVM counted
//   heap_full.html          jprof's page of heap.html
//   full.html               jprof's page with lines, sources and events
//   lines.html              the page of full.html without sources
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/scoped_fd.h"
#include "conversion/all_formats.h"
#include "formats/convert_to.h"
#include "formats/small_recording.h"
#include "profile/heap_recording.h"
#include "profile/synthetic_recording.h"
#include "sources/source_finder.h"

namespace {

using namespace jprof;  // NOLINT(google-build-using-namespace): a program of one file

using test::kMillis;

// A recording in which frames and threads are given only by their names.
class SmallRecording : public test::SmallRecording {
 public:
  using test::SmallRecording::SmallRecording;

  void Cpu(int count, const std::string& thread, const std::vector<std::string>& frames,
           FrameType leaf = FrameType::kJitCompiled) {
    test::SmallRecording::Cpu(count, Named(thread), test::FramesOf(frames, leaf));
  }
  void Wall(uint32_t count, const std::string& thread, const std::vector<std::string>& frames,
            ThreadState state = ThreadState::kSleeping) {
    test::SmallRecording::Wall(count, Named(thread), state,
                               test::FramesOf(frames, FrameType::kNative));
  }

 private:
  static test::MadeThread Named(const std::string& name) {
    return {name == "main" ? 1 : name == "collector" ? 2 : 3, name};
  }
};

// Writes 50 wall samples of 20 ms and 100 CPU samples. Of the CPU samples, 90 have app.Main.run on
// their stacks: 60 are in app.Sort.sort, which calls itself in 20 of them, and 30 are in
// app.Map.get. The other 10 CPU samples are in app.Gc.mark in another thread.
bool MakeSmall(const std::string& path) {
  SmallRecording recording(path);
  recording.Begin();
  recording.Cpu(40, "main", {"app.Main.run", "app.Sort.sort"});
  recording.Cpu(20, "main", {"app.Main.run", "app.Sort.sort", "app.Sort.sort"});
  recording.Cpu(20, "main", {"app.Main.run", "app.Map.get"});
  recording.Cpu(10, "main", {"app.Main.run", "app.Map.get"}, FrameType::kInterpreted);
  recording.Cpu(10, "collector", {"app.Gc.mark"}, FrameType::kC1Compiled);
  recording.Wall(50, "main", {"app.Main.run", "app.Lock.wait</script>"});
  return recording.Seal();
}

// Writes a recording that was requested with wall first and cpu second, but has no CPU samples. It
// has three threads for 2 s. Two of them sleep all the time, in one sample each. The activity of
// the third is unknown.
bool MakeWall(const std::string& path) {
  SmallRecording recording(path);
  recording.Set(JfrType::kWallClockSample, "request", "1");
  recording.Set(JfrType::kExecutionSample, "request", "2");
  recording.Begin();
  recording.Wait(2000 * kMillis);
  recording.Wall(100, "main", {"app.Main.run", "app.Lock.await"});
  recording.Wall(100, "collector", {"app.Gc.run", "app.Lock.await"});
  recording.Wall(100, "third", {"jprof.[lost: no signal reached the thread]"});
  return recording.Seal();
}

constexpr char kHarm[] = "</script><img src=x onerror='window.harmed = 1'>";

// Writes the CPU samples of MakeSmall with lines. The frames of Main are in lines 12 and 14, the
// frames of Sort in line 30 (60 samples), and the frames of Map in lines 50 (20 samples) and 51 (10
// samples). Also writes 60 wall samples (30 sleeping, 20 parked, 10 runnable), 30 properties, 3
// garbage collections of 10, 30 and 20 ms, and texts that would run as a script if the page did not
// escape them.
bool MakeFull(const std::string& path) {
  SmallRecording recording(path);
  recording.Begin();
  recording.Cpu(40, "main", {"app.Main.run:12", "app.Sort.sort:30"});
  recording.Cpu(20, "main", {"app.Main.run:12", "app.Sort.sort:30", "app.Sort.sort:30"});
  recording.Cpu(20, "main", {"app.Main.run:14", "app.Map.get:50"});
  recording.Cpu(10, "main", {"app.Main.run:14", "app.Map.get:51"}, FrameType::kInterpreted);
  recording.Cpu(10, "collector", {"app.Gc.mark:7"}, FrameType::kC1Compiled);
  recording.Wall(30, "main", {"app.Main.run:20", "app.Lock.await:5"});
  recording.Wall(20, "collector", {"app.Gc.run:8", "app.Lock.await:6"}, ThreadState::kParked);
  recording.Wall(10, "third", {"app.Main.run:12", std::string("app.Evil.") + kHarm + ":3"},
                 ThreadState::kRunnable);
  for (int i = 0; i < 30; ++i) {
    InitialSystemProperty property{};
    property.time_ns = recording.now_ns();
    const std::string key = "key." + std::to_string(i);
    property.key = key;
    property.value = kHarm;
    recording.Add(property);
  }
  for (const int millis : {10, 30, 20}) {
    GarbageCollection collection{};
    collection.time_ns = recording.now_ns();
    collection.duration_ns = millis * kMillis;
    recording.Add(collection);
  }
  return recording.Seal();
}

// Writes two calls to app.Shop.order in main: one of 300 ms in app.Disk.await, and one of 100 ms in
// app.Index.build that ends with an exception. 40 CPU samples belong to other calls.
bool MakeCalls(const std::string& path) {
  SmallRecording recording(path);
  recording.Begin();
  recording.Cpu(40, "main", {"app.Main.run", "app.Shop.order", "app.Index.build"});
  recording.Wait(1000 * kMillis);
  recording.Wall(50, "main", {"app.Main.run", "app.Shop.order", "app.Disk.await"});
  recording.Cpu(10, "collector", {"app.Gc.mark"});
  recording.Trace({200 * kMillis, 100 * kMillis, {1, "main"}, "app.Shop.order", true});
  recording.Trace({800 * kMillis, 300 * kMillis, {1, "main"}, "app.Shop.order"});
  return recording.Seal();
}

// Writes a request of 300 ms in two threads, a request of 50 ms, and 40 CPU samples without a
// request.
bool MakeRequests(const std::string& path) {
  SmallRecording recording(path, SmallRecording::kWithSpans);
  recording.Begin();
  recording.Cpu(40, "main", {"app.Main.run", "app.Idle.poll"});
  recording.WorkFor(1, 1);
  recording.Cpu(10, "main", {"app.Main.run", "app.Shop.order"});
  recording.WorkFor(2, 1);
  recording.Cpu(21, "worker", {"app.Worker.run", "app.Index.build"});
  recording.WorkFor(3, 3);
  recording.Cpu(6, "main", {"app.Main.run", "app.Shop.list"});
  return recording.Seal();
}

// Writes allocations: 3 MB +- 0.3 MB of long[] in the thread "main", and 1 MB +- 0.4 MB of app.Node
// in the thread "worker". In the last snapshot, 0.5 MB +- 0.1 MB of app.Node are live; an earlier
// snapshot has more. `counted` is the number of bytes that the JVM counted; 0 if unknown.
bool MakeHeap(const std::string& path, int64_t counted) {
  constexpr int64_t kMb = 1 << 20;
  test::HeapRecording recording;
  recording.Allocate({.type = "[J",
                      .stack = {"app/Main.run", "app/Sums.make"},
                      .weight = 3 * kMb,
                      .error = 3 * kMb / 10});
  test::HeapObject node{.type = "app/Node",
                        .stack = {"app/Main.run", "app/Cache.put"},
                        .thread = "worker",
                        .weight = kMb,
                        .error = 4 * kMb / 10};
  recording.Allocate(node);
  recording.Snapshot({.time_us = 1'000'000, .objects = {node, node}});
  node.weight = kMb / 2;
  node.error = kMb / 10;
  recording.Snapshot({.time_us = 2'000'000, .objects = {node}});
  if (counted != 0) recording.Count(counted);
  test::WriteFile(path, recording.Build());
  return true;
}

// Writes 20 CPU samples, and the results of a validation: 997 equal stacks, 2 that lack a frame and 1
// with a wrong method, with examples whose texts would run as a script if the page did not escape
// them.
bool MakeValidation(const std::string& path) {
  SmallRecording recording(path);
  recording.Begin();
  recording.Cpu(20, "main", {"app.Main.run", "app.Sort.sort"});
  const auto add = [&](const char* verdict, const char* cause, uint64_t stacks, bool is_wrong) {
    StackValidation count{};
    count.layer = "signal";
    count.walker = "jprof";
    count.tier = "C2";
    count.verdict = verdict;
    count.cause = cause;
    count.is_wrong = is_wrong;
    count.is_judged = true;
    count.stacks = stacks;
    recording.Add(count);
    if (!is_wrong) return;
    const std::string truth = std::string("app.Main.run()V @ 3\n") + cause + '\n' + kHarm + '\n';
    StackDifference example{};
    example.layer = count.layer;
    example.walker = count.walker;
    example.tier = count.tier;
    example.verdict = verdict;
    example.cause = cause;
    example.true_stack = truth;
    example.walked_stack = "app.Main.run()V @ 4\n";
    recording.Add(example);
  };
  add("equal", "", 997, false);
  add("missing", "app.Sort.sort()V", 2, true);
  add("wrong method", "itable stub", 1, true);
  return recording.Seal();
}

// Writes source files of 60 lines for the classes of MakeFull into `folder`.
bool MakeSources(const std::string& folder) {
  mkdir(folder.c_str(), 0755);
  mkdir((folder + "/app").c_str(), 0755);
  bool made = true;
  for (const char* name : {"Main", "Sort", "Map", "Gc", "Lock"}) {
    std::ofstream file(folder + "/app/" + name + ".java");
    for (int line = 1; line <= 60; ++line) file << "  " << kHarm << " // line " << line << "\n";
    made = made && file.good();
  }
  return made;
}

FindSource SourcesIn(const std::string& folder) {
  return [folder](std::string_view class_name, std::string_view file_name) -> Result<SourceText> {
    SourceFinder finder;
    const Status added = finder.Add(folder);
    if (!added) return added.error();
    return finder.Find(class_name, file_name);
  };
}

bool MakeFullPage(const std::string& recording, const std::string& page,
                  const FormatOptions& format = {}) {
  const ScopedFd file(open(page.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  ConvertOptions options;
  options.format = format;
  options.lines = profile::LineNumbers::kKeep;
  const auto report = test::ConvertTo(recording, *AllFormats().Named("html"), file.get(), options);
  if (!report) std::fprintf(stderr, "%s\n", report.error().message().c_str());
  return report.ok();
}

bool MakePage(const std::string& base) { return MakeFullPage(base + ".jfr", base + ".html"); }

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_pages FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(arguments[1]) + "/";
  const std::string sources = folder + "sources\"><b>";
  const bool made =
      MakeSmall(folder + "small.jfr") && MakePage(folder + "small") &&
      MakeCalls(folder + "calls.jfr") &&
      MakeFullPage(folder + "calls.jfr", folder + "calls.html") &&
      MakeRequests(folder + "requests.jfr") &&
      MakeFullPage(folder + "requests.jfr", folder + "requests.html") &&
      MakeValidation(folder + "validation.jfr") && MakePage(folder + "validation") &&
      MakeWall(folder + "wall.jfr") && MakePage(folder + "wall") &&
      MakeHeap(folder + "heap.jfr", 0) && MakeHeap(folder + "scaled.jfr", 4 << 20) &&
      MakePage(folder + "scaled") && MakePage(folder + "heap") &&
      MakeFullPage(folder + "heap.jfr", folder + "heap_full.html") &&
      test::MakeRecording(folder + "deep.jfr", {.samples = 10, .stacks = 1, .depth = 20'000}) &&
      MakePage(folder + "deep") &&
      test::MakeRecording(folder + "large.jfr",
                          {.samples = 200'000, .stacks = 100'000, .depth = 50}) &&
      MakePage(folder + "large") && MakeFull(folder + "full.jfr") && MakeSources(sources) &&
      MakeFullPage(folder + "full.jfr", folder + "full.html",
                   {.find_source = SourcesIn(sources), .editor = "idea"}) &&
      MakeFullPage(folder + "full.jfr", folder + "lines.html");
  return made ? 0 : 1;
}
