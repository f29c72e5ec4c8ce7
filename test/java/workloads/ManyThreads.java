import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Threads of three kinds for a while: sleeping-N sleep, waking-N wake every few milliseconds and
 * work for a moment, busy-N work. ManyThreads sleeping waking busy millis
 *
 * <p>Truth: wall.NAME, the nanoseconds from the thread's first to its last statement, for each.
 */
public final class ManyThreads {
  private static final long MOMENT = 50_000;
  private static final long MILLI = 1_000_000;

  private ManyThreads() {}

  private interface Body {
    void run(long endNanos) throws InterruptedException;
  }

  public static void main(String[] args) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    long nanos = Long.parseLong(args[3]) * MILLI;
    CountDownLatch told = new CountDownLatch(1);
    start(threads, "sleeping-", args[0], nanos, told, ManyThreads::sleep);
    start(threads, "waking-", args[1], nanos, told, ManyThreads::wakeAndSleep);
    start(threads, "busy-", args[2], nanos, told, ManyThreads::spinUntil);
    Thread.sleep(nanos / MILLI);
    told.countDown();
    Work.join(threads);
  }

  private static void start(
      List<Thread> threads, String prefix, String count, long nanos, CountDownLatch told, Body body) {
    for (int i = 0; i < Integer.parseInt(count); i++) {
      String name = prefix + i;
      threads.add(Work.start(name, () -> live(name, nanos, told, body)));
    }
  }

  private static void live(String name, long nanos, CountDownLatch told, Body body) {
    long start = System.nanoTime();
    try {
      body.run(start + nanos);
      told.await(); // so that the truth is printed when nobody is measured any more
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
    Work.print("wall." + name, System.nanoTime() - start);
  }

  private static void sleep(long endNanos) throws InterruptedException {
    Thread.sleep(Math.max(0, endNanos - System.nanoTime()) / MILLI);
  }

  private static void wakeAndSleep(long endNanos) throws InterruptedException {
    while (System.nanoTime() < endNanos) {
      Thread.sleep(7);
      spinUntil(System.nanoTime() + MOMENT);
    }
  }

  private static void spinUntil(long endNanos) {
    while (System.nanoTime() < endNanos) {
      Work.sink++;
    }
  }
}
