import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Records again and again. Each time the agent's requests for memory are refused, from a different
 * request on.
 *
 * <p>usage: ShortOfMemory agentLibrary startOptions nativeFolder folder rounds extension
 *
 * <p>Needs librefusing_malloc.so preloaded. Round n records to folder/out_n.extension. Truth: the
 * number of rounds that ended by themselves (given.up), whose stop said that memory was short
 * (not.complete), whose start was refused (not.started), whose stop succeeded (whole), and that
 * ended in another way (broken); answer.last, the answer to the stop of a recording to
 * folder/last.extension, made when memory is available again.
 */
public final class ShortOfMemory {
  private static final long MANY = Long.MAX_VALUE / 2;
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  private final Profiler profiler;
  private final String options;
  private final byte[] burner = FreshClass.bytesOf("Throwaway");
  private long requests;  // the agent's requests for memory in the last recording
  private long requestsOfStart;  // those during its start
  private int notComplete;
  private int givenUp;
  private int notStarted;
  private int whole;
  private int broken;

  private ShortOfMemory(Profiler profiler, String options) {
    this.profiler = profiler;
    this.options = options;
  }

  public static void main(String[] args) throws Exception {
    System.load(new File(args[2], "librefusing_malloc.so").getPath());
    ShortOfMemory all =
        new ShortOfMemory(new Profiler(args[0], new File(args[2])), args[1] + ",file=" + args[3]);
    // Two recordings, because the first one of a process also creates what later ones use.
    all.record("/first." + args[5], MANY);
    all.record("/second." + args[5], MANY);
    long ofStart = all.requestsOfStart;
    long later = all.requests - ofStart;
    int rounds = Integer.parseInt(args[4]);
    for (int i = 0; i < rounds; i++) {
      // In every fourth round the refusal comes during the start, which makes the most requests.
      long place = i / 4 * 4L;
      long granted = i % 4 == 0 ? ofStart * place / rounds : ofStart + later * i / rounds;
      all.judge("/out_" + i + "." + args[5], granted);
    }
    Work.print("requests", ofStart + "+" + later);
    Work.print("given.up", all.givenUp);
    Work.print("not.complete", all.notComplete);
    Work.print("not.started", all.notStarted);
    Work.print("whole", all.whole);
    Work.print("broken", all.broken);
    Work.print("answer.last", all.record("/last." + args[5], MANY));
  }

  private void judge(String file, long granted) throws Exception {
    String answer = record(file, granted);
    if (answer.startsWith("stopped")) {
      whole++;
    } else if (answer.startsWith("failed: cannot start: out of memory")) {
      notStarted++;
    } else if (answer.startsWith("failed: stopped, but") && answer.contains("out of memory")) {
      notComplete++;
    } else if (answer.contains("nothing is being recorded")) {
      givenUp++;
    } else {
      broken++;
      Work.print("broken.answer", granted + ": " + answer);
    }
  }

  // Makes a recording. Returns the answer to the stop, or to the start if it failed.
  private String record(String file, long granted) throws Exception {
    grant(granted);
    try {
      String started = profiler.execute(options + file);
      requestsOfStart = granted - left();
      if (started.startsWith("failed")) {
        return started;
      }
      work();
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (refused() != 0 && !isIdle() && System.nanoTime() < deadline) {
        Thread.sleep(1);
      }
      return profiler.execute("stop");
    } finally {
      requests = granted - left();
      grant(MANY);
    }
  }

  private boolean isIdle() {
    return profiler.execute("status").contains("idle");
  }

  // Works with stacks, classes and threads that no earlier recording has seen.
  private void work() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      LongSupplier fresh =
          (LongSupplier)
              FreshClass.define("Throwaway", burner).getConstructor(long.class).newInstance(20_000_000L);
      threads.add(Work.start("fresh-" + i, fresh::getAsLong));
    }
    Work.join(threads);
  }

  private static native void grant(long requests);

  private static native long left();

  private static native long refused();
}
