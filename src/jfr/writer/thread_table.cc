#include "jfr/writer/thread_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "jfr/writer/jfr_encoder.h"

namespace jprof {

ThreadTable::PooledThread::PooledThread(const ThreadConstant& constant)
    : serial(constant.serial),
      os_tid(constant.os_tid),
      os_name(constant.os_name),
      java_name(constant.java_name),
      java_id(constant.java_id),
      group_key(constant.group_key),
      is_virtual(constant.is_virtual) {}

bool ThreadTable::PooledThread::Equals(const ThreadConstant& constant) const {
  return os_tid == constant.os_tid && java_id == constant.java_id &&
         group_key == constant.group_key && is_virtual == constant.is_virtual &&
         os_name == constant.os_name && java_name == constant.java_name;
}

bool ThreadTable::PooledThread::Merge(const ThreadConstant& constant) {
  if (is_virtual) {
    if (java_name.empty()) java_name = constant.java_name;
    return constant.java_name.empty() || java_name == constant.java_name;
  }
  if (written || java_id != 0 || constant.java_id == 0) return false;
  const bool was_referenced = referenced;
  *this = PooledThread(constant);
  referenced = was_referenced;
  return true;
}

uint32_t ThreadTable::KeyOf(const ThreadConstant& constant) {
  std::vector<uint32_t>& keys = (constant.is_virtual ? virtual_ : platform_)[constant.serial];
  if (!keys.empty() && entries_.at(keys.back()).Merge(constant)) return keys.back();
  const auto known = std::find_if(keys.rbegin(), keys.rend(),
                                  [&](uint32_t key) { return entries_.at(key).Equals(constant); });
  if (known != keys.rend()) return *known;
  const uint32_t key = NewKey(constant);
  entries_.emplace(key, constant);
  keys.push_back(key);
  return key;
}

uint32_t ThreadTable::Known(uint64_t serial) const {
  const auto keys = platform_.find(serial);
  return keys == platform_.end() || keys->second.empty() ? 0 : keys->second.back();
}

uint32_t ThreadTable::NewKey(const ThreadConstant& constant) {
  const auto tid = static_cast<uint32_t>(constant.os_tid);
  if (constant.os_tid > 0 && tid < kFirstExtraKey && !constant.is_virtual) {
    if (tid >= is_used_.size()) is_used_.resize(tid + 1);
    if (!is_used_[tid]) {
      is_used_[tid] = true;
      return tid;
    }
  }
  // After four billion keys, the keys start again at kFirstExtraKey. The threads that had the first
  // of these keys have long been dropped by then.
  while (next_extra_key_ < kFirstExtraKey || entries_.contains(next_extra_key_)) {
    next_extra_key_ = std::max(next_extra_key_ + 1, kFirstExtraKey);
  }
  return next_extra_key_++;
}

uint32_t ThreadTable::Reference(uint32_t key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.referenced) return 0;
  found->second.referenced = true;
  ++referenced_;
  return found->second.group_key;
}

void ThreadTable::Write(JfrEncoder& out, const std::function<void()>& spill) const {
  for (const auto& [key, entry] : entries_) {
    if (!entry.referenced) continue;
    std::string_view java_name;  // null for a thread that is not a Java thread
    if (!entry.java_name.empty() || entry.java_id != 0) java_name = entry.java_name;
    out.Varint(key);
    out.String(entry.is_virtual ? std::string_view() : entry.os_name);
    out.Long(entry.os_tid);
    out.String(java_name);
    out.Long(entry.java_id);
    out.Varint(entry.group_key);
    out.Byte(entry.is_virtual ? 1 : 0);
    spill();
  }
}

void ThreadTable::KeepOnly(const std::unordered_set<uint64_t>& serials) {
  std::erase_if(platform_, [&](const auto& thread) {
    if (serials.contains(thread.first)) return false;
    for (const uint32_t key : thread.second) entries_.erase(key);
    return true;
  });
}

void ThreadTable::BeginChunk() {
  for (const auto& [serial, keys] : virtual_) {
    for (const uint32_t key : keys) entries_.erase(key);
  }
  virtual_ = {};
  for (auto& [serial, keys] : platform_) {
    const uint32_t newest = keys.back();
    std::erase_if(keys, [&](uint32_t key) {
      PooledThread& entry = entries_.at(key);
      const bool referenced = std::exchange(entry.referenced, false);
      entry.written |= referenced;
      return !referenced && key != newest && entries_.erase(key) != 0;
    });
  }
  referenced_ = 0;
}

}  // namespace jprof
