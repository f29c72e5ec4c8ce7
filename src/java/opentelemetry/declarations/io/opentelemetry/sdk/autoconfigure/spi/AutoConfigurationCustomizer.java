package io.opentelemetry.sdk.autoconfigure.spi;

public interface AutoConfigurationCustomizer {}
