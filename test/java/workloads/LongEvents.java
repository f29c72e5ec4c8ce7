import java.util.concurrent.locks.LockSupport;

/**
 * Four threads, each of which does one thing for some time: a call, or one of three kinds of waits.
 *
 * <p>usage: LongEvents millis
 *
 * <p>Truth in milliseconds since 1970, for the threads call, enter, wait and park: THREAD.begin,
 * the earliest start of what it does, and THREAD.end, the latest end.
 */
public final class LongEvents {
  private static final Object LOCK = new Object();
  private static final Object NEVER_NOTIFIED = new Object();

  private LongEvents() {}

  public static void main(String[] args) throws InterruptedException {
    long millis = Long.parseLong(args[0]);
    Thread[] threads = new Thread[4];
    synchronized (LOCK) {
      threads[0] = start("call", () -> call(millis));
      threads[1] = start("enter", LongEvents::enter);
      threads[2] = start("wait", () -> await(millis));
      threads[3] = start("park", () -> LockSupport.parkNanos(millis * 1_000_000));
      Thread.sleep(millis);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static Thread start(String name, Runnable task) {
    return Work.start(
        name,
        () -> {
          long begin = System.currentTimeMillis();
          task.run();
          long end = System.currentTimeMillis();
          Work.print(name + ".begin", begin);
          Work.print(name + ".end", end);
        });
  }

  static void call(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static void enter() {
    synchronized (LOCK) {
      Work.sink = 1;
    }
  }

  static void await(long millis) {
    synchronized (NEVER_NOTIFIED) {
      try {
        NEVER_NOTIFIED.wait(millis);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
