#include "walking/walk_environments.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace jprof {
namespace {

struct Published {
  std::mutex mutex;
  std::vector<std::unique_ptr<const WalkEnvironment>> environments;
};

// Returns all environments that have been published. They are leaked, because handlers might still
// run while the process exits.
Published& AllPublished() {
  static auto* const published = new Published;
  return *published;
}

}  // namespace

void ChangeWalkEnvironment(const std::function<void(WalkEnvironment&)>& change) {
  Published& published = AllPublished();
  const std::lock_guard lock(published.mutex);
  WalkEnvironment next = TheWalkEnvironment();
  change(next);
  auto& all = published.environments;
  auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return *one == next; });
  if (found == all.end()) {
    found = all.insert(all.end(), std::make_unique<const WalkEnvironment>(next));
  }
  UseWalkEnvironment(found->get());
}

}  // namespace jprof
