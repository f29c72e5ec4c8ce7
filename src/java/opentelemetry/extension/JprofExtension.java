import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;

/**
 * An extension that makes OpenTelemetry's javaagent pass the current span of each thread to jprof.
 * The javaagent calls it before it uses its own context storage.
 */
public final class JprofExtension implements AutoConfigurationCustomizerProvider {
    @Override
    public void customize(AutoConfigurationCustomizer unused) {
        // The javaagent's class loader for extensions ignores META-INF/versions. Therefore this jar
        // has only the BufferWriter for Java 9 and later.
        if (System.getProperty("java.specification.version").startsWith("1.")) {
            System.err.println("[jprof] the extension of OpenTelemetry's javaagent needs Java 9");
            return;
        }
        JprofContextStorage.install();
    }
}
