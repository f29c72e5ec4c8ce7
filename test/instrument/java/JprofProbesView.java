import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the counts of java.lang.JprofProbes, which does not exist when this class is compiled. */
final class JprofProbesView {
  private JprofProbesView() {}

  static int broken() throws ReflectiveOperationException {
    return probes().getField("broken").getInt(null);
  }

  /** Prints a line for each method that was called: entries, exits, exceptions, its name. */
  static void printCounts(Path methods) throws IOException, ReflectiveOperationException {
    int[] entries = counts("entries");
    int[] exits = counts("exits");
    int[] exceptions = counts("exceptions");
    List<String> names = Files.readAllLines(methods);
    StringBuilder lines = new StringBuilder();
    for (int id = 0; id < names.size(); ++id) {
      if (entries[id] + exits[id] + exceptions[id] == 0) continue;
      lines.append("counts ").append(entries[id]).append(' ').append(exits[id]).append(' ');
      lines.append(exceptions[id]).append(' ').append(names.get(id)).append('\n');
    }
    System.out.print(lines);
  }

  private static int[] counts(String name) throws ReflectiveOperationException {
    return ((int[]) probes().getField(name).get(null)).clone();
  }

  private static Class<?> probes() throws ClassNotFoundException {
    return Class.forName("java.lang.JprofProbes");
  }
}
