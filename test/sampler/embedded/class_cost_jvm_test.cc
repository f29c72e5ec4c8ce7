// Counts what a recording asks the JVM about classes that are neither sampled nor traced: nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <utility>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/embedded/throwaway_class.h"
#include "sampler/sampler.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr int kClasses = 300;

// Counts the calls of an environment that are about classes and methods, and notes the events that
// it enables. There is one object, while the JVM of a test runs.
class CountedEnvironment {
 public:
  explicit CountedEnvironment(jvmtiEnv* jvmti) {
    original_ = *jvmti->functions;
    static jvmtiInterface_1_ counted;
    counted = original_;
    Count<&jvmtiInterface_1_::GetClassMethods>(counted);
    Count<&jvmtiInterface_1_::GetClassSignature>(counted);
    Count<&jvmtiInterface_1_::GetClassLoader>(counted);
    Count<&jvmtiInterface_1_::GetClassModifiers>(counted);
    Count<&jvmtiInterface_1_::GetSourceFileName>(counted);
    Count<&jvmtiInterface_1_::GetLoadedClasses>(counted);
    Count<&jvmtiInterface_1_::GetMethodName>(counted);
    Count<&jvmtiInterface_1_::GetMethodModifiers>(counted);
    Count<&jvmtiInterface_1_::GetMethodDeclaringClass>(counted);
    Count<&jvmtiInterface_1_::GetLineNumberTable>(counted);
    counted.SetEventNotificationMode = &Note;
    jvmti->functions = &counted;
  }

  static int calls() { return calls_; }
  static bool Has(jvmtiEvent event) { return events_.count(event) != 0; }

 private:
  template <auto kMember, typename... Arguments>
  static jvmtiError JNICALL Counted(jvmtiEnv* jvmti, Arguments... arguments) {
    ++calls_;
    return (original_.*kMember)(jvmti, arguments...);
  }

  template <auto kMember>
  static void Count(jvmtiInterface_1_& counted) {
    Set<kMember>(counted, original_.*kMember);
  }
  template <auto kMember, typename... Arguments>
  static void Set(jvmtiInterface_1_& counted, jvmtiError(JNICALL*)(jvmtiEnv*, Arguments...)) {
    counted.*kMember = &Counted<kMember, Arguments...>;
  }

  static jvmtiError JNICALL Note(jvmtiEnv* jvmti, jvmtiEventMode mode, jvmtiEvent event,
                                 jthread thread, ...) {
    if (mode == JVMTI_ENABLE) events_.insert(event);
    return original_.SetEventNotificationMode(jvmti, mode, event, thread);
  }

  static inline jvmtiInterface_1_ original_;
  static inline std::atomic<int> calls_{0};
  static inline std::set<jvmtiEvent> events_;
};

void LoadClassesWhileRecording(const std::string& words, JNIEnv* jni, ChildReport* report) {
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  JvmConnection* const jvm = JvmConnection::Make(*JvmEvents::Create(vm).value(), jni).value();
  const CountedEnvironment counted(jvm->events.jvmti());
  const test::TempFolder folder;
  const std::string path = folder.File("a.jfr");
  const Options options = ParseOptions("start," + words + ",file='" + path + "'").value();
  RecordingPlan files;
  files.path = path;
  files.stop_soon = [] { return true; };
  auto started = Sampler::Start(*jvm, jni, options, {1, std::move(files)});
  if (!started) return report->Expect(false, started.error().message());
  report->Expect(started.value()->Begin().ok(), "it begins");
  // The start of `wall` looks for the class of virtual threads.
  const int before = counted.calls();
  for (int i = 0; i < kClasses; ++i) LoadThrowawayClass(jni);
  report->Expect(started.value()->Dump().ok(), "and is dumped");
  const int calls = counted.calls() - before;
  const bool is_told = counted.Has(JVMTI_EVENT_CLASS_PREPARE) ||
                       counted.Has(JVMTI_EVENT_CLASS_LOAD) ||
                       counted.Has(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
  if (words.find("agct") == std::string::npos) {
    report->Expect(calls == 0, std::to_string(calls) + " calls");
    report->Expect(!is_told, "events of classes are enabled");
  } else {
    report->Expect(calls >= kClasses, std::to_string(calls) + " calls for AsyncGetCallTrace");
    report->Expect(is_told, "events of classes are not enabled");
  }
  report->Expect(started.value()->Finish().ok(), "it ends");
}

class ClassCostJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(ClassCostJvmTest, NothingIsAskedAboutAClassThatIsNotSampled) {
  // A sample takes longer to come than the test runs.
  for (const std::string words : {"cpu=1000s,wall=1000s", "cpu=1000s,cstack=agct"}) {
    EXPECT_EQ(RunInJvm(GetParam(), {},
                       [&words](JNIEnv* jni, ChildReport* report) {
                         LoadClassesWhileRecording(words, jni, report);
                       }),
              "")
        << words;
  }
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, ClassCostJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
