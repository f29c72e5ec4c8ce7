import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.TreeMap;

/**
 * Starts and stops the tracing of methods again and again.
 *
 * <p>usage: TraceCycles agentLibrary nativeFolder file cycles firstMeasured
 *
 * <p>Truth: wrong, the number of recordings with wrong counts; metaspace.WHEN and code.WHEN, the
 * bytes in use after a collection, where WHEN is first (after `firstMeasured` cycles) or last
 * (after all cycles).
 */
public final class TraceCycles {
  /**
   * The number of cycles between two forced collections. Collections free old versions of a class;
   * the JVM might not collect by itself for a while.
   */
  private static final int CYCLES_PER_COLLECTION = 25;

  private static final int CALLS = 2000;

  private TraceCycles() {}

  static int twice(int number) {
    if (number % 2 == 0) throw new IllegalStateException("even");
    return 2 * number;
  }

  public static void main(String[] args) {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    String start = "start,trace=TraceCycles.twice+java.util.TreeMap.*,file=" + args[2];
    String counted = "TraceCycles.twice(I)I: " + CALLS + " calls, " + CALLS / 2 + " ended";
    int cycles = Integer.parseInt(args[3]);
    int firstMeasured = Integer.parseInt(args[4]);
    int wrong = 0;
    for (int cycle = 1; cycle <= cycles; cycle++) {
      String started = profiler.execute(start);
      if (started.startsWith("failed: ")) throw new IllegalStateException(started);
      call();
      if (!profiler.execute("stop").contains(counted)) wrong++;
      if (cycle % CYCLES_PER_COLLECTION == 0) System.gc();
      if (cycle == firstMeasured) measure("first");
    }
    measure("last");
    Work.print("wrong", wrong);
  }

  private static void call() {
    TreeMap<Integer, Integer> map = new TreeMap<>();
    for (int i = 0; i < CALLS; i++) {
      try {
        map.put(i % 100, twice(i));
      } catch (IllegalStateException even) {
        map.remove(i % 100);
      }
    }
    Work.sink = map.size();
  }

  private static void measure(String when) {
    System.gc();
    long metaspace = 0;
    long code = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getName().equals("Metaspace")) metaspace += pool.getUsage().getUsed();
      if (pool.getName().startsWith("Code")) code += pool.getUsage().getUsed();
    }
    Work.print("metaspace." + when, metaspace);
    Work.print("code." + when, code);
  }
}
