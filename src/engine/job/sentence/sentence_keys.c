#include "engine/job/sentence/sentence_keys.h"

#include "config/age.h"
#include "engine/job/consistency.h"
#include "engine/job/job_due.h"
#include "engine/job/job_record.h"
#include "engine/job/sentence/event_key.h"
#include "engine/job/sentence/sentence_due.h"
#include "engine/job/sentence/sentence_keep_read.h"
#include "engine/job/sentence/sentence_remember.h"
#include "engine/job/sentence/sql_interval.h"
#include "engine/job/sentence/sql_text.h"
#include "store/place.h"

#include <string.h>

#define TABLE_PARTS 2 /* a table can have its schema */
#define PORTION_MOST 100000

static void
child_free (gpointer data)
{
  SentenceChild *child = data;
  g_free (child->table);
  g_strfreev (child->columns);
  g_free (child);
}

static void
set_free (gpointer data)
{
  SentenceSet *set = data;
  g_free (set->column);
  g_free (set->value);
  g_free (set);
}

Sentence *
sentence_new (void)
{
  Sentence *sentence = g_new0 (Sentence, 1);
  sentence->children = g_ptr_array_new_with_free_func (child_free);
  sentence->set = g_ptr_array_new_with_free_func (set_free);
  sentence->keep.per = g_new0 (char *, 1);
  sentence->keep.by = g_new0 (char *, 1);
  sentence->on = g_new0 (char *, 1);
  sentence->lines = g_hash_table_new (g_str_hash, g_str_equal);
  return sentence;
}

static gboolean
read_table (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  return (sentence->table = sql_text_only_name (value, TABLE_PARTS, error)) != NULL;
}

static gboolean
read_where (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  sentence->where = g_strdup (value);
  return sql_text_is_expression (value, error) && sql_interval_has_units (value, error);
}

/* `order_items`, or `order_notes (order_id)` */
static gboolean
read_child (Sentence *sentence, const char *item, GError **error)
{
  const char *at = item;
  SentenceChild *child = g_new0 (SentenceChild, 1);
  g_ptr_array_add (sentence->children, child);
  child->table = sql_text_name (&at, TABLE_PARTS, error);
  if (child->table == NULL || *at == '\0')
    return child->table != NULL;
  gsize len = strlen (at);
  if (*at != '(' || at[len - 1] != ')')
    return error_fatal (error, "'%s' is not a table, or table(column, ...)", item);
  g_autofree char *inner = g_strndup (at + 1, len - 2);
  return (child->columns = sql_text_columns (inner, error)) != NULL;
}

static gboolean
same_child (const SentenceChild *a, const SentenceChild *b)
{
  return g_str_equal (a->table, b->table)
         && (a->columns == NULL || b->columns == NULL
             || g_strv_equal ((const char *const *)a->columns, (const char *const *)b->columns));
}

static gboolean
add_child (Sentence *sentence, const char *item, GError **error)
{
  const GPtrArray *children = sentence->children;
  if (!read_child (sentence, item, error))
    return FALSE;
  const SentenceChild *last = children->pdata[children->len - 1];
  for (guint i = 0; i + 1 < children->len; i++)
    if (same_child (children->pdata[i], last))
      return error_fatal (error, "the table %s twice", last->table);
  return TRUE;
}

/* `auto`, a list of tables, or both. */
static gboolean
read_children (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  g_auto (GStrv) items = sql_text_list (value, error);
  for (guint i = 0; items != NULL && items[i] != NULL; i++) {
    const gboolean is_auto = g_str_equal (items[i], "auto");
    if (is_auto && sentence->children_auto)
      return error_fatal (error, "auto twice");
    sentence->children_auto |= is_auto;
    if (!is_auto && !add_child (sentence, items[i], error))
      return FALSE;
  }
  return items != NULL;
}

static gboolean
read_portion (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  guint64 rows = 0;
  if (!g_str_equal (value, "off")
      && !g_ascii_string_to_unsigned (value, 10, 1, PORTION_MOST, &rows, NULL))
    return error_fatal (error, "expected off, or a number of rows from 1 to %d", PORTION_MOST);
  sentence->portion = (gint64)rows;
  return TRUE;
}

/* `email = NULL` */
static gboolean
read_assignment (Sentence *sentence, const char *item, GError **error)
{
  const char *at = item;
  SentenceSet *set = g_new0 (SentenceSet, 1);
  g_ptr_array_add (sentence->set, set);
  set->column = sql_text_name (&at, 1, error);
  if (set->column == NULL)
    return FALSE;
  if (*at != '=')
    return error_fatal (error, "'%s' is not 'column = value'", item);
  set->value = g_strstrip (g_strdup (at + 1));
  for (guint i = 0; i + 1 < sentence->set->len; i++)
    if (g_str_equal (((SentenceSet *)sentence->set->pdata[i])->column, set->column))
      return error_fatal (error, "the column %s twice", set->column);
  if (!sql_text_is_expression (set->value, error) || !sql_interval_has_units (set->value, error)) {
    g_prefix_error (error, "%s: ", set->column);
    return FALSE;
  }
  return !sql_text_assigns_again (set->value)
         || error_fatal (
             error,
             "%s: AND sets no other column: write a comma before it, or the whole value "
             "in brackets",
             set->column);
}

