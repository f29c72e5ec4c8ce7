import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Burns CPU time, measured with the thread's own clock. */
final class Work {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int ITERATIONS_BETWEEN_LOOKS = 20_000;

  /** Receives results, so that no compiler removes the loops that compute them. */
  static volatile long sink;

  private Work() {}

  /** Returns the CPU time of the calling thread since its start. */
  static long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  static long cpuNanos(Thread thread) {
    return THREADS.getThreadCpuTime(thread.getId());
  }

  /**
   * Returns how long the calling thread has been in the run queue since it started, in nanoseconds.
   */
  static long queuedNanos() {
    try {
      // The three fields, which proc(5) does not document, are CPU time, time in the run queue, and
      // runs.
      byte[] text = Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"));
      return Long.parseLong(new String(text, StandardCharsets.US_ASCII).split(" ")[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the CPU time of the process since its start, in steps of a clock tick. */
  static long processCpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Burns until the calling thread has used `nanos` more nanoseconds of CPU time. */
  static void burn(long nanos) {
    long end = cpuNanos() + nanos;
    while (cpuNanos() < end) {
      spin(ITERATIONS_BETWEEN_LOOKS);
    }
  }

  static void burnForever() {
    while (true) {
      spin(ITERATIONS_BETWEEN_LOOKS);
    }
  }

  /** Makes `iterations` steps that no compiler can remove. */
  static void spin(int iterations) {
    long value = sink;
    for (int i = 0; i < iterations; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      value ^= value >>> 29;
    }
    sink = value;
  }

  /** Prints one line of truth. Lines of different threads do not mix. */
  static void print(String key, Object value) {
    synchronized (System.out) {
      System.out.println(key + "=" + value);
      System.out.flush();
    }
  }

  static Thread start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.start();
    return thread;
  }

  static Thread startDaemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static void join(Iterable<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
