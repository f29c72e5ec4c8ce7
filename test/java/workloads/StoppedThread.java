import java.util.ArrayList;
import java.util.List;

/**
 * A thread "busy" that computes, while collections stop it again and again.
 *
 * <p>usage: StoppedThread collections
 *
 * <p>Needs the serial collector, which does all its work while the threads are stopped. Truth: the
 * JVM's own log of safepoints; queued.busy, how long the thread was in the run queue.
 */
public final class StoppedThread {
  private static final int LIVE_OBJECTS = 600_000;

  private static volatile boolean done;

  private StoppedThread() {}

  public static void main(String[] args) throws InterruptedException {
    List<Object> live = new ArrayList<>();
    for (int i = 0; i < LIVE_OBJECTS; i++) {
      live.add(new Object[4]);
    }
    Thread busy = Work.start("busy", StoppedThread::compute);
    for (int i = Integer.parseInt(args[0]); i > 0; i--) {
      System.gc();
    }
    done = true;
    busy.join();
    Work.sink += live.size();
  }

  private static void compute() {
    double sum = 0;
    while (!done) {
      sum += Math.sqrt(sum + 1);
    }
    Work.sink += (long) sum;
    Work.print("queued.busy", Work.queuedNanos());
  }
}
