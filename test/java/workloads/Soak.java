import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Short threads and short-lived classes, for a long time.
 *
 * <p>usage: Soak seconds threadsPerSecond classesPerSecond agentLibrary startCommand nativeFolder
 *
 * <p>Does the same work for some seconds without the profiler and for some with it, prints ready=
 * and waits for a line. Then starts the profiler, works, stops it, prints the truth and over=, and
 * waits for the end of the input.
 *
 * <p>Each short thread has the name "soak-" followed by its Java id. It sleeps for most of its life
 * and uses a little CPU time. Truth: threads and classes, their numbers; cpu.process, the CPU time
 * of the process while it was profiled; cpu.NAME, the part of it that each thread has used which
 * lived throughout; wall.least, the sum of the times of short threads from their first to their
 * last statement; wall.most, the sum of their times from before they were started until they were
 * joined; cpu.least, the sum of their clocks at their last statement.
 */
public final class Soak {
  private static final String METHOD = "burn_00000";
  private static final int STARTERS = 4;
  private static final long WARM_UP_NANOS = 5_000_000_000L;
  private static final long SLEEP_NANOS = 23_000_000;
  private static final long CLASS_NANOS = 1_000_000;
  private static final int SPINS = 10_000;
  private static final int AHEAD = 100;  // the most threads of one starter that live at a time

  private static final AtomicLong threads = new AtomicLong();
  private static final AtomicLong classes = new AtomicLong();
  private static final AtomicLong least = new AtomicLong();
  private static final AtomicLong most = new AtomicLong();
  private static final AtomicLong leastCpu = new AtomicLong();

  private Soak() {}

  public static void main(String[] args) throws InterruptedException, IOException {
    long nanos = Long.parseLong(args[0]) * 1_000_000_000L;
    int threadRate = Integer.parseInt(args[1]);
    int classRate = Integer.parseInt(args[2]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    Profiler profiler = new Profiler(args[3], new File(args[5]));
    live(WARM_UP_NANOS, threadRate, classRate);
    profiler.execute(args[4]);
    live(WARM_UP_NANOS, threadRate, classRate);
    profiler.execute("stop");
    for (AtomicLong truth : new AtomicLong[] {threads, classes, least, most, leastCpu}) {
      truth.set(0);
    }
    Work.print("ready", "");
    in.readLine();
    Work.print("answer.start", profiler.execute(args[4]));
    long cpu = Work.processCpuNanos();
    live(nanos, threadRate, classRate);
    Work.print("cpu.process", Work.processCpuNanos() - cpu);
    Work.print("answer.stop", profiler.execute("stop"));
    Work.print("threads", threads.get());
    Work.print("classes", classes.get());
    Work.print("wall.least", least.get());
    Work.print("wall.most", most.get());
    Work.print("cpu.least", leastCpu.get());
    Work.print("over", "");
    in.readLine();
  }

  private static void live(long nanos, int threadRate, int classRate) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    List<Thread> makers = new ArrayList<>();
    for (int i = 0; i < STARTERS; i++) {
      makers.add(start("starter-" + i, () -> startUntil(end, threadRate / STARTERS)));
    }
    makers.add(start("classes", () -> defineUntil(end, classRate)));
    Work.join(makers);
  }

  private static Thread start(String name, Runnable body) {
    return Work.start(
        name,
        () -> {
          body.run();
          Work.print("cpu." + name, Work.cpuNanos());
        });
  }

  private static final class Life {
    final Thread thread;
    final long beforeStart;

    Life(Thread thread) {
      this.thread = thread;
      thread.setName("soak-" + thread.getId());
      beforeStart = System.nanoTime();
      thread.start();
    }

    void await() {
      try {
        thread.join();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
      most.addAndGet(System.nanoTime() - beforeStart);
    }
  }

  private static void startUntil(long end, int rate) {
    long period = 1_000_000_000L / rate;
    long mostBehind = 10 * period;
    ArrayDeque<Life> living = new ArrayDeque<>();
    for (long due = System.nanoTime(); due < end; due = Math.max(due, System.nanoTime() - mostBehind)) {
      while (!living.isEmpty() && (living.size() >= AHEAD || !living.peek().thread.isAlive())) {
        living.remove().await();
      }
      pause(due - System.nanoTime());
      living.add(new Life(new Thread(Soak::liveOnce)));
      threads.incrementAndGet();
      due += period;
    }
    living.forEach(Life::await);
  }

  private static void liveOnce() {
    long begin = System.nanoTime();
    Work.spin(SPINS);
    pause(SLEEP_NANOS);
    Work.spin(SPINS);
    least.addAndGet(System.nanoTime() - begin);
    leastCpu.addAndGet(Work.cpuNanos());
  }

  private static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /**
   * Defines classes, every second one hidden if the JDK has hidden classes. Drops all of them twice
   * a second.
   */
  private static void defineUntil(long end, int rate) {
    byte[] bytes = FreshClass.bytesOf("StormBurner");
    long period = 500_000_000L;
    for (long due = System.nanoTime(); due < end; due = Math.max(due, System.nanoTime()) + period) {
      pause(due - System.nanoTime());
      for (int i = 0; i < rate / 2; i++) {
        long number = classes.getAndIncrement();
        String name = String.format("burn_%05d", number % 100_000);
        FreshClass.burner(FreshClass.renamed(bytes, METHOD, name), number % 2 == 0)
            .applyAsLong(CLASS_NANOS);
      }
      System.gc();
    }
  }
}
