// HeapRecording builds a recording of allocations and live objects whose content a test knows.
// Times are in microseconds since the start of the recording. Build returns the recording as one
// chunk. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/chunk_builder.h"

namespace jprof::test {

struct HeapObject {
  std::string type = "a/Thing";                  // class; empty if unknown
  std::vector<std::string> stack = {"a/B.run"};  // outermost first
  std::string thread = "main";                   // empty if none
  int64_t size = 64, weight = 0, error = 0;      // bytes; `error` is the standard error of `weight`
  int64_t allocated_us = 0;
  int64_t age = 1;
};

struct HeapSnapshot {
  int64_t time_us = 0;
  int64_t collections = 1, old_collections = 1;
  std::vector<HeapObject> objects = {};
};

class HeapRecording {
 public:
  // Says whether companion events are written. Companion events are jprof's events for allocations
  // and live objects, which replace the events of the JDK. With kNone, the recording is like one of
  // async-profiler or of the JDK.
  enum class Companions : uint8_t { kBoth, kNone };

  // The fields of the companion events, for tests that change them.
  using Fields = std::vector<BuiltField>;
  static Fields AllocatedFields() {
    Fields fields = CommonFields();
    for (const char* name : {"objectSize", "weight", "standardError"}) {
      fields.push_back({name, kLongId});
    }
    return fields;
  }
  static Fields SurvivingFields() {
    Fields fields = AllocatedFields();
    fields.push_back({"allocationTime", kLongId, kPlain, kTimestampId, "TICKS"});
    fields.push_back({"age", kIntId});
    return fields;
  }

  explicit HeapRecording(Companions companions = Companions::kBoth,
                         Fields allocated = AllocatedFields(), Fields surviving = SurvivingFields())
      : has_companions_(companions == Companions::kBoth),
        allocated_fields_(std::move(allocated)),
        surviving_fields_(std::move(surviving)) {
    AddSampleTypes(chunk);
    Fields sample = CommonFields();
    sample.push_back({"weight", kLongId});
    chunk.Type(kSample, "jdk.ObjectAllocationSample", "jdk.jfr.Event", sample);
    Fields live = CommonFields();
    live.push_back({"allocationSize", kLongId});
    live.push_back({"allocationTime", kLongId, kPlain, kTimestampId, "TICKS"});
    chunk.Type(kLive, "profiler.LiveObject", "jdk.jfr.Event", live);
    if (!has_companions_) return;
    chunk.Type(kAllocated, "profiler.AllocatedObject", "jdk.jfr.Event", allocated_fields_);
    chunk.Type(kSurviving, "profiler.SurvivingObject", "jdk.jfr.Event", surviving_fields_);
    Fields snapshot = {{"startTime", kLongId, kPlain, kTimestampId, "TICKS"}};
    for (const char* name :
         {"collections", "oldCollections", "objects", "weight", "standardError", "thinning"}) {
      snapshot.push_back({name, kLongId});
    }
    snapshot.push_back({"forced", kBooleanId});
    chunk.Type(kSnapshot, "profiler.LiveSnapshot", "jdk.jfr.Event", snapshot);
  }

  void Allocate(const HeapObject& object) {
    Event(kSample, CommonFields(), object, object.allocated_us, {object.weight});
    if (has_companions_) {
      Event(kAllocated, allocated_fields_, object, object.allocated_us, {});
    }
  }

  void Snapshot(const HeapSnapshot& snapshot) {
    for (const HeapObject& object : snapshot.objects) {
      Event(kLive, CommonFields(), object, snapshot.time_us,
            {object.weight, Ticks(object.allocated_us)});
      if (has_companions_) Event(kSurviving, surviving_fields_, object, snapshot.time_us, {});
    }
    if (has_companions_) {
      chunk.Event(kSnapshot, [&](Bytes& out) {
        out.Long(static_cast<uint64_t>(Ticks(snapshot.time_us)));
        out.Long(static_cast<uint64_t>(snapshot.collections));
        out.Long(static_cast<uint64_t>(snapshot.old_collections));
        for (const uint64_t number :
             {uint64_t{snapshot.objects.size()}, uint64_t{0}, uint64_t{0}}) {
          out.Long(number);
        }
        out.Long(1);
        out.Byte(0);
      });
    }
  }

  // Adds two events with the number of bytes that the JVM has counted in a period, one for all
  // threads and one for a single thread. Call at most once per chunk.
  void Count(int64_t bytes) {
    chunk.Type(kCalibration, "profiler.AllocationCalibration", "jdk.jfr.Event",
               {{"startTime", kLongId, kPlain, kTimestampId, "TICKS"},
                {"group", kStringId},
                {"exact", kLongId}});
    for (const char* group : {"thread", "total"}) {
      chunk.Event(kCalibration, [&](Bytes& out) {
        out.Long(chunk.start_ticks);
        out.Utf8(group);
        out.Long(static_cast<uint64_t>(bytes));
      });
    }
  }

