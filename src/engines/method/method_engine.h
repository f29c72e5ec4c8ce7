// MethodEngine counts and times calls to methods by probes in the methods' code, and samples each
// slow call. HeldCalls holds the slow calls that are not written yet.
//
// Unlike the other engines, it reports exact numbers: every call is counted, every slow call has a
// sample, and the counts are written at the end of each chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chunks/chunk_participant.h"
#include "engines/engine.h"
#include "engines/method/call_report.h"
#include "engines/method/method_sampling.h"
#include "engines/method/probe_class.h"
#include "engines/method/probe_installer.h"
#include "engines/method/traced_methods.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {

// HeldCalls holds slow calls until they are written to the recording. If calls to one method are
// nested, as in a recursion, the outermost call, the longest calls in it, and the innermost call
// are written. The event of the outermost call has the number of the calls that are not written.
//
// Nested calls end from the innermost outwards. A call is therefore held until a call around it, to
// the same method on the same thread, is no longer expected. This is so at the end of the chunk, or
// once kMostOpen later calls to the method have ended, none of which is around it.
//
// Used on the recorder's thread.
class HeldCalls {
 public:
  // At most this many of the calls inside an outermost call are written, plus the innermost one.
  static constexpr size_t kMostInside = 16;
  // The maximum number of outermost calls to one method that are held for one thread.
  static constexpr size_t kMostOpen = 16;
  // The maximum number of calls that are held from one drain to the next. They take some 2 MB.
  static constexpr size_t kMostHeld = 16'384;

  // Holds a slow call. REQUIRES: `resolved` is no loss and has the keys of the open chunk.
  void Hold(const ResolvedSample& resolved);

  // Called after a drain. Writes the calls that need not be held longer; at the end of a chunk,
  // writes all calls.
  void Write(OpenChunk& open);

  // Drops all calls, because no chunk can be written. Returns the number of events that are not
  // written.
  uint64_t Forget();

 private:
  struct Call {
    MethodTrace event;  // event without the key of the method
    uint32_t number;    // number of the method
    CallTraceId trace;  // `trace` and `context` are passed to ContextFields::ValuesOf
    uint32_t context;

    Nanos end_ns() const { return event.time_ns + event.duration_ns; }
    // True if this call is around `other`. REQUIRES: both are of the same thread and method.
    bool IsAround(const Call& other) const {
      return event.time_ns <= other.event.time_ns && other.end_ns() <= end_ns();
    }
  };

  // A call, and the calls inside it.
  struct Outermost {
    Call call;
    std::vector<Call> inside = {};       // longest calls, the longest first
    std::optional<Call> innermost = {};  // the call that ended first, of those not in `inside`
    uint64_t counted = 0;                // number of the other calls, which are not written

    size_t written() const { return 1 + inside.size() + (innermost ? 1 : 0); }
    void Add(const Outermost& inner);

   private:
    void Add(const Call& inner);
    void AddOther(const Call& inner);
  };

  using Key = std::pair<uint32_t, uint32_t>;  // key of the thread in the chunk, method's number

  void EndAll();

  std::map<Key, std::deque<Outermost>> open_;  // each deque ordered by time
  std::vector<Outermost> ended_;               // calls that are written after the drain
  size_t held_ = 0;                            // number of events that open_ and ended_ would write
};

class MethodEngine final : public Engine, private ProbeUser {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  MethodEngine(const EngineContext& context, EngineRequest request,
               std::vector<MethodPattern> patterns);

  ~MethodEngine() override { Stop(); }

  Status Install() override;
  bool Stop() override;
  std::string Description() const override;
  std::vector<std::string> TakeNotes() override;
  std::optional<Result<CommandAnswer>> CarryOut(Command command, JNIEnv* jni) override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk& chunk) override;
  std::optional<SampleKind> HeldKind() const override { return SampleKind::kMethod; }
  bool HoldBack(const ResolvedSample& resolved) override;
  void AfterSamples(OpenChunk& open) override { held_.Write(open); }
  void BeforeLastDrain(JNIEnv* jni) override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;
  uint64_t Forget() override { return held_.Forget(); }

 private:
  instrument::ProbeTarget ProbedBy(bool is_counted) const override;
  std::optional<uint32_t> NumberFor(JNIEnv* jni, TracedMethod method) override;
  void SetProbed(uint32_t number, bool is_probed) override;

  Status Begin(JNIEnv* jni);
  void ReadCounts(JNIEnv* jni);

  const EngineContext context_;
  const EngineRequest request_;
  const std::string text_;  // text of the patterns
  ProbeInstaller installer_;
  const ProbeClass* target_ = nullptr;  // set by Begin
  HeldCalls held_;                      // used on the recorder's thread
  std::mutex mutex_;                    // guards all below
  const ProbeClass* probes_ = nullptr;  // nullptr while no calls are counted
  std::vector<CountedMethod> rows_;     // counts of the last reading
  uint64_t uncounted_ = 0;
  bool is_summary_due_ = false;
};

}  // namespace jprof
