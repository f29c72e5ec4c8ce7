import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two threads that hand single items to each other and wait in between: what does the profiler add
 * to a switch? HandOff
 *
 * <p>Prints "ready=", then obeys lines on standard input: a number measures for as many
 * milliseconds and prints cpu.perOperation, the CPU nanoseconds that both threads used for one item
 * there and back; the end of the input ends it.
 */
public final class HandOff {
  private static final SynchronousQueue<Integer> THERE = new SynchronousQueue<>();
  private static final SynchronousQueue<Integer> BACK = new SynchronousQueue<>();
  private static final AtomicLong OPERATIONS = new AtomicLong();

  private HandOff() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Thread giver = Work.startDaemon("giver", HandOff::give);
    Thread taker = Work.startDaemon("taker", HandOff::take);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    Work.print("ready", "");
    String command;
    while ((command = in.readLine()) != null) {
      long operations = OPERATIONS.get();
      long cpu = Work.cpuNanos(giver) + Work.cpuNanos(taker);
      Thread.sleep(Long.parseLong(command));
      cpu = Work.cpuNanos(giver) + Work.cpuNanos(taker) - cpu;
      Work.print("cpu.perOperation", (double) cpu / (OPERATIONS.get() - operations));
    }
  }

  private static void give() {
    try {
      for (int item = 0; ; item++) {
        THERE.put(item);
        BACK.take();
        OPERATIONS.lazySet(OPERATIONS.get() + 1);
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  private static void take() {
    try {
      while (true) {
        BACK.put(THERE.take());
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }
}
