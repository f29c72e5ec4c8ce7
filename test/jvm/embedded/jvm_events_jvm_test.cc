#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/jvm_events.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Counts events. While is_holding is true, the callback for the start of a thread does not return.
class Listener final : public JvmEventListener {
 public:
  void OnGarbageCollectionStart(jvmtiEnv*) override { ++starts; }
  void OnGarbageCollectionFinish(jvmtiEnv*) override { ++finishes; }
  void OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) override {
    ++threads;
    while (is_holding) std::this_thread::yield();
    has_left = true;
  }

  std::atomic<int> starts{0};
  std::atomic<int> finishes{0};
  std::atomic<int> threads{0};
  std::atomic<bool> is_holding{false};
  std::atomic<bool> has_left{false};
};

JvmEvents& EventsOf(JNIEnv* env) {
  JavaVM* vm = nullptr;
  env->GetJavaVM(&vm);
  return *JvmEvents::Create(vm).value();
}

jvmtiCapabilities CapabilitiesOf(const JvmEvents& events) {
  jvmtiCapabilities capabilities{};
  events.jvmti()->GetCapabilities(&capabilities);
  return capabilities;
}

class JvmEventsJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(JvmEventsJvmTest, NotifiesListenersWhileTheyAreSubscribed) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"},
                     [](JNIEnv* env, ChildReport* report) {
                       JvmEvents& events = EventsOf(env);
                       Listener one;
                       Listener other;
                       auto both = events.Subscribe(one, {JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                                          JVMTI_EVENT_GARBAGE_COLLECTION_FINISH});
                       report->Expect(both.ok(), "a listener subscribes to two events");
                       {
                         const auto start =
                             events.Subscribe(other, {JVMTI_EVENT_GARBAGE_COLLECTION_START});
                         report->Expect(start.ok(), "a second to one of them");
                         CollectGarbage(env);
                       }
                       report->Expect(one.starts == 1 && one.finishes == 1,
                                      "the first is notified");
                       report->Expect(other.starts == 1 && other.finishes == 0, "so is the second");
                       CollectGarbage(env);
                       report->Expect(one.starts == 2 && other.starts == 1, "which has gone");
                       both.value().Cancel();
                       CollectGarbage(env);
                       report->Expect(one.starts == 2 && one.finishes == 2, "nobody is left");
                     }),
            "");
}

TEST_P(JvmEventsJvmTest, HoldsACapabilityWhileAnEventNeedsIt) {
  EXPECT_EQ(
      RunInJvm(GetParam(), {},
               [](JNIEnv* env, ChildReport* report) {
                 JvmEvents& events = EventsOf(env);
                 Listener listener;
                 const auto gc = [&] {
                   return CapabilitiesOf(events).can_generate_garbage_collection_events;
                 };
                 const auto monitor = [&] {
                   return CapabilitiesOf(events).can_generate_monitor_events;
                 };
                 report->Expect(CapabilitiesOf(events).can_get_line_numbers == 1, "lines stay");
                 report->Expect(gc() == 0 && monitor() == 0, "at first there is none");
                 for (int i = 0; i < 2; ++i) {
                   auto start =
                       events.Subscribe(listener, {JVMTI_EVENT_GARBAGE_COLLECTION_START}).value();
                   auto finish = events.Subscribe(
                       listener, {JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, JVMTI_EVENT_MONITOR_WAIT});
                   report->Expect(finish.ok() && gc() == 1 && monitor() == 1, "both are added");
                   start.Cancel();
                   report->Expect(gc() == 1, "another event needs it");
                   finish.value().Cancel();
                   report->Expect(gc() == 0 && monitor() == 0, "both are given back");
                 }
                 report->Expect(CapabilitiesOf(events).can_get_line_numbers == 1, "lines stay");
               }),
      "");
}

TEST_P(JvmEventsJvmTest, ARefusedSubscriptionLeavesNothing) {
  EXPECT_EQ(
      RunInJvm(GetParam(), {"-XX:+UseSerialGC"},
               [](JNIEnv* env, ChildReport* report) {
                 JvmEvents& events = EventsOf(env);
                 std::array<Listener, JvmEvents::kMaxListeners + 1> listeners;
                 std::vector<JvmEvents::Subscription> subscriptions;
                 for (size_t i = 0; i < JvmEvents::kMaxListeners; ++i) {
                   subscriptions.push_back(
                       events.Subscribe(listeners[i], {JVMTI_EVENT_THREAD_START}).value());
                 }
                 Listener& last = listeners.back();
                 const auto refused = events.Subscribe(
                     last, {JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_THREAD_START});
                 report->Expect(!refused.ok(), "there is no place for it");
                 CollectGarbage(env);
                 report->Expect(last.starts == 0, "it is not notified of the other event either");
                 report->Expect(CapabilitiesOf(events).can_generate_garbage_collection_events == 0,
                                "the capability is given back");
                 subscriptions.pop_back();
                 report->Expect(events.Subscribe(last, {JVMTI_EVENT_THREAD_START}).ok(),
                                "a place that is left is taken");
               }),
      "");
}

TEST_P(JvmEventsJvmTest, CancelAndWaitWaitsForARunningCallback) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       JvmEvents& events = EventsOf(env);
                       Listener listener;
                       listener.is_holding = true;
                       auto subscription =
                           events.Subscribe(listener, {JVMTI_EVENT_THREAD_START}).value();
                       std::thread attaching([vm = events.vm()] {
                         JNIEnv* own = nullptr;
                         vm->AttachCurrentThread(reinterpret_cast<void**>(&own), nullptr);
                         vm->DetachCurrentThread();
                       });
                       while (listener.threads == 0) std::this_thread::yield();
                       std::thread releasing([&listener] {
                         std::this_thread::sleep_for(std::chrono::milliseconds(100));
                         listener.is_holding = false;
                       });
                       report->Expect(subscription.CancelAndWait(), "it ends");
                       report->Expect(listener.has_left, "when nobody is inside");
                       releasing.join();
                       attaching.join();
                     }),
            "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, JvmEventsJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
