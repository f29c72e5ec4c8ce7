import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that compute, sleep, wait, park, are blocked and read, and measure how long each takes.
 *
 * <p>usage: States threads rounds
 *
 * <p>Truth in nanoseconds for each thread "states-N": THREAD.STATE, the time in the state;
 * THREAD.queued.STATE, the part of it that the thread was in the run queue; THREAD.computing, the
 * time in which it computed, and THREAD.computed, the CPU time of that.
 */
public final class States {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static volatile double sink;

  /**
   * Orders for a helper thread, which holds a monitor so that the thread is blocked, and writes
   * what the thread reads.
   */
  private final LinkedBlockingQueue<Runnable> orders = new LinkedBlockingQueue<>();

  private final Object monitor = new Object();
  private final Object condition = new Object();
  private final Pipe pipe = Pipe.open();

  private final Measured sleeping = new Measured();
  private final Measured waiting = new Measured();
  private final Measured parked = new Measured();
  private final Measured blocked = new Measured();
  private final Measured io = new Measured();
  private long computing;
  private long cpu;

  /** The time in a state, and the part of it in which the thread was in the run queue. */
  private static final class Measured {
    private long nanos;
    private long queued;

    void begin() {
      queued -= Work.queuedNanos();
      nanos -= System.nanoTime();
    }

    void end() {
      nanos += System.nanoTime();
      queued += Work.queuedNanos();
    }

    void print(String state) {
      States.print(state, nanos);
      States.print("queued." + state, queued);
    }
  }

  private States() throws Exception {}

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    new States().round();  // loads and initializes classes before the threads start
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      States states = new States();
      Thread thread = new Thread(() -> states.run(rounds), "states-" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) thread.join();
  }

  private void run(int rounds) {
    try {
      Thread helper = new Thread(this::help, "helper of " + Thread.currentThread().getName());
      helper.setDaemon(true);
      helper.start();
      for (int i = 0; i < rounds; i++) round();
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
    print("computing", computing);
    print("computed", cpu);
    print("cpu", THREADS.getCurrentThreadCpuTime());
    sleeping.print("sleeping");
    waiting.print("waiting");
    parked.print("parked");
    blocked.print("blocked");
    io.print("io");
  }

  private static void print(String state, long nanos) {
    System.out.println(Thread.currentThread().getName() + "." + state + "=" + nanos);
  }

  private void round() throws Exception {
    if (Thread.currentThread().getName().equals("main")) {
      Thread helper = new Thread(this::help);
      helper.setDaemon(true);
      helper.start();
    }
    compute();
    sleeping.begin();
    Thread.sleep(47);
    sleeping.end();

    compute();
    waiting.begin();
    synchronized (condition) {
      condition.wait(43);
    }
    waiting.end();

    compute();
    parked.begin();
    long end = System.nanoTime() + 41_000_000;
    for (long left = 41_000_000; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    parked.end();

    CountDownLatch isHeld = new CountDownLatch(1);
    orders.add(
        () -> {
          synchronized (monitor) {
            isHeld.countDown();
            pause(53);
          }
        });
    parked.begin();
    isHeld.await();
    parked.end();
    blocked.begin();
    synchronized (monitor) {
      blocked.end();
    }

    compute();
    orders.add(
        () -> {
          pause(59);
          write();
        });
    ByteBuffer one = ByteBuffer.allocate(1);
    io.begin();
    pipe.source().read(one);
    io.end();
  }

  private void compute() {
    long startCpu = THREADS.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    double sum = 0;
    long used;
    do {
      for (int i = 1; i < 20_000; i++) sum += Math.sqrt(i);
      used = THREADS.getCurrentThreadCpuTime() - startCpu;
    } while (used < 11_000_000);
    computing += System.nanoTime() - start;
    cpu += used;
    sink = sum;
  }

  private void help() {
    try {
      for (; ; ) orders.take().run();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write() {
    try {
      pipe.sink().write(ByteBuffer.wrap(new byte[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
