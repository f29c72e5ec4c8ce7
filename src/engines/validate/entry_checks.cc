#include "engines/validate/entry_checks.h"

#include <jvmti.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engines/method/boot_class.h"
#include "engines/validate/validation.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/vm_texts.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/walk_environment.h"
#include "sigsafe/threads/thread_slots.h"

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
  std::vector<uint64_t> methods;  // the address of the Method of each frame
  bool is_virtual = false;        // the stack is that of a virtual thread
  bool is_complete = false;       // false if the walk was not possible, or frames are missing
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
  here.is_virtual = !stack.reaches_entry;
  for (uint32_t i = 0; i < stack.count; ++i) {
    here.is_complete &= stack.frames[i].kind != FrameKind::kOutcome;
    if (!IsJava(stack.frames[i]) || own++ < kOwnFrames) continue;
    here.frames.push_back(stack.frames[i]);
    here.methods.push_back(stack.methods[i]);
  }
  return here;
}

// Returns the text as it is in the VM's memory; empty if it cannot be read.
std::string TextIn(const VmText& text) {
  std::string copy(text.size, '\0');
  return text.CopyTo(reinterpret_cast<uint8_t*>(copy.data())) ? copy : std::string();
}

// Returns the text of the method as TracedMethod::Text does; empty if it cannot be read. `method` is
// the address of a Method that is on the stack of the calling thread.
std::string TextOfMethod(const WalkScope& scope, uint64_t method) {
  JavaMethod java;
  VmMethodTexts texts;
  VmClassTexts of_class;
  if (!scope || !scope.environment().walks_vm_frames()) return {};
  const HotspotLayout& vm = *scope.environment().vm;
  if (!LoadJavaMethod(vm, method, &java) || !FindTexts(vm, java, &texts) ||
      !FindTexts(vm, java, &of_class)) {
    return {};
  }
  std::string text = TextIn(of_class.name);
  std::ranges::replace(text, '/', '.');
  return text + '.' + TextIn(texts.name) + TextIn(texts.descriptor);
}

