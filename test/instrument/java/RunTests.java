import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

/** Runs the JUnit tests of a jar. usage: RunTests JAR */
public class RunTests {
  public static void main(String[] args) throws Exception {
    List<Class<?>> tests = new ArrayList<>();
    try (JarFile jar = new JarFile(args[0])) {
      List<String> names = jar.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.endsWith("Test.class") && !name.contains("$"))
          .sorted()
          .collect(Collectors.toList());
      for (String name : names) {
        Class<?> test = Class.forName(name.substring(0, name.length() - 6).replace('/', '.'));
        if (!Modifier.isAbstract(test.getModifiers())) tests.add(test);
      }
    }
    Result result = new JUnitCore().run(tests.toArray(Class<?>[]::new));
    List<String> failed = result.getFailures().stream()
        .map(failure -> failure.getDescription().toString())
        .sorted()
        .collect(Collectors.toList());
    System.out.println("run=" + result.getRunCount() + " ignored=" + result.getIgnoreCount());
    System.out.println("failed=" + failed);
    System.exit(0);
  }
}
