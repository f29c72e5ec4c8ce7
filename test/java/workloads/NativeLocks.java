import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Threads that wait for pthread locks in native code.
 *
 * <p>usage: NativeLocks threads rounds holdMicros kind...
 *
 * <p>Each thread's name starts with its kind. Truth in nanoseconds, as the threads have measured
 * it: total.KIND and longest.KIND, the waits for the lock at the address lock.KIND; queued.KIND,
 * how long the threads were in the run queue during their waits, which bounds the time between a
 * call and the reading of the clock. results: the results of calls that fail or do not wait.
 * cancelled and forked: 1 if cancellation and fork work as without a profiler.
 */
public final class NativeLocks {
  private static final Map<String, Long> TOTALS = new HashMap<>();
  private static final Map<String, Long> LONGEST = new HashMap<>();
  private static final Map<String, Long> QUEUED = new HashMap<>();
  private static final Map<String, Long> LOCKS = new HashMap<>();

  private NativeLocks() {}

  public static void main(String[] args) throws Exception {
    System.loadLibrary("native_locks");
    System.out.println("results=" + results());
    Work.print("cancelled", cancelsCleanly() ? 1 : 0);
    Work.print("forked", worksInForkedChild() ? 1 : 0);
    int rounds = Integer.parseInt(args[1]);
    long hold = Long.parseLong(args[2]) * 1000;
    List<Thread> threads = new ArrayList<>();
    for (int i = 3; i < args.length; i++) {
      String kind = args[i];
      for (int number = 0; number < Integer.parseInt(args[0]); number++) {
        threads.add(Work.start(kind + "-" + number, () -> measure(kind, rounds, hold)));
      }
    }
    for (Thread thread : threads) thread.join();
    for (String kind : TOTALS.keySet()) {
      Work.print("total." + kind, TOTALS.get(kind));
      Work.print("longest." + kind, LONGEST.get(kind));
      Work.print("queued." + kind, QUEUED.get(kind));
      Work.print("lock." + kind, LOCKS.get(kind));
    }
  }

  private static void measure(String kind, int rounds, long hold) {
    long queued = Work.queuedNanos();
    long[] measured = contend(kind, rounds, hold);
    queued = Work.queuedNanos() - queued;
    synchronized (TOTALS) {
      LOCKS.put(kind, measured[2]);
      QUEUED.merge(kind, queued, Long::sum);
      TOTALS.merge(kind, measured[0], Long::sum);
      LONGEST.merge(kind, measured[1], Math::max);
    }
  }

  /**
   * Returns the sum of the waits and the longest one in nanoseconds, and the address of the lock.
   */
  static native long[] contend(String kind, int rounds, long hold);

  static native String results();

  static native boolean cancelsCleanly();

  static native boolean worksInForkedChild();

  static native String calledLibraries();

  /** Takes and releases a mutex `times` times. No other thread takes this mutex. */
  static native void takeFree(int times);

  static native void hold();

  static native void release();

  static native boolean hasWaiter();

  static native long time();
}
