import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import javax.tools.ToolProvider;

/**
 * Starts a recording of contexts while a class of the program has the name jprof.ThreadContext but
 * lacks some of its native methods.
 *
 * <p>usage: OtherThreadContext agentLibrary startOptions nativeFolder folder
 *
 * <p>Truth: touched, 1 if the start ran code of that class.
 */
public final class OtherThreadContext {
  private static final String TOUCHED = "other.thread.context";

  private OtherThreadContext() {}

  public static void main(String[] args) throws Exception {
    File source = new File(args[3], "jprof/ThreadContext.java");
    source.getParentFile().mkdirs();
    String touch = "System.setProperty(\"" + TOUCHED + "\", \"1\");";
    String text = "package jprof; public class ThreadContext { static { " + touch + " }"
        + " static native boolean connect();"
        + " static void activate() { " + touch + " connect(); } }";
    Files.write(source.toPath(), text.getBytes("UTF-8"));
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, source.getPath());
    if (code != 0) {
      throw new AssertionError("javac: " + code);
    }
    URL[] urls = {new File(args[3]).toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, null)) {
      Class<?> other = Class.forName("jprof.ThreadContext", false, loader);
      Profiler profiler = new Profiler(args[0], new File(args[2]));
      Work.print("start", profiler.execute(args[1]));
      Work.print("stop", profiler.execute("stop"));
      Work.print("class", other.getName());
    }
    Work.print("touched", Integer.getInteger(TOUCHED, 0));
  }
}
