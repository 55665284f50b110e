import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the outcomes of pruned up to their end, however they are written ([outcomes] format).
 *
 * <pre>java -cp 'LIBRARIES/*' ReadOutcomes.java BROKER TOPIC SCHEMAS</pre>
 *
 * SCHEMAS: the folder share/pruned/schemas, or the address of the schema registry. pom.xml names
 * the libraries.
 */
public class ReadOutcomes {
  private static final List<String> SHOWN = List.of("run_id", "table", "key", "what", "reason");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<Long, Schema> byFingerprint = new HashMap<>();
  private final Map<Integer, Schema> byNumber = new HashMap<>();
  private final String registry;

  ReadOutcomes(String place) throws IOException {
    registry = place.startsWith("http") ? place : null;
    if (registry != null) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(place, "outcomes"), "*.avsc")) {
      for (Path file : files) {
        Schema schema = new Schema.Parser().parse(file.toFile());
        byFingerprint.put(SchemaNormalization.parsingFingerprint64(schema), schema);
      }
    }
  }

  private Schema numbered(int number) throws IOException, InterruptedException {
    Schema known = byNumber.get(number);
    if (known == null) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(registry + "/schemas/ids/" + number)).build();
      String body = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
      known = new Schema.Parser().parse(JSON.readTree(body).get("schema").asText());
      byNumber.put(number, known);
    }
    return known;
  }

  /** The fields of an outcome; null: its schema is newer than this reader's. */
  private Map<String, String> decoded(byte[] value) throws IOException, InterruptedException {
    Map<String, String> fields = new HashMap<>();
    if (value[0] == '{') {
      JsonNode content = JSON.readTree(value);
      SHOWN.stream().filter(content::hasNonNull).forEach(name -> fields.put(name, content.get(name).asText()));
      return fields;
    }
    boolean framed = value[0] == 0;
    ByteBuffer head = ByteBuffer.wrap(value).order(framed ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    Schema schema = framed ? numbered(head.getInt(1)) : byFingerprint.get(head.getLong(2));
    if (schema == null) {
      return null;
    }
    int start = framed ? 5 : 10;
    GenericRecord content = new GenericDatumReader<GenericRecord>(schema)
        .read(null, DecoderFactory.get().binaryDecoder(value, start, value.length - start, null));
    SHOWN.stream().filter(name -> content.hasField(name) && content.get(name) != null)
        .forEach(name -> fields.put(name, content.get(name).toString()));
    return fields;
  }

  private static String header(ConsumerRecord<byte[], byte[]> message, String name) {
    return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  /** All that the topic has now. A service would subscribe, with a group, and go on. */
  private void read(String broker, String topic) throws IOException, InterruptedException {
    Set<String> seen = new HashSet<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", broker, "auto.offset.reset", "earliest");
    try (var reader = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      var partitions = reader.partitionsFor(topic).stream().map(p -> new TopicPartition(topic, p.partition())).toList();
      Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
      reader.assign(partitions);
      reader.seekToBeginning(partitions);
      while (partitions.stream().anyMatch(p -> reader.position(p) < ends.get(p))) {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofSeconds(1))) {
          if (seen.add(header(message, "ce_id"))) { // a message can come again after a crash
            show(header(message, "ce_type"), decoded(message.value()));
          }
        }
      }
    }
  }

  /** Types that a reader does not know are to be ignored. */
  private static void show(String type, Map<String, String> fields) {
    if (fields == null) {
      return;
    }
    ObjectNode line = JSON.createObjectNode().put("record", type.substring(type.lastIndexOf('.') + 1));
    SHOWN.stream().filter(fields::containsKey).forEach(name -> line.put(name, fields.get(name)));
    System.out.println(line);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    new ReadOutcomes(arguments[2]).read(arguments[0], arguments[1]);
  }
}
