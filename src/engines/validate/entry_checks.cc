#include "engines/validate/entry_checks.h"

#include <jvmti.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "audit/method_tokens.h"
#include "audit/stack_difference.h"
#include "engines/method/boot_class.h"
#include "engines/validate/validation.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/walk_environment.h"
#include "sigsafe/threads/thread_slots.h"
#include "sigsafe/validation/agct_calls.h"

namespace jprof {

namespace {

// The frames of check and of the entry probe.
constexpr jint kOwnFrames = 2;
constexpr jint kMostFrames = 2048;
// The number of calls until the next check of a method that JVMTI does not report.
constexpr int32_t kSoon = 16;

std::vector<jvmtiFrameInfo> StackOfJvmti(jvmtiEnv* jvmti) {
  std::vector<jvmtiFrameInfo> frames(kMostFrames);
  jint count = 0;
  if (jvmti->GetStackTrace(nullptr, kOwnFrames, kMostFrames, frames.data(), &count) !=
      JVMTI_ERROR_NONE) {
    count = 0;
  }
  frames.resize(static_cast<size_t>(count));
  return frames;
}

// The stack of our walker, from the frame of the probed method on.
struct WalkedHere {
  std::vector<Frame> frames;
  std::vector<uint64_t> tokens;  // MethodTokens::OfWalked of each frame
  bool is_virtual = false;       // the stack is that of a virtual thread
  bool is_complete = false;      // false if the walk was not possible, or frames are missing
};

WalkedHere WalkHere(JNIEnv* jni) {
  WalkedHere here;
  ThreadSlots* const slots = GetThreadSlots();
  ThreadSlot* const slot = slots == nullptr ? nullptr : slots->FindForCurrentThread();
  const WalkScope scope;
  if (slot == nullptr || !scope || !scope.environment().walks_vm_frames()) return here;
  const StackBounds bounds{slot->stack_low.load(std::memory_order_relaxed),
                           slot->stack_high.load(std::memory_order_relaxed)};
  const Stack stack =
      WalkFromAnchor(scope.environment(), {jni, bounds, WalkUntil::kMount}, scope.buffer());
  if (stack.methods == nullptr) return here;
  int own = 0;
  here.is_complete = !stack.truncated;
  here.is_virtual = scope.environment().vm->finds_mounts() && !stack.reaches_entry;
  for (uint32_t i = 0; i < stack.count; ++i) {
    here.is_complete &= stack.frames[i].kind != FrameKind::kOutcome;
    if (!IsJava(stack.frames[i]) || own++ < kOwnFrames) continue;
    here.frames.push_back(stack.frames[i]);
    here.tokens.push_back(MethodTokens::OfProcess().OfWalked(*scope.environment().vm,
                                                             stack.frames[i].id, stack.methods[i]));
  }
  return here;
}

// Returns the role of the method with these names (audit/method_tokens.h).
MountRole RoleOf(std::string_view names) {
  constexpr std::string_view kRunning = "java/lang/VirtualThread.runContinuation()V";
  constexpr std::string_view kEntering = "jdk/internal/vm/Continuation.enter(";
  constexpr std::string_view kBetween[] = {
      "java/lang/VirtualThread.runContinuation(", "java/lang/VirtualThread.mount(",
      "java/lang/VirtualThread.unmount(", "java/lang/VirtualThread.yieldContinuation(",
      "jdk/internal/vm/Continuation.yield"};
  if (names == kRunning) return MountRole::kRuns;
  if (names.starts_with(kEntering)) return MountRole::kEnters;
  const bool is_between = std::ranges::any_of(
      kBetween, [&](std::string_view beginning) { return names.starts_with(beginning); });
  return is_between ? MountRole::kBetween : MountRole::kNone;
}

// True if the thread is just being mounted or unmounted, so that JVMTI must not be asked for its
// stack: in JDK 21, the request would wait for the end of the mount (jdk-21+35
// src/hotspot/share/prims/jvmtiThreadState.cpp, VTMS_transition_disable_for_all). Also true if the
// stack is unknown. Notes the roles of the methods.
bool IsBetweenThreads(ProbedMethods& methods, const WalkedHere& here) {
  bool is_between = here.frames.empty();
  for (size_t i = 0; i < here.frames.size(); ++i) {
    const uint64_t id = here.frames[i].id;
    std::optional<MountRole> role = methods.MountRoleOf(id);
    if (!role) {
      role = RoleOf(MethodTokens::OfProcess().TextOf(here.tokens[i]));
      methods.SetMountRole(id, *role);
    }
    is_between |= *role == MountRole::kRuns || *role == MountRole::kBetween;
  }
  return is_between;
}

// Pushes the method, and returns the number of entries.
size_t Push(ShadowStack& stack, uint32_t number) {
  const int64_t depth = stack.depth.load(std::memory_order_relaxed);
  if (depth >= 0 && depth < static_cast<int64_t>(ShadowStack::kMost)) {
    stack.entries[depth].store(number, std::memory_order_relaxed);
  }
  stack.depth.store(depth + 1, std::memory_order_release);
  return static_cast<size_t>(std::max<int64_t>(depth + 1, 0));
}

// Returns the places in `frames` of the probed methods, the outermost first.
std::vector<size_t> ProbedPlaces(const Validation& validation,
                                 const std::vector<jvmtiFrameInfo>& frames) {
  std::vector<size_t> places;
  for (size_t i = frames.size(); i > 0; --i) {
    if (validation.methods.NumberOf(frames[i - 1].method) != 0) places.push_back(i - 1);
  }
  return places;
}

// Stores the bytecode indexes of the callers in the shadow stack, as JVMTI reports them.
void NoteCallers(ShadowStack& stack, const std::vector<jvmtiFrameInfo>& frames,
                 const std::vector<size_t>& places) {
  for (size_t i = 1; i < places.size(); ++i) {
    const jlocation location = frames[places[i - 1]].location;
    if (location < 0) continue;
    std::atomic<ShadowEntry>& entry = stack.entries[i];
    entry.store(
        WithCallerIndex(entry.load(std::memory_order_relaxed), static_cast<int32_t>(location)),
        std::memory_order_relaxed);
  }
}

// Compares the probed methods that JVMTI reports with the shadow stack.
void CompareJvmti(Validation& validation, ShadowStack& stack, size_t depth,
                  const std::vector<jvmtiFrameInfo>& frames) {
  std::vector<JudgedFrame> judged;
  for (const jvmtiFrameInfo& frame : frames) {
    judged.push_back({.number = validation.methods.NumberOf(frame.method),
                      .bci = static_cast<int32_t>(frame.location)});
  }
  std::vector<ShadowEntry> entries;
  for (size_t i = 0; i < depth; ++i) {
    entries.push_back(stack.entries[i].load(std::memory_order_relaxed));
  }
  const std::vector<TrueEntry> truth = validation.TruthOf(entries.data(), entries.size());
  const bool is_doubtful = stack.is_doubtful.load(std::memory_order_relaxed) != 0;
  const Verdict verdict = is_doubtful ? Verdict::kResynchronised : Judge(judged, truth).verdict;
  validation.Count({Layer::kProbes, JudgedWalker::kJvmti, Tier::kNone, verdict}, judged, truth);
  if (verdict == Verdict::kEqual) NoteCallers(stack, frames, ProbedPlaces(validation, frames));
}

// Stands for a method that JVMTI does not name. It equals no walked method.
constexpr uint64_t kUnnamed = UINT64_MAX;

Verdict VerdictOf(AuditResult result) {
  switch (result) {
    case AuditResult::kEqual:
      return Verdict::kEqual;
    case AuditResult::kMissing:
      return Verdict::kMissing;
    case AuditResult::kExtra:
      return Verdict::kExtra;
    case AuditResult::kWrongMethod:
      return Verdict::kWrongMethod;
    case AuditResult::kWrongIndex:
      return Verdict::kWrongIndex;
    case AuditResult::kWrongOrder:
      return Verdict::kWrongOrder;
    case AuditResult::kCut:
      return Verdict::kCut;
    case AuditResult::kDeclared:
    case AuditResult::kNotCompared:
      break;
  }
  return Verdict::kNotWalked;
}

// Returns the stack of JVMTI as a true stack.
std::vector<TrueEntry> TruthOf(const Validation& validation,
                               const std::vector<jvmtiFrameInfo>& frames) {
  std::vector<TrueEntry> truth;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    const uint32_t number = validation.methods.NumberOf(frame->method);
    if (number != 0) truth.push_back({number, -1});
  }
  return truth;
}

void CompareOurs(Validation& validation, JNIEnv* jni, const WalkedHere& here,
                 const std::vector<jvmtiFrameInfo>& frames) {
  Verdict verdict = Verdict::kDeclared;
  if (here.is_complete) {
    std::vector<AuditedFrame> walked;
    for (size_t i = 0; i < here.frames.size(); ++i) {
      walked.push_back({here.tokens[i], here.frames[i].bci});
    }
    std::vector<AuditedFrame> expected;
    for (const jvmtiFrameInfo& frame : frames) {
      const uint64_t token = MethodTokens::OfProcess().OfJvm(validation.jvmti(), jni, frame.method);
      expected.push_back({token == 0 ? kUnnamed : token, frame.location});
    }
    verdict = VerdictOf(CompareStacks(walked, expected).result);
  }
  bool declares = false;
  const std::vector<JudgedFrame> judged =
      validation.JudgedOf(here.frames.data(), here.frames.size(), &declares);
  const std::vector<TrueEntry> truth = TruthOf(validation, frames);
  validation.Count({Layer::kSafepoint, JudgedWalker::kOurs,
                    TierOf(here.frames.data(), here.frames.size()), verdict},
                   judged, truth);
}

// Begins the note about a call that is made at the entry of a method.
void BeginNote(AgctCall& call, Tier tier, const WalkedHere& here) {
  BoundedText& note = call.BeginNote(Layer::kSafepoint, tier);
  note.Append("stack\n");
  const size_t count = std::min<size_t>(here.frames.size(), AgctCall::kFrames);
  for (size_t i = 0; i < count; ++i) {
    std::string method = MethodTokens::OfProcess().TextOf(here.tokens[i]);
    std::replace(method.begin(), std::ranges::find(method, '('), '/', '.');
    note.Append(method).Append(" @ ");
    note.AppendDecimal(here.frames[i].bci);
    note.Append(here.frames[i].kind == FrameKind::kInlined ? " inlined\n" : "\n");
  }
}

// Walks the calling thread from here on. A function of its own, because getcontext can return twice:
// the compiler warns of variables that are in registers meanwhile.
AsgctResult RunFromHere(AgctCall& call, JNIEnv* jni, std::vector<AsgctFrame>* found) {
  ucontext_t context;
  getcontext(&context);
  return call.Run(TheWalkEnvironment().asgct, jni, &context, found->data(),
                  static_cast<uint32_t>(found->size()));
}

void CompareAsgct(Validation& validation, JNIEnv* jni, const WalkedHere& here,
                  const std::vector<jvmtiFrameInfo>& frames) {
  const Tier tier = TierOf(here.frames.data(), here.frames.size());
  AgctCall call(*validation.asgct());
  if (!call) {
    return validation.Count({Layer::kSafepoint, JudgedWalker::kAsgct, tier, Verdict::kNotCalled},
                            {}, {});
  }
  BeginNote(call, tier, here);
  std::vector<AsgctFrame> found(kMostFrames);
  const AsgctResult result = RunFromHere(call, jni, &found);
  const size_t count = result.frames < kOwnFrames ? 0 : result.frames - kOwnFrames;
  const std::span<const AsgctFrame> theirs(found.data() + kOwnFrames, count);
  std::vector<AuditedFrame> walked;
  for (const AsgctFrame& frame : theirs) {
    const int32_t bci = frame.bci == kAsgctNativeMethod ? -1 : frame.bci;
    walked.push_back({reinterpret_cast<uintptr_t>(frame.method_id), bci});
  }
  std::vector<AuditedFrame> expected;
  for (const jvmtiFrameInfo& frame : frames) {
    expected.push_back({reinterpret_cast<uintptr_t>(frame.method), frame.location});
  }
  const Verdict verdict =
      walked.empty() ? Verdict::kDeclared : VerdictOf(CompareStacks(walked, expected).result);
  validation.Count({Layer::kSafepoint, JudgedWalker::kAsgct, tier, verdict},
                   validation.JudgedOf(theirs.data(), theirs.size()), TruthOf(validation, frames));
}

// Notes the ids of the method, which is the innermost one of both stacks, if its names are those of
// the number. Returns false if JVMTI hides the method: that happens to methods which change the
// identity of the thread.
bool Learn(Validation& validation, JNIEnv* jni, uint32_t number, const WalkedHere& here,
           const std::vector<jvmtiFrameInfo>& frames) {
  ProbedMethods& methods = validation.methods;
  const uint64_t token = methods.TokenOf(number);
  if (!here.frames.empty() && here.tokens.front() == token) {
    methods.Learn(number, here.frames.front().id);
  }
  if (frames.empty()) return false;
  const jmethodID reported = frames.front().method;
  if (methods.NumberOf(reported) == number) return true;
  if (MethodTokens::OfProcess().OfJvm(validation.jvmti(), jni, reported) != token) return false;
  methods.Learn(number, reported);
  return true;
}

jlong JNICALL OnClaim(JNIEnv*, jclass, jlong thread) {
  const ErrnoSaver saver;
  const std::shared_ptr<Validation> validation = TheValidation();
  if (validation == nullptr) return 0;
  ShadowStack* const stack = validation->memory().stacks.Claim(thread);
  if (stack == nullptr) validation->unplaced.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<jlong>(stack);
}

// Runs in the entry probe of a method.
void JNICALL OnCheck(JNIEnv* jni, jclass, jint number, jlong thread) {
  const ErrnoSaver saver;
  const std::shared_ptr<Validation> validation = TheValidation();
  if (validation == nullptr) return;
  const auto method = static_cast<uint32_t>(number);
  ShadowStack* const stack = validation->memory().stacks.Find(thread);
  if (stack == nullptr || !validation->methods.Has(method)) return;
  const WalkedHere here = WalkHere(jni);
  std::vector<jvmtiFrameInfo> frames;
  // JVMTI hides frames while a virtual thread is being mounted.
  if (!IsBetweenThreads(validation->methods, here)) frames = StackOfJvmti(validation->jvmti());
  const bool is_reported = Learn(*validation, jni, method, here, frames);
  validation->countdown(method).store(
      is_reported ? validation->methods.NextInterval(method) : kSoon, std::memory_order_relaxed);
  const size_t depth = Push(*stack, method);
  const bool fits = depth <= ShadowStack::kMost && frames.size() < kMostFrames;
  if (!is_reported || !fits) return;
  CompareJvmti(*validation, *stack, depth, frames);
  CompareOurs(*validation, jni, here, frames);
  // AsyncGetCallTrace goes on to the frames of the carrier, JVMTI does not.
  if (validation->asgct() != nullptr && !here.is_virtual) {
    CompareAsgct(*validation, jni, here, frames);
  }
}

// Lets ShadowProbes use the JDK's own Unsafe, which java.base exports to none but its own modules.
Status ExportUnsafe(jvmtiEnv* jvmti, JNIEnv* jni, jclass probes) {
  const LocalFrame frame(jni, 4);
  const jclass object = jni->FindClass("java/lang/Object");
  if (object != nullptr && jvmti->AddModuleExports(jni->GetModule(object), "jdk.internal.misc",
                                                   jni->GetModule(probes)) == JVMTI_ERROR_NONE) {
    return {};
  }
  return Error("the JVM refused AddModuleExports for the class of the probes");
}

}  // namespace

