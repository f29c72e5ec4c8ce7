import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads that wait in one of five ways, each in a method of its own, and measure how long
 * they wait. The waits have random lengths of 1 to 2 * mean - 1 ms.
 *
 * <p>usage: VirtualWaits ways threads rounds mean [hold]
 *
 * <p>{@code ways} are separated by commas: parked, sleeping, locked, blocked, notified. Each way has
 * {@code threads} threads, which wait {@code rounds} times. With {@code hold}, each thread then waits
 * until the process ends. The process ends {@code hold} ms after the last thread has begun to do so,
 * which it announces by a line.
 *
 * <p>Truth: WAY=ns for each way, the time in the rounds; held=ns, the time after them.
 */
public final class VirtualWaits {
  private static final int LOCKS = 50;
  private static final int FIRST_THREAD_MS = 1000;

  interface Way {
    void run(long ms, int number) throws Exception;
  }

  private static final ReentrantLock[] REENTRANT = new ReentrantLock[LOCKS];
  private static final Object[] MONITORS = new Object[LOCKS];
  private static final AtomicLong HOLD_START = new AtomicLong();

  private VirtualWaits() {}

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[1]);
    int rounds = Integer.parseInt(args[2]);
    int mean = Integer.parseInt(args[3]);
    long hold = args.length > 4 ? Long.parseLong(args[4]) : 0;
    for (int i = 0; i < LOCKS; i++) {
      REENTRANT[i] = new ReentrantLock();
      MONITORS[i] = new Object();
    }
    // The profiler looks ten times a second whether the program has made a virtual thread.
    start(() -> {});
    Thread.sleep(FIRST_THREAD_MS);
    String[] ways = args[0].split(",");
    AtomicLong[] sums = new AtomicLong[ways.length];
    CountDownLatch done = new CountDownLatch(ways.length * count);
    for (int w = 0; w < ways.length; w++) {
      Way way = wayOf(ways[w]);
      AtomicLong sum = sums[w] = new AtomicLong();
      for (int i = 0; i < count; i++) {
        int number = i;
        start(() -> live(way, number, rounds, mean, sum, done, hold != 0));
      }
    }
    done.await();
    if (hold != 0) {
      System.out.println("all threads hold");
      Thread.sleep(hold);
      long end = System.nanoTime();
      System.out.println("held=" + (end * ways.length * count - HOLD_START.get()));
    }
    for (int w = 0; w < ways.length; w++) System.out.println(ways[w] + "=" + sums[w]);
  }

  private static void start(Runnable task) throws Exception {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    ((Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task)).start();
  }

  private static Way wayOf(String name) {
    if (name.equals("parked")) return VirtualWaits::parked;
    if (name.equals("sleeping")) return VirtualWaits::sleeping;
    if (name.equals("locked")) return VirtualWaits::locked;
    if (name.equals("blocked")) return VirtualWaits::blocked;
    if (name.equals("notified")) return VirtualWaits::notified;
    throw new IllegalArgumentException(name);
  }

  private static void live(Way way, int number, int rounds, int mean, AtomicLong sum,
      CountDownLatch done, boolean holds) {
    SplittableRandom random = new SplittableRandom(number);
    long begin = System.nanoTime();
    try {
      for (int i = 0; i < rounds; i++) {
        long ms = random.nextLong(1, 2L * mean);
        way.run(ms, number + i);
      }
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
    long end = System.nanoTime();
    sum.addAndGet(end - begin);
    if (holds) HOLD_START.addAndGet(end);
    done.countDown();
    while (holds) held();
  }

  private static void held() {
    LockSupport.park();
  }

  private static void parked(long ms, int number) {
    LockSupport.parkNanos(ms * 1_000_000);
  }

  private static void sleeping(long ms, int number) throws InterruptedException {
    Thread.sleep(ms);
  }

  private static void locked(long ms, int number) {
    ReentrantLock lock = REENTRANT[number % LOCKS];
    lock.lock();
    try {
      LockSupport.parkNanos(1_000_000);
    } finally {
      lock.unlock();
    }
  }

  private static void blocked(long ms, int number) throws InterruptedException {
    synchronized (MONITORS[number % LOCKS]) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void notified(long ms, int number) throws InterruptedException {
    Object own = new Object();
    synchronized (own) {
      own.wait(ms);
    }
  }
}