std::string TextOfMethod(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  const LocalFrame locals(jni, 4);
  JvmtiPtr<char> name(jvmti);
  JvmtiPtr<char> descriptor(jvmti);
  JvmtiPtr<char> signature(jvmti);
  jclass declaring = nullptr;
  if (jvmti->GetMethodName(method, name.out(), descriptor.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE ||
      jvmti->GetClassSignature(declaring, signature.out(), nullptr) != JVMTI_ERROR_NONE) {
    return {};
  }
  std::string text = signature.get();  // Lcom/acme/Shop;
  text = text.substr(1, text.size() - 2);
  std::ranges::replace(text, '/', '.');
  return text + '.' + name.get() + descriptor.get();
}

// True if the method mounts virtual threads. `method` is the address of a Method that is on the
// stack of the calling thread.
bool MountsThreads(const WalkScope& scope, uint64_t method) {
  return TextOfMethod(scope, method) == "java.lang.VirtualThread.runContinuation()V";
}

// Notes which methods of the stack mount virtual threads. Returns true if there is one.
bool FindMounts(Validation& validation, const WalkedHere& here) {
  const WalkScope scope;
  bool is_found = false;
  for (size_t i = 0; i < here.frames.size(); ++i) {
    const uint64_t id = here.frames[i].id;
    if (!validation.methods.KnowsMounts(id)) {
      validation.methods.SetMounts(id, MountsThreads(scope, here.methods[i]));
      validation.methods.SetEnters(
          id,
          TextOfMethod(scope, here.methods[i]).starts_with("jdk.internal.vm.Continuation.enter("));
    }
    is_found |= validation.methods.Mounts(id);
  }
  return is_found;
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
  std::vector<TrueEntry> truth;
  for (size_t i = 0; i < depth; ++i) {
    const ShadowEntry entry = stack.entries[i].load(std::memory_order_relaxed);
    truth.push_back({NumberOf(entry), CallerIndexOf(entry)});
  }
  const bool is_doubtful = stack.is_doubtful.load(std::memory_order_relaxed) != 0;
  const Verdict verdict = is_doubtful ? Verdict::kResynchronised : Judge(judged, truth).verdict;
  validation.Count({Layer::kProbes, JudgedWalker::kJvmti, Tier::kNone, verdict}, judged, truth);
  if (verdict == Verdict::kEqual) NoteCallers(stack, frames, ProbedPlaces(validation, frames));
}

// Returns the text without the suffix of a class that the VM has made for a lambda or a method
// handle. The VM and JVMTI spell this suffix differently, and up to JDK 14 only one of them has it.
std::string WithoutSuffix(const std::string& text) {
  const size_t method = text.rfind('.', text.find('('));
  if (method == std::string::npos) return text;
  // A part of a name never starts with a digit.
  size_t suffix = std::min(text.find("$$Lambda"), text.find("+0x"));
  for (size_t dot = text.find('.'); dot < std::min(method, suffix); dot = text.find('.', dot + 1)) {
    if (std::isdigit(static_cast<unsigned char>(text[dot + 1])) != 0) suffix = dot;
  }
  return suffix < method ? text.substr(0, suffix) + text.substr(method) : text;
}

// True if both are the same method, by class, name and descriptor.
bool HaveSameNames(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t method, jmethodID theirs) {
  const WalkScope scope;
  const std::string ours = WithoutSuffix(TextOfMethod(scope, method));
  return !ours.empty() && ours == WithoutSuffix(TextOfMethod(jvmti, jni, theirs));
}

enum class Sameness : uint8_t { kSame, kOtherIndex, kOtherMethod };

// Compares a frame of our walker with one of JVMTI. A native method has no bytecode index.
Sameness Compare(Validation& validation, JNIEnv* jni, const Frame& ours, uint64_t method,
                 const jvmtiFrameInfo& theirs) {
  if (!validation.methods.AreSame(ours.id, theirs.method)) {
    if (!HaveSameNames(validation.jvmti(), jni, method, theirs.method)) {
      return Sameness::kOtherMethod;
    }
    validation.methods.NoteSame(ours.id, theirs.method);
  }
  const bool is_native = ours.kind == FrameKind::kJavaNative;
  return is_native || ours.bci == static_cast<int32_t>(theirs.location) ? Sameness::kSame
                                                                        : Sameness::kOtherIndex;
}

// True if each walked frame from `first` on has its own frame of JVMTI with the same method.
template <typename Compare>
bool IsOtherOrder(size_t first, size_t count, Compare&& compare) {
  std::vector<bool> is_taken(count);
  for (size_t i = first; i < count; ++i) {
    size_t j = first;
    while (j < count && (is_taken[j] || compare(i, j) == Sameness::kOtherMethod)) ++j;
    if (j == count) return false;
    is_taken[j] = true;
  }
  return true;
}

// Returns the difference of two stacks of which all frames are known. `ours` and `theirs` have
// `our_count` and `their_count` frames, and compare(i, j) compares two of them.
template <typename Compare>
Verdict DifferenceOf(size_t our_count, size_t their_count, Compare&& compare) {
  const size_t common = std::min(our_count, their_count);
  size_t equal = 0;
  bool has_other_index = false;
  for (; equal < common; ++equal) {
    const Sameness sameness = compare(equal, equal);
    if (sameness == Sameness::kOtherMethod) break;
    has_other_index |= sameness == Sameness::kOtherIndex;
  }
  if (equal == common && our_count == their_count) {
    return has_other_index ? Verdict::kWrongIndex : Verdict::kEqual;
  }
  if (equal == common) return our_count < their_count ? Verdict::kCut : Verdict::kExtra;
  if (our_count != their_count) {
    return our_count < their_count ? Verdict::kMissing : Verdict::kExtra;
  }
  return IsOtherOrder(equal, our_count, compare) ? Verdict::kWrongOrder : Verdict::kWrongMethod;
}

void CompareOurs(Validation& validation, JNIEnv* jni, const WalkedHere& here,
                 const std::vector<jvmtiFrameInfo>& frames) {
  Verdict verdict = Verdict::kDeclared;
  if (here.is_complete) {
    verdict = DifferenceOf(here.frames.size(), frames.size(), [&](size_t i, size_t j) {
      return Compare(validation, jni, here.frames[i], here.methods[i], frames[j]);
    });
  }
  bool declares = false;
  const std::vector<JudgedFrame> judged =
      validation.JudgedOf(here.frames.data(), here.frames.size(), &declares);
  std::vector<TrueEntry> truth;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    truth.push_back({validation.methods.NumberOf(frame->method), -1});
  }
  validation.Count({Layer::kSafepoint, JudgedWalker::kOurs,
                    TierOf(here.frames.data(), here.frames.size()), verdict},
                   judged, truth);
}