Result<const ShadowProbeClass*> ShadowProbeClass::OfProcess(jvmtiEnv* jvmti, JNIEnv* jni) {
  static std::mutex mutex;
  static ShadowProbeClass made;  // guarded by mutex until class_ is set, constant afterwards
  const std::lock_guard lock(mutex);
  if (made.class_ != nullptr) return &made;
  const BootMethod methods[] = {{&made.open_, "open", "(JJJI)V"}, {&made.close_, "close", "()V"}};
  const bool is_jdk8 = jni->GetVersion() < JNI_VERSION_9;
  const Result<jclass> probes =
      BootClass(jni, kName, is_jdk8 ? kShadowProbesOfJdk8Bytes : kShadowProbesBytes, methods);
  if (!probes) return probes.error();
  Status ready = is_jdk8 ? Status() : ExportUnsafe(jvmti, jni, probes.value());
  if (ready) {
    ready = BindNative(jni, probes.value(), "claim", "(J)J", reinterpret_cast<void*>(OnClaim));
  }
  if (ready) {
    ready = BindNative(jni, probes.value(), "check", "(IJ)V", reinterpret_cast<void*>(OnCheck));
  }
  if (!ready) return ready.error();
  made.class_ = probes.value();
  return &made;
}

Status ShadowProbeClass::Open(JNIEnv* jni, const Validation& validation) const {
  const ShadowStacks& stacks = validation.memory().stacks;
  jni->CallStaticVoidMethod(class_, open_, reinterpret_cast<jlong>(stacks.owners()),
                            reinterpret_cast<jlong>(stacks.stacks()),
                            reinterpret_cast<jlong>(validation.countdowns()),
                            static_cast<jint>(validation.methods.first()));
  return CheckBootCall(jni, "open");
}

void ShadowProbeClass::Close(JNIEnv* jni) const {
  jni->CallStaticVoidMethod(class_, close_);
  static_cast<void>(CheckBootCall(jni, "close"));
}

}  // namespace jprof
