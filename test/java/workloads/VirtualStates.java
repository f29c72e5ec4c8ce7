import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that compute, sleep, wait, park and are blocked, and measure how long each takes.
 *
 * <p>usage: VirtualStates threads rounds
 *
 * <p>Truth in nanoseconds, summed over all threads: STATE, the time in each state; starting, the
 * time from the call of start to the first instruction; lifetime, the time from that call to the
 * last instruction.
 */
public final class VirtualStates {
  private static final AtomicLong LIFETIME = new AtomicLong();
  private static final AtomicLong STARTING = new AtomicLong();
  private static final AtomicLong COMPUTING = new AtomicLong();
  private static final AtomicLong SLEEPING = new AtomicLong();
  private static final AtomicLong WAITING = new AtomicLong();
  private static final AtomicLong PARKED = new AtomicLong();
  private static final AtomicLong BLOCKED = new AtomicLong();

  private static final Object[] MONITORS = new Object[50];

  private static volatile double sink;

  private VirtualStates() {}

  interface Body {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    for (int i = 0; i < MONITORS.length; i++) MONITORS[i] = new Object();
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      long[] start = new long[1];
      Runnable task = () -> live(number, rounds, start);
      Thread thread = (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
      threads.add(thread);
      start[0] = System.nanoTime();
      thread.start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println("lifetime=" + LIFETIME);
    System.out.println("starting=" + STARTING);
    System.out.println("computing=" + COMPUTING);
    System.out.println("sleeping=" + SLEEPING);
    System.out.println("waiting=" + WAITING);
    System.out.println("parked=" + PARKED);
    System.out.println("blocked=" + BLOCKED);
  }

  private static void live(int number, int rounds, long[] start) {
    STARTING.addAndGet(System.nanoTime() - start[0]);
    try {
      for (int i = 0; i < rounds; i++) round(MONITORS[(number + i) % MONITORS.length]);
    } catch (InterruptedException e) {
      e.printStackTrace();
      System.exit(1);
    }
    LIFETIME.addAndGet(System.nanoTime() - start[0]);
  }

  private static void measure(AtomicLong sum, Body body) throws InterruptedException {
    long begin = System.nanoTime();
    try {
      body.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    sum.addAndGet(System.nanoTime() - begin);
  }

  private static void round(Object shared) throws InterruptedException {
    measure(COMPUTING, VirtualStates::compute);
    measure(SLEEPING, () -> Thread.sleep(50));
    Object own = new Object();
    synchronized (own) {
      measure(WAITING, () -> own.wait(40));
    }
    measure(
        PARKED,
        () -> {
          long end = System.nanoTime() + 30_000_000;
          for (long left; (left = end - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
        });
    long begin = System.nanoTime();
    synchronized (shared) {
      BLOCKED.addAndGet(System.nanoTime() - begin);
      measure(SLEEPING, () -> Thread.sleep(2));
    }
  }

  private static void compute() {
    double sum = 0;
    for (int i = 1; i < 100_000; i++) sum += Math.sqrt(i);
    sink = sum;
  }
}
