#include "integration/lock_waits.h"

#include <gtest/gtest.h>

namespace jprof::test {

std::vector<Wait> WaitsOf(const Recording& recording) {
  std::vector<Wait> waits;
  for (const Event& event : recording.events()) {
    if (event.type == kEnter || event.type == kWait || event.type == kPark)
      waits.push_back({event});
  }
  return waits;
}

std::string NameOf(const Wait& wait) { return wait.event.Text("eventThread.javaName"); }

std::map<std::string, Sums> SumsOf(const std::vector<Wait>& waits) {
  std::map<std::string, Sums> sums;
  for (const Wait& wait : waits) {
    // Until JDK 18 a thread that starts or ends another thread enters the monitor of its
    // ThreadGroup. The programs do not measure these waits.
    if (wait.event.Text("monitorClass") == "java.lang.ThreadGroup") continue;
    const std::string name = NameOf(wait);
    const std::string kind = name.substr(0, name.find('-'));
    Sums& sum = sums[kind];
    sum.total += wait.duration();
    sum.variance += wait.duration() * std::max(wait.duration() - wait.waited(), 0.0);
    sum.longest = std::max(sum.longest, wait.waited());
    ++sum.events;
    const std::string owner = wait.event.Text(wait.owner() + ".javaName");
    if (kind == "latch" || kind == "semaphore" || kind == "future") {
      EXPECT_EQ(owner, "") << kind;
    }
    const std::string waker = wait.event.Text(wait.waker() + ".javaName");
    // A virtual thread that has not waited itself is recorded with its id but without its name.
    const auto has_id_alone = [&wait](const std::string& field) {
      return wait.event.Text(field + ".javaName").empty() &&
             wait.event.Number(field + ".javaThreadId") != 0;
    };
    if ((owner != name && owner.starts_with(kind)) || has_id_alone(wait.owner())) {
      ++sum.owned;
    } else if (!owner.empty() && kind == "reentrant") {
      sum.strange_owners += '"' + owner + "\" ";
    }
    if ((waker != name && (waker.starts_with(kind) || waker == "signal")) ||
        has_id_alone(wait.waker())) {
      ++sum.woken;
    } else if (!waker.empty()) {
      sum.strange_wakers += '"' + waker + "\" ";
    }
  }
  return sums;
}

}  // namespace jprof::test
