import java.io.File;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads loop-0, loop-1, ... that are event loops without events: each waits in Selector.select().
 *
 * <p>usage: EventLoops threads settleMillis millis
 *
 * <p>The program first waits until no loop has run for settleMillis, but at most ten times as long,
 * and then for `millis`. Truth: selects, how often a select returned; switches.early and
 * switches.late, how often the kernel put the loops to sleep in the first and in the second of
 * these times; wall.loop-N, how long each loop existed.
 */
public final class EventLoops {
  private static final String KEY = "voluntary_ctxt_switches:";

  private EventLoops() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    AtomicLong selects = new AtomicLong();
    Map<String, Long> starts = new ConcurrentHashMap<>();
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      Selector selector = Selector.open();
      Work.startDaemon(
          "loop-" + i,
          () -> {
            starts.put(Thread.currentThread().getName(), System.nanoTime());
            loop(selector, selects);
          });
    }
    long early = switchesWhenQuiet(Long.parseLong(args[1]));
    Work.print("switches.early", early);
    Thread.sleep(Long.parseLong(args[2]));
    Work.print("switches.late", switches() - early);
    Work.print("selects", selects.get());
    long end = System.nanoTime();
    starts.forEach((name, start) -> Work.print("wall." + name, end - start));
  }

  private static long switchesWhenQuiet(long millis) throws IOException, InterruptedException {
    long before = -1;
    long now = switches();
    for (int i = 0; i < 10 && now != before; i++) {
      before = now;
      Thread.sleep(millis);
      now = switches();
    }
    return now;
  }

  private static void loop(Selector selector, AtomicLong selects) {
    try {
      while (true) {
        selector.select();
        selects.incrementAndGet();
      }
    } catch (IOException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  private static long switches() throws IOException {
    long sum = 0;
    for (File task : new File("/proc/self/task").listFiles()) {
      Path folder = task.toPath();
      if (!isLoop(folder)) continue;
      for (String line : read(folder.resolve("status"))) {
        if (line.startsWith(KEY)) {
          sum += Long.parseLong(line.substring(KEY.length()).trim());
        }
      }
    }
    return sum;
  }

  /** Returns false for a thread that has ended since the folder was listed; loops do not end. */
  private static boolean isLoop(Path folder) throws IOException {
    try {
      return read(folder.resolve("comm")).get(0).startsWith("loop-");
    } catch (NoSuchFileException exception) {
      return false;
    } catch (IOException exception) {
      // The kernel reports ESRCH for a thread that ends during the read.
      if (Files.exists(folder)) throw exception;
      return false;
    }
  }

  private static List<String> read(Path file) throws IOException {
    return new ArrayList<>(Files.readAllLines(file));
  }
}
