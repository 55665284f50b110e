#include "store/s3_xml.h"

#include <string.h>

#define HEAD_BYTES 4096 /* in which a web page says that it is one */

/* XML takes a carriage return for a line's end and some control characters for nothing at all: as
 * references. */
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

/* XML has no way to say most control characters. */
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
s3_xml_delete (const GPtrArray *keys)
{
  GString *xml = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                               "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
  for (guint i = 0; i < keys->len; i++) {
    g_string_append (xml, "<Object><Key>");
    append_escaped (xml, keys->pdata[i]);
    g_string_append (xml, "</Key></Object>");
  }
  g_string_append (xml, "</Delete>");
  return xml;
}

void
s3_answer_clear (S3Answer *answer)
{
  g_clear_pointer (&answer->deleted, g_hash_table_unref);
  g_clear_pointer (&answer->errors, g_hash_table_unref);
  g_clear_pointer (&answer->code, g_free);
  g_clear_pointer (&answer->message, g_free);
}

struct _S3Reader {
  GMarkupParseContext *context;
  S3Answer *answer;
  GError *error; /* the first; nothing is read behind it */
  guint depth;
  gboolean in_error, in_deleted;
  GString *text, *head; /* of the element; of the answer */
  char *key, *code, *message;
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
    reader->in_error = g_str_equal (name, "Error");
  } else if (reader->depth == 2 && reader->answer->is_result) {
    reader->in_error = g_str_equal (name, "Error");
    reader->in_deleted = g_str_equal (name, "Deleted");
  }
}

static void
keep (char **place, const GString *text)
{
  g_free (*place);
  *place = g_strdup (text->str);
}

static void
close_item (S3Reader *reader)
{
  char *key = g_steal_pointer (&reader->key);
  if (key != NULL && reader->in_deleted)
    g_hash_table_add (reader->answer->deleted, g_steal_pointer (&key));
  else if (key != NULL && reader->in_error)
    g_hash_table_insert (reader->answer->errors, g_steal_pointer (&key),
                         g_strdup_printf ("%s: %s", reader->code != NULL ? reader->code : "error",
                                          reader->message != NULL ? reader->message : ""));
  g_free (key);
  g_clear_pointer (&reader->code, g_free);
  g_clear_pointer (&reader->message, g_free);
}

static void
on_end (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  S3Reader *reader = data;
  if (g_str_equal (name, "Key"))
    keep (&reader->key, reader->text);
  else if (g_str_equal (name, "Code"))
    keep (&reader->code, reader->text);
  else if (g_str_equal (name, "Message"))
    keep (&reader->message, reader->text);
  else if (reader->depth == 2 && reader->answer->is_result)
    close_item (reader);
  else if (reader->depth == 1 && reader->in_error) {
    g_free (reader->answer->code); /* GMarkup takes one root after another */
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
  g_free (reader->key);
  g_free (reader->code);
  g_free (reader->message);
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
    answer->is_result = FALSE;
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