void CompareAsgct(Validation& validation, JNIEnv* jni, Tier tier,
                  const std::vector<jvmtiFrameInfo>& frames) {
  std::vector<AsgctFrame> walked(kMostFrames);
  ucontext_t here;
  getcontext(&here);
  const AsgctResult result = WalkByAsgct(TheWalkEnvironment().asgct, jni, &here, walked.data(),
                                         static_cast<uint32_t>(kMostFrames));
  Verdict verdict = Verdict::kDeclared;
  const size_t count = result.frames < kOwnFrames ? 0 : result.frames - kOwnFrames;
  const AsgctFrame* const first = walked.data() + kOwnFrames;
  if (count != 0) {
    verdict = DifferenceOf(count, frames.size(), [&](size_t i, size_t j) {
      if (first[i].method_id != frames[j].method) return Sameness::kOtherMethod;
      const bool is_native = first[i].bci == kAsgctNativeMethod;
      return is_native || first[i].bci == static_cast<int32_t>(frames[j].location)
                 ? Sameness::kSame
                 : Sameness::kOtherIndex;
    });
  }
  validation.Count({Layer::kSafepoint, JudgedWalker::kAsgct, tier, verdict},
                   validation.JudgedOf(first, count), {});
}

// Notes the ids of the method, which is the innermost one of both stacks, if its text is that of the
// number. Returns false if JVMTI hides the method: that happens to methods which change the identity
// of the thread.
bool Learn(Validation& validation, JNIEnv* jni, uint32_t number, const WalkedHere& here,
           const std::vector<jvmtiFrameInfo>& frames) {
  ProbedMethods& methods = validation.methods;
  if (!here.frames.empty() && methods.NumberOf(here.frames.front().id) != number) {
    const WalkScope scope;
    if (TextOfMethod(scope, here.methods.front()) == methods.TextOf(number)) {
      methods.Learn(number, here.frames.front().id);
    }
  }
  if (frames.empty()) return false;
  const jmethodID reported = frames.front().method;
  if (methods.NumberOf(reported) == number) return true;
  if (TextOfMethod(validation.jvmti(), jni, reported) != methods.TextOf(number)) return false;
  methods.Learn(number, reported);
  return true;
}

// True if the thread is just being mounted or unmounted, so that JVMTI must not be asked for its
// stack: in JDK 21, the request would wait for the end of the mount (jdk-21+35
// src/hotspot/share/prims/jvmtiThreadState.cpp, VTMS_transition_disable_for_all). Also true if the
// stack is unknown.
bool IsBetweenThreads(const WalkedHere& here) {
  constexpr std::string_view kBeginnings[] = {
      "java.lang.VirtualThread.runContinuation(", "java.lang.VirtualThread.mount(",
      "java.lang.VirtualThread.unmount(", "java.lang.VirtualThread.yieldContinuation(",
      "jdk.internal.vm.Continuation.yield"};
  const WalkScope scope;
  return here.methods.empty() || std::ranges::any_of(here.methods, [&](uint64_t method) {
           const std::string text = TextOfMethod(scope, method);
           return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
             return text.starts_with(beginning);
           });
         });
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
  if (!IsBetweenThreads(here)) frames = StackOfJvmti(validation->jvmti());
  const bool is_reported = Learn(*validation, jni, method, here, frames);
  validation->countdown(method).store(
      is_reported ? validation->methods.NextInterval(method) : kSoon, std::memory_order_relaxed);
  const size_t depth = Push(*stack, method);
  const bool fits = depth <= ShadowStack::kMost && frames.size() < kMostFrames;
  // JVMTI hides frames while a virtual thread is being mounted.
  if (FindMounts(*validation, here) || !is_reported || !fits) return;
  CompareJvmti(*validation, *stack, depth, frames);
  CompareOurs(*validation, jni, here, frames);
  // AsyncGetCallTrace goes on to the frames of the carrier, JVMTI does not.
  if (validation->wants_asgct() && !here.is_virtual) {
    CompareAsgct(*validation, jni, TierOf(here.frames.data(), here.frames.size()), frames);
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
