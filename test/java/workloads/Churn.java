import java.util.concurrent.CountDownLatch;

/**
 * Creates short threads, for scripts/bench churn.
 *
 * <p>usage: Churn threads burst
 *
 * <p>Prints us.thread, the microseconds from the creation of a thread until it has been joined, one
 * thread after another; us.thread.cpu, the CPU time of the process for this; and us.burst, the
 * microseconds per thread if `burst` threads are started before the first of them is joined.
 */
public final class Churn {
  private static final int WARM_UP = 3000;

  private Churn() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    int burst = Integer.parseInt(args[1]);
    oneAfterAnother(WARM_UP);
    sideBySide(burst);
    long cpu = Work.processCpuNanos();
    Work.print("us.thread", oneAfterAnother(threads));
    Work.print("us.thread.cpu", (Work.processCpuNanos() - cpu) / 1e3 / threads);
    Work.print("us.burst", sideBySide(burst));
  }

  private static double oneAfterAnother(int count) throws InterruptedException {
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(Churn::nothing);
      thread.start();
      thread.join();
    }
    return microsEach(begin, count);
  }

  private static double sideBySide(int count) throws InterruptedException {
    CountDownLatch all = new CountDownLatch(count);
    Thread[] threads = new Thread[count];
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      threads[i] =
          new Thread(
              () -> {
                all.countDown();
                awaitQuietly(all);
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return microsEach(begin, count);
  }

  private static double microsEach(long begin, int count) {
    return (System.nanoTime() - begin) / 1e3 / count;
  }

  private static void nothing() {}

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
