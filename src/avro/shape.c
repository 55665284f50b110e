#include "avro/canonical.h"
#include "avro/shape_private.h"
#include "base/error.h"

#include <string.h>

/* One parse. Names are kept in trees: whoever writes a schema can make names of one hash. */
typedef struct {
  Shape *shape;
  GTree *names; /* full name -> Node */
  GError **error;
} Parse;

static Node *node_of (Parse *parse, const json_t *schema, const char *space);

static int
compare_names (gconstpointer a, gconstpointer b, gpointer data)
{
  return strcmp (a, b);
}

static gpointer G_GNUC_PRINTF (2, 3) fail (Parse *parse, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  return error_null (parse->error, PRUNED_REJECT, "not an Avro schema: %s", why);
}

static void
node_free (gpointer data)
{
  Node *node = data;
  g_clear_pointer (&node->names, g_ptr_array_unref);
  g_clear_pointer (&node->parts, g_ptr_array_unref);
  g_free (node->name);
  g_free (node->type);
  g_free (node);
}

static Node *
add_node (Parse *parse, ShapeKind kind)
{
  Node *node = g_new0 (Node, 1);
  node->kind = kind;
  node->names = g_ptr_array_new_with_free_func (g_free);
  node->parts = g_ptr_array_new ();
  g_ptr_array_add (parse->shape->nodes, node);
  return node;
}

static const char *
text_of (const json_t *schema, const char *key)
{
  return json_string_value (json_object_get (schema, key));
}

/* --- names --- */

static gboolean
primitive_kind (const char *name, ShapeKind *kind)
{
  static const struct {
    const char *name;
    ShapeKind kind;
  } kinds[] = { { "null", SHAPE_NULL },   { "boolean", SHAPE_BOOLEAN }, { "int", SHAPE_INT },
                { "long", SHAPE_LONG },   { "float", SHAPE_FLOAT },     { "double", SHAPE_DOUBLE },
                { "bytes", SHAPE_BYTES }, { "string", SHAPE_STRING } };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (name, kinds[i].name)) {
      *kind = kinds[i].kind;
      return TRUE;
    }
  return FALSE;
}

static char *
full_name (const char *name, const char *space)
{
  return *space == '\0' || strchr (name, '.') != NULL ? g_strdup (name)
                                                      : g_strconcat (space, ".", name, NULL);
}

static Node *
node_of_name (Parse *parse, const char *name, const char *space)
{
  ShapeKind kind;
  if (primitive_kind (name, &kind))
    return add_node (parse, kind);
  g_autofree char *full = full_name (name, space);
  Node *node = g_tree_lookup (parse->names, full);
  if (node == NULL)
    node = g_tree_lookup (parse->names, name); /* of no namespace */
  return node != NULL ? node : fail (parse, "there is no type %s", full);
}

/* --- what a type means --- */

static void
read_decimal (Node *node, const json_t *schema)
{
  json_int_t scale = json_integer_value (json_object_get (schema, "scale"));
  if ((node->kind != SHAPE_BYTES && node->kind != SHAPE_FIXED) || scale < 0 || scale > SCALE_MOST)
    return;
  node->meaning = MEANS_DECIMAL;
  node->scale = scale;
}

/* One that does not fit its type is ignored, as the specification wants. */
static void
read_meaning (Node *node, const json_t *schema)
{
  static const struct {
    ShapeKind kind;
    const char *word;
    ShapeMeaning meaning;
  } meanings[] = { { SHAPE_INT, "date", MEANS_DATE },
                   { SHAPE_LONG, "timestamp-millis", MEANS_MILLIS },
                   { SHAPE_LONG, "timestamp-micros", MEANS_MICROS },
                   { SHAPE_LONG, "local-timestamp-millis", MEANS_LOCAL_MILLIS },
                   { SHAPE_LONG, "local-timestamp-micros", MEANS_LOCAL_MICROS },
                   { SHAPE_FIXED, "uuid", MEANS_UUID } };
  const char *word = text_of (schema, "logicalType");
  for (guint i = 0; word != NULL && i < G_N_ELEMENTS (meanings); i++)
    if (node->kind == meanings[i].kind && g_str_equal (word, meanings[i].word))
      node->meaning = meanings[i].meaning;
  if (node->meaning == MEANS_UUID && node->size != sizeof (guint8[16]))
    node->meaning = MEANS_ITSELF;
  if (g_strcmp0 (word, "decimal") == 0)
    read_decimal (node, schema);
}

/* Kafka Connect's converters keep the name that the value had before it was Avro. */
static const char *
type_of (const json_t *schema)
{
  const char *name = text_of (schema, "connect.name");
  return name != NULL ? name : text_of (schema, "logicalType");
}

/* --- types --- */

static Node *
add_part (Parse *parse, Node *node, const json_t *schema, const char *space)
{
  Node *part = node_of (parse, schema, space);
  if (part != NULL)
    g_ptr_array_add (node->parts, part);
  return part;
}

static Node *
node_of_union (Parse *parse, const json_t *branches, const char *space)
{
  gsize i;
  json_t *branch;
  Node *node = add_node (parse, SHAPE_UNION);
  json_array_foreach ((json_t *)branches, i, branch) {
    if (add_part (parse, node, branch, space) == NULL)
      return NULL;
  }
  return node;
}

/* SEEN: those of the node so far. */
static gboolean
add_name (Parse *parse, Node *node, GTree *seen, const char *name)
{
  if (name == NULL || *name == '\0')
    return fail (parse, "a field or a symbol without a name") != NULL;
  if (g_tree_lookup (seen, name) != NULL)
    return fail (parse, "%s is there twice", name) != NULL;
  g_tree_insert (seen, (gpointer)name, (gpointer)name);
  g_ptr_array_add (node->names, g_strdup (name));
  return TRUE;
}

