import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Measures the pauses of its own threads.
 *
 * <p>usage: GapMeter threads classes
 *
 * <p>Loads at most `classes` classes of the JDK. Then each thread reads the clock again and again.
 * Prints "ready=", and executes lines of standard input: "gap" prints gap.max, the longest time in
 * nanoseconds between two consecutive reads of a thread since the last "gap"; "quit" ends the
 * program.
 */
public final class GapMeter {
  private static volatile long sink;

  private GapMeter() {}

  public static void main(String[] args) throws IOException {
    Work.print("classes", loadClasses(Integer.parseInt(args[1])));
    List<AtomicLong> gaps = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      AtomicLong gap = new AtomicLong();
      gaps.add(gap);
      Work.startDaemon("meter-" + i, () -> watch(gap));
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    Work.print("ready", "");
    String command;
    while ((command = in.readLine()) != null && !command.equals("quit")) {
      long max = 0;
      for (AtomicLong gap : gaps) {
        max = Math.max(max, gap.getAndSet(0));
      }
      Work.print("gap.max", max);
    }
  }

  private static void watch(AtomicLong longest) {
    long last = System.nanoTime();
    while (true) {
      long now = System.nanoTime();
      if (now - last > longest.get()) {
        longest.set(now - last);
      }
      last = now;
    }
  }

  private static int loadClasses(int limit) throws IOException {
    int loaded = 0;
    Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules");
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.toString();
        if (loaded >= limit || !name.endsWith(".class") || name.endsWith("-info.class")) {
          continue;
        }
        String inModule = name.substring("/modules/".length(), name.length() - ".class".length());
        String binaryName = inModule.substring(inModule.indexOf('/') + 1).replace('/', '.');
        try {
          Class.forName(binaryName, false, ClassLoader.getSystemClassLoader()).getMethods();
          loaded++;
        } catch (Throwable notForUs) {
          sink++;
        }
      }
    }
    return loaded;
  }
}
