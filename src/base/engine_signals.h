// The signals that engines (the sources of samples) may use (kEngineSignals). While the handler of
// one of these signals runs, all of them are blocked.
//
// None of them is a real-time signal: if the kernel cannot queue a real-time signal for a
// perf_event, it sends SIGIO instead, and SIGIO ends the process (Linux v6.1 fs/fcntl.c,
// send_sigio_to_task). The JVM uses SIGUSR2 to suspend threads and SIGRTMAX - 2 to interrupt input,
// so these two are not among the engines' signals. SIGPROF is, although the JVM uses it for the
// event jdk.CPUTimeSample. Besides jprof, no software sends SIGSTKFLT. SIGPWR is sent to process 1
// only.
#pragma once

#include <array>
#include <csignal>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace jprof {

struct SignalRow {
  std::string_view name;
  int number;
};

// The signals for CPU samples, the preferred one first.
inline constexpr std::array kCpuSignals = {
    SignalRow{"SIGPROF", SIGPROF},
    SignalRow{"SIGSTKFLT", SIGSTKFLT},
    SignalRow{"SIGPWR", SIGPWR},
};
inline constexpr int kCpuSignal = kCpuSignals.front().number;
inline constexpr int kWallSignal = SIGVTALRM;

inline constexpr std::initializer_list<int> kEngineSignals = {SIGPROF, SIGSTKFLT, SIGPWR,
                                                              SIGVTALRM};

// Returns the name of a signal that engines may use, such as "SIGPROF". For any other signal,
// returns its number, such as "signal 5".
std::string SignalName(int signal);

// Finds one of kCpuSignals by its name, with or without SIG and in any case, or by its number.
std::optional<int> FindCpuSignal(std::string_view text);

}  // namespace jprof
