#include "recording/jfr/thread_table.h"

#include <string_view>

#include "recording/jfr/jfr_encoder.h"

namespace jprof {

bool ThreadTable::Entry::Equals(const ThreadConstant& constant) const {
  return os_tid == constant.os_tid && java_id == constant.java_id &&
         group_key == constant.group_key && is_virtual == constant.is_virtual &&
         os_name == constant.os_name && java_name == constant.java_name;
}

uint32_t ThreadTable::KeyOf(const ThreadConstant& constant) {
  const Entry*& newest = newest_by_serial_[constant.serial];
  for (const Entry* entry = newest; entry != nullptr; entry = entry->older) {
    if (entry->Equals(constant)) return entry->key;
  }
  Entry& entry = entries_.emplace_back(Entry{
      NewKey(constant), constant.serial, constant.os_tid, std::string(constant.os_name),
      std::string(constant.java_name), constant.java_id, constant.group_key, constant.is_virtual,
      /*referenced=*/false, /*older=*/newest});
  newest = &entry;
  by_key_.emplace(entry.key, &entry);
  return entry.key;
}

uint32_t ThreadTable::NewKey(const ThreadConstant& constant) {
  const auto tid = static_cast<uint32_t>(constant.os_tid);
  const bool may_use_tid = constant.os_tid > 0 && tid < kFirstExtraKey && !constant.is_virtual;
  return may_use_tid && !by_key_.contains(tid) ? tid : next_extra_key_++;
}

uint32_t ThreadTable::Reference(uint32_t key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->referenced) return 0;
  found->second->referenced = true;
  ++referenced_;
  return found->second->group_key;
}

void ThreadTable::Write(JfrEncoder& out, const std::function<void()>& spill) const {
  for (const Entry& entry : entries_) {
    if (!entry.referenced) continue;
    std::string_view java_name;  // null for a thread that is not Java's
    if (!entry.java_name.empty() || entry.java_id != 0) java_name = entry.java_name;
    out.Varint(entry.key);
    out.String(entry.os_name);
    out.Long(entry.os_tid);
    out.String(java_name);
    out.Long(entry.java_id);
    out.Varint(entry.group_key);
    out.Byte(entry.is_virtual ? 1 : 0);
    spill();
  }
}

void ThreadTable::BeginChunk() {
  for (Entry& entry : entries_) entry.referenced = false;
  referenced_ = 0;
}

}  // namespace jprof
