#include "store/s3_xml.h"

#include <string.h>

#define HEAD_BYTES 4096 /* where to look for the signs of a web page */

/* Writes a carriage return and control characters as references: XML reads a raw carriage return as
 * the end of a line, and refuses some control characters. */
static void
append_escaped (GString *xml, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  for (const char *p = escaped; *p != '\0'; p++)
    if (*p == '\r' || *p == '\n' || *p == '\t')
      g_string_append_printf (xml, "&#%d;", *p);
    else
      g_string_append_c (xml, *p);
}

/* XML cannot represent most control characters. */
gboolean
s3_xml_fits (const char *key)
{
  for (const char *p = key; *p != '\0'; p++)
    if ((guchar)*p < 0x20 && strchr ("\t\n\r", *p) == NULL)
      return FALSE;
  return g_utf8_validate (key, -1, NULL) && strstr (key, "\xEF\xBF\xBE") == NULL
         && strstr (key, "\xEF\xBF\xBF") == NULL;
}

GString *
s3_xml_delete (const GPtrArray *keys, const GPtrArray *versions)
{
  GString *xml = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                               "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
  for (guint i = 0; i < keys->len; i++) {
    g_string_append (xml, "<Object><Key>");
    append_escaped (xml, keys->pdata[i]);
    g_string_append (xml, "</Key>");
    if (versions != NULL) {
      g_string_append (xml, "<VersionId>");
      append_escaped (xml, versions->pdata[i]);
      g_string_append (xml, "</VersionId>");
    }
    g_string_append (xml, "</Object>");
  }
  g_string_append (xml, "</Delete>");
  return xml;
}

void
s3_answer_clear (S3Answer *answer)
{
  g_clear_pointer (&answer->deleted, g_hash_table_unref);
  g_clear_pointer (&answer->marked, g_hash_table_unref);
  g_clear_pointer (&answer->versions, g_ptr_array_unref);
  g_clear_pointer (&answer->status, g_free);
  g_clear_pointer (&answer->errors, g_hash_table_unref);
  g_clear_pointer (&answer->code, g_free);
  g_clear_pointer (&answer->message, g_free);
}

char *
s3_xml_item (const char *key, const char *version)
{
  return g_strconcat (version, "\n", key, NULL); /* no version has an end of a line */
}

static void
version_free (gpointer data)
{
  S3Version *version = data;
  g_free (version->key);
  g_free (version->id);
  g_free (version);
}

/* Services encode a space as `+` or as `%20`, so both readings are tried. The list was asked for by
 * its prefix KEY: another key of the same length is not in it. */
gboolean
s3_answer_is_of (const S3Answer *answer, const S3Version *version, const char *key)
{
  if (!answer->encoded)
    return g_str_equal (version->key, key);
  g_autofree char *plain = g_uri_unescape_string (version->key, NULL),
                  *spaced = g_strdelimit (g_strdup (version->key), "+", ' '),
                  *form = g_uri_unescape_string (spaced, NULL);
  return g_strcmp0 (plain, key) == 0 || g_strcmp0 (form, key) == 0;
}

struct _S3Reader {
  GMarkupParseContext *context;
  S3Answer *answer;
  GError *error; /* the first error; nothing is read after it */
  guint depth;
  gboolean in_error, in_deleted, in_version, in_marker; /* the item that is read */
  gboolean marked;                                      /* it says so */
  GString *text, *head; /* text of the element; begin of the answer */
  char *key, *version, *modified, *code, *message;
};

static void
on_start (GMarkupParseContext *context, const char *name, const char **attributes,
          const char **values, gpointer data, GError **error)
{
  S3Reader *reader = data;
  reader->depth++;
  g_string_truncate (reader->text, 0);
  if (reader->depth == 1) {
    reader->answer->is_result = g_str_equal (name, "DeleteResult");
    reader->answer->is_list = g_str_equal (name, "ListVersionsResult");
    reader->answer->is_status = g_str_equal (name, "VersioningConfiguration");
    reader->in_error = g_str_equal (name, "Error");
  } else if (reader->depth == 2 && (reader->answer->is_result || reader->answer->is_list)) {
    reader->in_error = reader->answer->is_result && g_str_equal (name, "Error");
    reader->in_deleted = reader->answer->is_result && g_str_equal (name, "Deleted");
    reader->in_version = reader->answer->is_list && g_str_equal (name, "Version");
    reader->in_marker = reader->answer->is_list && g_str_equal (name, "DeleteMarker");
  }
}

static void
keep (char **place, const GString *text)
{
  g_free (*place);
  *place = g_strdup (text->str);
}

static void
note_deleted (S3Reader *reader)
{
  S3Answer *answer = reader->answer;
  if (reader->version != NULL)
    g_hash_table_add (answer->deleted, s3_xml_item (reader->key, reader->version));
  else if (reader->marked)
    g_hash_table_add (answer->marked, g_strdup (reader->key));
  g_hash_table_add (answer->deleted, g_steal_pointer (&reader->key));
}

static void
note_error (S3Reader *reader)
{
  char *words = g_strdup_printf ("%s: %s", reader->code != NULL ? reader->code : "error",
                                 reader->message != NULL ? reader->message : "");
  if (reader->version != NULL)
    g_hash_table_insert (reader->answer->errors, s3_xml_item (reader->key, reader->version),
                         g_strdup (words));
  g_hash_table_insert (reader->answer->errors, g_steal_pointer (&reader->key), words);
}

