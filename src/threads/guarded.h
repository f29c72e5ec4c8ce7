// Guarded<T> has an object and the mutex that protects it. The object is accessible only while the
// mutex is held:
//
//   const auto roster = threads.Lock();   // until the end of the scope
//   roster->End(tid, {EndedBy::kAbsence});
//
// Thread-safe.
#pragma once

#include <mutex>
#include <utility>

namespace jprof {

template <typename T>
class Guarded {
 public:
  template <typename... Arguments>
  explicit Guarded(Arguments&&... arguments) : object_(std::forward<Arguments>(arguments)...) {}

  class Access {
   public:
    T* operator->() const { return &object_; }
    T& operator*() const { return object_; }

   private:
    friend class Guarded;
    Access(std::mutex& mutex, T& object) : lock_(mutex), object_(object) {}

    const std::lock_guard<std::mutex> lock_;
    T& object_;
  };

  [[nodiscard]] Access Lock() { return Access(mutex_, object_); }

 private:
  std::mutex mutex_;
  T object_;
};

}  // namespace jprof
