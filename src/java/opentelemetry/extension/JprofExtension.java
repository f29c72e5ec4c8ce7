import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;

/**
 * Has OpenTelemetry's javaagent tell jprof the current span of each thread, as an extension of it.
 * Called by the agent before it uses its context storage.
 */
public final class JprofExtension implements AutoConfigurationCustomizerProvider {
    @Override
    public void customize(AutoConfigurationCustomizer unused) {
        // Its loader of extensions knows no classes for later releases of Java.
        if (System.getProperty("java.specification.version").startsWith("1.")) {
            System.err.println("[jprof] the extension of OpenTelemetry's javaagent needs Java 9");
            return;
        }
        JprofContextStorage.install();
    }
}