  // Sets the process of the recording. Call at most once.
  void Process(int64_t pid) {
    chunk.Type(kJvm, "jdk.JVMInformation", "jdk.jfr.Event",
               {{"startTime", kLongId, kPlain, kTimestampId, "TICKS"}, {"pid", kLongId}});
    chunk.Event(kJvm, [&](Bytes& out) {
      out.Long(chunk.start_ticks);
      out.Long(static_cast<uint64_t>(pid));
    });
  }

  std::string Build() const { return chunk.Build(); }

  ChunkBuilder chunk;  // further types and events have ids from 60 on

 private:
  enum : uint64_t { kSample = 50, kAllocated, kLive, kSurviving, kSnapshot, kJvm, kCalibration };

  static Fields CommonFields() {
    return {{"startTime", kLongId, kPlain, kTimestampId, "TICKS"},
            {"eventThread", 31, kInPool},
            {"stackTrace", 32, kInPool},
            {"objectClass", 35, kInPool}};
  }

  int64_t Ticks(int64_t micros) const { return static_cast<int64_t>(chunk.start_ticks) + micros; }

  // Adds an event. The name of each of the `fields` says which value the field gets. The values
  // `rest` follow.
  void Event(uint64_t type, const Fields& fields, const HeapObject& object, int64_t time_us,
             const std::vector<int64_t>& rest) {
    const std::map<std::string, int64_t> values = {
        {"startTime", Ticks(time_us)},
        {"eventThread", static_cast<int64_t>(Thread(object.thread))},
        {"stackTrace", static_cast<int64_t>(Stack(object.stack))},
        {"objectClass", object.type.empty() ? 0 : static_cast<int64_t>(Class(object.type))},
        {"objectSize", object.size},
        {"weight", object.weight},
        {"standardError", object.error},
        {"allocationTime", Ticks(object.allocated_us)},
        {"age", object.age}};
    chunk.Event(type, [&](Bytes& out) {
      for (const BuiltField& field : fields) {
        out.Long(static_cast<uint64_t>(values.at(field.name)));
      }
      for (const int64_t value : rest) out.Long(static_cast<uint64_t>(value));
    });
  }

  uint64_t Numbered(std::map<std::string, uint64_t>& numbers, uint64_t type,
                    const std::string& text, const Fill& fill) {
    const auto [entry, is_new] = numbers.emplace(text, numbers.size() + 1);
    if (is_new) chunk.Constant(type, entry->second, fill);
    return entry->second;
  }
  uint64_t Symbol(const std::string& text) {
    return Numbered(symbols_, 36, text, [&](Bytes& out) { out.Utf8(text); });
  }
  uint64_t Class(const std::string& name) {
    const uint64_t symbol = Symbol(name);
    return Numbered(classes_, 35, name, [&](Bytes& out) { out.Long(symbol); });
  }
  uint64_t Thread(const std::string& name) {
    if (name.empty()) return 0;
    const uint64_t id = threads_.size() + 1;
    return Numbered(threads_, 31, name, [&](Bytes& out) {
      out.Utf8(name);
      out.Long(id);
      out.Utf8(name);
      out.Long(id);
    });
  }
  // Returns the key of a method such as "a/B.run".
  uint64_t Method(const std::string& name) {
    const uint64_t owner = Class(name.substr(0, name.rfind('.')));
    const uint64_t symbol = Symbol(name.substr(name.rfind('.') + 1));
    const uint64_t descriptor = Symbol("()V");
    return Numbered(methods_, 34, name, [&](Bytes& out) {
      out.Long(owner);
      out.Long(symbol);
      out.Long(descriptor);
    });
  }
  uint64_t Stack(const std::vector<std::string>& frames) {
    Numbered(frame_types_, 37, "JIT compiled", [](Bytes& out) { out.Utf8("JIT compiled"); });
    std::vector<uint64_t> methods;
    std::string key;
    for (const std::string& frame : frames) {
      methods.insert(methods.begin(), Method(frame));
      key += frame + ";";
    }
    return Numbered(stacks_, 32, key, [&](Bytes& out) {
      out.Byte(0);
      out.Int(methods.size());
      for (const uint64_t method : methods) {
        out.Long(method);
        out.Int(1);
        out.Long(1);
      }
    });
  }

  const bool has_companions_;
  const Fields allocated_fields_, surviving_fields_;
  std::map<std::string, uint64_t> symbols_, classes_, threads_, methods_, stacks_, frame_types_;
};

}  // namespace jprof::test
