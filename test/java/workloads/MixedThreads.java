import java.util.ArrayList;
import java.util.List;

/**
 * Threads of three kinds that run for a while: sleeping-N sleep, waking-N wake every few
 * milliseconds and work for a moment, busy-N work.
 *
 * <p>usage: MixedThreads sleeping waking busy millis
 *
 * <p>Truth in nanoseconds for each thread, printed when all have ended: wall.NAME, the time from
 * its first to its last statement; life.NAME, the time from before it was started until after it
 * had ended.
 */
public final class MixedThreads {
  private static final long MOMENT = 50_000;
  private static final long MILLI = 1_000_000;

  private MixedThreads() {}

  private interface Body {
    void run(long endNanos) throws InterruptedException;
  }

  private static final class Life extends Thread {
    private final Body body;
    private final long nanos;
    private final long createdAt = System.nanoTime();
    private long startedAt;
    private long endedAt;

    Life(String name, long nanos, Body body) {
      super(name);
      this.nanos = nanos;
      this.body = body;
    }

    @Override
    public void run() {
      startedAt = System.nanoTime();
      try {
        body.run(startedAt + nanos);
      } catch (InterruptedException unexpected) {
        throw new IllegalStateException(unexpected);
      }
      endedAt = System.nanoTime();
    }
  }

  public static void main(String[] args) throws InterruptedException {
    long nanos = Long.parseLong(args[3]) * MILLI;
    List<Life> lives = new ArrayList<>();
    start(lives, "sleeping-", args[0], nanos, MixedThreads::sleep);
    start(lives, "waking-", args[1], nanos, MixedThreads::wakeAndSleep);
    start(lives, "busy-", args[2], nanos, MixedThreads::spinUntil);
    long[] goneAt = new long[lives.size()];
    for (int i = 0; i < goneAt.length; i++) {
      lives.get(i).join();
      goneAt[i] = System.nanoTime();
    }
    for (int i = 0; i < goneAt.length; i++) {
      Life life = lives.get(i);
      Work.print("wall." + life.getName(), life.endedAt - life.startedAt);
      Work.print("life." + life.getName(), goneAt[i] - life.createdAt);
    }
  }

  private static void start(
      List<Life> lives, String prefix, String count, long nanos, Body body) {
    for (int i = 0; i < Integer.parseInt(count); i++) {
      Life life = new Life(prefix + i, nanos, body);
      life.start();
      lives.add(life);
    }
  }

  private static void sleep(long endNanos) throws InterruptedException {
    Thread.sleep(Math.max(0, endNanos - System.nanoTime()) / MILLI);
  }

  private static void wakeAndSleep(long endNanos) throws InterruptedException {
    while (System.nanoTime() < endNanos) {
      Thread.sleep(7);
      spinUntil(System.nanoTime() + MOMENT);
    }
  }

  private static void spinUntil(long endNanos) {
    while (System.nanoTime() < endNanos) {
      Work.sink++;
    }
  }
}
