import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that live for some microseconds, four at a time. An operation is one such thread.
 */
final class ThreadChurn implements Workload {
  private static final int SIDE_BY_SIDE = 4;

  @Override
  public long run(long operations) throws InterruptedException {
    AtomicLong sum = new AtomicLong();
    Thread[] threads = new Thread[SIDE_BY_SIDE];
    for (long i = 0; i < operations; i += SIDE_BY_SIDE) {
      int count = (int) Math.min(SIDE_BY_SIDE, operations - i);
      for (int t = 0; t < count; t++) {
        long number = i + t;
        threads[t] = new Thread(() -> sum.addAndGet(Long.hashCode(number * 31)));
        threads[t].start();
      }
      for (int t = 0; t < count; t++) {
        threads[t].join();
      }
    }
    return sum.get();
  }
}
