#include "threads/thread_infos.h"

#include <utility>

namespace jprof {

void ThreadInfos::Add(uint32_t serial, Tid tid) {
  auto info = std::make_shared<ThreadInfo>();
  info->serial = serial;
  info->tid = tid;
  infos_[serial] = std::move(info);
}

std::shared_ptr<const ThreadInfo> ThreadInfos::Find(uint32_t serial) const {
  const auto known = infos_.find(serial);
  return known == infos_.end() ? nullptr : known->second;
}

void ThreadInfos::SetOsName(uint32_t serial, std::string name) {
  std::shared_ptr<const ThreadInfo>& known = infos_.at(serial);
  if (known->os_name == name) return;
  auto info = std::make_shared<ThreadInfo>(*known);
  info->os_name = std::move(name);
  known = std::move(info);
}

void ThreadInfos::SetJava(uint32_t serial, JavaThreadInfo java) {
  std::shared_ptr<const ThreadInfo>& known = infos_.at(serial);
  if (known->java == java) return;
  auto info = std::make_shared<ThreadInfo>(*known);
  info->java = std::move(java);
  known = std::move(info);
}

void ThreadInfos::Forget(const std::vector<uint32_t>& serials) {
  for (const uint32_t serial : serials) infos_.erase(serial);
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(serials.size()));
}

std::unordered_set<uint64_t> ThreadInfos::Known() const {
  std::unordered_set<uint64_t> serials;
  serials.reserve(infos_.size());
  for (const auto& [serial, info] : infos_) serials.insert(serial);
  return serials;
}

}  // namespace jprof
