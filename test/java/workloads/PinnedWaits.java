import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that wait for a second each in an initializer of a class. They keep their carriers
 * meanwhile, because the JVM calls an initializer from native code.
 *
 * <p>Truth: parked, sleeping and notified, the time that the class of that name waits, in ns.
 */
public final class PinnedWaits {
  private PinnedWaits() {}

  static final class Parked {
    static final long NANOS;

    static {
      long begin = System.nanoTime();
      LockSupport.parkNanos(1_000_000_000L);
      NANOS = System.nanoTime() - begin;
    }
  }

  static final class Sleeping {
    static final long NANOS;

    static {
      long begin = System.nanoTime();
      try {
        Thread.sleep(1000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      NANOS = System.nanoTime() - begin;
    }
  }

  static final class Notified {
    static final long NANOS;

    static {
      long begin = System.nanoTime();
      Object own = new Object();
      synchronized (own) {
        try {
          own.wait(1000);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      NANOS = System.nanoTime() - begin;
    }
  }

  public static void main(String[] args) throws Exception {
    start(() -> {}).join();
    Thread.sleep(1000); // the profiler looks ten times a second for the first virtual thread
    List<Thread> threads = new ArrayList<>();
    threads.add(start(() -> System.out.println("parked=" + Parked.NANOS)));
    threads.add(start(() -> System.out.println("sleeping=" + Sleeping.NANOS)));
    threads.add(start(() -> System.out.println("notified=" + Notified.NANOS)));
    for (Thread thread : threads) thread.join();
  }

  private static Thread start(Runnable task) throws Exception {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Thread thread = (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
    thread.start();
    return thread;
  }
}
