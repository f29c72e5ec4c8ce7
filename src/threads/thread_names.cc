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

void ThreadNames::UpdateJavaThread(Tid tid, JavaThreadInfo info) {
  const auto roster = threads_.Lock();
  ThreadEntry* entry = roster->Find(tid);
  if (entry == nullptr) return;
  // The tid was read a moment ago; the Java thread's id says whether it is still its own.
  if (roster->infos().At(entry->serial()).java.id != info.id) return;
  roster->SetJava(*entry, std::move(info), Observed::kFromNow);
}

void ThreadNames::ExpectNewNames() {
  const auto roster = threads_.Lock();
  for (auto& [tid, entry] : roster->live()) entry.name_confirmed = false;
}

}  // namespace jprof
