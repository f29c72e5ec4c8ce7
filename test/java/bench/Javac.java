import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * javac compiles the 990 files of commons-math3 in memory. An operation compiles all of them once.
 */
final class Javac implements Workload {
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final List<JavaFileObject> sources = new ArrayList<>();

  @Override
  public void prepare() throws IOException {
    try (ZipFile jar = new ZipFile(SourcesJar.of("commons-math3"))) {
      for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (entry.getName().endsWith(".java")) {
          String text = new String(jar.getInputStream(entry).readAllBytes(), "UTF-8");
          sources.add(new Source(entry.getName(), text));
        }
      }
    }
  }

  @Override
  public long run(long operations) throws IOException {
    long bytes = 0;
    for (long i = 0; i < operations; i++) {
      try (Sink sink = new Sink(compiler)) {
        List<String> options = List.of("-proc:none", "-nowarn", "-XDignore.symbol.file");
        if (!compiler.getTask(null, sink, diagnostic -> {}, options, null, sources).call()) {
          throw new IllegalStateException("the sources do not compile");
        }
        bytes += sink.bytes;
      }
    }
    return bytes;
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Counts the bytes of class files instead of keeping them. */
  private static final class Sink extends ForwardingJavaFileManager<JavaFileManager> {
    long bytes;

    Sink(JavaCompiler compiler) {
      super(compiler.getStandardFileManager(null, null, null));
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("string:///" + name + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          return new OutputStream() {
            @Override
            public void write(int value) {
              bytes++;
            }

            @Override
            public void write(byte[] buffer, int offset, int length) {
              bytes += length;
            }
          };
        }
      };
    }
  }
}
