// Tests the views of allocations and live objects, and their standard errors, on recordings whose
// content is known.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/scoped_fd.h"
#include "conversion/all_formats.h"
#include "formats/convert_to.h"
#include "profile/heap_recording.h"
#include "profile/hostile_recording.h"
#include "support/temp_folder.h"
#include "views/json_rows.h"
#include "views/view_table.h"

namespace jprof {
namespace {

using test::HeapObject;
using test::HeapRecording;
using test::JsonRow;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class HeapViewsTest : public ::testing::Test {
 protected:
  void Record(const std::string& bytes) { test::WriteFile(path_, bytes); }

  std::string Written(const FormatRow& format, const ConvertOptions& options) {
    const ScopedFd fd(memfd_create("view", MFD_CLOEXEC));
    const auto report = test::ConvertTo(path_, format, fd.get(), options);
    EXPECT_TRUE(report.ok()) << report.error().message();
    std::string text(static_cast<size_t>(lseek(fd.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }
  std::string View(const std::string& name, const std::string& event = "") {
    return Written(*FindView(name), {.event = event});
  }
  std::string Json(const std::string& name, const std::string& event = "") {
    ConvertOptions options{.event = event};
    options.format.table.is_json = true;
    return Written(*FindView(name), options);
  }
  std::string Format(const std::string& name, const std::string& event) {
    ConvertOptions options{.event = event};
    options.format.total = profile::Weigh::kValue;
    return Written(*AllFormats().Named(name), options);
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
};

struct Truth {
  double value = 0, variance = 0;

  void Add(const HeapObject& object) {
    value += static_cast<double>(object.weight);
    variance += std::pow(static_cast<double>(object.error), 2);
  }
};

void ExpectEstimate(const JsonRow& row, const std::string& name, const Truth& truth) {
  EXPECT_EQ(std::stod(row.at(name)), truth.value);
  EXPECT_NEAR(std::stod(row.at(name + "Error")), std::sqrt(truth.variance),
              1e-6 * std::sqrt(truth.variance));
}

// Returns objects of several threads, classes and stacks. Some stacks are recursive.
std::vector<HeapObject> Objects(size_t count) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): all runs are equal
  const std::vector<std::vector<std::string>> stacks = {
      {"a/Main.run", "a/Shop.order", "a/Index.add"},
      {"a/Main.run", "a/Shop.order", "a/Shop.order", "a/Index.add"},
      {"a/Main.run", "a/Cache.put"},
      {"a/Cache.put", "a/Main.run"}};
  std::vector<HeapObject> objects(count);
  for (HeapObject& object : objects) {
    object.type = random() % 2 == 0 ? "a/Big" : "a/Small";
    object.stack = stacks[random() % stacks.size()];
    object.thread = "worker-" + std::to_string(random() % 3);
    object.weight = static_cast<int64_t>(random() % 5'000'000'000);
    object.error = static_cast<int64_t>(random() % 3'000'000'000);
    object.allocated_us = static_cast<int64_t>(random() % 1'000'000);
  }
  return objects;
}

// Returns "a.B.run" for "a/B.run".
std::string Dotted(std::string name) {
  std::ranges::replace(name, '/', '.');
  return name;
}

TEST_F(HeapViewsTest, ErrorsAddUpInQuadratureInEveryGrouping) {
  const std::vector<HeapObject> objects = Objects(2000);
  std::map<std::string, Truth> self, total, threads, paths;
  HeapRecording recording;
  for (const HeapObject& object : objects) {
    recording.Allocate(object);
    self[Dotted(object.type)].Add(object);
    std::set<std::string> on_stack = {Dotted(object.type)};
    std::string path;
    std::vector<std::string> frames = object.stack;
    frames.push_back(object.type);
    for (const std::string& frame : frames) {
      on_stack.insert(Dotted(frame));
      paths[path += Dotted(frame) + ";"].Add(object);
    }
    for (const std::string& frame : on_stack) total[frame].Add(object);
    threads[object.thread].Add(object);
  }
  Record(recording.Build());
  for (const char* view : {"hot", "methods"}) {
    const std::vector<JsonRow> rows = test::JsonRows(Json(view));
    EXPECT_THAT(rows, SizeIs(view == std::string("hot") ? self.size() : total.size()));
    for (const JsonRow& row : rows) {
      ExpectEstimate(row, "self", self[row.at("method")]);
      ExpectEstimate(row, "total", total.at(row.at("method")));
    }
  }
  const std::vector<JsonRow> by_thread = test::JsonRows(Json("threads"));
  EXPECT_THAT(by_thread, SizeIs(threads.size()));
  for (const JsonRow& row : by_thread) {
    ExpectEstimate(row, "alloc", threads.at(row.at("thread")));
  }
  const std::vector<JsonRow> tree = test::JsonRows(Json("tree"));
  EXPECT_THAT(tree, SizeIs(paths.size()));
  std::vector<std::string> path;
  for (const JsonRow& row : tree) {
    path.resize(static_cast<size_t>(std::stoi(row.at("depth"))) - 1);
    path.push_back(row.at("frame"));
    std::string text;
    for (const std::string& frame : path) text += frame + ";";
    ExpectEstimate(row, "total", paths.at(text));
  }
}

TEST_F(HeapViewsTest, ShowsErrorsAsSharesNextToTheNumber) {
  HeapRecording recording;
  recording.Allocate({.weight = 3 << 20, .error = 300 << 10});
  recording.Allocate({.weight = 1 << 20, .error = 400 << 10});
  Record(recording.Build());
  EXPECT_THAT(View("hot"), AllOf(HasSubstr("alloc: 2 samples, 4.00 MB ± 12 %\n"),
                                 HasSubstr("100.00 %  4.00 MB  ± 12 %  a.Thing\n")));
  EXPECT_THAT(View("threads"), HasSubstr("100.00 %  4.00 MB  ± 12 %    1  main\n"));
  EXPECT_THAT(View("states"), HasSubstr("4.00 MB  ± 12 %  not recorded\n"));
  EXPECT_THAT(Format("flat", "alloc"), HasSubstr("4194304    ± 12 %  100.0%  a.Thing\n"));
  EXPECT_THAT(Format("tree", "alloc"), HasSubstr("4194304    ± 12 %  a.Thing\n"));
  EXPECT_THAT(Format("collapsed", "alloc"), ::testing::StrEq("a.B.run_[j];a.Thing 4194304\n"));
}

TEST_F(HeapViewsTest, SamplesWithoutAThreadHaveARowWithoutId) {
  HeapRecording recording;
  recording.Allocate({.weight = 3 << 20});
  recording.Allocate({.thread = "", .weight = 1 << 20});
  Record(recording.Build());
  EXPECT_THAT(View("threads"), ContainsRegex("1.00 MB .* 0 % +\\[unknown thread\\]\n"));
}

// The two parts are 3 MB +- 0.3 MB and 1 MB +- 0.4 MB. Their sum is exact. So if one part is too
// large, the other part is too small by the same amount.
TEST_F(HeapViewsTest, ASumScaledToTheJvmsCountIsExact) {
  HeapRecording recording;
  recording.Allocate({.type = "a/Large", .weight = 3 << 20, .error = 300 << 10});
  recording.Allocate(
      {.type = "a/Small", .thread = "worker", .weight = 1 << 20, .error = 400 << 10});
  recording.Count(4 << 20);
  Record(recording.Build());
  const auto both = AllOf(ContainsRegex("3.00 MB +± 9.8 %"), ContainsRegex("1.00 MB +± 30 %"));
  EXPECT_THAT(View("hot"), AllOf(HasSubstr("alloc: 2 samples, 4.00 MB ± 0 %\n"), both));
  EXPECT_THAT(View("threads"), both);
  EXPECT_THAT(View("states"), ContainsRegex("4.00 MB +± 0 %"));
  EXPECT_THAT(View("tree"), AllOf(ContainsRegex("4.00 MB +± 0 %"), both));
  EXPECT_THAT(Format("tree", "alloc"), AllOf(HasSubstr("± 0 %"), HasSubstr("± 30 %")));
  EXPECT_THAT(Format("flat", "alloc"), AllOf(HasSubstr("± 0 %"), HasSubstr("± 30 %")));
  EXPECT_THAT(Format("html", "alloc"), HasSubstr("\"error\":0"));
}

TEST_F(HeapViewsTest, OmitsErrorsThatAreUnknown) {
  HeapRecording recording(HeapRecording::Companions::kNone);
  recording.Allocate({.weight = 1000, .error = 100});
  recording.Snapshot({.time_us = 10, .objects = {{.weight = 500}}});
  Record(recording.Build());
  for (const char* view : {"hot", "methods", "tree", "threads", "states"}) {
    EXPECT_THAT(Json(view), AllOf(Not(HasSubstr("Error")), Not(IsEmpty()))) << view;
    EXPECT_THAT(View(view), Not(HasSubstr("±"))) << view;
  }
  for (const char* format : {"flat", "tree"}) {
    EXPECT_THAT(Format(format, "alloc"), AllOf(Not(HasSubstr("±")), Not(HasSubstr("error"))));
  }
  EXPECT_THAT(Format("html", "alloc"), Not(HasSubstr("\"errors\"")));
}

TEST_F(HeapViewsTest, OnlyKindsWithErrorsShowErrors) {
  HeapRecording recording;
  test::AddSampleConstants(recording.chunk);
  test::AddSample(recording.chunk, 2000);
  recording.Allocate({.weight = 1000, .error = 100});
  Record(recording.Build());
  for (const JsonRow& row : test::JsonRows(Json("states"))) {
    EXPECT_EQ(row.at("totalError"), row.at("event") == "alloc" ? "100" : "null");
  }
  EXPECT_THAT(Json("threads"), AllOf(HasSubstr("allocError"), Not(HasSubstr("cpuError"))));
}

TEST_F(HeapViewsTest, LostAllocationsAreInBytes) {
  HeapRecording recording;
  recording.Allocate({.weight = 1 << 20, .error = 100});
  recording.Allocate(
      {.type = "", .stack = {"jprof.[lost: sample buffers full]"}, .size = 0, .weight = 3 << 20});
  Record(recording.Build());
  const std::vector<JsonRow> rows = test::JsonRows(Json("losses"));
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(std::stod(rows[0].at("lost")), 3 << 20);
  EXPECT_EQ(std::stod(rows[0].at("share")), 0.75) << "one event stands for many samples";
  EXPECT_EQ(rows[0].at("reason"), "sample buffers full");
  EXPECT_THAT(View("losses"), HasSubstr("3.00 MB"));
}

// ---- leaks

constexpr int64_t kMinute = 60'000'000;  // microseconds

// Returns a recording with one snapshot per minute. Each snapshot has 100 objects of a/Leak more
// than the previous one, and the same objects of a/Steady. The objects of a/Churn are new in each
// snapshot, and their number is always the same.
std::string Leaking(int minutes, const HeapRecording::Fields& surviving,
                    int64_t old_collections_a_minute = 1) {
  HeapRecording recording(HeapRecording::Companions::kBoth, HeapRecording::AllocatedFields(),
                          surviving);
  std::vector<HeapObject> kept;
  for (int i = 0; i < 50; ++i) {
    kept.push_back({.type = "a/Steady", .weight = 500'000, .error = 400'000, .allocated_us = i});
  }
  for (int minute = 1; minute <= minutes; ++minute) {
    for (HeapObject& object : kept) ++object.age;
    for (int i = 0; i < 100; ++i) {
      kept.push_back({.type = "a/Leak",
                      .stack = {"a/Main.run", "a/Cache.put", "java/util/HashMap.newNode"},
                      .weight = 500'000,
                      .error = 400'000,
                      .allocated_us = minute * kMinute - 100 + i});
    }
    std::vector<HeapObject> objects = kept;
    for (int i = 0; i < 100; ++i) {
      objects.push_back({.type = "a/Churn",
                         .weight = 500'000,
                         .error = 400'000,
                         .allocated_us = minute * kMinute - 100 + i});
    }
    recording.Snapshot({.time_us = minute * kMinute,
                        .collections = 10 * minute,
                        .old_collections = old_collections_a_minute * minute,
                        .objects = objects});
  }
  return recording.Build();
}

TEST_F(HeapViewsTest, LeaksGrowBeyondTheirErrorWithSitesAndAges) {
  Record(Leaking(10, HeapRecording::SurvivingFields()));
  std::map<std::string, JsonRow> classes, sites;
  for (const JsonRow& row : test::JsonRows(Json("leaks"))) {
    (row.at("site").empty() ? classes : sites)[row.at("class")] = row;
  }
  EXPECT_THAT(classes, SizeIs(3));
  EXPECT_THAT(sites, SizeIs(3));
  for (const auto& rows : {classes, sites}) {
    const JsonRow& leak = rows.at("a.Leak");
    EXPECT_EQ(leak.at("growing"), "true");
    EXPECT_NEAR(std::stod(leak.at("growthPerMinute")), 50e6, 1);
    EXPECT_EQ(std::stod(leak.at("live")), 500e6);
    EXPECT_NEAR(std::stod(leak.at("liveError")), 400'000 * std::sqrt(1000), 1);
    // a/Leak has objects of ten minutes. The oldest have survived ten collections.
    EXPECT_NEAR(std::stod(leak.at("age1")), 0.1, 1e-9);
    EXPECT_NEAR(std::stod(leak.at("age2")), 0.2, 1e-9);
    EXPECT_NEAR(std::stod(leak.at("age4")), 0.4, 1e-9);
    EXPECT_NEAR(std::stod(leak.at("age8")), 0.3, 1e-9);
    EXPECT_EQ(rows.at("a.Steady").at("growing"), "false");
    EXPECT_EQ(rows.at("a.Steady").at("growthPerMinute"), "0");
    EXPECT_EQ(rows.at("a.Steady").at("growthError"), "0") << "the same objects in every snapshot";
    EXPECT_EQ(rows.at("a.Churn").at("growing"), "false");
    EXPECT_NEAR(std::stod(rows.at("a.Churn").at("growthPerMinute")), 0, 1);
    EXPECT_GT(std::stod(rows.at("a.Churn").at("growthError")), 100'000) << "others each time";
  }
  EXPECT_EQ(sites.at("a.Leak").at("site"), "a.Cache.put") << "and not a method of the JDK";
  EXPECT_THAT(View("leaks"), HasSubstr("1 of 3 classes grow by more than 4 standard errors, judged "
                                       "by 10 of 10 snapshots, in 540.00 s\n"));
}

TEST_F(HeapViewsTest, EverySiteHasARowHoweverManyThereAre) {
  constexpr int kSites = 20'000;  // a bounded view would sum the rest in one row
  HeapRecording recording;
  for (int i = 1; i < 5; ++i) recording.Snapshot({.time_us = i * kMinute, .old_collections = i});
  std::vector<HeapObject> objects;
  for (int i = 0; i < kSites; ++i) {
    objects.push_back({.stack = {"a/B.put" + std::to_string(i)}, .weight = 1, .allocated_us = i});
  }
  const std::vector<std::string> other_stack = {"a/Main.run", "a/B.put0"};
  objects.push_back({.stack = other_stack, .weight = 2, .allocated_us = kSites});
  recording.Snapshot({.time_us = 5 * kMinute, .old_collections = 5, .objects = objects});
  Record(recording.Build());
  std::map<std::string, std::string> live;  // live bytes by site
  for (const JsonRow& row : test::JsonRows(Json("leaks"))) live[row.at("site")] = row.at("live");
  EXPECT_THAT(live, SizeIs(kSites + 1));
  EXPECT_EQ(live["a.B.put0"], "3");
}

TEST_F(HeapViewsTest, ReportsTooFewSnapshotsAfterCollections) {
  Record(Leaking(10, HeapRecording::SurvivingFields(), 0));
  EXPECT_THAT(View("leaks"), HasSubstr("has 0 of them"));
  Record(Leaking(3, HeapRecording::SurvivingFields()));
  EXPECT_THAT(View("leaks"), HasSubstr("has 3 of them"));
  HeapRecording others(HeapRecording::Companions::kNone);
  others.Snapshot({.time_us = 10, .objects = {{.weight = 500}}});
  Record(others.Build());
  EXPECT_THAT(View("leaks"), HasSubstr("no snapshots of live objects"));
  EXPECT_THAT(Json("leaks"), HasSubstr("\"rows\":[]"));
  HeapRecording nothing;
  for (int i = 1; i < 6; ++i) nothing.Snapshot({.time_us = i * kMinute, .old_collections = i});
  Record(nothing.Build());
  EXPECT_THAT(View("leaks"), HasSubstr("No sampled object was alive."));
}

TEST_F(HeapViewsTest, NothingIsGrowingIfErrorsAreUnknown) {
  for (const char* missing : {"standardError", "allocationTime"}) {
    HeapRecording::Fields fields = HeapRecording::SurvivingFields();
    std::erase_if(fields, [missing](const auto& field) { return field.name == missing; });
    Record(Leaking(10, fields));
    for (const JsonRow& row : test::JsonRows(Json("leaks"))) {
      EXPECT_EQ(row.at("growing"), "false") << missing;
      EXPECT_EQ(row.at("growthError"), "null") << missing;
      if (row.at("class") == "a.Leak") {
        EXPECT_NEAR(std::stod(row.at("growthPerMinute")), 50e6, 1) << missing;
      }
    }
  }
}

TEST_F(HeapViewsTest, HostileRecordingsGiveATableOrAnErrorOfOneLine) {
  for (int i = 0; i < 100; ++i) {
    const uint8_t choices[] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8)};
    Record(test::HostileRecording(choices));
    for (const char* view : {"hot", "methods", "tree", "threads", "states", "leaks"}) {
      ConvertOptions options;
      options.format.table.is_json = i % 2 == 0;
      options.format.table.sort = view == std::string("leaks") ? "growthError" : "";
      const ScopedFd fd(memfd_create("view", MFD_CLOEXEC));
      const auto report = test::ConvertTo(path_, *FindView(view), fd.get(), options);
      const std::string line = report.ok() ? "" : report.error().message();
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace jprof
