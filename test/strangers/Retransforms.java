import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Set;

/**
 * A Java agent that retransforms classes without changing them. It shows how much memory the JVM
 * keeps for any agent that retransforms classes.
 */
public final class Retransforms {
    private static final long PAUSE_MILLIS = 50;

    private static Instrumentation instrumentation;

    private Retransforms() {}

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
        given.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] bytes) {
                return redefined == null ? null : bytes.clone();
            }
        }, true);
    }

    /** Retransforms the loaded classes with these names, `times` times. */
    static void repeat(Set<String> names, int times) throws Exception {
        Class<?>[] classes = Arrays.stream(instrumentation.getAllLoadedClasses())
                .filter(each -> names.contains(each.getName())).toArray(Class<?>[]::new);
        if (classes.length == 0) throw new IllegalStateException("no class of " + names);
        for (int i = 0; i < times; ++i) {
            instrumentation.retransformClasses(classes);
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
