#include "avro/records.h"
#include "base/resource.h"

#include <pthread.h>
#include <string.h>

#define FOLDER "schemas/avro"

static GPtrArray *schemas;    /* of Schema, by name */
static GPtrArray *type_names; /* of their names, NULL-terminated */
static GHashTable *by_name;   /* name -> Schema */

static gboolean
says (const json_t *object, const char *key, const char *wanted)
{
  return g_strcmp0 (json_string_value (json_object_get (object, key)), wanted) == 0;
}

/* The kind of a type that is not a union; FALSE: messages do not support it. */
static gboolean
kind_of (const json_t *type, FieldKind *kind)
{
  static const struct {
    const char *type, *key, *value;
    FieldKind kind;
  } kinds[] = {
    { "string", "logicalType", "uuid", FIELD_UUID },
    { "string", "contentMediaType", "application/json", FIELD_JSON },
    { "int", "logicalType", "date", FIELD_DATE },
    { "long", "logicalType", "timestamp-micros", FIELD_TIME },
    { "array", "items", "long", FIELD_LONGS },
    { "string", NULL, NULL, FIELD_STRING },
    { "int", NULL, NULL, FIELD_INT },
    { "long", NULL, NULL, FIELD_LONG },
    { "boolean", NULL, NULL, FIELD_BOOL },
  };
  const char *plain = json_string_value (type);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gboolean same = kinds[i].key == NULL ? g_strcmp0 (plain, kinds[i].type) == 0
                                         : says (type, "type", kinds[i].type)
                                               && says (type, kinds[i].key, kinds[i].value);
    if (same) {
      *kind = kinds[i].kind;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
load_type (const json_t *type, SchemaField *field)
{
  field->nullable = json_is_array (type);
  if (!field->nullable)
    return kind_of (type, &field->kind);
  return json_array_size (type) == 2
         && g_strcmp0 (json_string_value (json_array_get (type, 0)), "null") == 0
         && kind_of (json_array_get (type, 1), &field->kind);
}

static gboolean
load_field (const json_t *from, SchemaField *field)
{
  const json_t *preset = json_object_get (from, "default");
  const char *name = json_string_value (json_object_get (from, "name"));
  if (name == NULL || !load_type (json_object_get (from, "type"), field))
    return FALSE;
  field->name = g_strdup (name);
  if (field->kind == FIELD_JSON && (g_str_equal (name, "args") || g_str_equal (name, "cursor")))
    field->kind = FIELD_OBJECT;
  field->has_default = preset != NULL;
  if (preset == NULL || (json_is_null (preset) && field->nullable))
    return TRUE;
  field->default_text = g_strdup (json_string_value (preset));
  return field->default_text != NULL && !field->nullable && field->kind <= FIELD_JSON;
}

static void
load_fields (const json_t *fields, const char *path, Schema *schema)
{
  schema->n_fields = json_array_size (fields);
  schema->fields = g_new0 (SchemaField, schema->n_fields);
  schema->field_names = g_new0 (const char *, schema->n_fields + 1);
  for (guint i = 0; i < schema->n_fields; i++) {
    if (!load_field (json_array_get (fields, i), &schema->fields[i]))
      g_error ("%s: field %u is of a type that messages do not have", path, i + 1);
    schema->field_names[i] = schema->fields[i].name;
  }
}

static void
load_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  Schema *schema = g_new0 (Schema, 1);
  schema->text = resource_text (path, &error);
  if (schema->text == NULL)
    g_error ("%s", error->message);
  g_autoptr (json_t) record = json_parse (schema->text, strlen (schema->text), &error);
  schema->shape = record != NULL ? shape_parse (NULL, schema->text, &error) : NULL;
  if (schema->shape == NULL)
    g_error ("%s: %s", path, error->message);
  const char *name = json_string_value (json_object_get (record, "name"));
  const char *space = json_string_value (json_object_get (record, "namespace"));
  if (name == NULL || space == NULL || !says (record, "type", "record"))
    g_error ("%s: not a record with name and namespace", path);
  schema->name = g_strconcat (space, ".", name, NULL);
  schema->fingerprint = shape_fingerprint (schema->shape);
  load_fields (json_object_get (record, "fields"), path, schema);
  g_ptr_array_add (schemas, schema);
}

static void
load_folder (const char *folder)
{
  g_auto (GStrv) names = resource_list (folder, NULL);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    if (g_str_has_suffix (names[i], "/"))
      load_folder (path);
    else
      load_file (path);
  }
}

static int
compare_schemas (gconstpointer a, gconstpointer b)
{
  const Schema *const *left = a, *const *right = b;
  return strcmp ((*left)->name, (*right)->name);
}

static void
load_all (void)
{
  schemas = g_ptr_array_new ();
  type_names = g_ptr_array_new ();
  by_name = g_hash_table_new (g_str_hash, g_str_equal);
  load_folder (FOLDER);
  if (schemas->len == 0)
    g_error ("%s: no schemas are embedded", FOLDER);
  g_ptr_array_sort (schemas, compare_schemas);
  for (guint i = 0; i < schemas->len; i++) {
    Schema *schema = schemas->pdata[i];
    schema->index = i;
    g_ptr_array_add (type_names, schema->name);
    if (!g_hash_table_insert (by_name, schema->name, schema))
      g_error ("%s: %s is there twice", FOLDER, schema->name);
  }
  g_ptr_array_add (type_names, NULL);
}

void
records_setup (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, load_all);
}

const Schema *
schema_find (const char *name)
{
  records_setup ();
  return g_hash_table_lookup (by_name, name);
}

const Schema *
schema_of_fingerprint (guint64 fingerprint)
{
  records_setup ();
  for (guint i = 0; i < schemas->len; i++) {
    const Schema *schema = schemas->pdata[i];
    if (schema->fingerprint == fingerprint)
      return schema;
  }
  return NULL;
}

guint
records_count (void)
{
  records_setup ();
  return schemas->len;
}

int
schema_field_index (const Schema *schema, const char *name, gsize name_len)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const char *known = schema->fields[i].name;
    if (strncmp (known, name, name_len) == 0 && known[name_len] == '\0')
      return i;
  }
  return -1;
}

const char *const *
records_names (void)
{
  records_setup ();
  return (const char *const *)type_names->pdata;
}
