#include "profile/analysis/recorded_wait.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>
#include <utility>

#include "jfr/format/jfr_types.h"
#include "profile/analysis/event_rows.h"
#include "profile/class_text.h"

namespace jprof {
namespace {

using profile::JfrEvent;
using profile::JfrValue;
using profile::Profile;

struct KindRow {
  std::string_view event;
  WaitType type;
  std::string_view class_field, owner_field, waker_field;  // "" if absent
};
constexpr KindRow kKinds[] = {
    {JfrName(JfrType::kJavaMonitorEnter), WaitType::kMonitorEnter, "monitorClass", "previousOwner",
     ""},
    {JfrName(JfrType::kJavaMonitorWait), WaitType::kMonitorWait, "monitorClass", "owner",
     "notifier"},
    {JfrName(JfrType::kThreadPark), WaitType::kPark, "parkedClass", "owner", "waker"},
    {JfrName(JfrType::kNativeLock), WaitType::kNativeLock, "", "owner", ""}};

// Returns the text of the address of a native lock. Used in place of a class, which native locks do
// not have.
std::string AddressText(int64_t address) {
  char text[sizeof "0x0123456789abcdef"];
  snprintf(text, sizeof text, "0x%" PRIx64, static_cast<uint64_t>(address));
  return text;
}

// Adds a note to "int[]". When the JVM links and initializes a class, it holds the monitor of an
// int[0] that programs cannot see (InstanceKlass::init_lock in
// src/hotspot/share/oops/instanceKlass.cpp, jdk-17+35).
std::string LockText(std::string class_text) {
  if (class_text == "int[]") class_text += " (perhaps the initialization of a class)";
  return class_text;
}

std::string ThreadText(const JfrValue& thread) {
  return profile::ThreadTextOf(thread.Field("javaName").String(), thread.Field("osName").String(),
                               thread.Field("javaThreadId").Long());
}

// True for methods with which the JDK itself waits or starts threads (jdk-25+36). As the place of a
// wait, such a method would say nothing about the program.
bool IsOfWaiting(std::string_view method) {
  constexpr std::string_view kBegins[] = {"java.util.concurrent.locks.",
                                          "java.util.concurrent.ForkJoinPool.",
                                          "java.lang.Object.wait",
                                          "java.lang.Thread.",
                                          "java.lang.VirtualThread.",
                                          "java.lang.BaseVirtualThread.",
                                          "java.lang.System$",
                                          "jdk.internal.vm.Continuation",
                                          "jdk.internal.misc.Unsafe.",
                                          "jdk.internal.misc.VirtualThreads.",
                                          "sun.misc.Unsafe.",
                                          "sun.nio.ch."};
  return std::ranges::any_of(kBegins, [&](auto begin) { return method.starts_with(begin); });
}

void SetOwner(const JfrValue& thread, RecordedWait& wait) {
  wait.owner = ThreadText(thread);
  wait.owner_id =
      ThreadIdentity::Of(thread.Field("javaThreadId").Long(), thread.Field("osThreadId").Long());
}

}  // namespace

bool IsOfWait(const profile::RecordedType& type) {
  return std::ranges::count(kKinds, type.name, &KindRow::event) != 0;
}

RecordedWait WaitOf(const profile::ProfileEvent& event) {
  const JfrEvent& fields = event.event;
  const KindRow& row = *std::ranges::find(kKinds, fields.type().name, &KindRow::event);
  const auto inside_ns = static_cast<double>(event.inside_ns);
  RecordedWait wait{.type = row.type,
                    .lock_class = LockText(
                        profile::ClassText(fields.Field(row.class_field).Field("name").String())),
                    .thread = event.thread.value_or(0),
                    .stack = event.stack.value_or(profile::CallTree::kRoot),
                    .time_ns = event.time_ns,
                    .stands_for_ns = inside_ns,
                    .waited_ns = inside_ns,
                    .interval = profile::IntervalFrom(event.time_ns, event.duration_ns),
                    .recording = event.recording};
  SetOwner(fields.Field(row.owner_field), wait);
  wait.waker = ThreadText(fields.Field(row.waker_field));
  const std::string held_in = profile::StackText(fields.Field("holderStackTrace"));
  if (!held_in.empty()) wait.held_in = ThreadText(fields.Field("holder")) + " in " + held_in;
  wait.woken_in = profile::StackText(fields.Field("wakerStackTrace"));
  wait.is_unfinished = fields.Field("unfinished").Long() != 0;
  if (fields.Field("io").Long() != 0) wait.type = WaitType::kSocket;
  if (fields.Field("classInitialization").Long() != 0) {
    wait.type = WaitType::kClassInitialization;
  }
  if (row.type == WaitType::kNativeLock) {
    wait.lock_class = AddressText(fields.Field("address").Long());
    // Only the events of jprof have the field `operation`.
    wait.type = WaitTypeNamed(fields.Field("operation").String()).value_or(row.type);
  }
  const JfrValue waited = fields.Field("waited");
  if (waited && event.duration_ns > 0) {
    const int64_t waited_ns = std::max<int64_t>(waited.Nanos(), 0);
    const double inside = inside_ns / static_cast<double>(event.duration_ns);
    wait.waited_ns = static_cast<double>(waited_ns) * inside;
    // Short waits are sampled. The event of a sampled wait ends when this wait ends, but its
    // duration is the time of all the waits for which the sample stands.
    wait.interval = profile::IntervalFrom(wait.interval.to_ns, -waited_ns);
  }
  return wait;
}

std::string WaitSiteText(const Profile& profile, uint32_t stack) {
  std::string in_jdk;
  for (uint32_t node = stack; node != profile::CallTree::kRoot;
       node = profile.stacks.parent(node)) {
    const uint32_t method = profile.frames()[profile.stacks.frame(node)].method;
    std::string text = profile.MethodText(method);
    if (!profile::IsOfJdk(profile.texts[profile.methods()[method].owner])) return text;
    if (in_jdk.empty() && !IsOfWaiting(text)) in_jdk = std::move(text);
  }
  if (!in_jdk.empty() || stack == profile::CallTree::kRoot) return in_jdk;
  return profile.FrameText(profile.stacks.frame(stack));
}

}  // namespace jprof
