#include "avro/canonical.h"
#include "avro/message.h"
#include <string.h>

/* All figures come from fastavro 1.13 (to_parsing_canonical_form, fingerprint "CRC-64-AVRO");
 * Java's SchemaNormalization agrees. Python's `avro` package keeps {"type":"long"} where the
 * specification says "long". */
static const struct {
  const char *type;
  guint64 fingerprint;
} records[] = {
  { "pruned.Erasure", 0x32e6d8e57a369124 },
  { "pruned.Tick", 0x1b0142b469927c5e },
  { "pruned.Work", 0xf4437fe996542a9a },
  { "pruned.events.MemberDeletionScheduled", 0xdbf7ff2bc939ea5e },
  { "pruned.events.MemberExpirySet", 0x6e9a7f9c0aa0788d },
  { "pruned.events.ObjectsMarkedForDeletion", 0xd3414fd718fd9b50 },
  { "pruned.events.PlaceholderUserOrphaned", 0x06ba26943487fea7 },
  { "pruned.outcomes.ErasureFinished", 0xe9076005b6febbf7 },
  { "pruned.outcomes.GroupDeleted", 0x1e2b037100d74387 },
  { "pruned.outcomes.GroupRestored", 0x1eec4f70cc4a1f97 },
  { "pruned.outcomes.MemberDeletionProcessed", 0x35ad11c844a7b872 },
  { "pruned.outcomes.MemberKept", 0x9df97ee721865b41 },
  { "pruned.outcomes.MemberRemoved", 0x549895c8f4bebb6d },
  { "pruned.outcomes.ObjectsDeleted", 0xc62e013dc8e7c16f },
  { "pruned.outcomes.OperatorAction", 0x0086b01b0dc00711 },
  { "pruned.outcomes.PlaceholderKept", 0xf2cc128d69eab752 },
  { "pruned.outcomes.ProjectDeleted", 0x845ab1c12b4fad20 },
  { "pruned.outcomes.RowProcessed", 0x92e5b4498f6a08e1 },
  { "pruned.outcomes.RunDisagreed", 0x55b621ed93c817c6 },
  { "pruned.outcomes.RunFinished", 0xa8a1ea81575980f6 },
  { "pruned.outcomes.RunHeld", 0xf1b839ea700bac8f },
  { "pruned.outcomes.UserDeleted", 0xe54604806d4b1969 },
};

/* Changing one of these changes the contract: then several versions must be supported. */
static void
test_fingerprints_of_our_records (void)
{
  const char *const *types = message_types ();
  g_assert_cmpuint (g_strv_length ((char **)types), ==, G_N_ELEMENTS (records));
  for (guint i = 0; i < G_N_ELEMENTS (records); i++) {
    g_assert_cmpstr (types[i], ==, records[i].type);
    g_assert_cmphex (message_fingerprint (types[i]), ==, records[i].fingerprint);
  }
}

