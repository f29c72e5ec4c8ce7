// Constants that say which sanitizer this binary is built with, because some properties cannot be
// tested under one.
#pragma once

namespace jprof::test {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define JPROF_UNDER_TSAN 1
#elif __has_feature(address_sanitizer)
#define JPROF_UNDER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define JPROF_UNDER_TSAN 1
#elif defined(__SANITIZE_ADDRESS__)
#define JPROF_UNDER_ASAN 1
#endif

#if defined(JPROF_UNDER_TSAN)
inline constexpr bool kUnderTsan = true;
#else
inline constexpr bool kUnderTsan = false;
#endif
#if defined(JPROF_UNDER_ASAN)
inline constexpr bool kUnderAsan = true;
#else
inline constexpr bool kUnderAsan = false;
#endif
inline constexpr bool kUnderSanitizer = kUnderTsan || kUnderAsan;

}  // namespace jprof::test