static Node *
read_fields (Parse *parse, Node *node, const json_t *fields, const char *space)
{
  gsize i;
  json_t *field;
  g_autoptr (GTree) seen = g_tree_new_with_data (compare_names, NULL);
  if (!json_is_array (fields))
    return fail (parse, "a record without fields");
  json_array_foreach ((json_t *)fields, i, field) {
    if (!add_name (parse, node, seen, text_of (field, "name"))
        || add_part (parse, node, json_object_get (field, "type"), space) == NULL)
      return NULL;
  }
  return node;
}

static Node *
read_symbols (Parse *parse, Node *node, const json_t *symbols)
{
  gsize i;
  json_t *symbol;
  g_autoptr (GTree) seen = g_tree_new_with_data (compare_names, NULL);
  if (!json_is_array (symbols))
    return fail (parse, "an enum without symbols");
  json_array_foreach ((json_t *)symbols, i, symbol) {
    if (!add_name (parse, node, seen, json_string_value (symbol)))
      return NULL;
  }
  return node;
}

static Node *
read_size (Parse *parse, Node *node, const json_t *size)
{
  node->size = json_integer_value (size);
  return json_is_integer (size) && node->size >= 0 ? node : fail (parse, "a fixed without a size");
}

/* It has its name before it is read: a record can contain itself. */
static Node *
node_of_named (Parse *parse, const json_t *schema, ShapeKind kind, const char *space)
{
  const char *name = text_of (schema, "name"), *own_space = text_of (schema, "namespace");
  if (name == NULL || *name == '\0')
    return fail (parse, "a record, enum or fixed without a name");
  g_autofree char *full = full_name (name, own_space != NULL ? own_space : space);
  const char *dot = strrchr (full, '.');
  g_autofree char *inner = dot != NULL ? g_strndup (full, dot - full) : g_strdup ("");
  Node *node = add_node (parse, kind);
  node->name = g_strdup (full);
  if (g_tree_lookup (parse->names, full) != NULL)
    return fail (parse, "the type %s is there twice", full);
  g_tree_insert (parse->names, g_steal_pointer (&full), node);
  if (kind == SHAPE_ENUM)
    return read_symbols (parse, node, json_object_get (schema, "symbols"));
  if (kind == SHAPE_FIXED)
    return read_size (parse, node, json_object_get (schema, "size"));
  return read_fields (parse, node, json_object_get (schema, "fields"), inner);
}

static Node *
node_of_object (Parse *parse, const json_t *schema, const char *space)
{
  static const struct {
    const char *name;
    ShapeKind kind;
  } named[] = { { "record", SHAPE_RECORD },
                { "error", SHAPE_RECORD },
                { "enum", SHAPE_ENUM },
                { "fixed", SHAPE_FIXED } };
  const json_t *type = json_object_get (schema, "type");
  const char *name = json_string_value (type);
  if (name == NULL) /* {"type": {...}} is the inner schema */
    return node_of (parse, type, space);
  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    if (g_str_equal (name, named[i].name))
      return node_of_named (parse, schema, named[i].kind, space);
  gboolean is_map = g_str_equal (name, "map");
  if (!is_map && !g_str_equal (name, "array"))
    return node_of_name (parse, name, space);
  Node *node = add_node (parse, is_map ? SHAPE_MAP : SHAPE_ARRAY);
  return add_part (parse, node, json_object_get (schema, is_map ? "values" : "items"), space)
                 != NULL
             ? node
             : NULL;
}

static Node *
node_of (Parse *parse, const json_t *schema, const char *space)
{
  if (json_is_string (schema))
    return node_of_name (parse, json_string_value (schema), space);
  if (json_is_array (schema))
    return node_of_union (parse, schema, space);
  if (!json_is_object (schema))
    return fail (parse, "a type is missing");
  guint before = parse->shape->nodes->len;
  Node *node = node_of_object (parse, schema, space);
  gboolean is_new = parse->shape->nodes->len > before; /* else only its name stands here */
  if (node != NULL && is_new && node->meaning == MEANS_ITSELF)
    read_meaning (node, schema);
  if (node != NULL && is_new && node->type == NULL)
    node->type = g_strdup (type_of (schema));
  return node;
}

/* --- the whole --- */

static gboolean
parse_text (Parse *parse, const char *text)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (json_t) schema = json_parse (text, strlen (text), &cause);
  if (schema == NULL)
    return fail (parse, "%s", cause->message) != NULL;
  parse->shape->root = node_of (parse, schema, "");
  if (parse->shape->root == NULL)
    return FALSE;
  g_autofree char *canonical = canonical_form (schema, NULL);
  parse->shape->fingerprint = canonical != NULL ? canonical_fingerprint (canonical) : 0;
  return TRUE;
}

Shape *
shape_parse (const char *const *known, const char *text, GError **error)
{
  g_autoptr (Shape) shape = g_new0 (Shape, 1);
  g_autoptr (GTree) names = g_tree_new_full (compare_names, NULL, g_free, NULL);
  Parse parse = { shape, names, error };
  gboolean uses_others = known != NULL && known[0] != NULL;
  shape->nodes = g_ptr_array_new_with_free_func (node_free);
  for (guint i = 0; uses_others && known[i] != NULL; i++)
    if (!parse_text (&parse, known[i]))
      return NULL;
  if (!parse_text (&parse, text))
    return NULL;
  if (uses_others)
    shape->fingerprint = 0;
  return g_steal_pointer (&shape);
}

void
shape_free (Shape *shape)
{
  if (shape == NULL)
    return;
  g_ptr_array_unref (shape->nodes);
  g_free (shape);
}

guint64
shape_fingerprint (const Shape *shape)
{
  return shape->fingerprint;
}
