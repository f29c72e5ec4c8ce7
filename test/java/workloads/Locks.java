import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for each other, and measure how long.
 *
 * <p>usage: Locks platform|virtual threads turns millis kind...
 *
 * <p>For each kind, a few threads with names "warm-..." and after them `threads` threads take
 * `turns` turns each. In a turn, a thread holds the lock for `millis` while the others wait, or
 * waits for a signal that comes after this time. Locks are fair, so that a thread parks once for
 * each wait, for the whole time. A thread of the kind "permit" parks a hundred times in a turn,
 * each time with its permit, so that it does not wait.
 *
 * <p>Truth: total.KIND and longest.KIND, in nanoseconds; waits.KIND, the number of waits of at
 * least 1 ms.
 */
public final class Locks {
  static final class Monitor {}

  static final class Condition {
    boolean isSet;
  }

  private static final int PERMITS = 100;

  private static boolean isVirtual;
  private static long holdNanos;

  private Locks() {}

  interface Turn {
    /** Takes a turn; returns the time that it waited. */
    long take() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    isVirtual = args[0].equals("virtual");
    int threads = Integer.parseInt(args[1]);
    int turns = Integer.parseInt(args[2]);
    holdNanos = Long.parseLong(args[3]) * 1_000_000;
    for (int i = 4; i < args.length; i++) {
      run("warm", args[i], 4, 3);
      run(args[i], args[i], threads, turns);
    }
  }

  private static void run(String name, String kind, int threads, int turns) throws Exception {
    AtomicLong total = new AtomicLong();
    AtomicLong waits = new AtomicLong();
    AtomicLongArray longest = new AtomicLongArray(threads);
    List<Thread> started = new ArrayList<>();
    Turn turn = turnOf(kind);
    for (int i = 0; i < threads; i++) {
      int number = i;
      started.add(
          PlainOrVirtual.start(
              isVirtual,
              name + "-" + i,
              () -> {
                for (int t = 0; t < turns; t++) {
                  long waited = turn.take();
                  total.addAndGet(waited);
                  if (waited >= 1_000_000) waits.incrementAndGet();
                  longest.accumulateAndGet(number, waited, Math::max);
                }
              }));
    }
    join(started);
    long most = 0;
    for (int i = 0; i < threads; i++) most = Math.max(most, longest.get(i));
    System.out.println("total." + name + "=" + total.get());
    System.out.println("longest." + name + "=" + most);
    System.out.println("waits." + name + "=" + waits.get());
  }

  /** Sleeps, which is neither a wait for a lock nor a park. */
  private static void hold() throws InterruptedException {
    Thread.sleep(holdNanos / 1_000_000);
  }

  /** Joins the threads by polling, because waits of main would be recorded too. */
  private static void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      while (thread.isAlive()) Thread.sleep(5);
    }
  }

  private static Turn turnOf(String kind) {
    switch (kind) {
      case "monitor":
        return monitor(new Monitor());
      case "notify":
        return Locks::waitForNotify;
      case "crowd":
        return crowd(new Monitor());
      case "reentrant":
        return reentrant(new ReentrantLock(true));
      case "semaphore":
        return semaphore(new Semaphore(1, true));
      case "latch":
        return Locks::awaitLatch;
      case "future":
        return Locks::awaitFuture;
      case "permit":
        return Locks::parkWithPermits;
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  private static Turn monitor(Monitor monitor) {
    return () -> {
      long start = System.nanoTime();
      long waited;
      synchronized (monitor) {
        waited = System.nanoTime() - start;
        hold();
      }
      return waited;
    };
  }

  private static long waitForNotify() throws Exception {
    Condition condition = new Condition();
    signalLater(
        () -> {
          synchronized (condition) {
            condition.isSet = true;
            condition.notifyAll();
          }
        });
    synchronized (condition) {
      long start = System.nanoTime();
      while (!condition.isSet) condition.wait();
      return System.nanoTime() - start;
    }
  }

  /**
   * Waits to enter the monitor, then in it for a given time, and then to enter it again together
   * with other threads.
   */
  private static Turn crowd(Monitor monitor) {
    return () -> {
      long start = System.nanoTime();
      long waited;
      synchronized (monitor) {
        monitor.wait(20);
        waited = System.nanoTime() - start;
        hold();
      }
      return waited;
    };
  }

  private static Turn reentrant(ReentrantLock lock) {
    return () -> {
      long start = System.nanoTime();
      lock.lock();
      long waited = System.nanoTime() - start;
      hold();
      lock.unlock();
      return waited;
    };
  }

  private static Turn semaphore(Semaphore semaphore) {
    return () -> {
      long start = System.nanoTime();
      semaphore.acquire();
      long waited = System.nanoTime() - start;
      hold();
      semaphore.release();
      return waited;
    };
  }

  private static long awaitLatch() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    signalLater(latch::countDown);
    long start = System.nanoTime();
    latch.await();
    return System.nanoTime() - start;
  }

  private static long awaitFuture() throws Exception {
    CompletableFuture<Integer> future = new CompletableFuture<>();
    signalLater(() -> future.complete(1));
    long start = System.nanoTime();
    future.get();
    return System.nanoTime() - start;
  }

  private static long parkWithPermits() {
    for (int i = 0; i < PERMITS; i++) {
      LockSupport.unpark(Thread.currentThread());
      LockSupport.park();
    }
    return 0;
  }

  /** Signals from a separate thread after the time that a turn takes. */
  private static void signalLater(Runnable signal) throws Exception {
    PlainOrVirtual.start(
        isVirtual,
        "signal",
        () -> {
          hold();
          signal.run();
        });
  }
}
