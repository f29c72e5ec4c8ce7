import java.security.Permission;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Calls traced classes whose loader or security manager does not find the class of the probes, or
 * would have to run a traced method to find it.
 *
 * <p>usage: OwnLoaders WAY calls
 *
 * <p>WAY: refusing (the loader knows only its own classes and some packages of the JDK), twins
 * (like refusing, but as many calls of the program's own class Guest come first), own (the loader
 * runs a class that it has loaded itself), secured (a security manager runs a class that has been
 * loaded before).
 *
 * <p>Truth: calls of Guest.applyAsInt, Rule.apply or Checks.check; failures of the program.
 */
public final class OwnLoaders {
  private OwnLoaders() {}

  /** A class that a Loader loads. */
  public static final class Guest implements IntUnaryOperator {
    @Override
    public int applyAsInt(int number) {
      return number + 1;
    }
  }

  /**
   * A class that a Loader loads, and then calls before it loads another class. Counts its calls.
   */
  public static final class Rule implements UnaryOperator<Object>, IntSupplier {
    private int calls;

    @Override
    public Object apply(Object name) {
      ++calls;
      return name;
    }

    @Override
    public int getAsInt() {
      return calls;
    }
  }

  private static final class Loader extends ClassLoader {
    private static final Pattern KNOWN = Pattern.compile("(java\\.(lang|util)|jdk|sun)\\.");
    private final boolean isRefusing;
    private UnaryOperator<Object> rule = UnaryOperator.identity();

    Loader(boolean isRefusing) {
      this.isRefusing = isRefusing;
    }

    @SuppressWarnings("unchecked")
    void followOwnRule() throws ReflectiveOperationException {
      rule = (UnaryOperator<Object>) make(Rule.class);
    }

    Object make(Class<?> type) throws ReflectiveOperationException {
      return loadClass(type.getName()).getConstructor().newInstance();
    }

    @Override
    protected Class<?> loadClass(String asked, boolean resolve) throws ClassNotFoundException {
      String name = (String) rule.apply(asked);
      Class<?> known = findLoadedClass(name);
      if (known != null) return known;
      if (name.startsWith("OwnLoaders$")) {
        byte[] bytes = FreshClass.bytesOf(name);
        return defineClass(name, bytes, 0, bytes.length);
      }
      if (isRefusing && !KNOWN.matcher(name).lookingAt()) throw new ClassNotFoundException(name);
      return super.loadClass(name, resolve);
    }
  }

  /** The class that a security manager calls. */
  static final class Checks {
    static int calls;

    private Checks() {}

    static void check(String name) {
      ++calls;
    }
  }

  private static final class Guard extends SecurityManager {
    @Override
    public void checkPermission(Permission permission) {}

    @Override
    public void checkPackageAccess(String name) {
      Checks.check(name);
    }
  }

  private static int fail(Throwable problem) {
    System.err.println(problem);
    return 1;
  }

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[1]);
    int failures = 0;
    int calls = count;
    boolean hasTwin = args[0].equals("twins");
    Loader loader = new Loader(hasTwin || args[0].equals("refusing"));
    IntUnaryOperator twin = hasTwin ? new Guest() : number -> number + 1;
    for (int i = 0; i < count; i++) {
      if (twin.applyAsInt(i) != i + 1) ++failures;
    }
    if (args[0].equals("own")) loader.followOwnRule();
    if (args[0].equals("secured")) System.setSecurityManager(new Guard());
    IntUnaryOperator guest = null;
    for (int i = 0; i < count; i++) {
      try {
        if (args[0].equals("secured")) Class.forName("java.util.concurrent.Phaser");
        if (guest == null) guest = (IntUnaryOperator) loader.make(Guest.class);
        if (guest.applyAsInt(i) != i + 1) ++failures;
        loader.loadClass("java.util.BitSet");
      } catch (ReflectiveOperationException | LinkageError | StackOverflowError problem) {
        failures += fail(problem);
      }
    }
    if (args[0].equals("own")) calls = ((IntSupplier) loader.rule).getAsInt();
    if (args[0].equals("secured")) {
      System.setSecurityManager(null);
      calls = Checks.calls;
    }
    Work.print("calls", calls);
    Work.print("failures", failures);
  }
}
