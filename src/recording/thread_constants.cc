#include "recording/thread_constants.h"

#include <memory>
#include <string>

namespace jprof {

uint32_t ThreadConstants::KeyOf(uint32_t serial, Tid tid) {
  const auto [entry, is_new] = keys_.try_emplace(serial, 0);
  if (!is_new) return entry->second;
  const std::shared_ptr<const ThreadInfo> info = registry_.Find(serial, tid);
  ThreadConstant thread;
  thread.serial = serial;
  thread.os_tid = Value(info->tid);
  // A thread that ended before anybody read its kernel name has the Java name at least.
  const std::string unnamed = "[tid " + std::to_string(Value(info->tid)) + "]";
  thread.os_name = !info->os_name.empty()     ? info->os_name
                   : !info->java.name.empty() ? info->java.name
                                              : unnamed;
  thread.java_name = info->java.name;
  thread.java_id = info->java.id;
  thread.group_key = GroupKeyOf(info->java);
  entry->second = pools_.Thread(thread);
  return entry->second;
}

uint32_t ThreadConstants::GroupKeyOf(const JavaThreadInfo& info) {
  uint32_t key = 0;
  for (const std::string& name : info.group_path) key = pools_.ThreadGroup({key, name});
  return key;
}

}  // namespace jprof