static const struct {
  const char *schema, *canonical;
  guint64 fingerprint;
} vectors[] = {
  { "\"null\"", "\"null\"", 0x63dd24e7cc258f8a },
  { "\"int\"", "\"int\"", 0x7275d51a3f395c8f },
  { "{\"type\": \"string\"}", "\"string\"", 0x8f014872634503c7 },
  { "[\"null\", {\"type\": \"long\", \"logicalType\": \"timestamp-micros\"}]",
    "[\"null\",\"long\"]", 0x98ca1358ed40804a },
  { "{\"type\": \"fixed\", \"size\": 16, \"name\": \"md5\", \"namespace\": \"a.b\"}",
    "{\"name\":\"a.b.md5\",\"type\":\"fixed\",\"size\":16}", 0x2ee8c1c6318ef7a5 },
  { "{\"type\": \"enum\", \"name\": \"Suit\", \"namespace\": \"cards\","
    " \"symbols\": [\"SPADES\", \"HEARTS\"], \"doc\": \"x\", \"aliases\": [\"y\"]}",
    "{\"name\":\"cards.Suit\",\"type\":\"enum\",\"symbols\":[\"SPADES\",\"HEARTS\"]}",
    0x292f5c362f36edad },
  { "{\"type\": \"map\", \"values\": {\"type\": \"array\", \"items\": \"bytes\"}}",
    "{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":\"bytes\"}}", 0x33b25761fb6b04c9 },
  { "{\"doc\": \"d\", \"namespace\": \"x.y\", \"name\": \"Outer\", \"type\": \"record\", \"fields\": ["
    "{\"default\": 1, \"doc\": \"q\", \"name\": \"a\", \"type\": {\"type\": \"long\"},"
    " \"order\": \"ascending\"},"
    "{\"name\": \"inner\", \"type\": {\"name\": \"In\", \"type\": \"record\", \"fields\": ["
    "{\"name\": \"again\", \"type\": [\"null\", \"In\"]},"
    "{\"type\": {\"type\": \"enum\", \"name\": \"other.space.E\", \"symbols\": [\"Z\"]},"
    " \"name\": \"e\"}]}},"
    "{\"name\": \"back\", \"type\": \"In\"}, {\"name\": \"out\", \"type\": \"other.space.E\"}]}",
    "{\"name\":\"x.y.Outer\",\"type\":\"record\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},"
    "{\"name\":\"inner\",\"type\":{\"name\":\"x.y.In\",\"type\":\"record\",\"fields\":["
    "{\"name\":\"again\",\"type\":[\"null\",\"x.y.In\"]},"
    "{\"name\":\"e\",\"type\":{\"name\":\"other.space.E\",\"type\":\"enum\",\"symbols\":[\"Z\"]}}]}},"
    "{\"name\":\"back\",\"type\":\"x.y.In\"},{\"name\":\"out\",\"type\":\"other.space.E\"}]}",
    0x5a1f91f5c3f9c3d1 },
  { "{\"type\": \"record\", \"name\": \"full.dotted.Name\", \"namespace\": \"ignored\", \"fields\": ["
    "{\"name\": \"f\", \"type\": {\"type\": \"fixed\", \"name\": \"F\", \"size\": 2}}]}",
    "{\"name\":\"full.dotted.Name\",\"type\":\"record\",\"fields\":[{\"name\":\"f\","
    "\"type\":{\"name\":\"full.dotted.F\",\"type\":\"fixed\",\"size\":2}}]}",
    0x66ec42c1efc289dc },
};

static void
test_canonical_form_of_any_schema (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) schema = json_parse (vectors[i].schema, strlen (vectors[i].schema), &error);
    g_assert_no_error (error);
    g_autofree char *canonical = canonical_form (schema, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (canonical, ==, vectors[i].canonical);
    g_assert_cmphex (canonical_fingerprint (canonical), ==, vectors[i].fingerprint);
  }
}

static void
test_what_is_no_schema_is_refused (void)
{
  static const char *const texts[] = {
    "7",
    "{}",
    "{\"type\":\"record\",\"name\":\"R\"}",
    "{\"type\":\"record\",\"fields\":[]}",
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"type\":\"int\"}]}",
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"f\"}]}",
    "{\"type\":\"enum\",\"name\":\"E\"}",
    "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[1]}",
    "{\"type\":\"fixed\",\"name\":\"F\"}",
    "{\"type\":\"array\"}",
    "[\"null\",null]",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) schema = json_parse (texts[i], strlen (texts[i]), NULL);
    g_assert_null (canonical_form (schema, &error));
    g_assert_true (g_str_has_prefix (error->message, "not an Avro schema: "));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/canonical/fingerprints_of_our_records", test_fingerprints_of_our_records);
  g_test_add_func ("/canonical/form_of_any_schema", test_canonical_form_of_any_schema);
  g_test_add_func ("/canonical/what_is_no_schema_is_refused", test_what_is_no_schema_is_refused);
  return g_test_run ();
}
