#include "threads/thread_infos.h"

#include <algorithm>
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

std::shared_ptr<const ThreadInfo> ThreadInfos::Find(uint32_t serial, Nanos time_ns) const {
  if (const auto former = former_.find(serial); former != former_.end()) {
    const auto at_that_time = std::ranges::find_if(
        former->second, [&](const Former& each) { return time_ns < each.until_ns; });
    if (at_that_time != former->second.end()) return at_that_time->info;
  }
  return Find(serial);
}

Nanos ThreadInfos::NamedSince(uint32_t serial) const {
  const auto former = former_.find(serial);
  return former == former_.end() ? 0 : former->second.back().until_ns;
}

void ThreadInfos::KeepFormer(const std::shared_ptr<const ThreadInfo>& info, Nanos until_ns) {
  std::deque<Former>& former = former_[info->serial];
  former.push_back({until_ns, info});
  if (former.size() > kMaxFormer) former.pop_front();
}

void ThreadInfos::SetOsName(uint32_t serial, std::string name, Nanos last_read_ns) {
  std::shared_ptr<const ThreadInfo>& known = infos_.at(serial);
  if (known->os_name == name) return;
  if (known->java.id == 0 && !known->os_name.empty()) KeepFormer(known, last_read_ns);
  auto info = std::make_shared<ThreadInfo>(*known);
  info->os_name = std::move(name);
  known = std::move(info);
}

void ThreadInfos::SetJava(uint32_t serial, JavaThreadInfo java, Nanos last_read_ns) {
  std::shared_ptr<const ThreadInfo>& known = infos_.at(serial);
  if (known->java == java) return;
  const bool is_renamed = known->java.id != 0 && known->java.id == java.id;
  if (is_renamed && known->java.name != java.name) KeepFormer(known, last_read_ns);
  auto info = std::make_shared<ThreadInfo>(*known);
  info->java = std::move(java);
  known = std::move(info);
}

void ThreadInfos::End(uint32_t serial) {
  if (ended_.size() >= max_ended_) DropEnded((ended_.size() + 1) / 2);
  ended_.push_back(serial);
}

void ThreadInfos::Forget(const std::vector<uint32_t>& serials) {
  if (serials.empty() || ended_.empty()) return;
  // End() might have dropped the first serials already.
  const auto first = std::ranges::find(serials, ended_.front());
  DropEnded(static_cast<size_t>(serials.end() - first));
}

void ThreadInfos::DropEnded(size_t count) {
  const auto end = ended_.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto serial = ended_.begin(); serial != end; ++serial) {
    infos_.erase(*serial);
    former_.erase(*serial);
  }
  ended_.erase(ended_.begin(), end);
}

std::unordered_set<uint64_t> ThreadInfos::Known() const {
  std::unordered_set<uint64_t> serials;
  serials.reserve(infos_.size());
  for (const auto& [serial, info] : infos_) serials.insert(serial);
  return serials;
}

}  // namespace jprof
