import java.io.File;

/** The jars with sources that a compiler's workload has in its class path. */
final class SourcesJar {
  private SourcesJar() {}

  /** Returns the jar of the library whose name contains `name`. */
  static File of(String name) {
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (path.contains(name) && path.endsWith("-sources.jar")) {
        return new File(path);
      }
    }
    throw new IllegalStateException("no " + name + " sources in the class path");
  }
}
