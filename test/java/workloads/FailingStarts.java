import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Starts recordings of which one step fails, a different one each time, until each has failed.
 * Finally makes a recording without failures.
 *
 * <p>usage: FailingStarts agentLibrary startOptions nativeFolder folder repetitions
 *
 * <p>Needs libfailing_calls.so preloaded, and an empty folder. `repetitions` is how many calls from
 * one place in the profiler's code fail, one after another.
 *
 * <p>Truth: refused.by and tolerated, each step that failed, by whether the start failed with it;
 * steps, their number; refused, the number of failed starts; broken, the number of starts and stops
 * whose answer is neither a refusal nor a success; left.WHAT, the number of failed starts after
 * which the process was neither as before the first start nor as after the last one; answer.last,
 * the answer to the last stop, of the recording to folder/last.jfr.
 */
public final class FailingStarts {
  /** The number of passes. In the first one, only calls fail that every start needs; then all. */
  private static final int PASSES = 2;

  private static final long PATIENCE_NANOS = 10_000_000_000L;

  static Object kept;

  private final Profiler profiler;
  private final String options;
  private final File folder;
  private final int repetitions;
  private final Map<String, Map<String, String>> seen = new LinkedHashMap<>();
  private int steps;
  private int refused;
  private int broken;

  private FailingStarts(Profiler profiler, String options, File folder, int repetitions) {
    this.profiler = profiler;
    this.options = options;
    this.folder = folder;
    this.repetitions = repetitions;
  }

  public static void main(String[] args) throws Exception {
    File natives = new File(args[2]);
    System.load(new File(natives, "libfailing_calls.so").getPath());
    System.load(new File(natives, "librestore_probe.so").getPath());
    Profiler profiler = new Profiler(args[0], natives);
    System.load(args[0]);
    prepare(new OutOfMemoryError("of this test"));
    File folder = new File(args[3]);
    new FailingStarts(profiler, args[1], folder, Integer.parseInt(args[4])).run();
  }

  private void run() throws Exception {
    work();
    connect();
    Map<String, String> before = look();
    // The calls that every start needs fail first, because a successful start creates things that
    // stay forever.
    for (int pass = 0; pass < PASSES; pass++) {
      for (boolean isDone = false; !isDone; ) {
        isDone = startOnce(pass);
      }
    }
    // Two recordings are made. The first one creates what stays for the life of the process.
    for (String file : new String[] {"first.jfr", "last.jfr"}) {
      String started = profiler.execute(options + ",file=" + new File(folder, file));
      if (!started.startsWith("recording")) {
        Work.print("answer.start", started);
      }
      work();
      Work.print("answer.last", profiler.execute("stop"));
    }
    Files.delete(new File(folder, "first.jfr").toPath());
    Work.print("steps", steps);
    Work.print("refused", refused);
    Work.print("broken", broken);
    compare(before, settled());
  }

  // Lets the profiler's library connect to the JVM, which its first successful command does.
  private void connect() {
    String failed;
    do {
      arm(repetitions, PASSES - 1);
      String answer = profiler.execute("status");
      failed = disarm();
      steps += failed.isEmpty() ? 0 : 1;
      boolean isOneLine = answer.startsWith("failed: ") && !answer.contains("\n");
      expect(isOneLine || answer.contains("idle"), failed, answer);
    } while (!failed.isEmpty());
  }

