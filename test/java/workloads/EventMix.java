import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Does something of each kind that profilers record: computes, allocates objects of many sizes,
 * throws, sleeps, parks, waits, contends for a monitor, writes and reads a file, keeps an object.
 *
 * <p>usage: EventMix [rounds]
 */
public final class EventMix {
  private static final Object LOCK = new Object();

  static volatile Object sink;
  static volatile Object kept;
  static volatile long sum;

  private EventMix() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20;
    File file = File.createTempFile("event-mix", null);
    kept = new byte[4_000_000];
    for (int round = 0; round < rounds; round++) {
      compute(20);
      allocate(2_000);
      fail(50);
      Thread.sleep(11);
      LockSupport.parkNanos(EventMix.class, 12_000_000);
      synchronized (LOCK) {
        LOCK.wait(13);
      }
      contend();
      copy(file);
    }
    file.delete();
    System.gc();
    System.out.println("rounds=" + rounds);
  }

  // Reads the clock rarely: the JDK's sampler finds no stack while a thread reads the clock.
  private static void compute(int millis) {
    long end = System.nanoTime() + millis * 1_000_000L;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 20_000; i++) {
        sum += end % 7;
      }
    }
  }

  private static void allocate(int objects) {
    for (int i = 0; i < objects; i++) {
      sink = new byte[16 + i];
    }
    sink = new byte[5_000_000];
  }

  private static void fail(int times) {
    for (int i = 0; i < times; i++) {
      try {
        throw new IllegalStateException("thrown on purpose");
      } catch (IllegalStateException expected) {
        sink = expected;
      }
    }
  }

  private static void contend() throws InterruptedException {
    Thread waiter = new Thread(() -> {
      synchronized (LOCK) {
        sum++;
      }
    }, "waiter");
    synchronized (LOCK) {
      waiter.start();
      while (waiter.getState() != Thread.State.BLOCKED) {
        Thread.yield();
      }
      compute(12);
    }
    waiter.join();
  }

  private static void copy(File file) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file)) {
      out.write(new byte[1000]);
    }
    try (FileInputStream in = new FileInputStream(file)) {
      sum += in.read(new byte[1000]);
    }
  }
}
