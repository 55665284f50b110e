/* The schemas of messages. */
#include "avro/message.h"
#include "avro/records.h"
#include <string.h>

void
message_setup (void)
{
  records_setup ();
}

const char *const *
message_types (void)
{
  return records_names ();
}

const char *
message_schema (const char *type)
{
  const Schema *schema = schema_find (type);
  return schema != NULL ? schema->text : NULL;
}

guint64
message_fingerprint (const char *type)
{
  const Schema *schema = schema_find (type);
  g_assert (schema != NULL);
  return schema->fingerprint;
}

const char *const *
message_fields (const char *type)
{
  const Schema *schema = schema_find (type);
  return schema != NULL ? schema->field_names : NULL;
}

gboolean
message_needs (const char *type, const char *field)
{
  const Schema *schema = schema_find (type);
  int index = schema != NULL ? schema_field_index (schema, field, strlen (field)) : -1;
  return index >= 0 && !schema->fields[index].nullable && !schema->fields[index].has_default;
}
