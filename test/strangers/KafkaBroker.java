import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.ArrayList;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;

/**
 * Kafka: a broker and controller (KRaft) in the process. Each thread sends compressed batches to
 * its own partition and reads them back.
 */
public final class KafkaBroker implements Stranger.Program {
    private static final String TOPIC = "strangers";
    private static final int BATCH = 50;

    private KafkaRaftServer server;
    private final List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
    private final List<KafkaConsumer<byte[], byte[]>> consumers = new ArrayList<>();

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void start(int threads) throws Exception {
        Path folder = Files.createTempDirectory(Stranger.folder(), "kafka");
        int broker = freePort();
        int controller = freePort();
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
        settings.put("listeners",
                "PLAINTEXT://127.0.0.1:" + broker + ",CONTROLLER://127.0.0.1:" + controller);
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + broker);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("log.dirs", folder.resolve("log").toString());
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("log.segment.bytes", "16777216");
        settings.put("log.retention.bytes", "67108864");
        Path file = folder.resolve("server.properties");
        try (java.io.Writer out = Files.newBufferedWriter(file)) {
            settings.store(out, null);
        }
        int code = StorageTool.execute(new String[] {"format", "-t", "MkU3OEVBNTcwNTJENDM2Qk",
                "-c", file.toString()}, new PrintStream(System.err));
        if (code != 0) throw new IllegalStateException("format of the log failed");
        server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
        server.startup();
        Map<String, Object> clients = Map.of("bootstrap.servers", "127.0.0.1:" + broker,
                "compression.type", "lz4", "linger.ms", "1", "fetch.max.wait.ms", "20");
        try (Admin admin = Admin.create(clients)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, threads, (short) 1)))
                    .all().get(60, TimeUnit.SECONDS);
        }
        for (int i = 0; i < threads; ++i) {
            producers.add(new KafkaProducer<>(
                    clients, new ByteArraySerializer(), new ByteArraySerializer()));
            consumers.add(new KafkaConsumer<>(
                    clients, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
            consumers.get(i).assign(List.of(new TopicPartition(TOPIC, i)));
        }
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        KafkaProducer<byte[], byte[]> producer = producers.get(thread);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < BATCH; ++i) {
            byte[] value = ("message " + number + " " + "abc".repeat(i)).getBytes();
            sent.add(producer.send(new ProducerRecord<>(TOPIC, thread, null, value)));
        }
        producer.flush();
        long first = sent.get(0).get(60, TimeUnit.SECONDS).offset();
        KafkaConsumer<byte[], byte[]> consumer = consumers.get(thread);
        consumer.seek(new TopicPartition(TOPIC, thread), first);
        long sum = 0;
        for (int count = 0; count < BATCH;) {
            for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(30))) {
                if (++count <= BATCH) sum = Stranger.hash(sum, each.value());
            }
        }
        return sum;
    }

    @Override
    public void stop() {
        producers.forEach(KafkaProducer::close);
        consumers.forEach(KafkaConsumer::close);
        server.shutdown();
    }
}
