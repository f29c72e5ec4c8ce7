import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the JVM verify every class below a folder of probed classes.
 *
 * <p>usage: LinkClasses modules PROBED | LinkClasses libraries PROBED CLASS_PATH...
 *
 * <p>With modules, the folder PROBED/MODULE patches the module. With libraries, PROBED comes before
 * the class path; a class that cannot be linked without probes either is no failure.
 */
public class LinkClasses {
  private static int linked;
  private static int rejected;
  private static int unlinkable;

  public static void main(String[] args) throws Exception {
    Path probed = Path.of(args[1]);
    boolean modules = args[0].equals("modules");
    ClassLoader before = modules ? null : loader(List.of(args).subList(2, args.length));
    ClassLoader after = modules ? null : loader(List.of(args).subList(1, args.length));
    for (String file : classFiles(probed)) {
      Throwable failure = modules ? linkInModule(file) : link(file, after);
      if (failure == null) {
        ++linked;
      } else if (before != null && link(file, before) != null) {
        ++unlinkable;
      } else {
        ++rejected;
        System.out.println(file + ": " + failure);
      }
    }
    System.out.println("linked=" + linked + " rejected=" + rejected + " unlinkable=" + unlinkable);
    System.out.println("broken=" + JprofProbesView.broken());
  }

  private static List<String> classFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".class"))
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .collect(Collectors.toList());
    }
  }

  private static ClassLoader loader(List<String> files) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String file : files) urls.add(new File(file).toURI().toURL());
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static String className(String file) {
    return file.substring(0, file.length() - ".class".length()).replace('/', '.');
  }

  private static Throwable linkInModule(String file) {
    int slash = file.indexOf('/');
    Module module = ModuleLayer.boot().findModule(file.substring(0, slash)).orElseThrow();
    return link(() -> Class.forName(module, className(file.substring(slash + 1))));
  }

  private static Throwable link(String file, ClassLoader loader) {
    return link(() -> Class.forName(className(file), false, loader));
  }

  private interface Lookup {
    Class<?> find() throws ClassNotFoundException;
  }

  private static Throwable link(Lookup lookup) {
    try {
      lookup.find().getDeclaredMethods(); // links the class, without running its initializer
      return null;
    } catch (Throwable failure) {
      return failure;
    }
  }
}
