import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;

/**
 * An extension that makes OpenTelemetry's javaagent pass the current span of each thread to jprof.
 * The javaagent calls it before it uses its context storage.
 */
public final class JprofExtension implements AutoConfigurationCustomizerProvider {
    @Override
    public void customize(AutoConfigurationCustomizer unused) {
        // The javaagent's loader of extensions does not read META-INF/versions of a jar, so this jar
        // has only the BufferWriter of Java 9.
        if (System.getProperty("java.specification.version").startsWith("1.")) {
            System.err.println("[jprof] the extension of OpenTelemetry's javaagent needs Java 9");
            return;
        }
        JprofContextStorage.install();
    }
}
