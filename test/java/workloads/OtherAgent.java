import java.io.File;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLong;

/** An agent of java.lang.instrument that counts the calls to a class with code that it adds. */
public final class OtherAgent implements ClassFileTransformer {
  static final AtomicLong ENTRIES = new AtomicLong();
  static final AtomicLong EXITS = new AtomicLong();

  private static Instrumentation jvm;

  private final Class<?> counted;

  OtherAgent(Class<?> counted) {
    this.counted = counted;
  }

  /** `nativeFolder` contains libother_probes.so. */
  public static void premain(String nativeFolder, Instrumentation instrumentation) {
    System.load(new File(nativeFolder, "libother_probes.so").getPath());
    jvm = instrumentation;
  }

  void install() throws UnmodifiableClassException {
    jvm.addTransformer(this, true);
    jvm.retransformClasses(counted);
  }

  void remove() throws UnmodifiableClassException {
    jvm.removeTransformer(this);
    jvm.retransformClasses(counted);
  }

  static void redefine(Class<?> clazz, byte[] classFile) throws Exception {
    jvm.redefineClasses(new ClassDefinition(clazz, classFile));
  }

  static void retransform(Class<?> clazz) throws UnmodifiableClassException {
    jvm.retransformClasses(clazz);
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
    return old == counted ? addProbes(bytes) : null;
  }

  /** Returns the class file, in which each method calls the methods below. */
  private static native byte[] addProbes(byte[] classFile);

  public static long entry(int id) {
    return ENTRIES.incrementAndGet();
  }

  public static void exit(int id, long token) {
    EXITS.incrementAndGet();
  }

  public static void exception(Throwable thrown, int id, long token) {
    EXITS.incrementAndGet();
  }
}
