import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import scala.tools.nsc.Main;

/** The Scala compiler compiles scala-parser-combinators. An operation compiles all of it once. */
final class Scalac implements Workload {
  private final List<String> arguments = new ArrayList<>();
  private Path folder;
  private Path classes;

  @Override
  public void prepare() throws IOException {
    folder = Files.createTempDirectory("scalac");
    Runtime.getRuntime().addShutdownHook(new Thread(this::delete));
    classes = Files.createDirectory(folder.resolve("classes"));
    arguments.addAll(Arrays.asList("-usejavacp", "-nowarn", "-d", classes.toString()));
    try (ZipFile jar = new ZipFile(SourcesJar.of("scala-parser-combinators"))) {
      for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (!entry.getName().endsWith(".scala")) continue;
        Path source = folder.resolve(entry.getName().replace('/', '_'));
        try (InputStream in = jar.getInputStream(entry)) {
          Files.copy(in, source);
        }
        arguments.add(source.toString());
      }
    }
  }

  /** Returns the bytes of the class files of all compilations. */
  @Override
  public long run(long operations) throws IOException {
    long bytes = 0;
    for (long i = 0; i < operations; i++) {
      if (!Main.process(arguments.toArray(new String[0]))) {
        throw new IllegalStateException("the sources do not compile");
      }
      bytes += bytesOfClasses();
    }
    return bytes;
  }

  private long bytesOfClasses() throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private void delete() {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      System.err.println("not deleted: " + e);
    }
  }
}