static gboolean
read_set (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  sentence->kind = SENTENCE_SET;
  g_auto (GStrv) items = sql_text_list (value, error);
  for (guint i = 0; items != NULL && items[i] != NULL; i++)
    if (!read_assignment (sentence, items[i], error))
      return FALSE;
  return items != NULL;
}

static gboolean
read_audit (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  static const char *const words[] = { "full", "keys", "off" };
  sentence->audit_said = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (value, words[i])) {
      sentence->audit = (SentenceAudit)i;
      return TRUE;
    }
  return error_fatal (error, "expected full, keys or off, not '%s'", value);
}

/* TABLE is not known yet: job_record_read is asked again when it is. */
static gboolean
read_record (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  sentence->record = sql_text_list (value, error);
  if (sentence->record == NULL)
    return FALSE;
  g_autofree char *read = job_record_read ("", sentence->record, error);
  return read != NULL;
}

static gboolean
read_keep (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  return sentence_keep_read (&sentence->keep, value, error);
}

/* --- other kinds --- */

/* `90 days`, `1 year 6 months`: never 0, and within what PostgreSQL can take from a time. */
#define PART_OF_AGE "[1-9][0-9]{0,3} *(hour|day|week|mon|month)s?|[1-9][0-9]{0,2} *years?"

static gboolean
read_older_than (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  sentence->kind = SENTENCE_PARTITIONS;
  sentence->older_than = g_strdup (value);
  gboolean ok = g_regex_match_simple ("^(" PART_OF_AGE ")( +(" PART_OF_AGE "))*$", value,
                                      G_REGEX_CASELESS, 0);
  return ok || error_fatal (error, "expected an interval like 90 days, not '%s'", value);
}

static gboolean
read_due (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  const char *at = value;
  if ((sentence->due = sql_text_name (&at, 1, error)) == NULL || *at == '\0')
    return sentence->due != NULL;
  if (*at != '+')
    return error_fatal (error, "expected a column, or COLUMN + 90 days, not '%s'", value);
  sentence->due_age = g_strstrip (g_strdup (at + 1));
  return g_str_equal (sentence->due_age, DUE_AT_ONCE) || age_is (sentence->due_age)
         || error_fatal (error, "expected an interval behind the +, like 90 days, not '%s'",
                         sentence->due_age);
}

static gboolean
read_due_unit (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  sentence->due_unit = g_strdup (value);
  return job_due_unit_is (value)
         || error_fatal (error, "expected days, s, ms or us, not '%s'", value);
}

/* `s3:uploads column s3_key` */
static gboolean
read_object (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  static const char want[] = "expected s3:BUCKET column NAME";
  sentence->kind = SENTENCE_OBJECTS;
  if (!g_str_has_prefix (value, "s3:"))
    return error_fatal (error, want);
  const char *bucket = value + strlen ("s3:"), *at = bucket;
  while (g_ascii_isalnum (*at) || *at == '.' || *at == '-' || *at == '_')
    at++;
  if (at == bucket || !g_ascii_isspace (*at))
    return error_fatal (error, want);
  sentence->bucket = g_strndup (bucket, at - bucket);
  if (!sql_text_skip_word (&at, "column"))
    return error_fatal (error, want);
  return (sentence->object_column = sql_text_only_name (at, 1, error)) != NULL;
}

static gboolean
read_archive (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  const char *why;
  if (place_is (value, &why)) {
    sentence->kind = SENTENCE_FILES;
    sentence->archive_place = g_strdup (value);
    return why == NULL || error_fatal (error, "%s, not '%s'", why, value);
  }
  sentence->kind = SENTENCE_ARCHIVE;
  return (sentence->archive = sql_text_only_name (value, TABLE_PARTS, error)) != NULL;
}

static gboolean
read_consistency (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  g_free (sentence->consistency);
  sentence->consistency = g_strdup (value);
  return consistency_check (value, error);
}

static gboolean
read_on (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  g_auto (GStrv) names = sql_text_list (value, error);
  if (names == NULL)
    return FALSE;
  g_strfreev (sentence->on);
  sentence->on = g_steal_pointer (&names);
  return TRUE;
}

/* How an erasure names its rows; job_erasure.c reads it again. */
static gboolean
read_named_by (gpointer into, const Key *key, const char *value, GError **error)
{
  g_autoptr (SentenceEvent) event = sentence_event_new ("");
  return event_key_take (event, value, error);
}

static gboolean
read_ticks (gpointer into, const Key *key, const char *value, GError **error)
{
  Sentence *sentence = into;
  sentence->ticks = g_str_equal (value, "off") ? SENTENCE_TICKS_OFF : SENTENCE_TICKS_ON;
  return sentence->ticks == SENTENCE_TICKS_OFF || g_str_equal (value, "on")
         || error_fatal (error, "expected on or off, not '%s'", value);
}

const Key sentence_keys[] = {
  { "table", read_table },
  { "where", read_where },
  { "due", read_due },
  { "due_unit", read_due_unit },
  { "children", read_children },
  { "children_portion", read_portion },
  { "on", read_on },
  { "key", read_named_by },
  { "ticks", read_ticks },
  { "set", read_set },
  { "audit", read_audit },
  { "record", read_record },
  { "keep", read_keep },
  { "drop_partitions_older_than", read_older_than },
  { "object", read_object },
  { "archive", read_archive },
  { "data_consistency", read_consistency },
  { "remember", sentence_remember_read },
  { "born", sentence_born_read },
  { NULL },
};