static void
note_version (S3Reader *reader)
{
  S3Version *version = g_new0 (S3Version, 1);
  g_autoptr (GDateTime) changed
      = reader->modified != NULL ? g_date_time_new_from_iso8601 (reader->modified, NULL) : NULL;
  *version = (S3Version){ g_steal_pointer (&reader->key),
                          reader->version != NULL ? g_steal_pointer (&reader->version)
                                                  : g_strdup ("null"),
                          reader->in_marker,
                          changed != NULL ? g_date_time_to_unix (changed) * G_USEC_PER_SEC : 0 };
  g_ptr_array_add (reader->answer->versions, version);
}

static void
forget_item (S3Reader *reader)
{
  g_clear_pointer (&reader->key, g_free);
  g_clear_pointer (&reader->version, g_free);
  g_clear_pointer (&reader->modified, g_free);
  g_clear_pointer (&reader->code, g_free);
  g_clear_pointer (&reader->message, g_free);
  reader->marked = FALSE;
}

static void
close_item (S3Reader *reader)
{
  if (reader->key != NULL && reader->in_deleted)
    note_deleted (reader);
  else if (reader->key != NULL && reader->in_error)
    note_error (reader);
  else if (reader->key != NULL && (reader->in_version || reader->in_marker))
    note_version (reader);
  forget_item (reader);
}

/* What stands beside the items. FALSE: it is something else. */
static gboolean
take_field (S3Reader *reader, const char *name)
{
  S3Answer *answer = reader->answer;
  if (answer->is_status && g_str_equal (name, "Status"))
    keep (&answer->status, reader->text);
  else if (answer->is_list && g_str_equal (name, "IsTruncated"))
    answer->truncated = g_str_equal (reader->text->str, "true");
  else if (answer->is_list && g_str_equal (name, "EncodingType"))
    answer->encoded = g_str_equal (reader->text->str, "url");
  else
    return FALSE;
  return TRUE;
}

static void
on_end (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  S3Reader *reader = data;
  if (reader->depth == 2 && take_field (reader, name))
    ;
  else if (g_str_equal (name, "Key"))
    keep (&reader->key, reader->text);
  else if (reader->depth == 3 && g_str_equal (name, "VersionId") && reader->text->len > 0)
    keep (&reader->version, reader->text);
  else if (reader->depth == 3 && g_str_equal (name, "LastModified"))
    keep (&reader->modified, reader->text);
  else if (reader->depth == 3 && g_str_equal (name, "DeleteMarker"))
    reader->marked = g_str_equal (reader->text->str, "true");
  else if (g_str_equal (name, "Code"))
    keep (&reader->code, reader->text);
  else if (g_str_equal (name, "Message"))
    keep (&reader->message, reader->text);
  else if (reader->depth == 2 && (reader->answer->is_result || reader->answer->is_list))
    close_item (reader);
  else if (reader->depth == 1 && reader->in_error) {
    g_free (reader->answer->code); /* GMarkup accepts a second root element */
    g_free (reader->answer->message);
    reader->answer->code = g_steal_pointer (&reader->code);
    reader->answer->message = g_steal_pointer (&reader->message);
  }
  reader->depth--;
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize len, gpointer data, GError **error)
{
  g_string_append_len (((S3Reader *)data)->text, text, (gssize)len);
}

S3Reader *
s3_reader_new (void)
{
  static const GMarkupParser parser = { on_start, on_end, on_text, NULL, NULL };
  S3Reader *reader = g_new0 (S3Reader, 1);
  reader->answer = g_new0 (S3Answer, 1);
  reader->answer->deleted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader->answer->marked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader->answer->versions = g_ptr_array_new_with_free_func (version_free);
  reader->answer->errors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  reader->text = g_string_new (NULL);
  reader->head = g_string_new (NULL);
  reader->context
      = g_markup_parse_context_new (&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, reader, NULL);
  return reader;
}

void
s3_reader_feed (S3Reader *reader, const char *data, gsize len)
{
  if (reader->head->len < HEAD_BYTES)
    g_string_append_len (reader->head, data, (gssize)MIN (len, HEAD_BYTES));
  if (reader->error == NULL)
    (void)g_markup_parse_context_parse (reader->context, data, (gssize)len, &reader->error);
}

void
s3_reader_free (S3Reader *reader)
{
  if (reader == NULL)
    return;
  g_markup_parse_context_free (reader->context);
  s3_answer_clear (reader->answer);
  g_free (reader->answer);
  g_clear_error (&reader->error);
  g_string_free (reader->text, TRUE);
  g_string_free (reader->head, TRUE);
  forget_item (reader);
  g_free (reader);
}

gboolean
s3_reader_end (S3Reader *reader, S3Answer *answer, char **why)
{
  gboolean ok
      = reader->error == NULL && g_markup_parse_context_end_parse (reader->context, &reader->error);
  *answer = *reader->answer;
  *reader->answer = (S3Answer){ 0 };
  answer->is_html = strstr (reader->head->str, "<html") != NULL
                    || strstr (reader->head->str, "<!DOCTYPE") != NULL;
  if (!ok) {
    *why = g_strdup (reader->error->message);
    answer->is_result = answer->is_list = answer->is_status = FALSE;
  }
  s3_reader_free (reader);
  return ok;
}

gboolean
s3_xml_parse (const char *body, gsize len, S3Answer *answer, char **why)
{
  S3Reader *reader = s3_reader_new ();
  s3_reader_feed (reader, body, len);
  return s3_reader_end (reader, answer, why);
}
