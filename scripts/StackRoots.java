import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Counts the execution samples of Java threads whose stacks reach the entry of their thread
 * (rooted), those with an unknown frame (unknown), and those with a function of a library without
 * symbols (nameless). Samples for time without a signal have no stack, and are counted as
 * not.walked.
 *
 * <p>usage: java StackRoots.java RECORDING ENTRIES
 *
 * <p>ENTRIES is a regular expression that matches {@code package.Class.method} of the entries of
 * threads. Prints key=value lines, then the most frequent outermost frames that are no entries, and
 * the most frequent unknown frames.
 */
final class StackRoots {
  private static final List<String> UNKNOWN =
      List.of(
          "jprof.[no method id]", "jprof.[unloaded class]", "jprof.[no method name]",
          "[generated code].[unknown]");
  // Markers in place of a stack, for time without a signal.
  private static final List<String> NOT_WALKED =
      List.of("jprof.[before the first sample]", "jprof.[thread end]");

  private final Pattern entries;
  private final Map<String, Long> otherEnds = new HashMap<>();
  private final Map<String, Long> unknownIn = new HashMap<>();
  private long samples;
  private long rooted;
  private long unknown;
  private long nameless;
  private long notWalked;

  private StackRoots(Pattern entries) {
    this.entries = entries;
  }

  public static void main(String[] args) throws IOException {
    StackRoots roots = new StackRoots(Pattern.compile(args[1]));
    try (RecordingFile recording = new RecordingFile(Path.of(args[0]))) {
      while (recording.hasMoreEvents()) {
        roots.add(recording.readEvent());
      }
    }
    roots.print();
  }

  private void add(RecordedEvent event) {
    if (!event.getEventType().getName().equals("jdk.ExecutionSample")) {
      return;
    }
    RecordedThread thread = event.getThread("sampledThread");
    if (thread == null || thread.getJavaThreadId() <= 0) {
      return;
    }
    RecordedStackTrace stack = event.getStackTrace();
    List<RecordedFrame> frames = stack == null ? List.of() : stack.getFrames();
    String end = frames.isEmpty() ? "(no stack)" : name(frames.get(frames.size() - 1));
    if (NOT_WALKED.contains(end)) {
      notWalked++;
      return;
    }
    samples++;
    if (entries.matcher(end).matches()) {
      rooted++;
    } else {
      String above = frames.size() < 2 ? "nothing" : name(frames.get(frames.size() - 2));
      String leaf = frames.isEmpty() ? "nothing" : name(frames.get(0));
      String where = end + " (" + thread.getJavaName() + ") of " + above + ", leaf " + leaf;
      otherEnds.merge(where, 1L, Long::sum);
    }
    if (frames.stream().anyMatch(frame -> name(frame).matches("lib.*\\.\\[unknown]"))) {
      nameless++;
    }
    for (RecordedFrame frame : frames) {
      String name = name(frame);
      if (UNKNOWN.stream().anyMatch(name::startsWith)) {
        unknown++;
        unknownIn.merge(name + " in a stack to " + end, 1L, Long::sum);
        break;
      }
    }
  }

  private static String name(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    if (method == null) {
      return "(no method)";
    }
    return (method.getType() == null ? "" : method.getType().getName() + ".") + method.getName();
  }

  private void print() {
    System.out.println("samples=" + samples);
    System.out.println("rooted=" + rooted);
    System.out.println("unknown=" + unknown);
    System.out.println("nameless=" + nameless);
    System.out.println("not.walked=" + notWalked);
    printMost("end", otherEnds);
    printMost("unknown", unknownIn);
  }

  private static void printMost(String key, Map<String, Long> counts) {
    counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(15)
        .forEach(entry -> System.out.println(key + " " + entry.getValue() + " " + entry.getKey()));
  }
}
