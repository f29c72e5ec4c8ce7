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
 * Threads that compute, sleep, wait, park, are blocked and read, and measure how long.
 *
 * <p>usage: States threads rounds
 *
 * <p>Truth: THREAD.STATE, in nanoseconds, of each thread "states-N". What a thread measures in a wait
 * lasts until it runs again; runnable is what it was not given a processor for while it computed.
 */
public final class States {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static volatile double sink;

  /** Holds the monitor of a thread for it to be blocked, and writes what it reads. */
  private final LinkedBlockingQueue<Runnable> orders = new LinkedBlockingQueue<>();

  private final Object monitor = new Object();
  private final Object condition = new Object();
  private final Pipe pipe = Pipe.open();

  private long computing;
  private long cpu;
  private long sleeping;
  private long waiting;
  private long parked;
  private long blocked;
  private long io;

  private States() throws Exception {}

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    new States().round(); // what it loads and initializes is no wait of the threads
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
    print("sleeping", sleeping);
    print("waiting", waiting);
    print("parked", parked);
    print("blocked", blocked);
    print("io", io);
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
    long start = System.nanoTime();
    Thread.sleep(47);
    sleeping += System.nanoTime() - start;

    compute();
    start = System.nanoTime();
    synchronized (condition) {
      condition.wait(43);
    }
    waiting += System.nanoTime() - start;

    compute();
    park(41);
    CountDownLatch isHeld = new CountDownLatch(1);
    orders.add(
        () -> {
          synchronized (monitor) {
            isHeld.countDown();
            pause(53);
          }
        });
    start = System.nanoTime();
    isHeld.await();
    parked += System.nanoTime() - start;
    start = System.nanoTime();
    synchronized (monitor) {
      blocked += System.nanoTime() - start;
    }

    compute();
    orders.add(
        () -> {
          pause(59);
          write();
        });
    ByteBuffer one = ByteBuffer.allocate(1);
    start = System.nanoTime();
    pipe.source().read(one);
    io += System.nanoTime() - start;
  }

  private void park(long millis) {
    long start = System.nanoTime();
    long end = start + millis * 1_000_000;
    for (long now = start; now < end; now = System.nanoTime()) LockSupport.parkNanos(end - now);
    parked += System.nanoTime() - start;
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
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