  // Returns true if every step has failed before, so that none failed in this start.
  private boolean startOnce(int pass) throws Exception {
    File file = new File(folder, "failing.jfr");
    arm(repetitions, pass);
    String answer;
    String failed;
    try {
      answer = profiler.execute(options + ",file=" + file);
    } catch (Throwable thrown) {
      answer = "thrown: " + thrown;
    } finally {
      failed = disarm();
    }
    steps += failed.isEmpty() ? 0 : 1;
    work();
    if (answer.startsWith("recording")) {
      if (!failed.isEmpty()) {
        Work.print("tolerated", failed);
      }
      String stopped = profiler.execute("stop");
      expect(stopped.startsWith("stopped"), failed, stopped);
      Files.deleteIfExists(file.toPath());
    } else {
      refused++;
      Work.print("refused.by", failed + ": " + answer);
      boolean isOneLine = answer.startsWith("failed: cannot start: ") && !answer.contains("\n");
      expect(isOneLine && !failed.isEmpty(), failed, answer);
    }
    expect(profiler.execute("status").contains("idle"), failed, "not idle after " + answer);
    String[] files = folder.list();
    expect(files.length == 0, failed, files.length + " files after " + answer);
    for (String name : files) {
      Files.delete(new File(folder, name).toPath());
    }
    seen.put(failed + ": " + answer, settled());
    return failed.isEmpty();
  }

  private void expect(boolean isTrue, String failed, String what) {
    if (isTrue) return;
    broken++;
    Work.print("broken.answer", failed + ": " + what);
  }

  // ---- what a start changes in the process

  private static Map<String, String> look() throws IOException {
    Map<String, String> state = new LinkedHashMap<>();
    state.put("slots", Restored.slots());
    state.put("timers", timers());
    state.put("actions", signalActions());
    state.put("threads", ownThreads());
    state.put("files", ownDescriptors());
    state.put("events", events());
    state.put("code", code());
    return state;
  }

  // Returns the state after threads that were told to end have had time to do so.
  private static Map<String, String> settled() throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!ownThreads().isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(1);
    }
    return look();
  }

  private static String ownThreads() throws IOException {
    Set<String> names = new LinkedHashSet<>();
    File[] tasks = new File("/proc/self/task").listFiles();
    for (File task : tasks) {
      try {
        byte[] name = Files.readAllBytes(new File(task, "comm").toPath());
        String text = new String(name, StandardCharsets.UTF_8).trim();
        if (text.startsWith("jprof")) names.add(text);
      } catch (IOException ended) {
        continue;
      }
    }
    return String.join(" ", names);
  }

  private static String ownDescriptors() {
    int count = 0;
    File[] files = new File("/proc/self/fd").listFiles();
    for (File file : files) {
      try {
        String target = Files.readSymbolicLink(file.toPath()).toString();
        if (target.startsWith("anon_inode:") || target.contains("/failing")) count++;
      } catch (IOException closed) {
        continue;
      }
    }
    return Integer.toString(count);
  }

  private void compare(Map<String, String> before, Map<String, String> after) {
    for (String what : before.keySet()) {
      int left = 0;
      for (Map.Entry<String, Map<String, String>> each : seen.entrySet()) {
        String now = each.getValue().get(what);
        if (now.equals(before.get(what)) || now.equals(after.get(what))) continue;
        if (left++ == 0) {
          System.err.println(each.getKey() + "\nbefore:\n" + before.get(what) + "\nthen:\n" + now
              + "\nafter:\n" + after.get(what));
        }
      }
      Work.print("left." + what, left);
    }
  }

  // ---- work with a little of everything that can be recorded

  private static void work() throws InterruptedException {
    Object monitor = new Object();
    ReentrantLock lock = new ReentrantLock();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(Work.start("worker-" + i, () -> {
        for (int turn = 0; turn < 20; turn++) {
          traced();
          synchronized (monitor) {
            kept = new byte[4096];
            Work.spin(2_000);
          }
          lock.lock();
          try {
            LockSupport.parkNanos(10_000);
          } finally {
            lock.unlock();
          }
        }
      }));
    }
    Work.join(threads);
    traced();
  }

  static void traced() {
    Work.spin(1_000);
  }

  private static native void prepare(Throwable noMemory);

  private static native void arm(int repetitions, int pass);

  private static native String disarm();

  private static native String timers();

  private static native String signalActions();

  private static native String events();

  private static native String code();
}
