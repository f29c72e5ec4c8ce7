import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * Prints the methods that are on top of most execution samples of a recording: what {@code jfr view
 * hot-methods} shows, for JDKs before 21.
 *
 * <p>usage: java HotMethods.java RECORDING COUNT
 */
final class HotMethods {
  public static void main(String[] args) throws Exception {
    Map<String, Long> samples = new HashMap<>();
    long total = 0;
    try (RecordingFile recording = new RecordingFile(Path.of(args[0]))) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")) {
          samples.merge(topMethod(event), 1L, Long::sum);
          total++;
        }
      }
    }
    print(samples, total, Integer.parseInt(args[1]));
  }

  private static String topMethod(RecordedEvent event) {
    if (event.getStackTrace() == null || event.getStackTrace().getFrames().isEmpty()) {
      return "(no stack)";
    }
    RecordedFrame frame = event.getStackTrace().getFrames().get(0);
    RecordedMethod method = frame.getMethod();
    String type = method.getType() == null ? "" : method.getType().getName() + ".";
    return type + method.getName();
  }

  private static void print(Map<String, Long> samples, long total, int count) {
    System.out.printf("%8s %7s  %s%n", "Samples", "Percent", "Method");
    samples.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(count)
        .forEach(
            entry -> {
              double percent = 100.0 * entry.getValue() / total;
              System.out.printf("%8d %6.2f%%  %s%n", entry.getValue(), percent, entry.getKey());
            });
  }
}
