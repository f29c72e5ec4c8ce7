#include "recording/jfr/thread_table.h"

#include <string_view>

#include "recording/jfr/jfr_encoder.h"

namespace jprof {

bool ThreadTable::Entry::Equals(const ThreadConstant& constant) const {
  return os_tid == constant.os_tid && java_id == constant.java_id &&
         group_key == constant.group_key && is_virtual == constant.is_virtual &&
         os_name == constant.os_name && java_name == constant.java_name;
}

bool ThreadTable::Entry::MergeName(const ThreadConstant& constant) {
  if (java_name.empty()) java_name = constant.java_name;
  return constant.java_name.empty() || java_name == constant.java_name;
}

uint32_t ThreadTable::KeyOf(const ThreadConstant& constant) {
  Kind& kind = constant.is_virtual ? virtual_ : platform_;
  Entry*& newest = kind.newest_by_serial[constant.serial];
  if (newest != nullptr && constant.is_virtual && newest->MergeName(constant)) {
    return newest->key;
  }
  for (const Entry* entry = newest; entry != nullptr; entry = entry->older) {
    if (entry->Equals(constant)) return entry->key;
  }
  Entry& entry = kind.entries.emplace_back(Entry{
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
  const auto write = [&](const Entry& entry) {
    if (!entry.referenced) return;
    std::string_view java_name;  // null for a thread that is not Java's
    if (!entry.java_name.empty() || entry.java_id != 0) java_name = entry.java_name;
    out.Varint(entry.key);
    out.String(entry.is_virtual ? std::string_view() : entry.os_name);
    out.Long(entry.os_tid);
    out.String(java_name);
    out.Long(entry.java_id);
    out.Varint(entry.group_key);
    out.Byte(entry.is_virtual ? 1 : 0);
    spill();
  };
  for (const Entry& entry : platform_.entries) write(entry);
  for (const Entry& entry : virtual_.entries) write(entry);
}

void ThreadTable::BeginChunk() {
  for (Entry& entry : platform_.entries) entry.referenced = false;
  for (const Entry& entry : virtual_.entries) by_key_.erase(entry.key);
  virtual_ = {};
  referenced_ = 0;
}

}  // namespace jprof
