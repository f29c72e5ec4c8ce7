#include "native/asgst_probe/fuzz_task.h"

#include <ucontext.h>

#include <iterator>

namespace jprof::test {
namespace {

constexpr int kCallsPerSignal = 32;
constexpr uint64_t kMostFrames = 1'000'000;

// Stack pointers of threads, most of which run. relaxed: any value will do.
std::atomic<uint64_t> g_stack_pointers[16] = {};

// The queues of the thread: one with whole stacks, one with approximate ones.
thread_local ASGST_Queue* t_queues[2] = {};

}  // namespace

void FuzzTask::Note(int result) {
  if (!IsDocumented(result)) undocumented_.fetch_add(1, std::memory_order_relaxed);
  if (result <= 0 && -result < kResults) results_[-result].fetch_add(1, std::memory_order_relaxed);
}

void* FuzzTask::Pointer(const ucontext_t& context, Random& random) const {
  const auto& registers = context.uc_mcontext.gregs;
  const auto sp = static_cast<uint64_t>(registers[REG_RSP]);
  const uint64_t choices[] = {
      0,
      1,
      random.Next(),
      random.Below(1 << 20),
      sp,
      sp + random.Below(1 << 12) * 8,
      sp + random.Below(1 << 20),
      sp - random.Below(1 << 20),
      static_cast<uint64_t>(registers[random.Below(REG_RIP + 1)]),
      static_cast<uint64_t>(registers[REG_RIP]) + random.Below(4096) - 2048,
      reinterpret_cast<uint64_t>(this) + random.Below(4096),
      g_stack_pointers[random.Below(std::size(g_stack_pointers))].load(std::memory_order_relaxed),
      ~uint64_t{0} - random.Below(64),
      (uint64_t{1} << 47) - 8 + random.Below(16),
  };
  return reinterpret_cast<void*>(choices[random.Below(sizeof choices / sizeof *choices)]);
}

void FuzzTask::Alter(ucontext_t& context, Random& random) const {
  constexpr int kMostWanted[] = {REG_RIP, REG_RSP, REG_RBP, REG_RSP, REG_RBP, REG_R13};
  const uint64_t count = 1 + random.Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    const int which =
        random.Once(3) ? static_cast<int>(random.Below(REG_RIP + 1)) : kMostWanted[random.Below(6)];
    context.uc_mcontext.gregs[which] = reinterpret_cast<greg_t>(Pointer(context, random));
  }
}

void FuzzTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  FuzzTask& task = *walk.task;
  ASGST_Frame frame;
  uint64_t frames = 0;
  int result = 0;
  while ((result = task.api_.ASGST_NextFrame(iterator, &frame)) == 1 && frames < kMostFrames) {
    ++frames;
    ASGST_MethodInfo info{};
    if (frames % 16 == 0) task.Note(task.api_.ASGST_GetMethodInfo(frame.method, &info));
  }
  task.Note(result);
  if (frames == kMostFrames) task.endless_.fetch_add(1, std::memory_order_relaxed);
  task.frames_.fetch_add(frames, std::memory_order_relaxed);
  auto* const near = reinterpret_cast<ASGST_Iterator*>(reinterpret_cast<char*>(iterator) +
                                                       walk.random->Below(1 << 20) - (1 << 19));
  if (near != iterator) task.Note(task.api_.ASGST_NextFrame(near, &frame));
}

void FuzzTask::OnStack(ASGST_Iterator* iterator, void* argument, void*) {
  auto& task = *static_cast<FuzzTask*>(argument);
  Random random(task.seed_);
  Walk walk{&task, &random};
  OnWalk(iterator, &walk);
}

void FuzzTask::OnThreadStart(JNIEnv* jni) {
  t_queues[0] = api_.ASGST_RegisterQueue(jni, 64, 0, &OnStack, this);
  t_queues[1] = api_.ASGST_RegisterQueue(jni, 64, ASGST_APPROXIMATE_STACKS, &OnStack, this);
}

void FuzzTask::CallOnce(const ucontext_t& context, Random& random) {
  Walk walk{this, &random};
  ucontext_t altered = context;
  Alter(altered, random);
  const auto options = static_cast<int32_t>(random.Once(8) ? random.Next() : random.Below(4));
  ASGST_Frame frame;
  ASGST_QueueElement element;
  switch (random.Below(8)) {
    case 0:
    case 1:
    case 2:
      return Note(api_.ASGST_RunWithIterator(&altered, options, &OnWalk, &walk));
    case 3:
    case 4:
      return Note(
          api_.ASGST_RunWithIteratorFromFrame(Pointer(context, random), Pointer(context, random),
                                              Pointer(context, random), options, &OnWalk, &walk));
    case 5: {
      auto* const queue = random.Once(2) ? static_cast<ASGST_Queue*>(Pointer(context, random))
                                         : t_queues[random.Below(2)];
      ASGST_QueueElement* equal = nullptr;
      Note(api_.profiler_asgst_find_equal_element(queue, &altered, &equal));
      return Note(api_.ASGST_Enqueue(queue, &altered, nullptr));
    }
    case 6:
      return Note(api_.ASGST_GetEnqueuableElement(&altered, &element));
    default:
      Note(api_.ASGST_NextFrame(static_cast<ASGST_Iterator*>(Pointer(context, random)), &frame));
      Note(api_.profiler_asgst_trace_kind(static_cast<ASGST_Iterator*>(Pointer(context, random))));
      ASGST_MethodInfo info{};
      Note(api_.ASGST_GetMethodInfo(static_cast<ASGST_Method>(Pointer(context, random)), &info));
      ASGST_ClassInfo class_info{};
      Note(
          api_.ASGST_GetClassInfo(static_cast<ASGST_Class>(Pointer(context, random)), &class_info));
      static_cast<void>(
          api_.ASGST_MethodToJMethodID(static_cast<ASGST_Method>(Pointer(context, random))));
      static_cast<void>(
          api_.ASGST_GetMethodLineNumber(static_cast<ASGST_Method>(Pointer(context, random)),
                                         static_cast<int32_t>(random.Next())));
  }
}

void FuzzTask::OnSignal(ucontext_t* ucontext) {
  Random random(seed_ + signals_.fetch_add(1, std::memory_order_relaxed));
  g_stack_pointers[random.Below(std::size(g_stack_pointers))].store(
      static_cast<uint64_t>(ucontext->uc_mcontext.gregs[REG_RSP]), std::memory_order_relaxed);
  for (int i = 0; i < kCallsPerSignal; ++i) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    CallOnce(*ucontext, random);
  }
}

std::string FuzzTask::Text() {
  std::string text = "fuzz.seed=" + std::to_string(seed_) +
                     "\nfuzz.calls=" + std::to_string(calls_) +
                     "\nfuzz.frames=" + std::to_string(frames_) +
                     "\nfuzz.undocumented=" + std::to_string(undocumented_) +
                     "\nfuzz.endless=" + std::to_string(endless_) + "\n";
  for (int i = 0; i < kResults; ++i) {
    if (results_[i] != 0) {
      text += "fuzz.result." + std::to_string(i) + "=" + std::to_string(results_[i]) + "\n";
    }
  }
  return text;
}

}  // namespace jprof::test
