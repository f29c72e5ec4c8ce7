#include "threads/thread_names.h"

#include <optional>
#include <string>
#include <utility>

namespace jprof {
namespace {

ThreadEntry* LiveEntry(ThreadRoster& roster, const ThreadInfo& info) {
  ThreadEntry* entry = roster.Find(info.tid);
  return entry != nullptr && entry->serial() == info.serial ? entry : nullptr;
}

}  // namespace

std::shared_ptr<const ThreadInfo> ThreadNames::Find(uint32_t serial, Tid tid) {
  std::shared_ptr<const ThreadInfo> known;
  {
    const auto roster = threads_.Lock();
    known = roster->infos().Find(serial);
    if (known == nullptr) {
      auto info = std::make_shared<ThreadInfo>();
      info->serial = serial;
      info->tid = tid;
      return info;
    }
    const ThreadEntry* entry = LiveEntry(*roster, *known);
    if (entry == nullptr || entry->name_confirmed) return known;
  }
  const std::string name = files_.Name(known->tid);
  const auto roster = threads_.Lock();
  if (ThreadEntry* entry = LiveEntry(*roster, *known)) roster->SetOsName(*entry, name);
  const std::shared_ptr<const ThreadInfo> named = roster->infos().Find(serial);
  return named != nullptr ? named : known;
}

std::shared_ptr<const ThreadInfo> ThreadNames::FindAt(uint32_t serial, Tid tid, Nanos time_ns) {
  const std::shared_ptr<const ThreadInfo> newest = Find(serial, tid);
  const auto known = threads_.Lock()->infos().Find(serial, time_ns);
  return known == nullptr ? newest : known;
}

Nanos ThreadNames::NamedSince(uint32_t serial) {
  return threads_.Lock()->infos().NamedSince(serial);
}

std::vector<uint32_t> ThreadNames::Ended() { return threads_.Lock()->infos().Ended(); }

void ThreadNames::ForgetEnded(const std::vector<uint32_t>& serials) {
  threads_.Lock()->infos().Forget(serials);
}

std::unordered_set<uint64_t> ThreadNames::Known() { return threads_.Lock()->infos().Known(); }

std::unordered_set<uint32_t> ThreadNames::JavaThreadsAmong(const std::vector<uint32_t>& serials) {
  std::unordered_set<uint32_t> java;
  const auto roster = threads_.Lock();
  for (const uint32_t serial : serials) {
    const std::shared_ptr<const ThreadInfo> info = roster->infos().Find(serial);
    if (info != nullptr && info->java.id != 0) java.insert(serial);
  }
  return java;
}

void ThreadNames::SetJavaNames(const std::unordered_map<int64_t, std::string>& names,
                               Nanos now_ns) {
  const auto roster = threads_.Lock();
  for (auto& [tid, entry] : roster->live()) {
    const int64_t id = entry.slot->java_id.load(std::memory_order_relaxed);
    if (id == 0) continue;
    const auto name = names.find(id);
    if (name != names.end()) roster->SetJavaName(entry, name->second, now_ns);
  }
}

void ThreadNames::ExpectNewNames(Renamed renamed) {
  const auto roster = threads_.Lock();
  for (auto& [tid, entry] : roster->live()) {
    const bool is_java = entry.slot->java_id.load(std::memory_order_relaxed) != 0;
    if (renamed == Renamed::kAny || !is_java) entry.name_confirmed = false;
  }
}

}  // namespace jprof
