import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that hold a lock in one of several methods, and note in which one.
 *
 * <p>usage: LockHolders platform|virtual monitor|fair|reentrant busy|asleep threads turns millis
 *
 * <p>The threads "holder-N" take `turns` turns each. In a turn, a thread takes the lock, and works
 * or sleeps for about `millis` in one of four methods, never twice in the same one.
 *
 * <p>Truth: a line "hold THREAD METHOD FROM TO" for each turn, with times in nanoseconds since 1970.
 */
public final class LockHolders {
  static final class Monitor {}

  private static final Monitor MONITOR = new Monitor();

  /** The number of threads that have not taken all their turns. All threads live until it is 0. */
  private static final AtomicInteger busy = new AtomicInteger();

  private static volatile double result;

  private static boolean isBusy;
  private static String kind;
  private static ReentrantLock lock;
  private static long epochNanos;

  private LockHolders() {}

  public static void main(String[] args) throws Exception {
    boolean isVirtual = args[0].equals("virtual");
    kind = args[1];
    lock = new ReentrantLock(kind.equals("fair"));
    isBusy = args[2].equals("busy");
    int threads = Integer.parseInt(args[3]);
    int turns = Integer.parseInt(args[4]);
    long nanos = Long.parseLong(args[5]) * 1_000_000;
    Instant now = Instant.now();
    epochNanos = now.getEpochSecond() * 1_000_000_000 + now.getNano() - System.nanoTime();
    busy.set(threads);
    List<Thread> started = new ArrayList<>();
    StringBuffer truth = new StringBuffer();
    for (int i = 0; i < threads; i++) {
      int number = i;
      String name = "holder-" + i;
      started.add(
          PlainOrVirtual.start(isVirtual, name, () -> takeTurns(name, number, turns, nanos, truth)));
    }
    for (Thread thread : started) {
      while (thread.isAlive()) Thread.sleep(5);
    }
    System.out.print(truth);
  }

  private static void takeTurns(
      String name, int number, int turns, long nanos, StringBuffer truth) throws Exception {
    Random random = new Random(number);
    int method = number;
    for (int i = 0; i < turns; i++) {
      method = (method + 1 + random.nextInt(3)) % 4;
      long length = nanos * (80 + random.nextInt(40)) / 100;
      long[] held = kind.equals("monitor") ? inMonitor(method, length) : inLock(method, length);
      String times = (epochNanos + held[0]) + " " + (epochNanos + held[1]);
      truth.append("hold " + name + " hold" + method + " " + times + "\n");
    }
    busy.decrementAndGet();
    while (busy.get() != 0) Thread.sleep(5);
  }

  private static long[] inMonitor(int method, long length) throws Exception {
    synchronized (MONITOR) {
      return hold(method, length);
    }
  }

  private static long[] inLock(int method, long length) throws Exception {
    lock.lock();
    try {
      return hold(method, length);
    } finally {
      lock.unlock();
    }
  }

  private static long[] hold(int method, long length) throws Exception {
    long from = System.nanoTime();
    switch (method) {
      case 0:
        hold0(length);
        break;
      case 1:
        hold1(length);
        break;
      case 2:
        hold2(length);
        break;
      default:
        hold3(length);
        break;
    }
    return new long[] {from, System.nanoTime()};
  }

  private static void hold0(long length) throws Exception {
    work(length);
    result += 1;
  }

  private static void hold1(long length) throws Exception {
    work(length);
    result += 2;
  }

  private static void hold2(long length) throws Exception {
    work(length);
    result += 3;
  }

  private static void hold3(long length) throws Exception {
    work(length);
    result += 4;
  }

  private static void work(long length) throws Exception {
    if (!isBusy) {
      Thread.sleep(length / 1_000_000);
      return;
    }
    long end = System.nanoTime() + length;
    double sum = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 100; i++) sum += Math.sqrt(i + sum);
    }
    result = sum;
  }
}
