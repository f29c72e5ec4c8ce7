import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * A thread "allocator" that keeps the garbage collector busy until it has used its CPU time, by
 * short-lived garbage and by a ring of survivors that keep being replaced.
 *
 * <p>usage: AllocGc cpuMillis
 *
 * <p>Truth: cpu.allocator; collections, the sum over all collectors.
 */
public final class AllocGc {
  private static final int RING = 1 << 14;

  private AllocGc() {}

  public static void main(String[] args) throws InterruptedException {
    long cpuNanos = Long.parseLong(args[0]) * 1_000_000;
    Thread allocator = Work.start("allocator", () -> allocate(cpuNanos));
    allocator.join();
    long collections = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      collections += Math.max(0, bean.getCollectionCount());
    }
    Work.print("collections", collections);
  }

  private static void allocate(long cpuNanos) {
    Object[][] survivors = new Object[RING][];
    int next = 0;
    while (Work.cpuNanos() < cpuNanos) {
      for (int i = 0; i < 1_000; i++) {
        survivors[next++ & (RING - 1)] = new Object[] {new byte[512], new long[32]};
      }
    }
    Work.sink += survivors.length;
    Work.print("cpu.allocator", Work.cpuNanos());
  }
}
